package oql

import (
	"slices"
	"strings"
	"time"

	"wb/internal/lazyregexp"
	"wb/org"
)

// Links and timestamps are looked for in plain text, as org-ql does, also in
// blocks and drawers. Candidates are found by their first byte; what they are
// is then decided for each.

// stampPattern is a timestamp as org-ql knows it: with the day's name or
// without, then perhaps a time or a range of times, then, in active ones,
// perhaps repeaters and a warning period.
var stampPattern = lazyregexp.New(`^(?:<\d{4}-\d\d-\d\d(?: [\pL[:punct:]]+)?(?: \d{1,2}:\d\d(?::\d\d)?(?:-\d{1,2}:\d\d)?)?(?: [-+:.]{1,2}\d+[hdwmy](?:/\d+[hdwmy])?){0,2}>` +
	`|\[\d{4}-\d\d-\d\d(?: [\pL[:punct:]]+?)?(?: \d{1,2}:\d\d(?::\d\d)?(?:-\d{1,2}:\d\d)?)?\])`)

// stamps are all timestamps of a text, each end of a range for itself.
func stamps(text string) (out []Stamp) {
	eachStamp(text, func(_ string, s Stamp) bool {
		out = append(out, s)
		return true
	})
	return out
}

// eachStamp shows every timestamp of a text, as it is written and as it is
// read, until show returns false.
func eachStamp(text string, show func(written string, s Stamp) bool) {
	eachDate(text, func(at int) bool {
		written, s, ok := stampAt(text, at)
		return !ok || show(written, s)
	})
}

// stampAt reads the timestamp that starts at an offset.
func stampAt(text string, at int) (written string, s Stamp, ok bool) {
	written = stampPattern.FindString(text[at:lineStop(text, at)])
	t, ok := org.ParseTimestamp(written)
	if written == "" || !ok {
		return "", s, false
	}
	read := stamp(t)
	if read == nil {
		return "", s, false
	}
	s = *read
	if m := secondsPattern.FindStringSubmatch(written); m != nil {
		s.At = s.At.Add(time.Duration(10*(m[1][0]-'0')+m[1][1]-'0') * time.Second)
	}
	return written, s, true
}

// secondsPattern finds the seconds that wb's own logs write and Org ignores.
var secondsPattern = lazyregexp.New(`\d:\d\d:(\d\d)`)

// eachDate shows the places where a bracket and a date are.
func eachDate(text string, show func(at int) bool) {
	for _, bracket := range []byte("<[") {
		for at := 0; ; at++ {
			i := strings.IndexByte(text[at:], bracket)
			if i < 0 {
				break
			}
			at += i
			if at+11 >= len(text) {
				break
			}
			if text[at+5] != '-' || text[at+8] != '-' || text[at+1]-'0' > 9 {
				continue
			}
			if !show(at) {
				return
			}
		}
	}
}

// lineStop is the end of the line that at is on.
func lineStop(text string, at int) int {
	if n := strings.IndexByte(text[at:], '\n'); n >= 0 {
		return at + n
	}
	return len(text)
}

// linkTypes are those of links that may stand without brackets.
var linkTypes = []string{"http", "https", "file", "mailto", "ftp", "id"}

// links are the links of a text in order: those in brackets, and bare ones of
// the usual types outside of them.
func links(doc *org.Document, span org.Span) []Link {
	text := doc.Text(span)
	var out []Link
	add := func(at int, l Link) {
		l.Line, _ = doc.Position(span.Start + at)
		out = append(out, l)
	}
	done := 0 // what is before belongs to a link
	for at := 0; ; {
		i := strings.IndexAny(text[at:], "[:")
		if i < 0 {
			return out
		}
		at += i
		if text[at] == ':' {
			if from, to, ok := plainLink(text, done, at); ok {
				add(from, Link{Target: text[from:to], Form: PlainLink})
				done, at = to, to
				continue
			}
			at++
			continue
		}
		l, end, ok := bracketLink(text, at)
		if !ok {
			at++
			continue
		}
		add(at, l)
		done, at = end, end
	}
}

// bracketLink reads [[target]] or [[target][description]] at an offset.
func bracketLink(text string, at int) (l Link, end int, ok bool) {
	if !strings.HasPrefix(text[at:], "[[") {
		return l, 0, false
	}
	start := at + 2
	i := start
	for i < len(text) && text[i] != ']' && text[i] != '[' {
		if text[i] != '\\' {
			i++
			continue
		}
		slashes := 0
		for i < len(text) && text[i] == '\\' {
			slashes, i = slashes+1, i+1
		}
		if i < len(text) && (text[i] == ']' || text[i] == '[') && slashes%2 == 1 {
			i++ // escaped
		}
	}
	if i == start || i >= len(text) || text[i] != ']' {
		return l, 0, false
	}
	l.Target = text[start:i]
	rest := text[i+1:]
	if strings.HasPrefix(rest, "]") {
		return l, i + 2, true
	}
	if !strings.HasPrefix(rest, "[") || len(rest) < 3 {
		return l, 0, false
	}
	stop := strings.Index(rest[2:], "]]")
	if stop < 0 {
		return l, 0, false
	}
	l.Desc = rest[1 : 2+stop]
	return l, i + 1 + 2 + stop + 2, true
}

// plainLink reads type:path around a colon; nothing before done belongs to it.
func plainLink(text string, done, colon int) (from, to int, ok bool) {
	from = colon
	for from > done && isLetter(rune(text[from-1])) {
		from--
	}
	if !slices.Contains(linkTypes, text[from:colon]) || from > 0 && (text[from-1] == '_' || text[from-1]-'0' <= 9) {
		return 0, 0, false
	}
	to = colon + 1
	for to < len(text) && strings.IndexByte(" \t\r\n<>[]()", text[to]) < 0 {
		to++
	}
	for to > colon+1 && strings.IndexByte(".,;:!?'\"", text[to-1]) >= 0 {
		to--
	}
	return from, to, to > colon+1
}
