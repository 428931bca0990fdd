package org

import (
	"fmt"
	"slices"
)

// Edit replaces the bytes [Start, End) by New. An edit with Start == End
// inserts.
type Edit struct {
	Start, End int
	New        string
}

// Replace makes the edit that puts text in the place of a span.
func Replace(s Span, text string) Edit { return Edit{s.Start, s.End, text} }

// EditError says why [Apply] refused a set of edits.
type EditError struct {
	Edit  Edit
	Other *Edit // the edit it overlaps; nil when it lies outside the source
	Size  int   // of the source, in bytes
}

func (e *EditError) Error() string {
	if e.Other != nil {
		return fmt.Sprintf("edit [%d,%d) overlaps edit [%d,%d)", e.Edit.Start, e.Edit.End, e.Other.Start, e.Other.End)
	}
	return fmt.Sprintf("edit [%d,%d) lies outside the %d bytes of the source", e.Edit.Start, e.Edit.End, e.Size)
}

// Apply performs edits on a copy of src; bytes outside their ranges stay as
// they are. The order of edits does not matter, except that insertions at the
// same place keep theirs. It returns an [*EditError] when two edits overlap.
func Apply(src []byte, edits []Edit) ([]byte, error) {
	sorted := slices.Clone(edits)
	slices.SortStableFunc(sorted, func(a, b Edit) int {
		if a.Start != b.Start {
			return a.Start - b.Start
		}
		return a.End - b.End
	})
	size := len(src)
	for i, e := range sorted {
		if e.Start < 0 || e.End < e.Start || e.End > len(src) {
			return nil, &EditError{Edit: e, Size: len(src)}
		}
		if i > 0 && e.Start < sorted[i-1].End {
			return nil, &EditError{Edit: e, Other: &sorted[i-1], Size: len(src)}
		}
		size += len(e.New) - (e.End - e.Start)
	}
	out := make([]byte, 0, size)
	pos := 0
	for _, e := range sorted {
		out = append(out, src[pos:e.Start]...)
		out = append(out, e.New...)
		pos = e.End
	}
	return append(out, src[pos:]...), nil
}
