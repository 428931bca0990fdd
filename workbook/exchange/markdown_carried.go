package exchange

import (
	"fmt"
	"strconv"
	"strings"

	"wb/internal/lazyregexp"
)

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

const (
	trustExact trust = iota // those that lead back to the same bytes
	trustNone               // none: each keeps what org said
	trustAll                // all: nothing is kept
)

// trust says for which pieces the translation is taken at its word.
type trust int

var (
	commentEnd = lazyregexp.New(`--(\\*)>`)
	escapedEnd = lazyregexp.New(`--(\\*)\\>`)
)

// The first lines of Markdown may tell how the lines of the org file end.
const (
	endsCRLF = "<!--org:crlf-->\n" // all in CR LF
	endsOpen = "<!--org:open-->\n" // the last one in nothing
)

// endsMixed tells that some lines end in CR LF: which, and of how many.
var endsMixed = lazyregexp.New(`\A<!--org:crlf( \d+)+ of \d+-->\n`)
