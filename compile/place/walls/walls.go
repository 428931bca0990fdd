// Package walls is what a process of wb builds around itself before it does
// anything for others: resource limits, no new privileges and, on Linux, Landlock
// around its files, no descriptor that it was not given, and a filter of system
// calls. What a system does not have is left out and said.
package walls

// Fence says what is left to a process behind its walls.
type Fence struct {
	// Dir is its working directory.
	Dir string
	// Read and Write are the directories whose files it may read, and change.
	Read, Write []string
	// Keep are descriptors, besides the first three, that stay open.
	Keep []int
	// Args are the arguments of the new start, given what this system lacks.
	Args func(notes []string) []string
}
