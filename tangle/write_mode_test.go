package tangle

import (
	"io/fs"
	"testing"
)

// TestSameMode knows what Windows keeps of a mode: whether the file may be written.
func TestSameMode(t *testing.T) {
	for _, c := range []struct {
		has, want fs.FileMode
		system    string
		same      bool
	}{
		{0o755, 0o755, "linux", true},
		{0o644, 0o755, "linux", false},
		{0o666, 0o755, "windows", true},
		{0o444, 0o755, "windows", false},
		{0o444, 0o400, "windows", true},
	} {
		if got := sameMode(c.has, c.want, c.system); got != c.same {
			t.Errorf("%v for %v on %s: %v", c.has, c.want, c.system, got)
		}
	}
}
