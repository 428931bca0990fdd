package org

import (
	"iter"
	"slices"
	"unicode"
	"unicode/utf8"
)

// Objects parses the objects in an element's text and returns the root of
// their tree, of [KindObjects]; its leaves tile the text. It takes a
// paragraph, a headline (its title), an item (its tag), a verse block (its
// body), a table row (its cells) and a caption; for other nodes it returns
// nil. The root's parent is the element, so that [Node.Ancestors] of an object
// lead up the outline.
//
// Nothing is remembered: each call parses anew.
func (d *Document) Objects(n *Node) *Node {
	switch n.kind {
	case KindParagraph, KindHeadline, KindItem, KindVerseBlock, KindTableRow, KindAffiliated:
		return d.objectsOf(n, d.radioTargets())
	}
	return nil
}

// objectsOf is [Document.Objects] with the radio targets to look for.
func (d *Document) objectsOf(n *Node, radio *radioTrie) *Node {
	in, set := n.Span(), standardSet
	switch n.kind {
	case KindParagraph:
		in = n.core()
	case KindHeadline:
		h, _ := n.Headline()
		in, set = h.Title.Span, standardSet&^setOf(KindLineBreak)
	case KindItem:
		item, _ := n.Item()
		if !item.Tag.Present() {
			return nil
		}
		in, set = item.Tag.Span, standardSet&^setOf(KindLineBreak)
	case KindVerseBlock:
		b, _ := n.Block()
		in = b.Body
	case KindTableRow:
		return d.rowObjects(n, radio)
	case KindAffiliated:
		k := readKeyword(n)
		if k.Name() != "CAPTION" {
			return nil
		}
		set = standardSet &^ setOf(KindFootnoteRef)
		if k.Option.Present() {
			return d.captionObjects(k, set, radio)
		}
		in = k.Value.Span
	}
	return d.objects(n, in, set, radio)
}

// captionObjects parses "#+CAPTION[short]: long".
func (d *Document) captionObjects(k Keyword, set kindSet, radio *radioTrie) *Node {
	in := Span{k.Option.Start, k.Value.End}
	p := d.newObjectParser(in, radio)
	root := p.add(nil, KindObjects, in.Start, in.End)
	root.parent = k.Node
	p.run(objectJob{root, k.Option.Start, k.Option.End, set, k.Value.Start})
	p.run(objectJob{root, k.Value.Start, k.Value.End, set, k.Value.End})
	return root
}

// textNodes iterates over the nodes that may hold objects.
func (d *Document) textNodes() iter.Seq[*Node] {
	return d.Nodes(KindParagraph, KindHeadline, KindItem, KindVerseBlock, KindTableRow, KindAffiliated)
}

// ObjectsIn parses any span of the source as if it were a paragraph.
func (d *Document) ObjectsIn(s Span) *Node {
	return d.objects(d.At(s.Start), s, standardSet, d.radioTargets())
}

// AllObjects iterates over every object of the document in source order, at
// the cost of parsing all its text.
func (d *Document) AllObjects(kinds ...Kind) iter.Seq[*Node] {
	return func(yield func(*Node) bool) {
		for n := range d.textNodes() {
			root := d.Objects(n)
			if root == nil {
				continue
			}
			for o := range root.Walk() {
				if o.kind.IsObject() && o.kind != KindMarkup && (len(kinds) == 0 || slices.Contains(kinds, o.kind)) && !yield(o) {
					return
				}
			}
		}
	}
}

// Contents returns the part of an object between its delimiters, as far as
// other objects may stand there; the whole span for other nodes.
func (n *Node) Contents() Span {
	s := n.Span()
	if n.first != nil && n.first.kind == KindMarkup {
		s.Start = n.first.end
	}
	if n.last != nil && n.last != n.first && n.last.kind == KindMarkup {
		s.End = n.last.start
	}
	return s
}

// kindSet is a set of object kinds.
type kindSet uint64

func setOf(kinds ...Kind) kindSet {
	var s kindSet
	for _, k := range kinds {
		s |= 1 << (k - KindObjects)
	}
	return s
}

func (s kindSet) has(k Kind) bool { return s&(1<<(k-KindObjects)) != 0 }

// What may stand inside what, as org-element restricts it.
var (
	minimalSet = setOf(KindBold, KindCode, KindEntity, KindItalic, KindLatexFragment, KindStrike,
		KindSubscript, KindSuperscript, KindUnderline, KindVerbatim)
	standardSet = minimalSet | setOf(KindCitation, KindExportSnippet, KindFootnoteRef, KindInlineCall,
		KindInlineSrc, KindLineBreak, KindLink, KindMacro, KindRadioTarget, KindCookie, KindTarget, KindTimestamp)
	linkSet = minimalSet | setOf(KindExportSnippet, KindInlineCall, KindInlineSrc, KindMacro, KindCookie)
	cellSet = minimalSet | setOf(KindCitation, KindExportSnippet, KindFootnoteRef, KindLink, KindMacro,
		KindRadioTarget, KindTarget, KindTimestamp)
	citeSet = standardSet &^ setOf(KindLineBreak, KindCitation, KindFootnoteRef, KindLink)
)

