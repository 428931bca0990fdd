package org

import (
	"iter"
	"slices"
	"strings"
)

// block parses the block that opens on line l; name is what follows
// "#+begin_", or ":" for a dynamic block.
func (p *parser) block(j *job, start int, l line, name string) int {
	end, ok := p.marks.blockEnd(name, l.next, j.end)
	if !ok {
		p.note(UnterminatedBlock, l, name)
		return p.paragraph(j.node, start, l.start, j.end)
	}
	kind := blockKind(name)
	closeEnd := lineEnd(p.src, end)
	n := p.open(j.node, kind, start, l.start, closeEnd)
	p.add(n, KindBlockBegin, l.start, l.next)
	if kind.holdsRaw() {
		if l.next < end {
			p.add(n, KindBlockBody, l.next, end)
		}
		p.add(n, KindBlockEnd, end, closeEnd)
		return closeEnd
	}
	p.jobs = append(p.jobs, job{node: n, start: l.next, end: end, close: KindBlockEnd, closeEnd: closeEnd})
	return closeEnd
}

// closes reports whether the block ends before the limit, and notes it if not.
func (p *parser) closes(l line, name string, limit int) bool {
	_, ok := p.marks.blockEnd(name, l.next, limit)
	if !ok {
		p.note(UnterminatedBlock, l, name)
	}
	return ok
}

func blockKind(name string) Kind {
	if name == ":" {
		return KindDynamicBlock
	}
	if len(name) > len("example") {
		return KindSpecialBlock
	}
	switch strings.ToLower(name) {
	case "src":
		return KindSrcBlock
	case "example":
		return KindExampleBlock
	case "export":
		return KindExportBlock
	case "comment":
		return KindCommentBlock
	case "verse":
		return KindVerseBlock
	case "quote":
		return KindQuoteBlock
	case "center":
		return KindCenterBlock
	}
	return KindSpecialBlock
}

// Block is any #+begin … #+end construct.
type Block struct {
	*Node
	Type     Token // what follows "#+begin_", as written; "begin" of a dynamic block is empty
	Lang     Token // src: the language; export: the backend; dynamic: the name
	Switches Token // src and example: "-n 10 -r -l \"fmt\""
	Args     Token // src: header arguments; special, dynamic and others: the rest of the line
	Begin    Span  // the #+begin line with its line ending
	Body     Span  // between the begin and the end line; empty or ending with a newline
	EndLine  Span  // the #+end line
}

// Block reads a node whose kind is one of the blocks.
func (n *Node) Block() (Block, bool) {
	if !n.kind.IsBlock() {
		return Block{}, false
	}
	s := n.doc.text
	begin := n.child(KindBlockBegin)
	b := Block{Node: n, Begin: begin.Span(), Body: Span{begin.end, n.last.start}, EndLine: n.last.Span()}
	l := lineAt(s, begin.start)
	pos := skipWord(s, l.text, l.end)
	if n.kind == KindDynamicBlock {
		pos = l.text + len("#+begin:")
		b.Type = n.token(Span{pos, pos})
	} else {
		b.Type = n.token(Span{l.text + len("#+begin_"), pos})
	}
	switch n.kind {
	case KindSrcBlock: // Org wants spaces here: behind a tab there is no language
		if at := skipSpaces(s, pos, l.end); at > pos {
			if end := skipWord(s, at, l.end); end > at {
				b.Lang = n.token(Span{at, end})
				pos = end
			}
		}
	case KindExportBlock, KindDynamicBlock:
		pos = skipBlanks(s, pos, l.end)
		if end := skipWord(s, pos, l.end); end > pos {
			b.Lang = n.token(Span{pos, end})
			pos = end
		}
	}
	if n.kind == KindSrcBlock || n.kind == KindExampleBlock {
		if end := switchesEnd(s, pos, l.end); end > pos {
			b.Switches = n.token(trimSpan(s, pos, end))
			pos = end
		}
	}
	if args := trimSpan(s, pos, l.end); args.Len() > 0 {
		b.Args = n.token(args)
	}
	return b, true
}

// IsSrc reports whether the block is a source block.
func (b Block) IsSrc() bool { return b.kind == KindSrcBlock }

// switchesEnd returns the end of the switches (-n 20, +n, -r, -k, -i,
// -l "fmt") that stand at pos.
func switchesEnd(s string, pos, end int) int {
	for {
		at := skipSpaces(s, pos, end)
		if at == pos || at+2 > end || s[at] != '-' && s[at] != '+' {
			return pos
		}
		next := at + 2
		switch c := s[at+1]; {
		case c == 'n':
			if i := skipSpaces(s, next, end); i < end && isDigit(s[i]) {
				for next = i; next < end && isDigit(s[next]); next++ {
				}
			}
		case s[at] == '-' && (c == 'r' || c == 'k' || c == 'i'):
		case s[at] == '-' && c == 'l':
			if !strings.HasPrefix(s[next:end], ` "`) {
				return pos
			}
			i := strings.LastIndexByte(s[next+2:end], '"')
			if i < 1 {
				return pos
			}
			next += 2 + i + 1
		default:
			return pos
		}
		pos = next
	}
}

// skipSpaces skips spaces only, where Org takes no tabs.
func skipSpaces(s string, pos, end int) int {
	for pos < end && s[pos] == ' ' {
		pos++
	}
	return pos
}

// Blocks iterates over the blocks of the given kinds, or all kinds, in source
// order.
func (d *Document) Blocks(kinds ...Kind) iter.Seq[Block] {
	return func(yield func(Block) bool) {
		for n := range d.root.Walk() {
			if !n.kind.IsBlock() || len(kinds) > 0 && !slices.Contains(kinds, n.kind) {
				continue
			}
			if b, _ := n.Block(); !yield(b) {
				return
			}
		}
	}
}
