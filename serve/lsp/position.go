package lsp

import (
	"strings"
	"unicode/utf8"

	"wb/org"
)

// encoding is how the characters of a position count.
type encoding string

const (
	utf8Positions  encoding = "utf-8"
	utf16Positions encoding = "utf-16"
	utf32Positions encoding = "utf-32"
)

// chooseEncoding takes the best encoding a client offers; UTF-16 is the one every
// client speaks.
func chooseEncoding(offered []string) encoding {
	for _, want := range []encoding{utf8Positions, utf32Positions} {
		for _, o := range offered {
			if encoding(o) == want {
				return want
			}
		}
	}
	return utf16Positions
}

// width is how many units a rune is. A byte that is not UTF-8 counts as one
// character.
func (e encoding) width(r rune, size int) int {
	switch {
	case e == utf8Positions:
		return size
	case e == utf16Positions && r >= 0x10000:
		return 2
	}
	return 1
}

// units is the length of s in units of the encoding.
func (e encoding) units(s string) int {
	if e == utf8Positions {
		return len(s)
	}
	n := 0
	for len(s) > 0 {
		r, size := utf8.DecodeRuneInString(s)
		n += e.width(r, size)
		s = s[size:]
	}
	return n
}

// bytes is how many bytes of s the first n units are; all of s when it has
// fewer. A position inside a character is put before it.
func (e encoding) bytes(s string, n int) int {
	at := 0
	for at < len(s) && n > 0 {
		r, size := utf8.DecodeRuneInString(s[at:])
		n -= e.width(r, size)
		if n < 0 {
			break
		}
		at += size
	}
	return at
}

// text is the text of one version of a document, with its lines. Lines end with
// "\n" or "\r\n", as in Org; a "\r" alone, which the protocol also counts as an
// end, is a character of its line, since editors that open org files have it so.
type text struct {
	source string
	lines  []int // offset of each line's first byte
	enc    encoding
}

func newText(source string, enc encoding) *text {
	t := &text{source: source, enc: enc, lines: append(make([]int, 0, strings.Count(source, "\n")+1), 0)}
	for at := 0; ; {
		i := strings.IndexByte(source[at:], '\n')
		if i < 0 {
			return t
		}
		at += i + 1
		t.lines = append(t.lines, at)
	}
}

// line is a line without its end; nothing for a line that is not there.
func (t *text) line(n int) string {
	if n < 0 || n >= len(t.lines) {
		return ""
	}
	if n+1 < len(t.lines) {
		return strings.TrimSuffix(t.source[t.lines[n]:t.lines[n+1]-1], "\r")
	}
	return t.source[t.lines[n]:]
}

// offset is the byte a position means. Behind the end of a line it is the end
// of the line, behind the end of the text the end of the text.
func (t *text) offset(p position) int {
	switch {
	case p.Line < 0:
		return 0
	case p.Line >= len(t.lines):
		return len(t.source)
	}
	return t.lines[p.Line] + t.enc.bytes(t.line(p.Line), p.Character)
}

// position is where a byte stands.
func (t *text) position(offset int) position {
	offset = min(max(offset, 0), len(t.source))
	low, high := 0, len(t.lines)
	for high-low > 1 {
		if mid := (low + high) / 2; t.lines[mid] <= offset {
			low = mid
		} else {
			high = mid
		}
	}
	start := t.lines[low]
	return position{Line: low, Character: t.enc.units(t.source[start:max(start, min(offset, start+len(t.line(low))))])}
}

// span is the range of bytes a range of positions means.
func (t *text) span(r textRange) org.Span {
	start, end := t.offset(r.Start), t.offset(r.End)
	return org.Span{Start: min(start, end), End: max(start, end)}
}

// rangeOf is where a span stands.
func (t *text) rangeOf(s org.Span) textRange {
	return textRange{Start: t.position(s.Start), End: t.position(s.End)}
}

// edit is a change of the document as the protocol writes it.
func (t *text) edit(e org.Edit) textEdit {
	return textEdit{Range: t.rangeOf(org.Span{Start: e.Start, End: e.End}), NewText: e.New}
}

func (t *text) edits(edits []org.Edit) []textEdit {
	list := make([]textEdit, len(edits))
	for i, e := range edits {
		list[i] = t.edit(e)
	}
	return list
}
