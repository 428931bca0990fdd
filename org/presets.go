package org

import "slices"

// Presets are settings that are made for files outside of them, as people do in
// Emacs's configuration. The zero value means Org's defaults.
type Presets struct {
	// Todo are the keywords of files that declare none, each sequence as a #+TODO:
	// line has it: "TODO(t) NEXT | DONE".
	Todo []string
	// NoTagInheritance says that headlines inherit no tags.
	NoTagInheritance bool
	// Inherited are the only tags that headlines inherit; all when empty.
	Inherited []string
	// NotInherited are tags that headlines do not inherit.
	NotInherited []string
}

// IsZero reports whether nothing is set.
func (p Presets) IsZero() bool {
	return len(p.Todo) == 0 && !p.NoTagInheritance && len(p.Inherited) == 0 && len(p.NotInherited) == 0
}

// Inherits are those of the tags of a headline or a file that headlines below
// inherit.
func (p Presets) Inherits(tags []string) []string {
	if p.NoTagInheritance {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(tags), func(tag string) bool {
		return slices.Contains(p.NotInherited, tag) || len(p.Inherited) > 0 && !slices.Contains(p.Inherited, tag)
	})
}

// Presets returns the settings that the document was read with.
func (d *Document) Presets() Presets { return d.presets }
