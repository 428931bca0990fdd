//go:build !long

package format

// generatedTables is how many tables are compared with Emacs by default.
const generatedTables = 60
