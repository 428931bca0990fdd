package hostile

import (
	"testing"

	"wb/sandbox/dock"
)

// TestCorpus tries every case at the dock itself.
func TestCorpus(t *testing.T) {
	Run(t, func(_ testing.TB, d *dock.Dock) Guest { return d.Serve })
}

// TestNames keeps cases apart, so that each can be run alone.
func TestNames(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range Cases() {
		if seen[c.Name] || c.Name == "" {
			t.Errorf("two cases are named %q", c.Name)
		}
		seen[c.Name] = true
	}
	if len(seen) < 500 {
		t.Errorf("%d cases", len(seen))
	}
}
