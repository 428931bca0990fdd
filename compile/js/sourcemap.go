package js

import (
	"sort"
	"strings"
	"unicode/utf8"
)

// SourceMap leads from places in a translated file back to the file it was made
// of. It is version 3's "mappings" with what is needed to count columns in
// bytes.
type SourceMap struct {
	File     string `json:"file,omitempty"` // what was translated, "" when it has the same name
	Mappings string `json:"mappings"`
	// Columns of the mappings are in UTF-16 code units: the lines that hold
	// more than ASCII, by number from 0, on either side.
	Generated map[int]string `json:"generated,omitempty"`
	Source    map[int]string `json:"source,omitempty"`
}

// NewSourceMap takes the mappings of one translated file.
func NewSourceMap(mappings, generated, source string) *SourceMap {
	return &SourceMap{Mappings: mappings, Generated: wideLines(generated), Source: wideLines(source)}
}

func wideLines(text string) map[int]string {
	wide := make(map[int]string)
	for i, line := range strings.Split(text, "\n") {
		for _, c := range []byte(line) {
			if c >= utf8.RuneSelf {
				wide[i] = line
				break
			}
		}
	}
	return wide
}

// segment says that generated columns from col on come from a place in the
// source; all count from 0.
type segment struct{ col, line, sourceCol int }

// Original is where a place of the translated file comes from. Lines and
// columns count from 1, columns in bytes; 0 is an unknown column.
func (m *SourceMap) Original(line, col int) (int, int) {
	segments, last := m.line(line - 1)
	if len(segments) == 0 {
		return last + 1, 1
	}
	at := 0
	if col > 0 {
		at = UTF16Column(m.Generated[line-1], col-1)
	}
	i := sort.Search(len(segments), func(i int) bool { return segments[i].col > at })
	s := segments[max(i-1, 0)]
	return s.line + 1, ByteColumn(m.Source[s.line], s.sourceCol) + 1
}

// line decodes the segments of one generated line, and the source line that
// was reached before it.
func (m *SourceMap) line(n int) (segments []segment, last int) {
	sourceLine, sourceCol := 0, 0
	for i, text := range strings.Split(m.Mappings, ";") {
		if i > n {
			break
		}
		last = sourceLine
		col := 0
		for _, field := range strings.Split(text, ",") {
			v := decodeVLQ(field)
			if len(v) < 4 {
				continue
			}
			col += v[0]
			sourceLine += v[2]
			sourceCol += v[3]
			if i == n {
				segments = append(segments, segment{col, sourceLine, sourceCol})
			}
		}
	}
	return segments, last
}

const base64Digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

// decodeVLQ reads the numbers of one segment: base 64, five bits a digit, the
// sixth saying that more follow, the lowest bit of a number its sign.
func decodeVLQ(text string) (values []int) {
	n, shift := 0, 0
	for _, c := range []byte(text) {
		d := strings.IndexByte(base64Digits, c)
		if d < 0 {
			return nil
		}
		n |= d & 31 << shift
		if shift += 5; d&32 != 0 {
			continue
		}
		if n&1 != 0 {
			n = -n
		}
		values = append(values, n/2)
		n, shift = 0, 0
	}
	return values
}

// UTF16Column turns a column of a line in bytes into one in UTF-16 code units,
// both from 0. An empty line stands for one of ASCII only.
func UTF16Column(line string, bytes int) int {
	if line == "" {
		return bytes
	}
	units := 0
	for i, r := range line {
		if i >= bytes {
			break
		}
		units += utf16Len(r)
	}
	return units + max(0, bytes-len(line))
}

// ByteColumn is the inverse of UTF16Column.
func ByteColumn(line string, units int) int {
	if line == "" {
		return units
	}
	for i, r := range line {
		if units <= 0 {
			return i
		}
		units -= utf16Len(r)
	}
	return len(line) + max(0, units)
}

func utf16Len(r rune) int {
	if r >= 0x10000 {
		return 2
	}
	return 1
}
