package tangle

import (
	"cmp"
	"errors"
	"fmt"

	"wb/internal/diag"
	"wb/org"
	"wb/tangle/elisp"
)

// Error is something that stops a document from being tangled, with its place.
// It prints as file:line:col: message.
type Error struct {
	File      string // as the caller named it
	Line, Col int    // from 1; Col in bytes
	Msg       string
	Advice    string // what to do about it; may be empty
	Err       error  // the cause; may be nil
}

func (e *Error) Error() string {
	return fmt.Sprintf("%s:%d:%d: %s", e.File, e.Line, e.Col, e.Msg)
}

// Hint says what to do about it; it may be empty.
func (e *Error) Hint() string { return e.Advice }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Warning is something the author should know; it does not change the output.
type Warning struct {
	Line int    `json:"line"`
	Col  int    `json:"col"`
	Msg  string `json:"message"`
}

// place makes positioned errors and warnings for one document.
type place struct {
	file string
	doc  *org.Document
}

func (p place) errorf(offset int, err error, format string, args ...any) *Error {
	line, col := p.doc.Position(offset)
	return &Error{File: p.file, Line: line, Col: col, Msg: fmt.Sprintf(format, args...), Err: err}
}

// wrap gives an error a place unless it has one. An error of the Lisp evaluator
// is moved to the form at fault inside the text that begins at offset.
func (p place) wrap(offset int, what string, err error) error {
	var placed *Error
	if errors.As(err, &placed) {
		return err
	}
	msg := err.Error()
	if what != "" {
		msg = what + ": " + msg
	}
	if lisp, ok := errors.AsType[*elisp.Error](err); ok {
		placed = p.errorf(offset+max(lisp.Offset, 0), err, "%s", msg)
		placed.Advice = cmp.Or(diag.HintOf(err), lisp.Hint)
		return placed
	}
	placed = p.errorf(offset, err, "%s", msg)
	placed.Advice = diag.HintOf(err)
	return placed
}

func (p place) warning(offset int, format string, args ...any) Warning {
	line, col := p.doc.Position(offset)
	return Warning{line, col, fmt.Sprintf(format, args...)}
}
