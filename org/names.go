package org

import "strings"

// nameIndex finds things by lower-case name; the first of a name wins.
type nameIndex struct {
	elements map[string]*Node // elements with #+NAME:
	blocks   map[string]*Node // source blocks among them
	results  map[string]*Node // #+RESULTS: lines with a name
}

func (d *Document) indexNames() {
	d.namesOnce.Do(func() {
		d.names = nameIndex{map[string]*Node{}, map[string]*Node{}, map[string]*Node{}}
		for n := range d.Nodes(KindAffiliated, KindKeyword) {
			k := readKeyword(n)
			name := strings.ToLower(k.Value.Text)
			switch {
			case name == "":
			case strings.EqualFold(k.Key.Text, "results"):
				keepFirst(d.names.results, name, n)
			case n.kind == KindAffiliated && k.Name() == "NAME" && n.parent.Name().Span == k.Value.Span:
				keepFirst(d.names.elements, name, n.parent)
				if n.parent.kind == KindSrcBlock {
					keepFirst(d.names.blocks, name, n.parent)
				}
			}
		}
	})
}

func keepFirst(m map[string]*Node, name string, n *Node) {
	if _, ok := m[name]; !ok {
		m[name] = n
	}
}

// Named returns the first element with the given #+NAME:, whatever its case.
func (d *Document) Named(name string) (*Node, bool) {
	d.indexNames()
	n, ok := d.names.elements[strings.ToLower(name)]
	return n, ok
}

// BlockNamed returns the first source block with the given #+NAME:, whatever
// its case.
func (d *Document) BlockNamed(name string) (Block, bool) {
	d.indexNames()
	if n, ok := d.names.blocks[strings.ToLower(name)]; ok {
		return n.Block()
	}
	return Block{}, false
}
