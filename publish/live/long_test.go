//go:build long

package live_test

// Compiling Go and Zig takes long when nothing of it is kept.
func init() { documents["gozig.org"] = []string{"go", "zig"} }
