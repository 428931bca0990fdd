package lanetest

import (
	"errors"
	"testing"
	"time"

	"wb/compile"
	"wb/internal/value"
	"wb/sandbox"
)

// Sig is a signature as :sig: has it, nil for "".
func Sig(t testing.TB, text string) *value.Sig {
	t.Helper()
	if text == "" {
		return nil
	}
	sig, err := value.ParseSig(text)
	if err != nil {
		t.Fatal(err)
	}
	return sig
}

// Gives runs a block on a job and holds its value, as JSON, against want.
func Gives(t testing.TB, lane compile.Lane, src *compile.Source, job *compile.Job, want string) {
	t.Helper()
	out, err := Execute(t, lane, src, job)
	if complaint := Complaint(out, err); complaint != "" {
		t.Errorf("%s: %s", src.Body, complaint)
	} else if got := out.Value.String(); got != want {
		t.Errorf("%s (%v, %v): got %s, want %s", src.Body, src.Results, src.Args, got, want)
	}
}

// Breaks runs a block that has to break a limit of that kind, on however busy a
// machine.
func Breaks(t testing.TB, lane compile.Lane, src *compile.Source, limits sandbox.Limits, kind sandbox.LimitKind) {
	t.Helper()
	if limits.Timeout == 0 {
		limits.Timeout = time.Minute
	}
	out, err := Execute(t, lane, src, &compile.Job{Limits: limits})
	var limit *sandbox.LimitError
	if !errors.As(err, &limit) || limit.Kind != kind {
		t.Errorf("%s: %v, want the limit of %s", src.Body, Complaint(out, err), kind)
	}
}

// SameEveryTime runs a block so many times and holds what comes out, and what
// it costs, against the first time.
func SameEveryTime(t testing.TB, lane compile.Lane, src *compile.Source, times int) {
	t.Helper()
	first := MustExecute(t, lane, src, nil)
	for range times - 1 {
		again := MustExecute(t, lane, src, nil)
		if string(again.Stdout) != string(first.Stdout) || !value.Equal(again.Value, first.Value) || again.Usage.Fuel != first.Usage.Fuel {
			t.Fatalf("%s %s (%d fuel), then %s %s (%d fuel)", first.Value, first.Stdout, first.Usage.Fuel, again.Value, again.Stdout, again.Usage.Fuel)
		}
	}
}

// ObeysCaps runs a program that prints random numbers and one that prints the
// year, with and without being granted them.
func ObeysCaps(t testing.TB, lane compile.Lane, random, year *compile.Source) {
	t.Helper()
	print := func(src *compile.Source, caps sandbox.Caps) string {
		t.Helper()
		return string(MustExecute(t, lane, src, &compile.Job{Caps: caps}).Stdout)
	}
	if a, b := print(random, sandbox.Caps{Random: true}), print(random, sandbox.Caps{Random: true}); a == b {
		t.Errorf("random was granted, but twice came %s", a)
	}
	if got := print(year, sandbox.Caps{Clock: true}); got < "2025" {
		t.Errorf("the clock was granted, but the year is %s", got)
	}
	if got := print(year, sandbox.Caps{}); got != "2000\n" {
		t.Errorf("without a clock the year is %s", got)
	}
}
