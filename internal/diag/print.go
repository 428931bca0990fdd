package diag

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// Errors counts the findings that are errors.
func Errors(found []Finding) int {
	n := 0
	for _, d := range found {
		if d.Severity == Error {
			n++
		}
	}
	return n
}

// shades are the colours of severities on a terminal.
var shades = map[Severity]string{Error: "\x1b[31m", Warning: "\x1b[33m", Note: "\x1b[36m"}

// Printer writes findings, errors and hints for people. Every line begins with
// Indent.
type Printer struct {
	W      io.Writer
	Indent string
	Colour bool
}

// Finding writes one finding, its hint on a line below it.
func (p Printer) Finding(d Finding) {
	line := d.String()
	if shade := shades[d.Severity]; p.Colour && shade != "" {
		line = shade + line + "\x1b[0m"
	}
	p.line(line)
	p.deeper().Hint(d.Hint)
}

// Findings writes findings, one a line, each with its hint.
func (p Printer) Findings(found []Finding) {
	for _, d := range found {
		p.Finding(d)
	}
}

// Error writes an error and its hint after a word that says who speaks, such as
// "wb: ".
func (p Printer) Error(who string, err error) {
	p.line(who + err.Error())
	p.Hint(HintOf(err))
}

// Hint writes a hint; "" writes nothing.
func (p Printer) Hint(hint string) {
	if hint != "" {
		p.line("hint: " + hint)
	}
}

func (p Printer) deeper() Printer { p.Indent += "    "; return p }

func (p Printer) line(text string) {
	fmt.Fprintln(p.W, p.Indent+strings.ReplaceAll(text, "\n", "\n"+p.Indent))
}

// Explain is an error with its hint on a line of its own, for who reads text.
func Explain(err error) string {
	var b strings.Builder
	Printer{W: &b}.Error("", err)
	return strings.TrimSuffix(b.String(), "\n")
}

// Fault is an error as programs read it.
type Fault struct {
	Code      string `json:"code"`
	Message   string `json:"message"`
	Hint      string `json:"hint,omitempty"`
	Retryable bool   `json:"retryable"`
}

// FaultOf is an error as programs read it.
func FaultOf(err error) *Fault {
	code := ExitOf(err)
	return &Fault{Code: ExitName(code), Message: err.Error(), Hint: HintOf(err), Retryable: code == ExitUnavailable || code == ExitConflict}
}

// WriteJSON writes v as one line of JSON in which text stays as it is written:
// no character is escaped for HTML.
func WriteJSON(w io.Writer, v any) error {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return fmt.Errorf("encode answer: %w", err)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
