// Package lanetest helps the tests of lanes: one environment for all tests of
// a process, with the user's own toolchains and caches, so that they are
// installed and compiled once per machine.
package lanetest

import (
	"context"
	"os"
	"sync"
	"testing"

	"wb/compile"
	"wb/internal/diag"
	"wb/internal/value"
)

var shared = sync.OnceValues(func() (*compile.Env, error) { return compile.NewEnv(context.Background(), compile.EnvConfig{}) })

// Env is the environment all tests of this process share. It keeps no
// artifacts: what a test builds, it builds.
func Env(t testing.TB) *compile.Env {
	t.Helper()
	env, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	return env
}

// Need skips the test unless the toolchains of a lane are installed, telling
// the command that installs them. Where the environment has CI=true it
// fails, unless only the user can ask for them or give them.
func Need(t testing.TB, env *compile.Env, names ...string) {
	t.Helper()
	for _, name := range names {
		if _, ok := env.Tools.Installed(name); ok {
			continue
		}
		if os.Getenv("CI") == "true" && env.Tools.Comes(name) {
			t.Fatalf("toolchain %s is missing: wb toolchain install %s", name, name)
		}
		t.Skipf("toolchain %s is missing: wb toolchain install %s", name, name)
	}
}

// Block is a source block of the file a.org whose body begins in line 10.
func Block(lang string, shape compile.Shape, body string) *compile.Source {
	return &compile.Source{Pos: diag.Position{File: "a.org", Line: 10, Col: 1}, Lang: lang, Shape: shape, Body: body, Args: make(map[string][]string)}
}

// Execute builds a block and runs it on a job (nil for an empty one).
func Execute(t testing.TB, lane compile.Lane, src *compile.Source, job *compile.Job) (*compile.Outcome, error) {
	t.Helper()
	art, err := lane.Build(t.Context(), src)
	if err != nil {
		return nil, err
	}
	if job == nil {
		job = &compile.Job{}
	}
	job.Source = src
	return lane.Run(t.Context(), art, job)
}

// MustExecute is Execute of a block that has to succeed.
func MustExecute(t testing.TB, lane compile.Lane, src *compile.Source, job *compile.Job) *compile.Outcome {
	t.Helper()
	out, err := Execute(t, lane, src, job)
	if err != nil {
		t.Fatalf("%s: %v", src.Body, err)
	}
	if out.Exit != 0 {
		t.Fatalf("%s: exit %d: %s", src.Body, out.Exit, out.Stderr)
	}
	return out
}

// Complaint is what went wrong in a run: its error, else what it wrote to
// standard error when it failed, else "".
func Complaint(out *compile.Outcome, err error) string {
	switch {
	case err != nil:
		return err.Error()
	case out.Exit != 0:
		return string(out.Stderr)
	}
	return ""
}

// Said is what a person sees of a run: its error, else what it wrote to standard
// error, whether it failed or not.
func Said(out *compile.Outcome, err error) string {
	switch {
	case err != nil:
		return err.Error()
	case out == nil:
		return ""
	}
	return string(out.Stderr)
}

// Inputs are the members of a JSON object as a component's inputs.
func Inputs(t testing.TB, object string) []value.Field {
	t.Helper()
	v, err := value.ParseJSON([]byte(object))
	if err != nil {
		t.Fatal(err)
	}
	return v.Fields()
}
