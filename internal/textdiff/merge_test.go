package textdiff

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestMerge(t *testing.T) {
	for _, c := range []struct {
		name, base, ours, theirs, want string
		again                          bool
	}{
		{"apart", "a b c d e", "A b c d e", "a b c d E", "A b c d E", false},
		{"neighbours", "a b", "A b", "a B", "A B", false},
		{"both append", "a", "a o", "a t", "a t o", false},
		{"both append alike", "a", "a x", "a x", "a x x", false},
		{"ours already exists", "a", "a o", "a o t", "a o t", true},
		{"both from nothing", "", "o", "t", "t o", false},
		{"alike", "a b c", "a X c", "a X c", "a X c", false},
		{"insertion before a change", "a b c", "a n b c", "a B c", "a n B c", false},
		{"insertion after a change", "a b c", "a b n c", "a B c", "a B n c", false},
		{"clash", "a b c", "a O c", "a T c", "!", false},
		{"removed and changed", "a b c", "a c", "a T c", "!", false},
		{"inserted in what is removed", "a b c d", "a d", "a b n c d", "!", false},
		{"removed twice", "a b c", "a c", "a c", "a c", false},
		{"many", "1 2 3 4 5 6 7 8", "1 x 3 4 5 6 8 9", "0 1 2 3 y 5 6 7 8 z", "0 1 x 3 y 5 6 8 z 9", false},
	} {
		got, clash := Merger{Again: c.again}.Merge(strings.Fields(c.base), strings.Fields(c.ours), strings.Fields(c.theirs))
		text := strings.Join(got, " ")
		if clash != nil {
			text = "!"
		}
		if text != c.want {
			t.Errorf("%s: %q, want %q", c.name, text, c.want)
		}
	}
}

// Where only one side changes lines the merge is that side, and what either side
// inserts is never lost.
func TestMergeLosesNothing(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	word := func() string { return string(rune('a' + random.IntN(26))) }
	for range 3000 {
		var base []string
		for range random.IntN(8) {
			base = append(base, word())
		}
		edit := func(mark string) (text, added []string) {
			text = slices.Clone(base)
			for i := range random.IntN(4) {
				at := random.IntN(len(text) + 1)
				line := mark + string(rune('0'+i))
				text, added = slices.Insert(text, at, line), append(added, line)
			}
			return text, added
		}
		ours, mine := edit("O")
		theirs, others := edit("T")
		if got, clash := (Merger{}).Merge(base, ours, base); clash != nil || !slices.Equal(got, ours) {
			t.Fatalf("%v %v: %v %v", base, ours, got, clash)
		}
		if got, clash := (Merger{}).Merge(base, base, theirs); clash != nil || !slices.Equal(got, theirs) {
			t.Fatalf("%v %v: %v %v", base, theirs, got, clash)
		}
		got, clash := Merger{}.Merge(base, ours, theirs)
		if clash != nil {
			continue // a diff may show insertions among equal lines as a change
		}
		for _, line := range slices.Concat(mine, others) {
			if !slices.Contains(got, line) {
				t.Fatalf("%v + %v + %v = %v lost %s", base, ours, theirs, got, line)
			}
		}
		if len(got) != len(base)+len(mine)+len(others) {
			t.Fatalf("%v + %v + %v = %v", base, ours, theirs, got)
		}
	}
}