// objectParser parses the objects of one element. Like the element parser it
// never recurses, and it asks a [finder] where things end instead of looking
// ahead again and again.
type objectParser struct {
	parser
	find  *finder
	radio *radioTrie
	todo  []objectJob
}

// objectJob is a stretch of text that may hold objects of some kinds, and the
// delimiter that closes its node.
type objectJob struct {
	node       *Node
	start, end int
	set        kindSet
	closeEnd   int
}

func (d *Document) newObjectParser(s Span, radio *radioTrie) *objectParser {
	return &objectParser{parser: parser{doc: d, src: d.text, chunk: 2 + s.Len()/64}, find: newFinder(d.text, s), radio: radio}
}

func (d *Document) objects(owner *Node, s Span, set kindSet, radio *radioTrie) *Node {
	p := d.newObjectParser(s, radio)
	root := p.add(nil, KindObjects, s.Start, s.End)
	root.parent = owner
	p.run(objectJob{root, s.Start, s.End, set, s.End})
	return root
}

func (p *objectParser) run(first objectJob) {
	p.todo = append(p.todo, first)
	for len(p.todo) > 0 {
		j := p.todo[len(p.todo)-1]
		p.todo = p.todo[:len(p.todo)-1]
		p.text(j)
		if j.closeEnd > j.end {
			p.add(j.node, KindMarkup, j.end, j.closeEnd)
		}
	}
}

// text splits a stretch into objects and the plain text between them.
func (p *objectParser) text(j objectJob) {
	plain := j.start
	for pos := j.start; pos < j.end; {
		var o object
		ok := false
		if p.radio != nil && j.set.has(KindLink) && p.src[pos] >= '0' {
			o, ok = p.radioLink(&j, pos)
		}
		if !ok && startsObject[p.src[pos]] {
			o, ok = p.object(&j, pos)
		}
		if !ok {
			pos++
			continue
		}
		if plain < pos {
			p.add(j.node, KindText, plain, pos)
		}
		p.place(j.node, o)
		pos = o.end
		plain = pos
	}
	if plain < j.end {
		p.add(j.node, KindText, plain, j.end)
	}
}

// object is the result of [objectParser.object]: its extent and, if it holds
// other objects, where they may stand.
type object struct {
	kind                 Kind
	start, end           int
	innerStart, innerEnd int // innerStart == 0: nothing inside
	set                  kindSet
}

// place adds an object to the tree and queues its contents.
func (p *objectParser) place(parent *Node, o object) {
	n := p.add(parent, o.kind, o.start, o.end)
	switch {
	case o.kind == KindCitation:
		p.citationParts(n, o)
	case o.innerStart > 0 && o.innerStart < o.innerEnd:
		if o.innerStart > o.start {
			p.add(n, KindMarkup, o.start, o.innerStart)
		}
		p.todo = append(p.todo, objectJob{n, o.innerStart, o.innerEnd, o.set, o.end})
	}
}

// startsObject marks the bytes an object may start with.
var startsObject = func() (t [256]bool) {
	for _, c := range "*/_+=~^[<{$\\@" {
		t[c] = true
	}
	for _, c := range "bcdefghimnrsw" { // call_, src_ and the types of plain links
		t[c], t[unicode.ToUpper(c)] = true, true
	}
	return t
}()

// object tries to read an object at pos.
func (p *objectParser) object(j *objectJob, pos int) (object, bool) {
	switch c := p.src[pos]; c {
	case '*':
		return p.emphasis(j, pos, KindBold)
	case '/':
		return p.emphasis(j, pos, KindItalic)
	case '+':
		return p.emphasis(j, pos, KindStrike)
	case '=':
		return p.emphasis(j, pos, KindVerbatim)
	case '~':
		return p.emphasis(j, pos, KindCode)
	case '_':
		if o, ok := p.emphasis(j, pos, KindUnderline); ok {
			return o, true
		}
		return p.script(j, pos, KindSubscript)
	case '^':
		return p.script(j, pos, KindSuperscript)
	case '[':
		return p.bracket(j, pos)
	case '<':
		return p.angle(j, pos)
	case '{':
		return p.macro(j, pos)
	case '$':
		return p.dollar(j, pos)
	case '\\':
		return p.backslash(j, pos)
	case '@':
		return p.snippet(j, pos)
	case 'c':
		if o, ok := p.inlineCall(j, pos); ok {
			return o, true
		}
	case 's':
		if o, ok := p.inlineSrc(j, pos); ok {
			return o, true
		}
	}
	return p.plainLink(j, pos)
}

// atWordStart reports whether a word may begin at pos: the character before
// is not part of one.
func (p *objectParser) atWordStart(j *objectJob, pos int) bool {
	if pos == j.start {
		return true
	}
	c := p.src[pos-1]
	if c < utf8.RuneSelf {
		return !isAlnum(c) && c != '$' && c != '%' && c != '\''
	}
	r, _ := utf8.DecodeLastRuneInString(p.src[j.start:pos])
	return !isSyntaxWord(r) || isUnspaced(r)
}
