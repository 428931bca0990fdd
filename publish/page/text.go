package page

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"wb/internal/diag"
	"wb/org"
)

// text is a document on its way to the reader: what the author wrote with
// includes, macros and :exports carried out. It knows where each byte came
// from, so that messages name the author's line.
type text struct {
	data string
	segs []segment // by at; the first stands at 0
}

// segment says where a stretch of text came from.
type segment struct {
	at     int
	from   *origin
	offset int  // in from.src
	fixed  bool // all of the stretch came from that one place
}

// origin is a file that text came from.
type origin struct {
	name string // as messages have it
	dir  string // of the file, relative to the workbook's; "" for the workbook itself
	src  string
}

func newText(from *origin) *text {
	return &text{data: from.src, segs: []segment{{from: from}}}
}

// place is where the byte at offset came from.
func (t *text) place(offset int) (from *origin, at int) {
	i, found := slices.BinarySearchFunc(t.segs, offset, func(s segment, at int) int { return cmp.Compare(s.at, at) })
	if !found {
		i--
	}
	s := t.segs[max(i, 0)]
	if s.fixed {
		return s.from, s.offset
	}
	return s.from, s.offset + offset - s.at
}

// position is the line and column of that place.
func (t *text) position(offset int) diag.Position {
	from, at := t.place(offset)
	at = min(at, len(from.src))
	before := from.src[:at]
	return diag.Position{File: from.name, Line: 1 + strings.Count(before, "\n"), Col: at - strings.LastIndexByte(before, '\n')}
}

// dirAt is the directory that relative paths at offset start from.
func (t *text) dirAt(offset int) string {
	from, _ := t.place(offset)
	return from.dir
}

// splice puts text in the place of a stretch.
type splice struct {
	start, end int
	with       *text
}

// literal is text of the writer's own, which came from one place.
func (t *text) literal(at int, s string) *text {
	from, offset := t.place(at)
	return &text{data: s, segs: []segment{{from: from, offset: offset, fixed: true}}}
}

// edited is the text after edits, which do not overlap.
func (t *text) edited(edits []org.Edit) *text {
	if len(edits) == 0 {
		return t
	}
	splices := make([]splice, len(edits))
	for i, e := range edits {
		splices[i] = splice{e.Start, e.End, t.literal(e.Start, e.New)}
	}
	return t.spliced(splices)
}

// spliced is the text with splices, which are sorted and do not overlap.
func (t *text) spliced(splices []splice) *text {
	var data strings.Builder
	out := &text{}
	pos := 0
	keep := func(end int) {
		if end <= pos {
			return
		}
		at := data.Len()
		i, found := slices.BinarySearchFunc(t.segs, pos, func(s segment, at int) int { return cmp.Compare(s.at, at) })
		if !found {
			i--
		}
		for ; i < len(t.segs) && t.segs[i].at < end; i++ {
			s := t.segs[i]
			if s.at < pos && !s.fixed {
				s.offset += pos - s.at
			}
			s.at = at + max(s.at-pos, 0)
			out.segs = append(out.segs, s)
		}
		data.WriteString(t.data[pos:end])
		pos = end
	}
	for _, s := range splices {
		keep(s.start)
		at := data.Len()
		if s.with.data != "" {
			for _, seg := range s.with.segs {
				seg.at += at
				out.segs = append(out.segs, seg)
			}
			data.WriteString(s.with.data)
		}
		pos = max(pos, s.end)
	}
	keep(len(t.data))
	out.data = data.String()
	if len(out.segs) == 0 {
		out.segs = []segment{{from: t.segs[0].from}}
	}
	return out
}

// slice is a part of the text.
func (t *text) slice(start, end int) *text {
	return t.spliced([]splice{{0, start, &text{}}, {end, len(t.data), &text{}}})
}

// relative is a path of a file at offset, relative to the workbook.
func (t *text) relative(offset int, name string) string {
	dir := t.dirAt(offset)
	if dir == "" || path.IsAbs(name) || strings.HasPrefix(name, "~") {
		return name
	}
	return path.Join(dir, name)
}
