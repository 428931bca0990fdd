package exchange

import (
	"fmt"
	"strconv"
	"strings"

	"wb/internal/lazyregexp"
	"wb/org"
)

// Markdown written by [ToMarkdown] gives the org document back byte for byte.
// The document is cut into pieces: headlines, elements, and stretches of
// org that Markdown has no form for. Each piece becomes Markdown by itself:
//
//   - A piece whose translation leads back to the same bytes stands alone.
//   - Any other is preceded by a comment that holds what org said. The way back
//     takes that text as long as the Markdown below it is what org's text
//     becomes; where somebody has changed the Markdown, the change wins.
//
// As many blank lines stand between two pieces as in org. Where org has none
// and Markdown would join the two, a joint stands between them.
const (
	wasOpen = "<!--org=\n" // what org said; its translation follows
	joint   = "<!--+-->\n" // no blank line in org
)

// The first lines of Markdown may tell how the lines of the org file end.
const (
	endsCRLF = "<!--org:crlf-->\n" // all in CR LF
	endsOpen = "<!--org:open-->\n" // the last one in nothing
)

// trust says for which pieces the translation is taken at its word.
type trust int

const (
	trustExact trust = iota // those that lead back to the same bytes
	trustNone               // none: each keeps what org said
	trustAll                // all: nothing is kept
)

// losslessMarkdown translates a document so that [FromMarkdown] gives the same
// bytes. Pieces that are right by themselves can still disagree about what lies
// between them, so the whole is translated back; when that fails, more of what
// org said is kept.
func losslessMarkdown(src string) string {
	head, body := lineEnds(src)
	for _, t := range []trust{trustExact, trustNone} {
		if md := head + joinPieces(cutPieces(body), t); string(FromMarkdown([]byte(md))) == src {
			return md
		}
	}
	return head + carried(wasOpen, body) + pieceMarkdown(body)
}

// lineEnds gives a text in which each line ends in LF, and the comments that say
// what the ends were.
func lineEnds(src string) (head, body string) {
	body = src
	if n := strings.Count(body, "\r\n"); n > 0 {
		if head = endsCRLF; n < strings.Count(body, "\n") {
			head = mixedEnds(body)
		}
		body = strings.ReplaceAll(body, "\r\n", "\n")
	}
	if body != "" && !strings.HasSuffix(body, "\n") {
		head, body = head+endsOpen, body+"\n"
	}
	return head, body
}

// restoreEnds undoes lineEnds: cut takes the comments away, and restore makes
// the ends of lines what they say.
func restoreEnds(md string) (body string, restore func(string) string) {
	body, crlf := strings.CutPrefix(md, endsCRLF)
	mixed := endsMixed.FindString(body)
	body, open := strings.CutPrefix(body[len(mixed):], endsOpen)
	return body, func(text string) string {
		if open {
			text = strings.TrimSuffix(text, "\n")
		}
		if crlf {
			text = strings.ReplaceAll(text, "\n", "\r\n")
		}
		return restoreMixed(text, mixed)
	}
}

// endsMixed tells that some lines end in CR LF: which, and of how many.
var endsMixed = lazyregexp.New(`\A<!--org:crlf( \d+)+ of \d+-->\n`)

// mixedEnds is the comment that [endsMixed] finds.
func mixedEnds(body string) string {
	lines := strings.SplitAfter(body, "\n")
	head := "<!--org:crlf"
	for i, l := range lines {
		if strings.HasSuffix(l, "\r\n") {
			head += fmt.Sprint(" ", i+1)
		}
	}
	return fmt.Sprintf("%s of %d-->\n", head, len(lines))
}

// restoreMixed ends lines in CR LF again, unless somebody added or removed lines
// since.
func restoreMixed(text, comment string) string {
	lines := strings.SplitAfter(text, "\n")
	fields := strings.Fields(strings.TrimSuffix(comment, "-->\n"))
	if len(fields) == 0 || fields[len(fields)-1] != strconv.Itoa(len(lines)) {
		return text
	}
	for _, field := range fields[1 : len(fields)-2] {
		if n, err := strconv.Atoi(field); err == nil && 0 < n && n <= len(lines) {
			lines[n-1] = strings.TrimSuffix(lines[n-1], "\n") + "\r\n"
		}
	}
	return strings.Join(lines, "")
}

// piece is a stretch of a document with the blank lines below it.
type piece struct {
	text   string
	blanks int
	// bare is org that Markdown has no form for.
	bare bool
	list bool
}

// cutPieces cuts a document. Bare pieces that follow each other are one.
func cutPieces(src string) []piece {
	var all []piece
	add := func(p piece) {
		if last := len(all) - 1; last >= 0 && all[last].bare && p.bare {
			all[last].text += strings.Repeat("\n", all[last].blanks) + p.text
			all[last].blanks = 0
			return
		}
		all = append(all, p)
	}
	var cut func(n *org.Node)
	cut = func(n *org.Node) {
		for c := range n.Children() {
			text := c.Text()
			switch kind := c.Kind(); {
			case kind == org.KindHeadline:
				cut(c)
			case kind == org.KindBlank && strings.Trim(text, "\n") == "" && len(all) > 0:
				all[len(all)-1].blanks += len(text)
			case kind == org.KindBlank, invisible(kind):
				add(piece{text: text, bare: true})
			default:
				add(piece{text: text, list: kind == org.KindList})
			}
		}
	}
	cut(org.ParseString(src).Root())
	return all
}

