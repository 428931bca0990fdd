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
			if n != h.Node {
				own = d.presets.Inherits(own)
			}
			slices.Reverse(own)
			chain = append(chain, own...)
		}
	}
	slices.Reverse(chain)
	var tags []string
	for _, t := range append(d.presets.Inherits(d.settings.fileTags), chain...) {
		if !slices.Contains(tags, t) {
			tags = append(tags, t)
		}
	}
	return tags
}

// Archived reports whether the headline or one above it has the tag ARCHIVE.
func (d *Document) Archived(h Headline) bool { return slices.Contains(d.Tags(h), "ARCHIVE") }

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
