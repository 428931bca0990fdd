package compile

import (
	"fmt"
	"slices"
	"strings"
)

// Severity grades a [Diagnostic].
type Severity string

// The severities, worst first.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
	Note    Severity = "note"
)

// Diagnostic is one message about a source block, placed in the org file.
type Diagnostic struct {
	Pos      Position `json:"pos"`
	Severity Severity `json:"severity"`
	Code     string   `json:"code,omitempty"` // the compiler's own code, such as TS2322 or -Wformat
	Message  string   `json:"message"`        // lower case where the compiler has it so, no period
	Hint     string   `json:"hint,omitempty"` // what to do about it, when we know
}

// String is the one-line form people and editors read:
// file:line:col: severity: CODE message, or message [-Woption] as C compilers
// have it.
func (d Diagnostic) String() string {
	text := d.Message
	switch {
	case strings.HasPrefix(d.Code, "-"):
		text += " [" + d.Code + "]"
	case d.Code != "":
		text = d.Code + " " + text
	}
	return fmt.Sprintf("%s: %s: %s", d.Pos, d.Severity, text)
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

// BuildError says that a source block does not compile. Diagnostics holds at
// least one error, in the compiler's order; notes follow what they explain.
type BuildError struct {
	Diagnostics []Diagnostic
}

// Error joins the diagnostics, one a line.
func (e *BuildError) Error() string {
	lines := make([]string, len(e.Diagnostics))
	for i, d := range e.Diagnostics {
		lines[i] = d.String()
	}
	return strings.Join(lines, "\n")
}

// Hint is the first hint among the diagnostics.
func (e *BuildError) Hint() string {
	for _, d := range e.Diagnostics {
		if d.Hint != "" {
			return d.Hint
		}
	}
	return ""
}

// Errorf makes a BuildError of one error at pos.
func Errorf(pos Position, format string, args ...any) *BuildError {
	return &BuildError{Diagnostics: []Diagnostic{{Pos: pos, Severity: Error, Message: fmt.Sprintf(format, args...)}}}
}

// WithHint returns a copy of e whose first diagnostic carries hint.
func (e *BuildError) WithHint(hint string) *BuildError {
	c := &BuildError{Diagnostics: slices.Clone(e.Diagnostics)}
	if len(c.Diagnostics) > 0 {
		c.Diagnostics[0].Hint = hint
	}
	return c
}
