package vm

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"strings"

	"wb/compile"
	"wb/internal/value"
	"wb/sandbox"
)

// Unit is the result of building a block: everything needed to run it. Line Skip+1
// of Code is the body's first.
type Unit struct {
	Code    string          `json:"-"`
	Skip    int             `json:"skip,omitempty"`
	Lines   int             `json:"lines"` // of the body
	Func    string          `json:"func,omitempty"`
	Outs    []string        `json:"outs,omitempty"`
	Results compile.Results `json:"results,omitempty"`
}

// NewUnit lays a block out, with lines around the body.
func NewUnit(src *compile.Source, before, after string) Unit {
	return Unit{Code: before + src.Body + after, Skip: strings.Count(before, "\n"), Lines: src.LineCount(),
		Func: src.Func, Outs: src.Outs, Results: src.Results}
}

// WantsValue reports whether the result is what the block returns, not what it
// prints.
func (u *Unit) WantsValue() bool { return !u.Results.Has("output") }

// Printed is the value of a program that is its output.
func (u *Unit) Printed(shape compile.Shape, text string) value.Value {
	switch {
	case shape != compile.ShapeBabel:
		return value.OfString(text)
	case u.WantsValue(): // it failed, or ended itself, before it returned
		return value.Nil()
	}
	return u.Results.ReadScalar(text)
}

// Portable is a unit as the runtime in a browser reads it.
type Portable struct {
	Shape   compile.Shape `json:"shape"`
	Request string        `json:"request"`          // what the interpreter is asked, up to what is known there
	Output  bool          `json:"output,omitempty"` // the result is what is printed
	Text    bool          `json:"text,omitempty"`   // … as it is
	Discard bool          `json:"discard,omitempty"`
	Code    string        `json:"code"`
	Skip    int           `json:"skip,omitempty"`
	compile.Places
}

// Portable is the unit for a job elsewhere.
func (u *Unit) Portable(shape compile.Shape, job *compile.Job, request []byte) Portable {
	return Portable{Shape: shape, Request: string(request), Code: u.Code, Skip: u.Skip, Places: job.Source.Places(u.Lines),
		Output: !u.WantsValue(), Text: u.Results.AsText(), Discard: u.Results.Has("discard")}
}

// Seed is the seed of random numbers, nil when none were granted.
func Seed(job *compile.Job) *int64 {
	if !job.Caps.Random {
		return nil
	}
	var seed [8]byte
	rand.Read(seed[:])
	n := int64(binary.LittleEndian.Uint64(seed[:]) >> 1)
	return &n
}

// Conclude puts what the machine has used and printed into an outcome. A guest
// that has ended itself has done so with its exit code, and is not an error.
func (m *Machine) Conclude(out *compile.Outcome, err error) error {
	if exit, ok := errors.AsType[*sandbox.ExitError](err); ok {
		out.Exit, err = exit.Code, nil
	}
	out.Usage = m.Usage()
	out.Stdout, out.Stderr = m.Stdout.Bytes(), m.Stderr.Bytes()
	return err
}
