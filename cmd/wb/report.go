package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/netip"
	"os"

	"github.com/alecthomas/kong"

	"wb/app"
	"wb/compile"
	"wb/internal/diag"
	"wb/internal/trace"
	"wb/internal/trace/otlp"
)

// terminal is passed to every verb's Run method: where to read and write, and
// how the user wants answers shown.
type terminal struct {
	ctx    context.Context
	std    stdio
	parser *kong.Kong

	// private lets tables be read from addresses that are not public; only
	// tests do.
	private func(netip.Addr) bool

	// pusher sends spans to the collector that the environment names; nil for none.
	pusher *otlp.Pusher

	json, quiet, verbose bool
	// quietResult leaves standard output to the events of a run.
	quietResult bool
	// env builds programs and lanes are its languages, once they were needed.
	env     *compile.Env
	lanes   *compile.Registry
	closers []func()
	// after is done when the answer was given.
	after []func()
	// makeLanes replaces the languages; only tests do.
	makeLanes func(*compile.Env) (*compile.Registry, error)
}

// envelope is the one shape of --json answers.
type envelope struct {
	OK    bool        `json:"ok"`
	Verb  string      `json:"verb"`
	Data  any         `json:"data,omitempty"`
	Error *diag.Fault `json:"error,omitempty"`
}

// views receive the events of every run besides its records.
func (a *terminal) views() []trace.Sink {
	if a.pusher == nil {
		return nil
	}
	return []trace.Sink{a.pusher}
}

// answer prints data: the envelope with --json, else what text writes.
func (a *terminal) answer(verb string, data any, text func(io.Writer) error) error {
	if a.json {
		return diag.WriteJSON(a.std.Out, envelope{OK: true, Verb: verb, Data: data})
	}
	return text(a.std.Out)
}

// note tells a person something on stderr; --quiet silences it.
func (a *terminal) note(format string, args ...any) {
	if !a.quiet {
		fmt.Fprintf(a.std.Err, format+"\n", args...)
	}
}

// complain tells a person what went wrong, --quiet or not.
func (a *terminal) complain(format string, args ...any) { fmt.Fprintf(a.std.Err, format+"\n", args...) }

// fail reports err and returns its exit code. With --json the envelope goes to
// stdout, since that is where the caller reads.
func (a *terminal) fail(verb string, err error) int {
	err = explained(err)
	code := diag.ExitOf(err)
	var data any
	if mistakes, ok := errors.AsType[*app.MistakesError](err); ok {
		if data = mistakes.Data(); !a.json {
			diag.Printer{W: a.std.Out, Colour: colour(a.std.Out)}.Findings(mistakes.Found)
		}
	}
	var silent interface{ Reported() bool }
	reported := errors.As(err, &silent) && silent.Reported()
	switch {
	case reported:
	case a.json:
		_ = diag.WriteJSON(a.std.Out, envelope{Verb: verb, Data: data, Error: diag.FaultOf(err)})
	default:
		diag.Printer{W: a.std.Err}.Error("wb: ", err)
	}
	return code
}

var errInterrupted = &diag.CodedError{Err: errors.New("interrupted"), Code: diag.ExitInterrupted}

// isTerminal reports whether w is a terminal, where colour and progress help.
func isTerminal(w any) bool {
	if s, ok := w.(*screen); ok {
		w = s.out
	}
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&fs.ModeCharDevice != 0
}

// colour reports whether ANSI colour may be written to w.
func colour(w any) bool {
	return isTerminal(w) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}
