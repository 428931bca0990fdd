package org

// InlineSrc is "src_lang[args]{code}" in text.
type InlineSrc struct {
	*Node
	Lang Token
	Args Token // header arguments
	Code Token
}

// InlineSrc reads a node of [KindInlineSrc].
func (n *Node) InlineSrc() (InlineSrc, bool) {
	if n.kind != KindInlineSrc {
		return InlineSrc{}, false
	}
	return InlineSrc{Node: n}, true
}
