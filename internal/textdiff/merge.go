package textdiff

import "slices"

// Overlap is a place where two versions changed the same lines of the text that
// both began from.
type Overlap struct{ Base, Ours, Theirs []string }

// Merger joins two versions of a text. Changes in different places are both taken.
// Lines that both inserted at one place are both kept, theirs first: no lines are
// lost.
type Merger struct {
	// Again says that theirs may have our changes already: what both inserted alike
	// is taken once.
	Again bool
	// Settle joins an overlap, or reports that it cannot; nil settles none.
	Settle func(Overlap) ([]string, bool)
}

// Merge joins ours and theirs, which both began from base. An overlap that cannot
// be settled is returned as the range of their lines; the merged text is nil then.
func (m Merger) Merge(base, ours, theirs []string) (merged []string, clash *Hunk) {
	mine, other := Compare(base, ours), Compare(base, theirs)
	at := 0 // in base
	merged = []string{}
	shiftMine, shiftOther := 0, 0 // from base to each version, before the next hunk
	for len(mine)+len(other) > 0 {
		lo, hi := span(mine, other)
		var a, b int // hunks of each side in [lo,hi]
		for grown := true; grown; {
			grown = false
			for ; a < len(mine) && belongs(mine[a], lo, hi); a++ {
				hi, grown = max(hi, mine[a].A1), true
			}
			for ; b < len(other) && belongs(other[b], lo, hi); b++ {
				hi, grown = max(hi, other[b].A1), true
			}
		}
		merged = append(merged, base[at:lo]...)
		at = hi
		o0, t0 := lo+shiftMine, lo+shiftOther
		for _, h := range mine[:a] {
			shiftMine += (h.B1 - h.B0) - (h.A1 - h.A0)
		}
		for _, h := range other[:b] {
			shiftOther += (h.B1 - h.B0) - (h.A1 - h.A0)
		}
		our, their := ours[o0:hi+shiftMine], theirs[t0:hi+shiftOther]
		mine, other = mine[a:], other[b:]
		switch {
		case b == 0:
			merged = append(merged, our...)
		case a == 0:
			merged = append(merged, their...)
		case lo == hi:
			merged = append(merged, m.both(our, their)...)
		case slices.Equal(our, their):
			merged = append(merged, our...)
		default:
			joined, ok := []string(nil), false
			if m.Settle != nil {
				joined, ok = m.Settle(Overlap{base[lo:hi], our, their})
			}
			if !ok {
				return nil, &Hunk{A0: lo, A1: hi, B0: t0, B1: hi + shiftOther}
			}
			merged = append(merged, joined...)
		}
	}
	return append(merged, base[at:]...), nil
}

// both keeps what each inserted at one place.
func (m Merger) both(our, their []string) []string {
	if m.Again && contains(their, our) {
		return their
	}
	return slices.Concat(their, our)
}

func contains(lines, part []string) bool {
	for i := 0; i+len(part) <= len(lines); i++ {
		if slices.Equal(lines[i:i+len(part)], part) {
			return true
		}
	}
	return false
}

// span is the range of the first hunk of either side; of two that begin at one
// place it is the insertion's, which comes before the lines that follow it.
func span(mine, other []Hunk) (lo, hi int) {
	first := append(slices.Clone(mine[:min(1, len(mine))]), other[:min(1, len(other))]...)
	h := first[0]
	if len(first) == 2 && (first[1].A0 < h.A0 || first[1].A0 == h.A0 && first[1].A1 < h.A1) {
		h = first[1]
	}
	return h.A0, h.A1
}

// belongs reports whether a hunk is part of a range: it shares lines with it,
// inserts inside it, or both only insert at one place.
func belongs(h Hunk, lo, hi int) bool {
	switch {
	case lo == hi: // an insertion
		return h.A0 == lo && h.A1 == lo || h.A0 < lo && lo < h.A1
	case h.A0 == h.A1:
		return lo < h.A0 && h.A0 < hi
	}
	return h.A0 < hi && lo < h.A1
}
