// Package result writes results into documents exactly as Org 9.8 does: which text
// a value becomes (text.go, table.go), where it goes and what it replaces
// (place.go, result.go), and how a result that stands there is read (values.go).
//
// It knows documents and values, but no plan and no run. [Writer] gathers the
// edits of many results.
package result
