package run

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"wb/internal/diag"
	"wb/internal/lazyregexp"
	"wb/org"
	"wb/sandbox"
	"wb/workbook/plan"
)

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

// Relocated moves the places in an error's text, which are those of the text
// that was run, to where the results that Run wrote have moved them. It changes
// nothing when no line moved.
func (r *Report) Relocated(text string) string {
	if !r.Wrote || len(r.Edits) == 0 {
		return text
	}
	lines := strings.SplitAfter(text, "\n")
	for i, l := range lines {
		rest, ok := strings.CutPrefix(l, r.Plan.File+":")
		at := leadingNumber.FindString(rest)
		if !ok || at == "" {
			continue
		}
		var line int
		if _, err := fmt.Sscan(at, &line); err == nil {
			lines[i] = fmt.Sprintf("%s:%d%s", r.Plan.File, line+linesAdded(r.Plan.Document(), r.Edits, line), rest[len(at):])
		}
	}
	return strings.Join(lines, "")
}

var leadingNumber = lazyregexp.New(`^[0-9]+`)

// linesAdded is how many lines the edits put above a line, less what they took
// away.
func linesAdded(doc *org.Document, edits []org.Edit, line int) int {
	span, ok := doc.Line(line)
	if !ok {
		return 0
	}
	n := 0
	for _, e := range edits {
		if e.End <= span.Start {
			n += strings.Count(e.New, "\n") - strings.Count(doc.Source()[e.Start:e.End], "\n")
		}
	}
	return n
}
