package python

import (
	"context"
	"sync"
	"testing"

	"wb/compile"
	"wb/compile/clang"
	"wb/compile/lanetest"
	"wb/value"
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
	return &compile.Source{Pos: compile.Position{File: "a.org", Line: 10, Col: 1}, Lang: "python", Shape: shape, Body: body,
		Args: map[string][]string{}, Results: results}
}

// execute builds and runs a block.
func execute(t testing.TB, src *compile.Source, job *compile.Job) (*compile.Outcome, error) {
	t.Helper()
	l := testLane(t)
	art, err := l.Build(context.Background(), src)
	if err != nil {
		return nil, err
	}
	if job == nil {
		job = &compile.Job{}
	}
	job.Source = src
	return l.Run(context.Background(), art, job)
}

// mustExecute runs a block that has to succeed.
func mustExecute(t testing.TB, src *compile.Source, job *compile.Job) *compile.Outcome {
	t.Helper()
	out, err := execute(t, src, job)
	if err != nil {
		t.Fatalf("%s: %v", src.Body, err)
	}
	if out.Exit != 0 {
		t.Fatalf("%s: exit %d: %s", src.Body, out.Exit, out.Stderr)
	}
	return out
}

// complaint is what a person sees of a run that went wrong.
func complaint(out *compile.Outcome, err error) string {
	switch {
	case err != nil:
		return err.Error()
	case out == nil:
		return ""
	}
	return string(out.Stderr)
}

// inputs are the members of a JSON object, as inputs of a component.
func inputs(t testing.TB, text string) []value.Field {
	t.Helper()
	v, err := value.ParseJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return v.Fields()
}
