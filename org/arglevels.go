package org

import (
	"slices"
	"strings"
)

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
// document, overridden by its own; what a call exports is its results, unless
// it says otherwise itself.
func (d *Document) HeaderArgs(n *Node, defaults ...Arg) Args {
	levels := [][]Arg{defaults}
	if c, ok := n.Call(); ok {
		var lang string
		if b, ok := d.BlockNamed(c.Target.Text); ok {
			lang = b.Lang.Text
			levels = append(levels, d.ArgLevels(b.Node)...)
		}
		levels = append(levels, []Arg{{Key: ":exports", Value: "results"}})
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
