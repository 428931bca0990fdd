package org

import (
	"iter"
	"slices"
	"strings"
)

// Keyword is a line "#+KEY[option]: value", standing alone or affiliated
// with the element below it.
type Keyword struct {
	*Node
	Key    Token // as written, without "#+" and ":"
	Option Token // the text in square brackets; only RESULTS and CAPTION have one
	Value  Token // without surrounding white space
}

// Name returns the key in upper case, old spellings translated as Org does:
// HEADERS is HEADER, and LABEL, SRCNAME, TBLNAME and others are NAME.
func (k Keyword) Name() string {
	name := strings.ToUpper(k.Key.Text)
	if to, ok := keywordTranslations[name]; ok {
		return to
	}
	return name
}

// Keyword reads a node of [KindKeyword], [KindAffiliated], [KindCall] or
// [KindTableFormula].
func (n *Node) Keyword() (Keyword, bool) {
	switch n.kind {
	case KindKeyword, KindAffiliated, KindCall, KindTableFormula:
		return readKeyword(n), true
	}
	return Keyword{}, false
}

// Keywords iterates over the keywords that belong to no element, in source
// order: those with one of the given upper-case names, or all of them.
func (d *Document) Keywords(names ...string) iter.Seq[Keyword] {
	return func(yield func(Keyword) bool) {
		for _, n := range d.keywords {
			k := readKeyword(n)
			if (len(names) == 0 || slices.Contains(names, k.Name())) && !yield(k) {
				return
			}
		}
	}
}

// Affiliated returns the keywords that stand above an element and belong to
// it, such as #+NAME:, #+CAPTION:, #+HEADER: and #+RESULTS:.
func (n *Node) Affiliated() []Keyword {
	var all []Keyword
	for c := n.first; c != nil && c.kind == KindAffiliated; c = c.next {
		all = append(all, readKeyword(c))
	}
	return all
}

// Name returns the value of the element's #+NAME:, the last one if there are
// several, as Org does. An empty #+NAME: names nothing.
func (n *Node) Name() Token {
	var name Token
	for c := n.first; c != nil && c.kind == KindAffiliated; c = c.next {
		if k := readKeyword(c); k.Name() == "NAME" {
			name = k.Value
		}
	}
	if name.Text == "" {
		return Token{}
	}
	return name
}

var keywordTranslations = map[string]string{
	"DATA": "NAME", "LABEL": "NAME", "RESNAME": "NAME", "SOURCE": "NAME",
	"SRCNAME": "NAME", "TBLNAME": "NAME", "RESULT": "RESULTS", "HEADERS": "HEADER",
}

var affiliatedKeys = map[string]bool{
	"caption": true, "data": true, "header": true, "headers": true, "label": true,
	"name": true, "plot": true, "resname": true, "result": true, "results": true,
	"source": true, "srcname": true, "tblname": true,
}

func readKeyword(n *Node) Keyword {
	s := n.doc.text
	start := n.core().Start
	l := lineAt(s, start)
	keyStart := l.text + len("#+")
	colon := keywordColon(s, l)
	k := Keyword{Node: n, Key: n.token(Span{keyStart, colon}), Value: n.token(trimSpan(s, colon+1, l.end))}
	if open := strings.IndexByte(k.Key.Text, '['); open > 0 && isDual(k.Key.Text[:open]) && s[colon-1] == ']' {
		k.Option = n.token(Span{keyStart + open + 1, colon - 1})
		k.Key = n.token(Span{keyStart, keyStart + open})
	}
	return k
}

// isDual reports whether the key may carry an option in brackets.
func isDual(key string) bool {
	return strings.EqualFold(key, "results") || strings.EqualFold(key, "caption")
}

// keywordColon returns the offset of the colon that ends the key: the last
// one of the first word or, behind a dual key, the one after its "]".
func keywordColon(s string, l line) int {
	start := l.text + len("#+")
	if end := nameEnd(s, start, l.end); end < l.end && s[end] == '[' && isDual(s[start:end]) {
		if i := strings.LastIndex(s[end:l.end], "]:"); i >= 0 {
			return end + i + 1
		}
	}
	word := s[start:skipWord(s, start, l.end)]
	return start + strings.LastIndexByte(word, ':')
}

// isKeyword reports whether the line is "#+KEY:" with a key that is one word.
func isKeyword(s string, l line) bool {
	if !strings.HasPrefix(s[l.text:l.end], "#+") {
		return false
	}
	start := l.text + len("#+")
	return strings.LastIndexByte(s[start:skipWord(s, start, l.end)], ':') > 0
}

// isAffiliated reports whether the line is a keyword that belongs to the
// element below it.
func isAffiliated(s string, l line) bool {
	if !strings.HasPrefix(s[l.text:l.end], "#+") {
		return false
	}
	start := l.text + len("#+")
	end := nameEnd(s, start, l.end)
	if end == l.end || end-start > 255 {
		return false
	}
	var buf [32]byte
	key := lowerASCII(buf[:0], s[start:min(end, start+32)])
	switch {
	case s[end] == ':':
		return affiliatedKeys[string(key)] || end-start > len("attr_") && string(key[:5]) == "attr_"
	case s[end] == '[':
		return isDual(s[start:end]) && strings.Contains(s[end:l.end], "]:")
	}
	return false
}

// nameEnd returns the end of the run of key characters at pos.
func nameEnd(s string, pos, end int) int {
	for pos < end && (isAlnum(s[pos]) || s[pos] == '_' || s[pos] == '-') {
		pos++
	}
	return pos
}

func lowerASCII(dst []byte, s string) []byte {
	for i := 0; i < len(s); i++ {
		c := s[i]
		if 'A' <= c && c <= 'Z' {
			c |= 0x20
		}
		dst = append(dst, c)
	}
	return dst
}

// affiliated skips the affiliated keywords at pos and returns where their
// element starts. Keywords with no element below them belong to nothing:
// then it returns pos, and remembers that for the rest of the run.
func (p *parser) affiliated(pos, limit int) int {
	if p.orphans.Start <= pos && pos < p.orphans.End {
		return pos
	}
	core := pos
	for core < limit {
		l := p.line(core)
		if l.blank() || !isAffiliated(p.src, l) {
			break
		}
		core = l.next
	}
	if core == pos {
		return pos
	}
	if core < limit {
		l := p.line(core)
		if !l.blank() && !p.isComment(l) && !p.isClock(l) {
			return core
		}
	}
	p.orphans = Span{pos, core}
	return pos
}
