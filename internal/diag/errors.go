package diag

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"syscall"
)

// NotFoundError says that something does not exist: a file, a name or a run.
type NotFoundError struct {
	What string // the whole sentence, such as: there is no run 01J…
	Help string // what to do about it, or ""
}

func (e *NotFoundError) Error() string { return e.What }

// Hint says what does exist, or how to find it.
func (e *NotFoundError) Hint() string { return e.Help }

// ExitCode is that of things not found.
func (e *NotFoundError) ExitCode() int { return ExitNotFound }

// BusyError says that another process is working on the same thing.
type BusyError struct{ What, Help string }

func (e *BusyError) Error() string { return e.What }

// Hint says what to do about it.
func (e *BusyError) Hint() string { return e.Help }

// ExitCode is that of a conflict.
func (e *BusyError) ExitCode() int { return ExitConflict }

// CodedError is an error with an exit code and a hint of its own. Told marks one
// whose reason the user has already seen: nothing more is printed.
type CodedError struct {
	Err  error
	Help string
	Code int
	Told bool
}

func (e *CodedError) Error() string {
	if e.Err == nil {
		return ExitName(e.Code)
	}
	return e.Err.Error()
}

func (e *CodedError) Unwrap() error { return e.Err }

// Hint says what to do about it.
func (e *CodedError) Hint() string { return e.Help }

// ExitCode is the code that the error carries.
func (e *CodedError) ExitCode() int { return e.Code }

// Reported says whether the user has seen the reason already.
func (e *CodedError) Reported() bool { return e.Told }

// Usagef reports a wrong command line or call.
func Usagef(hint, format string, args ...any) error {
	return &CodedError{Err: fmt.Errorf(format, args...), Help: hint, Code: ExitUsage}
}

// Failedf ends with exit code 1.
func Failedf(hint, format string, args ...any) error {
	return &CodedError{Err: fmt.Errorf(format, args...), Help: hint, Code: ExitFailed}
}

// NotFoundf says that something does not exist.
func NotFoundf(hint, format string, args ...any) error {
	return &NotFoundError{What: fmt.Sprintf(format, args...), Help: hint}
}

// Busyf says that another process is working on the same thing.
func Busyf(hint, format string, args ...any) error {
	return &BusyError{What: fmt.Sprintf(format, args...), Help: hint}
}

// Told ends with an exit code after the user has seen why.
func Told(code int) error { return &CodedError{Code: code, Told: true} }

// Advise gives err a hint; its exit code stays its own. Nil stays nil.
func Advise(err error, hint string) error {
	if err == nil {
		return nil
	}
	return &advised{err, hint}
}

type advised struct {
	error
	hint string
}

func (e *advised) Unwrap() error { return e.error }
func (e *advised) Hint() string  { return e.hint }

// HintOf is the hint that an error carries, or "".
func HintOf(err error) string {
	var hinted interface{ Hint() string }
	if errors.As(err, &hinted) {
		return hinted.Hint()
	}
	return ""
}

// ExitOf is the exit code that an error carries. Errors of the system have
// obvious ones; any other is [ExitFailed].
func ExitOf(err error) int {
	var coded interface{ ExitCode() int }
	switch {
	case errors.As(err, &coded):
		return coded.ExitCode()
	case errors.Is(err, fs.ErrNotExist):
		return ExitNotFound
	case Forbidden(err):
		return ExitForbidden
	case errors.Is(err, context.Canceled):
		return ExitInterrupted
	}
	return ExitFailed
}

// Forbidden reports whether the system forbids it, to all or to this user.
func Forbidden(err error) bool {
	return errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS)
}
