package tangle

import (
	"sort"
	"strings"

	"wb/org"
)

// library finds chunks in one document; it is the [Library] of tangling.
type library struct {
	p      *planner
	chunks map[*block]*Chunk
	names  map[string]*block   // by lower-case name, first wins
	refs   map[string][]*block // by :noweb-ref; nil until asked for
}

// Headline also moves point to the heading, as Emacs does; see planner.point.
func (l *library) Headline(id string) (string, bool) {
	h, ok := l.p.headlineWithID(l.p.doc, id)
	if !ok {
		return "", false
	}
	l.p.point = spot{h.Start(), "", headingAt(l.p.doc, h.Start(), map[*org.Node]*heading{})}
	l.p.wandered = true
	return bodyOf(h), true
}

func (l *library) Named(id string) (*Chunk, bool) {
	if l.names == nil {
		l.indexNames()
	}
	b := l.names[strings.ToLower(id)]
	if b == nil || b.heading.comment {
		return nil, false
	}
	return l.chunk(b), true
}

// indexNames reads names as org-babel's search does: a #+NAME: line with only
// keyword lines between it and a #+begin_src names the block in which the next
// #+end_src stands.
func (l *library) indexNames() {
	l.names = map[string]*block{}
	begins, ends := l.p.markers()
	for _, begin := range begins {
		names := namesAbove(l.p.doc.Source(), begin)
		if len(names) == 0 {
			continue
		}
		e := sort.Search(len(ends), func(i int) bool { return ends[i].start > begin })
		if e == len(ends) {
			break
		}
		b := l.p.blockAround(ends[e].after)
		for _, name := range names {
			key := strings.ToLower(name)
			if _, known := l.names[key]; !known && b != nil {
				l.names[key] = b
			}
		}
	}
}

func (l *library) Referenced(id string) []*Chunk {
	if l.refs == nil {
		l.refs = map[string][]*block{}
		for _, b := range l.p.blocks {
			if ref := l.p.literal(b, ":noweb-ref"); ref != "" && !b.heading.comment {
				l.refs[ref] = append(l.refs[ref], b)
			}
		}
	}
	var found []*Chunk
	for _, b := range l.refs[id] {
		found = append(found, l.chunk(b))
	}
	return found
}

// chunk is the block as noweb sees it.
func (l *library) chunk(b *block) *Chunk {
	if c := l.chunks[b]; c != nil {
		return c
	}
	if l.chunks == nil {
		l.chunks = map[*block]*Chunk{}
	}
	c := &Chunk{
		Name:      b.Name().Text,
		Ref:       l.p.literal(b, ":noweb-ref"),
		Lang:      b.Lang.Text,
		Body:      l.p.value(b),
		Noweb:     l.p.literal(b, ":noweb"),
		Comments:  l.p.literal(b, ":comments"),
		Separator: "\n",
		Source:    b,
	}
	if sep, ok := l.p.argsOf(b).Get(":noweb-sep"); ok && sep.Value != "" {
		c.Separator = l.p.literal(b, ":noweb-sep")
	}
	if prefix, ok := l.p.argsOf(b).Get(":noweb-prefix"); ok {
		c.NoPrefix = prefix.Value == "" || prefix.Value == "nil" || prefix.Value == "no"
	}
	l.chunks[b] = c
	return c
}

// namesAbove lists the #+NAME: lines in the run of keyword lines directly above
// the line at begin.
func namesAbove(text string, begin int) []string {
	var names []string
	for end := begin; end > 0; {
		start := strings.LastIndexByte(text[:end-1], '\n') + 1
		line := strings.TrimLeft(text[start:end-1], " \t")
		if !strings.HasPrefix(line, "#+") {
			break
		}
		word := line[2:]
		if blank := strings.IndexAny(word, " \t"); blank >= 0 {
			word = word[:blank]
		}
		if strings.LastIndexByte(word, ':') < 1 {
			break
		}
		if hasFold(line, "#+name:") {
			names = append(names, strings.Trim(line[len("#+name:"):], " \t"))
		}
		end = start
	}
	return names
}
