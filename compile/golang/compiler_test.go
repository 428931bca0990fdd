package golang

import (
	"testing"

	"wb/compile/lanetest"
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
