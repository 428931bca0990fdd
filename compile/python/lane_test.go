package python

import (
	"sync"
	"testing"

	"wb/compile"
	"wb/compile/clang"
	"wb/internal/test/lanetest"
)

var (
	once sync.Once
	one  compile.Lane
)

// testLane is shared by all tests, as one process shares one lane.
func testLane(t testing.TB) *lane {
	t.Helper()
	env := lanetest.Env(t)
	once.Do(func() { one = New(env, clang.New(env)) })
	lanetest.Need(t, env, toolName)
	return one.(*lane)
}

// block makes a source whose first line is line 10 of a.org.
func block(shape compile.Shape, body string, results ...string) *compile.Source {
	src := lanetest.Block("python", shape, body)
	src.Results = results
	return src
}

// execute builds and runs a block.
func execute(t testing.TB, src *compile.Source, job *compile.Job) (*compile.Outcome, error) {
	t.Helper()
	return lanetest.Execute(t, testLane(t), src, job)
}

// mustExecute runs a block that has to succeed.
func mustExecute(t testing.TB, src *compile.Source, job *compile.Job) *compile.Outcome {
	t.Helper()
	return lanetest.MustExecute(t, testLane(t), src, job)
}
