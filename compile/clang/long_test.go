//go:build long

package clang

// long asks for the tests that take minutes as well.
const long = true
