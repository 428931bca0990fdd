//go:build long

package examples

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"wb/compile"
	"wb/compile/lanes"
	"wb/workbook"
)

// outcomes runs a workbook from nothing and lists what each component gave and
// what it cost.
func outcomes(t *testing.T, registry *compile.Registry, file string) string {
	t.Helper()
	report, err := workbook.Run(context.Background(), workbook.Options{
		Book:  workbook.Book{File: file, Lanes: registry},
		Write: workbook.WriteNothing,
	})
	if err != nil {
		t.Fatal(err)
	}
	if failed := report.Failed(); failed != nil {
		t.Fatalf("%s: %v", failed.ID, failed.Err)
	}
	var b strings.Builder
	for _, d := range report.Components {
		fmt.Fprintf(&b, "%s %d %s\n", d.ID, d.Usage.Fuel, d.Value)
	}
	return b.String()
}

// engine makes lanes whose programs run in wazero's compiler or interpreter.
func engine(t *testing.T, interpreter bool) (*compile.Env, *compile.Registry) {
	t.Helper()
	ctx := context.Background()
	env, err := compile.NewEnv(ctx, compile.EnvConfig{Interpreter: interpreter})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { env.Close(ctx) })
	registry, err := lanes.New(env)
	if err != nil {
		t.Fatal(err)
	}
	return env, registry
}

// Every run of a notebook in many languages gives the same bytes for the same
// fuel.
func TestPolyglotIsDeterministic(t *testing.T) {
	file := filepath.Join(copyExamples(t), "polyglot.org")
	env, registry := engine(t, false)
	needToolchains(t, env, registry, file)
	want := outcomes(t, registry, file)
	for range 19 {
		if got := outcomes(t, registry, file); got != want {
			t.Fatalf("runs differ:\n%s\n%s", got, want)
		}
	}
}

// The interpreter, another implementation of WebAssembly, gives the same bytes
// for the same fuel. What the compilers make is taken from the artifact cache.
func TestPolyglotOnTheInterpreter(t *testing.T) {
	file := filepath.Join(copyExamples(t), "polyglot.org")
	env, registry := engine(t, false)
	needToolchains(t, env, registry, file)
	want := outcomes(t, registry, file)
	_, interpreted := engine(t, true)
	if got := outcomes(t, interpreted, file); got != want {
		t.Errorf("the engines differ:\n%s\n%s", got, want)
	}
}
