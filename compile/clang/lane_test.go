package clang

import (
	"context"
	"sync"
	"testing"

	"wb/compile"
	"wb/compile/lanetest"
)


// compiler is the one all tests share, since loading it takes a second.
func compiler(t testing.TB) *Compiler {
	t.Helper()
	env := lanetest.Env(t)
	once.Do(func() { one = New(env) })
	lanetest.Need(t, env, toolName)
	return one
}

var (
	once sync.Once
	one  *Compiler
)

func TestHello(t *testing.T) {
	c := compiler(t)
	lane := c.C()
	src := &compile.Source{Pos: compile.Position{File: "a.org", Line: 7, Col: 1}, Lang: "C", Shape: compile.ShapeBabel,
		Body: `printf("hello %d\n", 42);`, Args: map[string][]string{"includes": {"<stdio.h>"}}}
	art, err := lane.Build(context.Background(), src)
	if err != nil {
		t.Fatal(err)
	}
	out, err := lane.Run(context.Background(), art, &compile.Job{})
	if err != nil {
		t.Fatal(err)
	}
	if out.Value.Text() != "hello 42" {
		t.Errorf("value %v, stdout %q, stderr %q", out.Value, out.Stdout, out.Stderr)
	}
}
