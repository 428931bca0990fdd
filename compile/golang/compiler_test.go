package golang

import (
	"testing"

	"wb/internal/test/lanetest"
)

var sharedCompiler *Compiler

// compiler is one loaded compiler for all tests.
func compiler(t testing.TB) *Compiler {
	t.Helper()
	env := lanetest.Env(t)
	if sharedCompiler == nil {
		sharedCompiler = newCompiler(env)
	}
	lanetest.Need(t, env, toolName)
	return sharedCompiler
}

// quick are the cases that run without the build tag long: linking and turning
// a program into machine code take most of a second each.
var quick = map[string]bool{
	"statements": true, "functions in statements": true, "goroutines": true, "whole+import": true, "args": true,
	"scalars": true, "lists": true, "options": true, "records": true, "result err": true, "named+error": true, "json map": true, "package": true,
	"panic": true, "exit": true, "stack": true, "error": true,
}
