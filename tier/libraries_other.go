//go:build !linux

package tier

// libraries: what runs in the container is a Linux program, and this is none.
func libraries(string) []string { return nil }
