//go:build long

package zig

// long runs every case of the tables, not only those marked as quick.
const long = true
