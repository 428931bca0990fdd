package exchange

import (
	"strings"

	"wb/internal/lazyregexp"
	"wb/org"
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
