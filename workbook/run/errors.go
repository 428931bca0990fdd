package run

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"wb/internal/diag"
	"wb/sandbox"
	"wb/workbook/plan"
)

// PlanError says that a workbook cannot be run as it is written.
type PlanError struct{ Findings []diag.Finding }

// Error is the first error and how many more there are.
func (e *PlanError) Error() string {
	errs := 0
	first := ""
	for _, d := range e.Findings {
		if d.Severity == diag.Error {
			if errs++; errs == 1 {
				first = d.String()
			}
		}
	}
	if errs > 1 {
		return fmt.Sprintf("%s (and %d more)", first, errs-1)
	}
	return first
}

// Hint is the first error's.
func (e *PlanError) Hint() string {
	for _, d := range e.Findings {
		if d.Severity == diag.Error {
			return d.Hint
		}
	}
	return ""
}

// MissingError says that inputs are missing.
type MissingError struct {
	Names []string
	Pos   diag.Position // where the first is asked for
}

func (e *MissingError) Error() string {
	return fmt.Sprintf("%s: input %s is missing", e.Pos, plan.JoinNames(e.Names))
}

// ExitCode is that of wrong usage.
func (e *MissingError) ExitCode() int { return diag.ExitUsage }

// Hint shows how to give them.
func (e *MissingError) Hint() string { return fmt.Sprintf("wb run --set %s=VALUE", e.Names[0]) }

// NotFoundError says that a component asked for by id is not there.
type NotFoundError struct{ ID, Near string }

func (e *NotFoundError) Error() string { return fmt.Sprintf("no component %s", e.ID) }

// ExitCode is that of something not found.
func (e *NotFoundError) ExitCode() int { return diag.ExitNotFound }

// Hint offers the nearest id.
func (e *NotFoundError) Hint() string {
	if e.Near == "" {
		return "wb plan lists the components and their inputs"
	}
	return "did you mean " + e.Near + "?"
}

// UnknownLanguageError says that no lane runs a block's language.
type UnknownLanguageError struct {
	Lang, Near string
	Pos        diag.Position
}

func (e *UnknownLanguageError) Error() string {
	return fmt.Sprintf("%s: no lane runs %s", e.Pos, e.Lang)
}

// Hint offers the nearest language there is.
func (e *UnknownLanguageError) Hint() string {
	if e.Near != "" {
		return "did you mean " + e.Near + "?"
	}
	return ":eval no keeps a block from running"
}

// ExitError says that a program ended with a code other than 0.
type ExitError struct {
	ID     string
	Exit   int
	Stderr string
	Pos    diag.Position
}

// Error leads with the program's own last word: lanes put the place in the org
// file there where they know it.
func (e *ExitError) Error() string {
	said := firstLine(strings.TrimSpace(e.Stderr))
	switch {
	case said == "":
		return fmt.Sprintf("%s: %s ended with exit code %d", e.Pos, e.ID, e.Exit)
	case strings.HasPrefix(said, e.Pos.File+":"):
		return said
	}
	return fmt.Sprintf("%s: %s: %s (exit code %d)", e.Pos, e.ID, said, e.Exit)
}

// Hint is the hint a lane writes to standard error below an error's first line,
// "" when there is none.
func (e *ExitError) Hint() string {
	_, rest, _ := strings.Cut(strings.TrimSpace(e.Stderr), "\n")
	hint, _ := strings.CutPrefix(firstLine(rest), "  hint: ")
	if hint == firstLine(rest) {
		return ""
	}
	return hint
}

// BlockedError says that a component could not run because another failed.
type BlockedError struct{ Needs string }

func (e *BlockedError) Error() string { return fmt.Sprintf("it needs %s, which failed", e.Needs) }

// lackingError says that a component has no value because wb cannot run it.
type lackingError struct {
	needs string
	why   error
}

func (e *lackingError) Error() string {
	return fmt.Sprintf("it needs %s: %s", e.needs, reasonOf(e.why))
}

// unrunnable reports whether an error says that wb has no way to run something,
// rather than that something is wrong.
func unrunnable(c *plan.Component, err error) bool {
	var unknown *UnknownLanguageError
	var lacking *lackingError
	return errors.As(err, &lacking) || errors.As(err, &unknown) && c.Dialect == plan.DialectBabel
}

// reasonOf is an error's first line without its place.
func reasonOf(err error) string {
	text := firstLine(err.Error())
	var unknown *UnknownLanguageError
	if errors.As(err, &unknown) {
		text = strings.TrimPrefix(text, unknown.Pos.String()+": ")
		if unknown.Near != "" {
			text += " (" + unknown.Hint() + ")"
		}
	}
	return text
}

// errWouldRun ends a turn of a dry run that could not be answered from the
// cache.
var errWouldRun = errors.New("it would run")

// placedError gives an error that knows no place that of its component, so
// that an editor can go there, and may know better what to do about it.
type placedError struct {
	pos  diag.Position
	hint string // "" for the error's own
	err  error
}

// Error begins with a place, the error's own if it has one in the same file.
func (e *placedError) Error() string {
	if text := e.err.Error(); strings.HasPrefix(text, e.pos.File+":") {
		return text
	}
	return fmt.Sprintf("%s: %v", e.pos, e.err)
}

func (e *placedError) Unwrap() error { return e.err }

// Hint says what to do about the error.
func (e *placedError) Hint() string {
	var inner interface{ Hint() string }
	if e.hint == "" && errors.As(e.err, &inner) {
		return inner.Hint()
	}
	return e.hint
}

// placeAt gives a component's error the component's place. That another one
// failed, or that the run was interrupted, has no place.
func placeAt(c *plan.Component, err error) error {
	var blocked *BlockedError
	if errors.As(err, &blocked) || errors.Is(err, context.Canceled) || errors.Is(err, errWouldRun) {
		return err
	}
	placed := &placedError{pos: c.Pos, err: err}
	var limit *sandbox.LimitError
	if errors.As(err, &limit) {
		placed.hint = moreOf(limit)
	}
	return placed
}

// moreOf says how a component gets more of what it ran out of: it has to ask,
// and the user has to allow it.
func moreOf(limit *sandbox.LimitError) string {
	var name, more string
	switch limit.Kind {
	case sandbox.LimitTime:
		name, more = "timeout", max(time.Duration(limit.Limit).Round(time.Second)*4, 10*time.Second).String()
	case sandbox.LimitMemory:
		name, more = "memory", fmt.Sprintf("%dMiB", max(limit.Limit>>20*4, 256))
	case sandbox.LimitFuel:
		name, more = "fuel", strings.Replace(fmt.Sprintf("%.0e", max(float64(limit.Limit)*4, 1e10)), "+", "", 1)
	case sandbox.LimitOutput:
		name, more = "output", fmt.Sprintf("%dMiB", max(limit.Limit>>20*4, 64))
	default:
		return limit.Hint()
	}
	return fmt.Sprintf("the block gets more with :%s %s and a run with --limits %s=%s", name, more, name, more)
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return strings.TrimRight(line, "\r")
}
