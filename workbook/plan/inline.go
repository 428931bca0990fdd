package plan

import (
	"strings"

	"wb/compile"
	"wb/org"
)

// inlines makes src_lang{code} and call_name(args) in running text components.
// text is the part of n that may hold them.
func (b *builder) inlines(n *org.Node, text string) {
	if !strings.Contains(text, "src_") && !strings.Contains(text, "call_") {
		return
	}
	root := b.doc.Objects(n)
	if root == nil {
		return
	}
	for o := range root.Walk() {
		switch o.Kind() {
		case org.KindInlineSrc:
			src, _ := o.InlineSrc()
			b.inline(n, &Component{Kind: KindInline, Lang: src.Lang.Text, Body: src.Code(), node: o}, "inline")
		case org.KindInlineCall:
			call, _ := o.Call()
			b.inline(n, &Component{Kind: KindInlineCall, target: call.Target, node: o}, "inline-call")
		}
	}
}

func (b *builder) inline(parent *org.Node, c *Component, prefix string) {
	c.Dialect, c.Shape = DialectBabel, compile.ShapeBabel
	c.Pos, c.span = b.position(c.node.Start()), c.node.Span()
	c.Args = b.doc.HeaderArgs(c.node, inlineDefaults...)
	if c.Kind == KindInline {
		c.Shape = c.defaultShape()
	}
	c.Title, c.headline = titleAbove(parent)
	c.ID = b.unnamed(prefix)
	b.add(c)
}
