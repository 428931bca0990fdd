package python

import (
	"testing"
	"time"

	"wb/compile"
	"wb/internal/test/lanetest"
	"wb/internal/value"
	"wb/sandbox"
)

// built makes a block for a benchmark.
func built(b *testing.B, src *compile.Source) (*lane, *compile.Artifact) {
	b.Helper()
	l := testLane(b)
	art, err := l.Build(b.Context(), src)
	if err != nil {
		b.Fatal(err)
	}
	return l, art
}

func runs(b *testing.B, l *lane, art *compile.Artifact, job compile.Job) {
	b.Helper()
	for b.Loop() {
		if out, err := l.Run(b.Context(), art, &job); err != nil || out.Exit != 0 {
			b.Fatal(err, lanetest.Said(out, nil))
		}
	}
}

// BenchmarkBlock is a whole run of a small block: a Python from the snapshot,
// the program, its value.
func BenchmarkBlock(b *testing.B) {
	l, art := built(b, block(compile.ShapeBabel, "return [1, 'a']", "value"))
	runs(b, l, art, compile.Job{})
}

// BenchmarkImports is a block that uses modules which are there from the start.
func BenchmarkImports(b *testing.B) {
	l, art := built(b, block(compile.ShapeCommand, "import json, re, csv, datetime, dataclasses, statistics, decimal, collections\nprint(json.dumps([1]))"))
	runs(b, l, art, compile.Job{})
}

// BenchmarkComponentCall is a whole call of a component.
func BenchmarkComponentCall(b *testing.B) {
	src := block(compile.ShapeComponent, "def greet(name):\n    return f'hello, {name}!'")
	src.Params = []string{"name"}
	l, art := built(b, src)
	runs(b, l, art, compile.Job{Inputs: []value.Field{{Name: "name", Value: value.OfString("ada")}}})
}

// BenchmarkSessionCall is a block in a session that is open.
func BenchmarkSessionCall(b *testing.B) {
	src := block(compile.ShapeBabel, "[1, 'a']", "value")
	src.Args["session"] = []string{"bench"}
	l, art := built(b, src)
	defer l.CloseSession(b.Context(), "bench")
	runs(b, l, art, compile.Job{Session: "bench"})
}

// BenchmarkBuild is the check of a small block's syntax.
func BenchmarkBuild(b *testing.B) {
	src := block(compile.ShapeBabel, "return [1, 'a']", "value")
	l, _ := built(b, src)
	for b.Loop() {
		if _, err := l.Build(b.Context(), src); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkFib30 is 1.3 million calls of a Python function.
func BenchmarkFib30(b *testing.B) {
	l, art := built(b, block(compile.ShapeCommand, "def fib(n):\n    return n if n < 2 else fib(n - 1) + fib(n - 2)\nprint(fib(30))"))
	runs(b, l, art, compile.Job{Limits: sandbox.Limits{Timeout: time.Minute}})
}
