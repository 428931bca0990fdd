package org

import (
	"slices"
	"strings"
)

// Tags returns the tags of a headline with those it inherits: the file's
// first, then those of its ancestors from the outside in, then its own,
// without repetition.
func (d *Document) Tags(h Headline) []string {
	var chain []string
	for n := h.Node; n != nil; n = n.parent {
		if up, ok := n.Headline(); ok {
			own := up.LocalTags()
			slices.Reverse(own)
			chain = append(chain, own...)
		}
	}
	slices.Reverse(chain)
	var tags []string
	for _, t := range append(slices.Clone(d.settings.fileTags), chain...) {
		if !contains(tags, t) {
			tags = append(tags, t)
		}
	}
	return tags
}

// Archived reports whether the headline or one above it has the tag ARCHIVE.
func (d *Document) Archived(h Headline) bool { return contains(d.Tags(h), "ARCHIVE") }

// Commented reports whether the node stands below a COMMENT headline, whose
// blocks are not tangled or exported.
func (d *Document) Commented(n *Node) bool {
	for ; n != nil; n = n.parent {
		if h, ok := n.Headline(); ok && h.Comment {
			return true
		}
	}
	return false
}

// Property returns the value that a property has at a node, inherited if need
// be: from the nearest headline above it that has the key, else from the
// file's own drawer, else from #+PROPERTY: lines. "KEY+" lines on the way are
// appended. The value "nil" means that the property is not set.
func (d *Document) Property(n *Node, key string) (string, bool) {
	parts, _ := d.propertyTokens(n, key)
	if len(parts) == 0 {
		return "", false
	}
	texts := make([]string, len(parts))
	for i, p := range parts {
		texts[i] = p.Text
	}
	value := strings.Join(texts, " ")
	return value, value != "nil"
}

// Properties returns every property that is in force at a headline, those of
// the file and its ancestors included, keyed by upper-case name.
func (d *Document) Properties(h Headline) map[string]string {
	all := map[string]string{}
	take := func(key string) {
		name := strings.ToUpper(key)
		if _, ok := all[name]; !ok {
			if value, ok := d.Property(h.Node, name); ok {
				all[name] = value
			}
		}
	}
	for n := h.Node; n != nil; n = n.parent {
		for p := range properties(propertyDrawerOf(n)) {
			take(p.Key.Text)
		}
	}
	for _, p := range d.settings.properties {
		take(p.key)
	}
	return all
}

// FileProperties returns what #+PROPERTY: lines say, keyed by upper-case name.
func (d *Document) FileProperties() map[string]string {
	all := map[string]string{}
	for _, p := range d.settings.properties {
		all[strings.ToUpper(p.key)] = joinProperty(Token{}, p.lines)
	}
	return all
}

// propertyTokens returns the pieces that make up an inherited value, in the
// order in which Org joins them; the first ones, so many as fromFile says,
// come from #+PROPERTY: lines.
func (d *Document) propertyTokens(n *Node, key string) (parts []Token, fromFile int) {
	for ; n != nil; n = n.parent {
		if n.kind != KindHeadline && n.kind != KindDocument {
			continue
		}
		base, extra, found := localProperty(n, key)
		if found {
			parts = append(slices.Clone(extra), parts...)
		}
		if base.Present() {
			return append([]Token{base}, parts...), 0
		}
	}
	for _, p := range d.settings.properties {
		if strings.EqualFold(p.key, key) {
			return append(slices.Clone(p.lines), parts...), len(p.lines)
		}
	}
	return parts, 0
}

// localProperty collects what one drawer says about a key: the last plain
// line, and all "KEY+" lines in order.
func localProperty(owner *Node, key string) (base Token, extra []Token, found bool) {
	for p := range properties(propertyDrawerOf(owner)) {
		if !p.Is(key) {
			continue
		}
		found = true
		if p.Append {
			extra = append(extra, p.Value)
		} else {
			base = p.Value
		}
	}
	return base, extra, found
}

func joinProperty(base Token, extra []Token) string {
	var parts []string
	if base.Present() {
		parts = append(parts, base.Text)
	}
	for _, e := range extra {
		parts = append(parts, e.Text)
	}
	return strings.Join(parts, " ")
}

