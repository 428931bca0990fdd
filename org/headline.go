package org

import (
	"iter"
	"slices"
	"strings"
	"unicode/utf8"
)

// Headline is a line of stars with all that stands below it.
type Headline struct {
	*Node
	Level    int   // number of stars
	Keyword  Token // TODO keyword, one of [Document.Todo]
	Done     bool  // the keyword is a done state
	Priority Token // "A" in "[#A]"
	Comment  bool  // the title starts with COMMENT: never run, tangled or exported
	Title    Token // without keyword, priority, COMMENT and tags
	TagList  Token // ":a:b:" as written
	Line     Span  // the whole line with its line ending
}

// Headline reads a node of [KindHeadline].
func (n *Node) Headline() (Headline, bool) {
	if n.kind != KindHeadline {
		return Headline{}, false
	}
	s := n.doc.text
	h := Headline{Node: n, Line: n.first.Span(), Level: headlineStars(s, n.start)}
	l := lineAt(s, n.start)
	pos := skipBlanks(s, l.start+h.Level, l.end)
	if word := wordEnd(s, pos, l.end); word > pos {
		if k, ok := n.doc.settings.todo.Find(s[pos:word]); ok {
			h.Keyword, h.Done = n.token(Span{pos, word}), k.Done
			pos = skipBlanks(s, word, l.end)
		}
	}
	if value, end, ok := priorityCookie(s, pos, l.end); ok {
		h.Priority = n.token(value)
		pos = skipBlanks(s, end, l.end)
	}
	if strings.HasPrefix(s[pos:l.end], "COMMENT") && (pos+7 == l.end || s[pos+7] == ' ') {
		h.Comment = true
		pos = skipBlanks(s, pos+7, l.end)
	}
	end := l.end
	if tags, ok := tagList(s, l.start+h.Level, l.end); ok {
		h.TagList = n.token(tags)
		end = max(pos, trimSpan(s, l.start, tags.Start).End)
		pos = min(pos, end)
	}
	h.Title = n.token(Span{pos, end})
	return h, true
}

// wordEnd returns the end of the run of bytes other than blanks at pos.
func wordEnd(s string, pos, end int) int {
	for pos < end && s[pos] != ' ' && s[pos] != '\t' {
		pos++
	}
	return pos
}

// priorityCookie reads "[#A]", "[#B]" … or "[#12]" at pos.
func priorityCookie(s string, pos, end int) (value Span, after int, ok bool) {
	if !strings.HasPrefix(s[pos:end], "[#") {
		return Span{}, 0, false
	}
	start := pos + 2
	i := start
	for i < end && i < start+2 && isDigit(s[i]) {
		i++
	}
	if i == start && i < end && 'A' <= s[i] && s[i] <= 'Z' {
		i++
	}
	if i == start || i == end || s[i] != ']' {
		return Span{}, 0, false
	}
	return Span{start, i}, i + 1, true
}

// tagList finds ":a:b:" at the end of the line, behind a blank.
func tagList(s string, start, end int) (Span, bool) {
	if end-start < 4 || s[end-1] != ':' {
		return Span{}, false
	}
	i := end
	for i > start && s[i-1] != ' ' && s[i-1] != '\t' {
		i--
	}
	if i == start || s[i] != ':' || end-i < 3 {
		return Span{}, false
	}
	for pos := i; pos < end; {
		c := s[pos]
		if c < utf8.RuneSelf {
			if !isAlnum(c) && strings.IndexByte("_@#%:", c) < 0 {
				return Span{}, false
			}
			pos++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[pos:end])
		if !isWordRune(r) {
			return Span{}, false
		}
		pos += size
	}
	return Span{i, end}, true
}

// splitTags cuts ":a:b:" into its tags.
func splitTags(list string) []string {
	var tags []string
	for _, t := range strings.Split(list, ":") {
		if t != "" {
			tags = append(tags, t)
		}
	}
	return tags
}

// LocalTags returns the tags on the headline itself; see [Document.Tags] for
// the inherited ones.
func (h Headline) LocalTags() []string { return splitTags(h.TagList.Text) }

// HasTag reports whether the headline itself has the tag.
func (h Headline) HasTag(tag string) bool { return slices.Contains(h.LocalTags(), tag) }

// Archived reports whether the headline itself has the tag ARCHIVE.
func (h Headline) Archived() bool { return h.HasTag("ARCHIVE") }

// Planning returns the headline's planning line.
func (h Headline) Planning() (Planning, bool) {
	if c := h.first.next; c != nil {
		return c.Planning()
	}
	return Planning{}, false
}

// Properties iterates over the lines of the headline's property drawer.
func (h Headline) Properties() iter.Seq[Property] { return properties(propertyDrawerOf(h.Node)) }

// Property returns the value of the headline's own property, without
// inheritance; the last line wins, and "KEY+" lines are appended.
func (h Headline) Property(key string) (string, bool) {
	base, extra, found := localProperty(h.Node, key)
	return joinProperty(base, extra), found
}

// Body returns the part of the headline between its property drawer (or its
// line) and its first sub-headline.
func (h Headline) Body() Span {
	body := Span{h.Line.End, h.end}
	for c := h.first.next; c != nil; c = c.next {
		switch c.kind {
		case KindPlanning, KindPropertyDrawer:
			body.Start = c.end
		case KindHeadline:
			body.End = c.start
			return body
		}
	}
	return body
}

// Up returns the headline above this one in the outline.
func (h Headline) Up() (Headline, bool) { return h.parent.Headline() }

// Subs iterates over the headlines directly below this one.
func (h Headline) Subs() iter.Seq[Headline] {
	return func(yield func(Headline) bool) {
		for c := h.first; c != nil; c = c.next {
			if sub, ok := c.Headline(); ok && !yield(sub) {
				return
			}
		}
	}
}

// Headlines iterates over all headlines in source order.
func (d *Document) Headlines() iter.Seq[Headline] {
	return func(yield func(Headline) bool) {
		for n := d.nextHeadline(d.root); n != nil; n = d.nextHeadline(n) {
			if h, _ := n.Headline(); !yield(h) {
				return
			}
		}
	}
}

// nextHeadline returns the headline after n in source order without walking
// through what stands between.
func (d *Document) nextHeadline(n *Node) *Node {
	for c := n.first; c != nil; c = c.next {
		if c.kind == KindHeadline {
			return c
		}
	}
	for ; n != d.root; n = n.parent {
		if n.next != nil { // behind a headline only headlines follow
			return n.next
		}
	}
	return nil
}

// Headline returns the headline that the node stands below (or is), and false
// above the first headline.
func (d *Document) Headline(n *Node) (Headline, bool) {
	for ; n != nil; n = n.parent {
		if n.kind == KindHeadline {
			return n.Headline()
		}
	}
	return Headline{}, false
}
