// Package run gives each component of a workbook its turn and writes the results.
//
// The life of a component, by files: it waits for what it needs (tasks.go),
// becomes a program (prepare.go) with its source (noweb.go) and its inputs
// (bind.go, vars.go, call.go), is granted what it may do (grants.go, docks.go), is
// answered from the cache (recall.go) or executed in the sandbox (execute.go,
// directories.go, session.go), what it did becomes a value (settle.go), and its
// result reaches the file (save.go, write.go). What stops a component, and nothing
// else, is in faults.go; where programs run, in tiers.go and placement.go.
//
// Below them lie what they share: the runner and its roles (runner.go), a program
// (program.go), the report (report.go) and its errors (errors.go).
package run
