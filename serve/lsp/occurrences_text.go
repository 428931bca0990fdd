package lsp

import (
	"strings"

	"wb/org"
)

// collectText finds links, targets, footnotes and macros in running text. It
// runs last: what a link may lead to is known by then, but for targets, which
// it looks for first.
func (x *indexer) collectText() {
	var objects []*org.Node
	for o := range x.doc.AllObjects(org.KindLink, org.KindTarget, org.KindRadioTarget, org.KindFootnoteRef, org.KindMacro) {
		objects = append(objects, o)
		if name, ok := o.TargetName(); ok {
			x.targets[normalTitle(name.Text)] = symbolTarget
			x.addSpan(symbol{symbolTarget, normalTitle(name.Text)}, name.Span, true, nil)
		}
	}
	for n := range x.doc.Nodes(org.KindFootnote) {
		if f, ok := n.Footnote(); ok {
			x.footnote(f.Label, true)
		}
	}
	for _, o := range objects {
		switch o.Kind() {
		case org.KindLink:
			if l, ok := o.Link(); ok {
				x.link(l)
			}
		case org.KindFootnoteRef:
			if f, ok := o.FootnoteRef(); ok {
				x.footnote(f.Label, f.Inline)
			}
		case org.KindMacro:
			if m, ok := o.Macro(); ok && !strings.EqualFold(m.Key.Text, "results") {
				x.addSpan(symbol{symbolMacro, strings.ToLower(m.Key.Text)}, m.Key.Span, false, nil)
			}
		}
	}
}

func (x *indexer) footnote(label org.Token, def bool) {
	if label.Text != "" {
		x.addSpan(symbol{symbolFootnote, label.Text}, label.Span, def, nil)
	}
}

// link notes where a link within org files leads.
func (x *indexer) link(l org.Link) {
	target := l.Target
	if target.Text == "" {
		return
	}
	rest := func(prefix string) org.Span { return org.Span{Start: target.Start + len(prefix), End: target.End} }
	switch {
	case l.Type == "custom-id" && strings.HasPrefix(target.Text, "#"):
		x.addSpan(symbol{symbolCustomID, target.Text[1:]}, rest("#"), false, nil)
	case l.Type == "id" && strings.HasPrefix(target.Text, "id:"):
		id, _, _ := strings.Cut(target.Text[3:], "::")
		x.add(symbol{symbolID, id}, target.Start+3, id, false)
	case l.Type == "coderef" && strings.HasPrefix(target.Text, "(") && strings.HasSuffix(target.Text, ")"):
		label := target.Text[1 : len(target.Text)-1]
		x.add(symbol{symbolLabel, label}, target.Start+1, label, false)
	case l.Type == "fuzzy" && strings.HasPrefix(target.Text, "*"):
		x.addSpan(headlineSymbol(target.Text[1:]), rest("*"), false, nil)
	case l.Type == "fuzzy" || l.Type == "radio":
		x.addSpan(x.fuzzy(target.Text), target.Span, false, nil)
	}
}

// fuzzy resolves [[text]]: a target, else a name, else a headline.
func (x *indexer) fuzzy(text string) symbol {
	if kind, ok := x.targets[normalTitle(text)]; ok {
		return symbol{kind, normalTitle(text)}
	}
	if x.isNamed(text) {
		return nameSymbol(text)
	}
	return headlineSymbol(text)
}
