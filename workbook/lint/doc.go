// Package lint checks a workbook without running it: what is wrong with the plan,
// and what Org silently reads differently from what stands there.
//
// Each check is a method of linter, a file for each part of a document. An error
// about a component names it, so that a run leaves out that component alone; an
// error in prose names none.
package lint
