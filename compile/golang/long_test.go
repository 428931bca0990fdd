//go:build long

package golang

// long runs every case of the tables, not only those marked as quick.
const long = true
