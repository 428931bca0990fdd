package remote

import (
	"context"
	"errors"

	"wb/compile"
	"wb/internal/diag"
	"wb/sandbox"
)

// Failure is an error as data. Its kind says which typed error is the cause;
// Text is the whole message, whatever was wrapped around it.
type Failure struct {
	Kind, Text, Hint string
	Exit             int // of wb, 0 when the error has none of its own

	Build  []diag.Finding
	Limit  *sandbox.LimitError
	Trap   *sandbox.TrapError
	Exited *sandbox.ExitError
	Cap    *sandbox.CapError
	Load   *loadFailure

	// Stdout and Stderr are the end of what the program had printed.
	Stdout, Stderr []byte
}

type loadFailure struct{ Module, Reason, Cause string }

// The kinds of failure.
const (
	failBuild     = "build"
	failLimit     = "limit"
	failTrap      = "trap"
	failExited    = "exited"
	failCap       = "capability"
	failLoad      = "load"
	failDeadline  = "deadline"
	failCancelled = "cancelled"
	failOther     = "other"
	// failRefused is a request that this peer cannot serve; see RefusedError.
	failRefused = "refused"
)

// RefusedError says that a peer did not take a request: it has another version
// of the lane, or what was asked for cannot travel. The program was not run.
type RefusedError struct{ Reason, Help string }

func (e *RefusedError) Error() string { return e.Reason }

// Hint says what to do about it.
func (e *RefusedError) Hint() string { return e.Help }

// NewFailure is an error as data.
func NewFailure(err error) *Failure {
	f := &Failure{Kind: failOther, Text: err.Error(), Hint: diag.HintOf(err)}
	var coded interface{ ExitCode() int }
	if errors.As(err, &coded) {
		f.Exit = coded.ExitCode()
	}
	var build *diag.FindingsError
	var load *sandbox.LoadError
	var refused *RefusedError
	switch {
	case errors.As(err, &build):
		f.Kind, f.Build = failBuild, build.Findings
	case errors.As(err, &f.Limit):
		f.Kind = failLimit
	case errors.As(err, &f.Trap):
		f.Kind = failTrap
	case errors.As(err, &f.Exited):
		f.Kind = failExited
	case errors.As(err, &f.Cap):
		f.Kind = failCap
	case errors.As(err, &load):
		f.Kind, f.Load = failLoad, &loadFailure{Module: load.Module, Reason: load.Reason}
		if load.Err != nil {
			f.Load.Cause = load.Err.Error()
		}
	case errors.As(err, &refused):
		f.Kind = failRefused
	case errors.Is(err, context.DeadlineExceeded):
		f.Kind = failDeadline
	case errors.Is(err, context.Canceled):
		f.Kind = failCancelled
	}
	return f
}

// OfProgram reports whether the program is at fault, so that it would fail alike
// elsewhere.
func (f *Failure) OfProgram() bool {
	switch f.Kind {
	case failBuild, failLimit, failTrap, failExited, failCap, failLoad:
		return true
	}
	return false
}

// Err is the failure as an error: the typed one where nothing was wrapped around
// it, else one with the whole text that unwraps to it.
func (f *Failure) Err() error {
	cause := f.cause()
	if cause != nil && cause.Error() == f.Text {
		return cause
	}
	e := &failureError{text: f.Text, hint: f.Hint, cause: cause}
	if f.Exit != 0 {
		return &codedError{failureError: e, code: f.Exit}
	}
	return e
}

// printed is the program's output when it failed, nil without any.
func (f *Failure) printed() *compile.Outcome {
	if len(f.Stdout)+len(f.Stderr) == 0 {
		return nil
	}
	return &compile.Outcome{Stdout: f.Stdout, Stderr: f.Stderr}
}

// notePrinted keeps the end of what an outcome printed.
func (f *Failure) notePrinted(out *compile.Outcome) {
	if out != nil {
		f.Stdout, f.Stderr = last(out.Stdout), last(out.Stderr)
	}
}

func last(b []byte) []byte {
	const most = 64 << 10
	return b[max(0, len(b)-most):]
}

func (f *Failure) cause() error {
	switch {
	case f.Kind == failBuild && len(f.Build) > 0:
		return &diag.FindingsError{Findings: f.Build}
	case f.Kind == failLimit && f.Limit != nil:
		return f.Limit
	case f.Kind == failTrap && f.Trap != nil:
		return f.Trap
	case f.Kind == failExited && f.Exited != nil:
		return f.Exited
	case f.Kind == failCap && f.Cap != nil:
		return f.Cap
	case f.Kind == failLoad && f.Load != nil:
		load := &sandbox.LoadError{Module: f.Load.Module, Reason: f.Load.Reason}
		if f.Load.Cause != "" {
			load.Err = errors.New(f.Load.Cause)
		}
		return load
	case f.Kind == failRefused:
		return &RefusedError{Reason: f.Text, Help: f.Hint}
	case f.Kind == failDeadline:
		return context.DeadlineExceeded
	case f.Kind == failCancelled:
		return context.Canceled
	}
	return nil
}

// failureError is an error from elsewhere.
type failureError struct {
	text, hint string
	cause      error
}

func (e *failureError) Error() string { return e.text }

// Hint is the hint it had there.
func (e *failureError) Hint() string { return e.hint }

// Unwrap returns the wrapped error, nil when that has no type.
func (e *failureError) Unwrap() error { return e.cause }

// codedError is one that decides how wb ends.
type codedError struct {
	*failureError
	code int
}

// ExitCode is that of wb.
func (e *codedError) ExitCode() int { return e.code }
