package js

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"wb/compile"
	"wb/internal/test/lanetest"
	"wb/internal/value"
	"wb/sandbox"
)

// step runs a block in a session.
func step(t *testing.T, name, body string, change ...func(*compile.Source, *compile.Job)) (*compile.Outcome, error) {
	t.Helper()
	src, job := block(compile.ShapeBabel, body), &compile.Job{Session: name}
	src.Args["session"] = []string{name}
	for _, f := range change {
		f(src, job)
	}
	return execute(t, src, job)
}

func wantsOutput(src *compile.Source, _ *compile.Job) { src.Results = []string{"output"} }

// Blocks of a session share what they declare; other sessions see none of it.
func TestSession(t *testing.T) {
	t.Cleanup(func() { testLane(t).CloseSession(context.Background(), "s") })
	for _, c := range []struct{ body, want string }{
		{"let n = 1; const add = k => n += k; function twice() { return add(n) } class K {}", `"undefined"`},
		{"add(4)", `5`},
		{"return twice()", `10`},
		{"var list = [n, typeof K]; list", `[10,"function"]`},
		{"console.log('said'); n + 1", `"said\n11"`},
		{"setTimeout(() => { n = 0 }, 5); n", `10`},
		{"n", `0`},
		{"x + x", `42`},
		{"typeof require + typeof module", `"functionundefined"`},
	} {
		out, err := step(t, "s", c.body, func(s *compile.Source, _ *compile.Job) {
			if c.body == "x + x" {
				s.Vars = []compile.Var{{Name: "x", Value: value.OfInt(21)}}
			}
		})
		if err != nil || out.Exit != 0 || out.Value.String() != c.want {
			t.Errorf("%s: %v, want %s (%s)", c.body, out, c.want, lanetest.Said(out, err))
		}
	}
	if out, err := step(t, "s", "console.log(n, x)", wantsOutput); err != nil || string(out.Stdout) != "0 21\n" {
		t.Errorf("%v %s", err, lanetest.Said(out, err))
	}
	if out, err := step(t, "other", "typeof n", wantsOutput); err != nil || out.Exit != 0 {
		t.Errorf("%v", err)
	}
	if out, _ := step(t, "other", "return typeof n"); out.Value.String() != `"undefined"` {
		t.Errorf("another session sees %s", out.Value)
	}
}

// An exception leaves the session as it is; a limit or process.exit ends it.
func TestSessionFailures(t *testing.T) {
	run := func(body string) (*compile.Outcome, error) {
		return step(t, "f", body, func(_ *compile.Source, j *compile.Job) { j.Limits = sandbox.Limits{Fuel: 20_000_000, Timeout: -1} })
	}
	run("var n = 1")
	if out, err := run("n = 2;\nnull.x"); err != nil || out.Exit != 1 {
		t.Errorf("%v", err)
	}
	if out, _ := run("n"); out.Value.String() != "2" {
		t.Errorf("after an exception n is %s", out.Value)
	}
	var limit *sandbox.LimitError
	if _, err := run("for (;;) {}"); !errors.As(err, &limit) {
		t.Errorf("%v", err)
	}
	if out, _ := run("typeof n"); out.Value.String() != `"undefined"` {
		t.Errorf("after a limit n is %s", out.Value)
	}
	if out, err := run("n = 3; process.exit(5)"); err != nil || out.Exit != 5 {
		t.Errorf("%v", err)
	}
	if out, _ := run("typeof n"); out.Value.String() != `"undefined"` {
		t.Errorf("after process.exit n is %s", out.Value)
	}
	testLane(t).CloseSession(context.Background(), "f")
}

// Each job of a session has limits, files and output of its own, and waits for
// the one before it.
func TestSessionJobs(t *testing.T) {
	first, err := step(t, "j", "let a = 0; for (let i = 0; i < 1e5; i++) a++", wantsOutput)
	if err != nil {
		t.Fatal(err)
	}
	again, err := step(t, "j", "a++", wantsOutput)
	if err != nil || again.Usage.Fuel*10 > first.Usage.Fuel {
		t.Errorf("%v: fuel %d after %d", err, again.Usage.Fuel, first.Usage.Fuel)
	}
	var wait sync.WaitGroup
	for i := range 8 {
		wait.Go(func() {
			if out, err := step(t, "j", fmt.Sprintf("a++; console.log(%d)", i), wantsOutput); err != nil || string(out.Stdout) != fmt.Sprintln(i) {
				t.Errorf("%v %s", err, lanetest.Said(out, err))
			}
		})
	}
	wait.Wait()
	if out, _ := step(t, "j", "a"); out.Value.String() != "100009" {
		t.Errorf("a is %s", out.Value)
	}
	testLane(t).CloseSession(context.Background(), "j")
	if out, _ := step(t, "j", "typeof a"); out.Value.String() != `"undefined"` {
		t.Errorf("after closing a is %s", out.Value)
	}
	if err := compile.CloseSession(context.Background(), testLane(t), "j"); err != nil {
		t.Error(err)
	}
}
