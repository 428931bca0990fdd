//go:build !long

package clang

// long asks for the tests that take minutes as well: go test -tags long.
const long = false
