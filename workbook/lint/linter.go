package lint

import (
	"fmt"

	"wb/compile"
	"wb/internal/diag"
	"wb/org"
	"wb/workbook/plan"
)

// linter gathers diagnostics; each check is a method.
type linter struct {
	plan  *plan.Plan
	doc   *org.Document
	opts  Options
	found []diag.Finding
	of    *plan.Component // the component being checked, which errors stop; nil for prose
}

func (l *linter) report(severity diag.Severity, code string, offset int, hint, format string, args ...any) {
	line, col := l.doc.Position(offset)
	found := diag.Finding{
		Pos: diag.Position{File: l.plan.File, Line: line, Col: col}, Severity: severity, Code: code,
		Message: fmt.Sprintf(format, args...), Hint: hint,
	}
	if l.of != nil && severity == diag.Error {
		found.Component = l.of.ID
	}
	l.found = append(l.found, found)
}

func (l *linter) errorf(code string, offset int, hint, format string, args ...any) {
	l.report(diag.Error, code, offset, hint, format, args...)
}

func (l *linter) warnf(code string, offset int, hint, format string, args ...any) {
	l.report(diag.Warning, code, offset, hint, format, args...)
}

// Options tell lint about the world outside the document. The zero value
// checks everything that the document alone can show.
type Options struct {
	// Languages are the lanes there are; nil skips the check of languages.
	Languages *compile.Registry
	// Granted reports whether the run would have a capability; nil grants what
	// the component's profile holds.
	Granted func(capability string) bool
	// Called reports whether somebody calls a component with its inputs, as an agent
	// does whose tool it is; nil is nobody.
	Called func(c *plan.Component) bool
}
