// Package diag says what wb tells its users when something is wrong: where it
// is ([Position]), what it is ([Finding]), what helps (its hint), and how the
// process ends (the exit codes).
//
// It lies below everything else, so that whoever finds a mistake can name its
// place without importing the compilers.
package diag

import (
	"fmt"
	"slices"
	"strings"
)

// Severity grades a [Finding].
type Severity string

// The severities, worst first.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
	Note    Severity = "note"
)

// Finding is one thing that is wrong, or worth knowing, at one place of an org file.
type Finding struct {
	Pos      Position `json:"pos"`
	Severity Severity `json:"severity"`
	Code     string   `json:"code,omitempty"` // the compiler's own code, such as TS2322 or -Wformat
	Message  string   `json:"message"`        // lower case where the compiler has it so, no period
	Hint     string   `json:"hint,omitempty"` // what to do about it, when we know
	// Component is the component of a workbook that an error stops, with those
	// that need it; "" when it stops none.
	Component string `json:"component,omitempty"`
}

// String is the one-line form people and editors read:
// file:line:col: severity: CODE message, or message [-Woption] as C compilers
// have it.
func (d Finding) String() string {
	text := d.Message
	switch {
	case strings.HasPrefix(d.Code, "-"):
		text += " [" + d.Code + "]"
	case d.Code != "":
		text = d.Code + " " + text
	}
	return fmt.Sprintf("%s: %s: %s", d.Pos, d.Severity, text)
}

// Position is a place in an org file; Line and Col count from 1, Col in bytes.
type Position struct {
	File string `json:"file"`
	Line int    `json:"line"`
	Col  int    `json:"col"`
}

// String is file:line:col, leaving out what is not known.
func (p Position) String() string {
	file := p.File
	if file == "" {
		file = "-"
	}
	switch {
	case p.Line == 0:
		return file
	case p.Col == 0:
		return fmt.Sprintf("%s:%d", file, p.Line)
	}
	return fmt.Sprintf("%s:%d:%d", file, p.Line, p.Col)
}

// FindingsError says that a block or document cannot be used as it is. Findings
// holds at least one error; notes follow what they explain.
type FindingsError struct {
	Findings []Finding
}

// Error joins the findings, one a line.
func (e *FindingsError) Error() string {
	lines := make([]string, len(e.Findings))
	for i, d := range e.Findings {
		lines[i] = d.String()
	}
	return strings.Join(lines, "\n")
}

// Hint is the first hint among the findings.
func (e *FindingsError) Hint() string {
	for _, d := range e.Findings {
		if d.Hint != "" {
			return d.Hint
		}
	}
	return ""
}

// Errorf makes a FindingsError of one error at pos.
func Errorf(pos Position, format string, args ...any) *FindingsError {
	return &FindingsError{Findings: []Finding{{Pos: pos, Severity: Error, Message: fmt.Sprintf(format, args...)}}}
}

// WithHint returns a copy of e whose first finding carries hint.
func (e *FindingsError) WithHint(hint string) *FindingsError {
	c := &FindingsError{Findings: slices.Clone(e.Findings)}
	if len(c.Findings) > 0 {
		c.Findings[0].Hint = hint
	}
	return c
}

// HasErrors reports whether some finding is an error.
func HasErrors(found []Finding) bool {
	return slices.ContainsFunc(found, func(d Finding) bool { return d.Severity == Error })
}
