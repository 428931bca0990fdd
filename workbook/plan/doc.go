// Package plan reads a workbook and finds out how its components hang together.
// It runs nothing and needs nothing but the text.
//
// [New] works in three steps, each in files of its own: collect the components
// (collect.go, inline.go, agent.go), connect them (connect.go, library.go) and
// check the outcome (check.go). A mistake becomes a finding with a place; one that
// stops a component is also the plan's fault of it (faults.go).
package plan
