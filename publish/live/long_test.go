//go:build long

package live_test

import "maps"

// Compiling Go and Zig takes long when nothing of it is kept, and so do machines
// that are large or many.
func init() {
	maps.Copy(documents, map[string][]string{
		"go.org":     {"go"},
		"zig.org":    {"zig"},
		"shell.org":  {"toolbox", "awk", "shell", "grep", "findutils", "diffutils"},
		"ruby.org":   {"ruby"},
		"python.org": {"python"},
	})
}
