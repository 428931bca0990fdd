package tangle

import (
	"strings"

	"wb/internal/lazyregexp"
	"wb/org"
	"wb/tangle/elisp"
)

// Wrap holds the marks around a noweb reference. The zero Wrap is << and >>; a
// document chooses others with the file-local variables
// org-babel-noweb-wrap-start and org-babel-noweb-wrap-end.
type Wrap struct{ start, end string }

var (
	// firstLineVariables are those between -*- on a document's first line.
	firstLineVariables = lazyregexp.New(`^.*?-\*-(.*?)-\*-`)
	localVariable      = lazyregexp.New(`org-babel-noweb-wrap-(start|end)[ \t]*:[ \t]*("(?:[^"\\]|\\.)*")`)
)

// WrapOf reads the file-local variables of a document.
func WrapOf(doc *org.Document) Wrap {
	source := doc.Source()
	first, _, _ := strings.Cut(source, "\n")
	text := ""
	if m := firstLineVariables.FindStringSubmatch(first); m != nil {
		text = m[1]
	}
	tail := source[max(0, len(source)-3000):] // Emacs looks no further
	if i := strings.LastIndex(tail, "Local Variables:"); i >= 0 {
		text += "\n" + tail[i:]
	}
	var w Wrap
	for _, m := range localVariable.FindAllStringSubmatch(text, -1) {
		v, _, err := elisp.ReadPrefix(m[2])
		mark, ok := v.(elisp.String)
		switch {
		case err != nil || !ok || mark == "":
		case m[1] == "start":
			w.start = string(mark)
		default:
			w.end = string(mark)
		}
	}
	return w
}

func (w Wrap) marks() (start, end string) {
	if start, end = w.start, w.end; start == "" {
		start = "<<"
	}
	if end == "" {
		end = ">>"
	}
	return start, end
}

// Around is the reference as a body has it.
func (w Wrap) Around(id string) string {
	start, end := w.marks()
	return start + id + end
}

// In reports whether a body may hold references.
func (w Wrap) In(body string) bool {
	start, _ := w.marks()
	return strings.Contains(body, start)
}

// References lists the references of a body in order, calls included.
func (w Wrap) References(body string) []string {
	var ids []string
	for ref, ok := w.next(body, 0); ok; ref, ok = w.next(body, ref.end) {
		ids = append(ids, ref.id)
	}
	return ids
}

// Strip removes every reference of body and what it would have inserted, for
// `:noweb strip-tangle` and strip-export.
func (w Wrap) Strip(body string) string {
	var out strings.Builder
	done := 0
	for {
		ref, ok := w.next(body, done)
		if !ok {
			break
		}
		out.WriteString(body[done:ref.start])
		done = ref.end
	}
	out.WriteString(body[done:])
	return out.String()
}

// reference is one <<id>> of a body.
type reference struct {
	id         string
	line       int // where the repeated prefix begins: line start or last reference's end
	start, end int // of the whole <<id>>
}

// next finds the first reference at or after from. The id starts and ends with
// a character that is not blank and stays on one line; it is the shortest such
// text of two or more characters, else a single character. (So `<<v>>, <<v>>`
// is one reference to `v>>, <<v`: that is how org-babel reads it, and why chunk
// names have two letters.)
func (w Wrap) next(body string, from int) (reference, bool) {
	start, end := w.marks()
	for at := from; ; {
		open := strings.Index(body[at:], start)
		if open < 0 {
			return reference{}, false
		}
		open += at
		line := body[open:]
		if eol := strings.IndexByte(line, '\n'); eol >= 0 {
			line = line[:eol]
		}
		if n := idLength(line[len(start):], end); n > 0 {
			begin := max(from, strings.LastIndexByte(body[:open], '\n')+1)
			id := line[len(start) : len(start)+n]
			return reference{id: id, line: begin, start: open, end: open + len(start) + n + len(end)}, true
		}
		at = open + 1
	}
}

// idLength is the length of the id at the start of rest when end follows it.
func idLength(rest, end string) int {
	if rest == "" || rest[0] == ' ' || rest[0] == '\t' {
		return 0
	}
	first := 1 // bytes of the first character
	for first < len(rest) && rest[first]&0xC0 == 0x80 {
		first++
	}
	for n := first + 1; n+len(end) <= len(rest); n++ {
		if strings.HasPrefix(rest[n:], end) && rest[n-1] != ' ' && rest[n-1] != '\t' {
			return n
		}
	}
	if strings.HasPrefix(rest[first:], end) {
		return first
	}
	return 0
}
