package tangle

import (
	"strings"

	"wb/internal/textdiff"
)

// ways lists how a change can be put into the document, the likeliest first.
func (d *detangler) ways(c *change) [][]docEdit {
	view := d.views[c.path]
	if c.from == c.to {
		return d.insertions(view, c)
	}
	if len(c.text) == c.to-c.from {
		if way := d.lineByLine(view, c); way != nil {
			return [][]docEdit{way}
		}
	}
	if way := d.asRange(view, c); way != nil {
		return [][]docEdit{way}
	}
	if info := view.info[c.from]; c.to == c.from+1 && info.first && len(info.marks) == 0 && view.lines[c.from] == "" {
		if edit, ok := d.intoEmpty(info.section, c.text); ok {
			return [][]docEdit{{edit}}
		}
	}
	return nil
}

// insertions are the ways to add lines: behind the line above, or before the
// line below. Behind the end of a referenced block its surroundings come first.
func (d *detangler) insertions(view *fileView, c *change) (ways [][]docEdit) {
	if c.from > 0 && view.info[c.from-1].section != nil {
		marks := view.marksAt(c.from - 1)
		for i := len(marks) - 1; i >= 0; i-- {
			if text, ok := d.backwards(view.lines[c.from-1], marks, i, c.text, true); ok {
				line := marks[i].line + 1
				ways = append(ways, []docEdit{{line, line, text}})
			}
		}
		if len(marks) == 0 { // an empty block
			if edit, ok := d.intoEmpty(view.info[c.from-1].section, c.text); ok {
				ways = append(ways, []docEdit{edit})
			}
		}
	}
	if c.from < len(view.lines) && view.info[c.from].section != nil {
		marks := view.marksAt(c.from)
		for i := range marks {
			if text, ok := d.backwards(view.lines[c.from], marks, i, c.text, true); ok {
				ways = append(ways, []docEdit{{marks[i].line, marks[i].line, text}})
			}
		}
	}
	return ways
}

// lineByLine replaces each line by its new text.
func (d *detangler) lineByLine(view *fileView, c *change) []docEdit {
	var edits []docEdit
	for k := c.from; k < c.to; k++ {
		if view.lines[k] == c.text[k-c.from] {
			continue
		}
		marks := view.marksAt(k)
		done := false
		for i := range marks {
			text, ok := d.backwards(view.lines[k], marks, i, c.text[k-c.from:k-c.from+1], false)
			if ok {
				edits = append(edits, docEdit{marks[i].line, marks[i].line + 1, text})
				done = true
				break
			}
		}
		if !done {
			return nil
		}
	}
	return edits
}

// asRange replaces a run of lines that is a run of the document too.
func (d *detangler) asRange(view *fileView, c *change) []docEdit {
	first, last := view.marksAt(c.from), view.marksAt(c.to-1)
	for i, f := range first {
		for _, l := range last {
			if l.line-f.line != c.to-1-c.from || !d.doc.sameBlock(f.line, l.line) {
				continue
			}
			inside := true
			for k := c.from; k < c.to; k++ {
				inside = inside && hasLine(view.marksAt(k), f.line+k-c.from)
			}
			if !inside {
				continue
			}
			if text, ok := d.backwards(view.lines[c.from], first, i, c.text, len(c.text) != 1); ok {
				return []docEdit{{f.line, l.line + 1, text}}
			}
		}
	}
	return nil
}

func hasLine(marks []mark, line int) bool {
	for _, m := range marks {
		if m.line == line {
			return true
		}
	}
	return false
}

// backwards undoes for new lines what tangling did to an old one: the text in
// front of the block's own (a noweb prefix) goes, the block's indentation and
// org's commas come. whole says that new lines stand for themselves; else what
// other blocks put on the old line must still be there.
func (d *detangler) backwards(old string, marks []mark, which int, lines []string, whole bool) ([]string, bool) {
	start := 0
	if which > 0 {
		start = marks[which-1].end
	}
	own, tail := old[start:marks[which].end], old[marks[which].end:]
	tail = strings.TrimRight(tail, " \t")
	raw, ok := d.doc.line(marks[which].line)
	if !ok {
		return nil, false
	}
	line := strings.TrimRight(Uncomma(raw), " \t\r")
	common := 0
	for common < len(own) && common < len(line) && own[len(own)-1-common] == line[len(line)-1-common] {
		common++
	}
	prefix, before := own[:len(own)-common], line[:len(line)-common]
	if whole && strings.TrimSpace(before) != "" {
		// The old line is the rest of one that holds a reference. New lines
		// stand beside it, as lines of that block.
		before, prefix = d.indentation(marks[which].line, line), ""
	}
	out := make([]string, len(lines))
	for i, text := range lines {
		if !whole {
			if !strings.HasPrefix(text, old[:start]) || !strings.HasSuffix(text, tail) || len(text) < start+len(tail) {
				return nil, false
			}
			text = text[start : len(text)-len(tail)]
		}
		bare, has := strings.CutPrefix(text, prefix)
		if !has {
			if strings.TrimSpace(text) != "" || strings.TrimSpace(prefix) != "" {
				return nil, false
			}
			bare = ""
		}
		if out[i] = before + bare; strings.TrimSpace(out[i]) == "" {
			out[i] = ""
		}
		out[i] = strings.TrimSuffix(Comma(out[i]), "\n")
	}
	return out, true
}

// intoEmpty puts lines into a block that has none.
func (d *detangler) intoEmpty(s *Section, lines []string) (docEdit, bool) {
	begin, ok := d.doc.line(s.Line)
	if !ok {
		return docEdit{}, false
	}
	indent := begin[:len(begin)-len(strings.TrimLeft(begin, " \t"))]
	text := make([]string, len(lines))
	for i, line := range lines {
		text[i] = strings.TrimSuffix(Comma(indent+line), "\n")
	}
	to := s.Line + 1
	for { // its blank lines go
		line, ok := d.doc.line(to)
		if !ok || strings.TrimSpace(line) != "" {
			break
		}
		to++
	}
	return docEdit{s.Line + 1, to, text}, true
}

// whyNot explains a change that has no place in the document.
func (d *detangler) whyNot(c *change) string {
	view := d.views[c.path]
	inside, outside := false, false
	for k := c.from; k < c.to; k++ {
		if len(view.marksAt(k)) > 0 {
			inside = true
		} else if strings.TrimSpace(view.lines[k]) != "" {
			outside = true
		}
	}
	switch {
	case c.from == c.to:
		return "this text stands between blocks, and belongs to none"
	case outside && inside:
		return "these lines come partly from blocks and partly from header arguments or comments"
	case outside:
		return "these lines are not from a block but from header arguments or comments"
	}
	return "it is not clear to which block these lines belong"
}

// indentation is what org put before a line of a block and tangling took away:
// its part of the block's common indentation.
func (d *detangler) indentation(number int, line string) string {
	n := d.doc.blockOf(number)
	if n == nil {
		return ""
	}
	b, _ := n.Block()
	if hasSwitch(b.Switches.Text, "-i") {
		return ""
	}
	least := -1
	for _, other := range textdiff.Lines(d.doc.Text(b.Body)) {
		if column, blank := indentOf(other); !blank && (least < 0 || column < least) {
			least = column
		}
	}
	rest, ok := cutColumns(line, max(least, 0))
	if !ok {
		return ""
	}
	return line[:len(line)-len(rest)]
}
