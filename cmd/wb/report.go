package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/netip"
	"os"
	"syscall"

	"github.com/alecthomas/kong"

	"wb/compile"
	"wb/internal/diag"
	"wb/internal/trace"
	"wb/internal/trace/otlp"
)

// app is what every verb's Run method receives: where to read and write, and
// how the user wants answers shown.
type app struct {
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
	// env builds programs, once withLanes has made it.
	env *compile.Env
}

// envelope is the one shape of --json answers.
type envelope struct {
	OK    bool       `json:"ok"`
	Verb  string     `json:"verb"`
	Data  any        `json:"data,omitempty"`
	Error *faultJSON `json:"error,omitempty"`
}

type faultJSON struct {
	Code      string `json:"code"`
	Message   string `json:"message"`
	Hint      string `json:"hint,omitempty"`
	Retryable bool   `json:"retryable"`
	Details   any    `json:"details,omitempty"`
}

// views are what hears the events of every run besides its records.
func (a *app) views() []trace.Sink {
	if a.pusher == nil {
		return nil
	}
	return []trace.Sink{a.pusher}
}

// answer prints data: the envelope with --json, else what text writes.
func (a *app) answer(verb string, data any, text func(io.Writer) error) error {
	if a.json {
		return writeJSON(a.std.Out, envelope{OK: true, Verb: verb, Data: data})
	}
	return text(a.std.Out)
}

// bare prints data as JSON without the envelope: the form of data verbs on a pipe.
func (a *app) bare(data any) error { return writeJSON(a.std.Out, data) }

func writeJSON(w io.Writer, v any) error {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("encode answer: %w", err)
	}
	_, err := w.Write(buf.Bytes())
	return err
}

// note tells a person something on stderr; --quiet silences it.
func (a *app) note(format string, args ...any) {
	if !a.quiet {
		fmt.Fprintf(a.std.Err, format+"\n", args...)
	}
}

// complain tells a person what went wrong, --quiet or not.
func (a *app) complain(format string, args ...any) { fmt.Fprintf(a.std.Err, format+"\n", args...) }

// fail reports err and returns its exit code. With --json the envelope goes to
// stdout, since that is where the caller reads.
func (a *app) fail(verb string, err error) int {
	err = explained(err)
	code := exitCode(err)
	var silent interface{ Reported() bool }
	reported := errors.As(err, &silent) && silent.Reported()
	switch {
	case reported:
	case a.json:
		fault := &faultJSON{Code: diag.ExitName(code), Message: err.Error(), Hint: hintOf(err), Retryable: code == diag.ExitUnavailable || code == diag.ExitConflict}
		_ = writeJSON(a.std.Out, envelope{Verb: verb, Error: fault})
	default:
		fmt.Fprintf(a.std.Err, "wb: %v\n", err)
		if hint := hintOf(err); hint != "" {
			fmt.Fprintf(a.std.Err, "hint: %s\n", hint)
		}
	}
	return code
}

// exitCode asks the error for its code; file-system errors have obvious ones.
func exitCode(err error) int {
	var coded interface{ ExitCode() int }
	switch {
	case errors.As(err, &coded):
		return coded.ExitCode()
	case errors.Is(err, fs.ErrNotExist):
		return diag.ExitNotFound
	case forbidden(err):
		return diag.ExitForbidden
	case errors.Is(err, context.Canceled):
		return diag.ExitInterrupted
	}
	return diag.ExitFailed
}

// forbidden reports whether the system let nobody, or not this user, do it.
func forbidden(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS)
}

func hintOf(err error) string {
	var hinted interface{ Hint() string }
	if errors.As(err, &hinted) {
		return hinted.Hint()
	}
	return ""
}

// usageError is a command line that does not parse.
type usageError struct {
	err  error
	hint string
}

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }
func (e *usageError) ExitCode() int { return diag.ExitUsage }
func (e *usageError) Hint() string  { return e.hint }

// codedError is an error of this package with an exit code and a hint.
type codedError struct {
	text, hint string
	code       int
	reported   bool
}

func (e *codedError) Error() string  { return e.text }
func (e *codedError) ExitCode() int  { return e.code }
func (e *codedError) Hint() string   { return e.hint }
func (e *codedError) Reported() bool { return e.reported }

// advised is an error with a hint of this package; its code is the error's own.
type advised struct {
	error
	hint string
}

func (e *advised) Unwrap() error { return e.error }
func (e *advised) Hint() string  { return e.hint }

var errInterrupted = &codedError{text: "interrupted", code: diag.ExitInterrupted}

// alreadyReported fails with code after the verb itself has shown why.
func alreadyReported(code int) error { return &codedError{code: code, reported: true} }

// isTerminal reports whether w is a terminal, where colour and progress help.
func isTerminal(w any) bool {
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

// diagnostic prints one finding and its hint: on stdout, since findings are
// what the verb was asked for.
func (a *app) diagnostic(d diag.Finding) {
	line := d.String()
	if colour(a.std.Out) {
		shade := map[diag.Severity]string{diag.Error: "\x1b[31m", diag.Warning: "\x1b[33m", diag.Note: "\x1b[36m"}[d.Severity]
		line = shade + line + "\x1b[0m"
	}
	fmt.Fprintln(a.std.Out, line)
	if d.Hint != "" {
		fmt.Fprintf(a.std.Out, "    hint: %s\n", d.Hint)
	}
}
