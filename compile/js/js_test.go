package js

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"wb/compile"
	"wb/internal/diag"
	"wb/internal/test/lanetest"
)

var (
	once sync.Once
	one  *Lane
)

// testLane is shared by all tests, as one process shares one lane.
func testLane(t testing.TB) *Lane {
	t.Helper()
	env := lanetest.Env(t)
	once.Do(func() { one = New(env) })
	lanetest.Need(t, env, ToolName)
	return one
}

// block makes a source whose first line is line 10 of a.org.
func block(shape compile.Shape, body string) *compile.Source {
	return lanetest.Block("js", shape, body)
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

func TestRefusals(t *testing.T) {
	for name, change := range map[string]func(*compile.Source){
		"deps":   func(s *compile.Source) { s.Deps = []string{"left-pad"} },
		"kernel": func(s *compile.Source) { s.Shape = compile.ShapeKernel },
	} {
		src := block(compile.ShapeCommand, "1")
		change(src)
		var build *diag.FindingsError
		if _, err := execute(t, src, nil); !errors.As(err, &build) || build.Hint() == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A program costs the same fuel and gives the same bytes every time.
func TestDeterminism(t *testing.T) {
	src := block(compile.ShapeCommand, `
		console.log(Date.now(), Math.random(), new Date().toString(), performance.now(), crypto.randomUUID());
		const m = {}; for (let i = 0; i < 1000; i++) m[Math.random()] = i;
		setTimeout(() => console.log(Date.now()), 50);
		console.log(Object.keys(m).length, process.hrtime());`)
	lanetest.SameEveryTime(t, testLane(t), src, 21)
}

// Where a block stands in its file changes nothing but where its errors are.
func TestMovedBlock(t *testing.T) {
	l, src := testLane(t), block(compile.ShapeCommand, "let a = 1\n a.b.c")
	art, err := l.Build(context.Background(), src)
	if err != nil {
		t.Fatal(err)
	}
	moved := *src
	moved.Pos.Line = 100
	out, err := l.Run(context.Background(), art, &compile.Job{Source: &moved})
	if err != nil || !strings.HasPrefix(string(out.Stderr), "a.org:101:") {
		t.Errorf("%v %s", err, out.Stderr)
	}
	out, err = l.Run(context.Background(), art, &compile.Job{})
	if err != nil || !strings.HasPrefix(string(out.Stderr), "block.js:2:") {
		t.Errorf("%v %s", err, out.Stderr)
	}
}

// Granted capabilities open the real world.
func TestCapabilities(t *testing.T) {
	lanetest.ObeysCaps(t, testLane(t),
		block(compile.ShapeCommand, "console.log(Math.random(), crypto.randomUUID())"),
		block(compile.ShapeCommand, "console.log(new Date().getFullYear())"))
}

func TestSelfTest(t *testing.T) {
	l := testLane(t)
	tool, _ := l.runtime.env.Tools.Installed(ToolName)
	if err := l.runtime.selfTest(context.Background(), tool, nil); err != nil {
		t.Error(err)
	}
}
