package tangle

import (
	"sort"
	"strings"

	"wb/internal/textdiff"
	"wb/org"
)

// docEdit replaces lines [from,to) of the document, counted from 1; an empty
// range inserts before line from.
type docEdit struct {
	from, to int
	text     []string
}

// attempt is a change and the edits that may put it into the document.
type attempt struct {
	*change
	edits []docEdit
}

// accept puts every change into the document that can be put there: all at once
// if that tangles back, else one after the other.
func (d *detangler) accept() error {
	var all []attempt
	var edits []docEdit
	for _, c := range d.changes {
		ways := d.ways(c)
		if len(ways) == 0 || overlaps(edits, ways[0]) {
			return d.acceptOneByOne()
		}
		edits = append(edits, ways[0]...)
		all = append(all, attempt{c, ways[0]})
	}
	if len(all) == 0 {
		return nil
	}
	accepted, err := d.try(all)
	if err != nil || accepted {
		return err
	}
	return d.acceptOneByOne()
}

// acceptOneByOne tries each change alone, each way there is, on the document as
// the changes before have left it.
func (d *detangler) acceptOneByOne() error {
	for i, c := range d.changes {
		if c.settled {
			continue
		}
		ways := d.ways(c)
		accepted := false
		for _, way := range ways {
			before := d.views
			var err error
			if accepted, err = d.try([]attempt{{c, way}}); err != nil {
				return err
			}
			if accepted {
				for _, later := range d.changes[i+1:] {
					later.follow(before[later.path], d.views[later.path])
				}
				break
			}
		}
		if accepted {
			continue
		}
		doc := d.views[c.path].lines[c.from:c.to]
		switch {
		case c.clash:
			d.refuse(c.path, c.line, doc, c.text, "another place where this block stands was edited differently")
		case len(ways) > 0:
			d.refuse(c.path, c.line, doc, c.text, "the document cannot say this: it would not tangle to the same text")
		default:
			d.refuse(c.path, c.line, doc, c.text, "%s", d.whyNot(c))
		}
	}
	return nil
}

// follow moves a change to where its lines stand after another was accepted.
// One whose own lines have changed is settled if they now say what it wants.
func (c *change) follow(before, after *fileView) {
	offset := 0
	for _, h := range textdiff.Compare(before.lines, after.lines) {
		switch {
		case h.A1 <= c.from && !(h.A0 == h.A1 && h.A0 == c.from && c.from == c.to):
			offset = h.B1 - h.A1
		case h.A0 < c.to || h.A0 == c.from:
			c.settled = h.A0 == c.from && h.A1 == c.to && equalLines(after.lines[h.B0:h.B1], c.text)
			c.clash = !c.settled
		}
	}
	c.from, c.to = c.from+offset, c.to+offset
	if c.to > len(after.lines) {
		c.from, c.to = len(after.lines), len(after.lines)
	}
}

// try applies edits and keeps them if the document then tangles to the edited
// text wherever the changes are, and to what it did before everywhere else.
func (d *detangler) try(attempts []attempt) (bool, error) {
	var edits []docEdit
	for _, a := range attempts {
		if a.clash {
			return false, nil
		}
		edits = append(edits, a.edits...)
	}
	source, oldLines, newLines := applyLines(d.source, edits)
	views, doc, err := d.planned(org.ParseString(source))
	if err != nil { // the edit would break the document, unless we were stopped
		return false, d.ctx.Err()
	}
	if len(views) != len(d.views) {
		return false, nil
	}
	for path, before := range d.views {
		after := views[path]
		if after == nil || !tanglesBack(before, after, wanted(attempts, path), oldLines, newLines) {
			return false, nil
		}
	}
	for _, a := range attempts {
		d.applied = append(d.applied, Returned{
			File: a.path, Line: a.line, Block: d.nameOf(a.edits[0].from), Doc: a.edits[0].from,
		})
	}
	d.source, d.doc, d.views = source, doc, views
	return true, nil
}

// wanted are the changes to one file, in order.
func wanted(attempts []attempt, path string) []*change {
	var out []*change
	for _, a := range attempts {
		if a.path == path {
			out = append(out, a.change)
		}
	}
	sort.SliceStable(out, func(i, j int) bool { return out[i].from < out[j].from })
	return out
}

// tanglesBack compares one file with what it should have become. Lines may
// differ only where they come from the edited lines of the document: those are
// other places that use the same block.
func tanglesBack(before, after *fileView, changes []*change, oldLines, newLines map[int]bool) bool {
	var want []string
	var from []int // line of before, -1 for lines of a change
	at := 0
	copyTo := func(to int) {
		for ; at < to; at++ {
			want, from = append(want, before.lines[at]), append(from, at)
		}
	}
	for _, c := range changes {
		copyTo(c.from)
		for _, line := range c.text {
			want, from = append(want, line), append(from, -1)
		}
		at = c.to
	}
	copyTo(len(before.lines))
	for _, h := range textdiff.Compare(want, after.lines) {
		for i := h.A0; i < h.A1; i++ {
			if from[i] < 0 || !before.stems(from[i], oldLines) {
				return false
			}
		}
		for i := h.B0; i < h.B1; i++ {
			if !after.stems(i, newLines) {
				return false
			}
		}
	}
	return true
}

// nameOf names the block around a line of the document.
func (d *detangler) nameOf(line int) string {
	n := d.doc.blockOf(min(line, d.doc.LineCount()))
	if n == nil {
		return ""
	}
	if name := n.Name().Text; name != "" {
		return name
	}
	h, _ := d.doc.Headline(n)
	return h.Title.Text
}

// overlaps reports whether a new edit touches lines that another one changes
// differently.
func overlaps(edits, more []docEdit) bool {
	for _, e := range edits {
		for _, m := range more {
			same := e.from == m.from && e.to == m.to && equalLines(e.text, m.text)
			if !same && (e.from < m.to && m.from < e.to || e.from == m.from && (e.from == e.to || m.from == m.to)) {
				return true
			}
		}
	}
	return false
}

// applyLines applies edits to a text whose line endings it keeps. It returns
// the lines that changed, by their numbers before and after.
func applyLines(source string, edits []docEdit) (text string, oldLines, newLines map[int]bool) {
	ordered := append([]docEdit(nil), edits...)
	sort.SliceStable(ordered, func(i, j int) bool {
		a, b := ordered[i], ordered[j]
		return a.from < b.from || a.from == b.from && a.to < b.to
	})
	eol := "\n"
	if i := strings.IndexByte(source, '\n'); i > 0 && source[i-1] == '\r' {
		eol = "\r\n"
	}
	lines := strings.SplitAfter(source, "\n")
	oldLines, newLines = map[int]bool{}, map[int]bool{}
	var out strings.Builder
	at, line := 1, 1
	keep := func(until int) {
		for ; at < until && at <= len(lines); at++ {
			out.WriteString(lines[at-1])
			line++
		}
	}
	for i, e := range ordered {
		if i > 0 && e.from == ordered[i-1].from && e.to == ordered[i-1].to && equalLines(e.text, ordered[i-1].text) {
			continue
		}
		keep(e.from)
		for ; at < e.to; at++ {
			oldLines[at] = true
		}
		for _, s := range e.text {
			out.WriteString(s)
			out.WriteString(eol)
			newLines[line] = true
			line++
		}
	}
	keep(len(lines) + 1)
	return out.String(), oldLines, newLines
}
