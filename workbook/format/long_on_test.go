//go:build long

package format

// generatedTables is how many tables are compared with Emacs.
const generatedTables = 300