// HeaderArgs returns the header arguments in force for a node: a source
// block, an inline one, or a call. They are resolved as in Org 9.8, with the
// given defaults as the weakest level:
//
//	defaults < header-args property < header-args:LANG property
//	         < the block's own line < #+HEADER: lines
//
// A property is inherited as [Document.Property] says, so a headline's
// :header-args: replaces its parent's, and :header-args+: appends to it. A
// call has the arguments of the block it names, as far as that stands in this
// document, overridden by its own.
func (d *Document) HeaderArgs(n *Node, defaults ...Arg) Args {
	levels := [][]Arg{defaults}
	if c, ok := n.Call(); ok {
		var lang string
		if b, ok := d.BlockNamed(c.Target.Text); ok {
			lang = b.Lang.Text
			levels = append(levels, d.ArgLevels(b.Node)...)
		}
		return MergeArgs(append(levels, d.CallLevels(c, lang)...)...)
	}
	return MergeArgs(append(levels, d.ArgLevels(n)...)...)
}

// ArgLevels returns the levels of header arguments that apply to a source
// block or an inline one, weakest first, before [MergeArgs] combines them.
func (d *Document) ArgLevels(n *Node) [][]Arg {
	switch n.kind {
	case KindSrcBlock:
		b, _ := n.Block()
		levels := d.propertyLevels(n, b.Lang.Text)
		levels = append(levels, tokenArgs(b.Args, FromBlock))
		for _, k := range n.Affiliated() {
			if k.Name() == "HEADER" {
				levels = append(levels, tokenArgs(k.Value, FromHeader))
			}
		}
		return levels
	case KindInlineSrc:
		b, _ := n.InlineSrc()
		return append(d.propertyLevels(n, b.Lang.Text), tokenArgs(b.Args, FromBlock))
	}
	return nil
}

// CallLevels returns the levels of header arguments that a call adds to those
// of the block it names, weakest first; lang is that block's language.
func (d *Document) CallLevels(c Call, lang string) [][]Arg {
	levels := d.propertyLevels(c.Node, lang)
	var vars []Arg
	for _, a := range c.Arguments {
		vars = append(vars, Arg{":var", a.Text, FromCallArgs, a.Span, a.Span})
	}
	return append(levels, tokenArgs(c.Inside, FromCallInside), vars, tokenArgs(c.EndArgs, FromCallEnd))
}

// propertyLevels returns the header-args properties in force at a node.
func (d *Document) propertyLevels(n *Node, lang string) [][]Arg {
	levels := [][]Arg{joinedArgs(d.propertyTokens(n, "header-args"))}
	if lang != "" {
		levels = append(levels, joinedArgs(d.propertyTokens(n, "header-args:"+lang)))
	}
	return levels
}

func tokenArgs(t Token, origin Origin) []Arg { return ParseArgs(t.Text, t.Start, origin) }

// joinedArgs parses pieces of a property as one text, because an argument may
// start in one and go on in the next, and maps the places back.
func joinedArgs(parts []Token, fromFile int) []Arg {
	if len(parts) == 0 || len(parts) == 1 && parts[0].Text == "nil" {
		return nil
	}
	var text strings.Builder
	starts := make([]int, len(parts))
	for i, p := range parts {
		if i > 0 {
			text.WriteByte(' ')
		}
		starts[i] = text.Len()
		text.WriteString(p.Text)
	}
	args := ParseArgs(text.String(), 0, FromProperty)
	for i := range args {
		a := &args[i]
		piece := func(offset int) int {
			k, found := slices.BinarySearch(starts, offset)
			if !found {
				k--
			}
			return k
		}
		k := piece(a.Span.Start)
		if k < fromFile {
			a.Origin = FromFile
		}
		a.Span = mapSpan(a.Span, parts, starts, k)
		a.At = mapSpan(a.At, parts, starts, piece(a.At.Start))
	}
	return args
}

// mapSpan moves a span of the joined text to the source, cut at the end of
// the piece k where it starts.
func mapSpan(s Span, parts []Token, starts []int, k int) Span {
	shift := parts[k].Start - starts[k]
	return Span{s.Start + shift, min(s.End+shift, parts[k].End)}
}