// invisible reports whether readers of Markdown need not see an element.
func invisible(kind org.Kind) bool {
	switch kind {
	case org.KindKeyword, org.KindPlanning, org.KindPropertyDrawer, org.KindComment, org.KindCommentBlock:
		return true
	}
	return false
}

// joinPieces writes the Markdown of pieces.
func joinPieces(all []piece, t trust) string {
	var out strings.Builder
	texts := make([]string, len(all))
	for i, p := range all {
		texts[i] = p.markdown(t)
		if i == 0 && strings.HasPrefix(pieceMarkdown(p.text), "---\n") { // front matter begins the file
			texts[i] = pieceMarkdown(p.text)
		}
	}
	for i, p := range all {
		md := texts[i]
		out.WriteString(md)
		if i+1 == len(all) {
			out.WriteString(strings.Repeat("\n", p.blanks))
			break
		}
		next := all[i+1]
		switch {
		case p.list && next.list && p.blanks < 2: // lists of different depth
			out.WriteString(listSeparator + "\n" + joint + strings.Repeat("\n", p.blanks))
		case p.list && next.list:
			out.WriteString(strings.Repeat("\n", max(1, p.blanks-1)) + listSeparator + "\n\n")
		case p.blanks > 0:
			out.WriteString(strings.Repeat("\n", p.blanks))
		case rawAtEnd(p, md):
			out.WriteString("\n" + joint)
		case !standsApart(md) && !standsApart(texts[i+1]):
			out.WriteString(joint)
		}
	}
	return out.String()
}

// standsApart reports whether Markdown needs no blank line beside a piece.
func standsApart(md string) bool {
	return strings.HasPrefix(md, "#") || strings.HasPrefix(md, "```") || strings.HasPrefix(md, "~~~") ||
		strings.HasPrefix(md, "<!--") && strings.HasSuffix(md, orgClose+"\n")
}

// rawAtEnd reports whether a piece ends in HTML or Markdown of its author's,
// which may go on until a blank line.
func rawAtEnd(p piece, md string) bool {
	return !p.bare && exportEnd.MatchString(p.text) && !strings.HasSuffix(md, orgClose+"\n")
}

var exportEnd = lazyregexp.New(`(?i)#\+end_export[ \t]*\n$`)

// markdown is the Markdown of a piece by itself.
func (p piece) markdown(t trust) string {
	if p.bare {
		return carried(orgOpen, p.text)
	}
	md := pieceMarkdown(p.text)
	switch {
	case md == "":
		return carried(orgOpen, p.text)
	case t == trustAll, t == trustExact && string(fromMarkdown(md)) == p.text:
		return md
	}
	return carried(wasOpen, p.text) + md
}

// wholeWas is the org text of a document that is kept as one piece.
func wholeWas(md string) (text string, ok bool) {
	end := strings.Index(md, "\n"+orgClose+"\n")
	if !strings.HasPrefix(md, wasOpen) || end < 0 {
		return "", false
	}
	end += len("\n" + orgClose + "\n")
	text, ok = uncarried(md[:end], wasOpen)
	return text, ok && md[end:] == pieceMarkdown(text)
}

// pieceMarkdown is a piece of org as Markdown, whatever stands around it. It is
// empty where readers would see nothing.
func pieceMarkdown(text string) string {
	md := plainMarkdown([]byte(text))
	if onlyComment.MatchString(md) {
		md = readableMarkdown([]byte(text))
	}
	if strings.Trim(md, " \t\n") == "" {
		return ""
	}
	return strings.Trim(md, "\n") + "\n"
}

var onlyComment = lazyregexp.New(`^<!--org\+?\n(?:[^-]|-[^-]|--[^>])*-->\s*$`)

// carried is a comment that holds org's text. A comment ends at the first
// "-->", so that one in the text gets a backslash.
func carried(open, text string) string {
	return open + commentEnd.ReplaceAllString(text, `--$1\>`) + orgClose + "\n"
}

// uncarried is the text of a comment that begins with open.
func uncarried(comment, open string) (text string, ok bool) {
	if text, ok = strings.CutPrefix(comment, open); !ok {
		return "", false
	}
	if text, ok = strings.CutSuffix(strings.TrimRight(text, "\n"), orgClose); !ok {
		return "", false
	}
	return escapedEnd.ReplaceAllString(text, `--$1>`), true
}

var (
	commentEnd = lazyregexp.New(`--(\\*)>`)
	escapedEnd = lazyregexp.New(`--(\\*)\\>`)
)
