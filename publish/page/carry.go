package page

import (
	"bytes"
	"context"
	"maps"
	"slices"
	"strings"

	"wb/workbook"
)

// Public is the part of a workbook's source that readers see, as text that can be run: the
// lines of [Options].Show's ShowExported, without those left out.
func Public(ctx context.Context, file string, src []byte) []byte {
	plan := workbook.NewPlan(file, src)
	shown := public(ctx, plan)
	var out strings.Builder
	lines := strings.SplitAfter(redacted(plan.Document()), "\n")
	for i, line := range lines {
		if i >= len(shown) || shown[i] {
			out.WriteString(line)
		}
	}
	return []byte(out.String())
}

// SamePublic reports whether two sources show readers the same: but for empty
// lines, which writing results down adds.
func SamePublic(ctx context.Context, file string, a, b []byte) bool {
	return bytes.Equal(unspaced(Public(ctx, file, a)), unspaced(Public(ctx, file, b)))
}

// unspaced is a text without empty lines.
func unspaced(text []byte) []byte {
	var out []byte
	for line := range bytes.Lines(text) {
		if len(bytes.TrimSpace(line)) > 0 {
			out = append(out, line...)
		}
	}
	return out
}

// CanRunAgain says why the public source of a workbook does not give what is said
// of its components, "" when it does. Both facts are from the same cache.
func CanRunAgain(whole, public map[string]Fact) string {
	for _, id := range slices.Sorted(maps.Keys(whole)) {
		f := whole[id]
		if !f.Kept {
			continue
		}
		p, ok := public[id]
		switch {
		case !ok:
			return id + " is kept back"
		case p.Source != f.Source:
			return "something that " + id + " needs is kept back"
		case len(p.Inputs) != len(f.Inputs):
			return "inputs of " + id + " are kept back"
		}
		for name, digest := range f.Inputs {
			if p.Inputs[name] != digest {
				return "the input " + name + " of " + id + " is kept back"
			}
		}
	}
	return ""
}
