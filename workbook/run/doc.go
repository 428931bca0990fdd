// Package run gives each component of a workbook its turn and writes the results.
//
// The life of a component, by files: it waits for what it needs (tasks.go),
// becomes a program with its inputs (program.go, vars.go, noweb.go), is granted
// what it may do (grants.go, docks.go), is answered from the cache (cache.go) or
// executed in the sandbox (execute.go, files.go, session.go), and its result
// reaches the file (save.go, write.go). What stops a component, and nothing else,
// is in faults.go; where programs run, in tiers.go and placement.go.
package run
