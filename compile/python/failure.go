package python

import (
	"fmt"
	"path"
	"strings"

	"wb/compile"
	"wb/internal/diag"
)

// exception is one exception as guest/errors.py describes it.
type exception struct {
	Type   string  `json:"type"`
	Link   string  `json:"link"`  // how it led to the next one, in Python's words
	Final  string  `json:"final"` // its own lines, without traceback
	Hint   string  `json:"hint"`
	Frames []frame `json:"frames"`
	// Syntax is where a SyntaxError is.
	Syntax *struct {
		File string `json:"file"`
		Line int    `json:"line"`
		Col  int    `json:"col"` // in bytes, from 1
		Msg  string `json:"msg"`
	} `json:"syntax"`
}

// frame is one call under way.
type frame struct {
	File    string `json:"file"`
	Line    int    `json:"line"`
	Col     int    `json:"col"` // in bytes, from 1
	Name    string `json:"name"`
	Text    string `json:"text"` // the line, and marks below it
	LeftOut int    `json:"left_out"`
}

// failure is what ended a program.
type failure struct {
	program *program
	body    string // the file name of the program in frames
	chain   []exception
}

func (a *answer) failure(p *program) *failure { return &failure{p, a.Body, a.Error} }

// last is the exception that nobody caught.
func (f *failure) last() *exception { return &f.chain[len(f.chain)-1] }

// position is a line of a file as Python names it, and what people call that
// file.
func (f *failure) position(src *compile.Source, file string, line, col int) (pos diag.Position, here bool) {
	switch {
	case file == f.body:
		return f.program.place(src, line, col)
	case strings.HasPrefix(file, "<block"):
		return diag.Position{File: "an earlier block of the session", Line: line, Col: col}, false
	case strings.HasPrefix(file, "<"):
		return diag.Position{File: strings.Trim(file, "<>"), Line: line, Col: col}, false
	}
	return diag.Position{File: strings.TrimPrefix(path.Clean(file), "/"), Line: line, Col: col}, strings.HasPrefix(file, sourcesDir)
}

// place is where in the org file things went wrong: a syntax error's own place,
// else the innermost frame in the block.
func (f *failure) place(src *compile.Source) diag.Position {
	e := f.last()
	if e.Syntax != nil {
		if pos, here := f.position(src, e.Syntax.File, e.Syntax.Line, e.Syntax.Col); here {
			return pos
		}
	}
	for i := len(e.Frames) - 1; i >= 0; i-- {
		if e.Frames[i].File == f.body {
			if pos, here := f.program.place(src, e.Frames[i].Line, e.Frames[i].Col); here {
				return pos
			}
		}
	}
	return at(src, 1, 1)
}

// diagnostic is the failure as a compiler's message.
func (f *failure) diagnostic(src *compile.Source) diag.Finding {
	e := f.last()
	d := diag.Finding{Pos: f.place(src), Severity: diag.Error, Code: e.Type, Message: strings.TrimPrefix(e.Final, e.Type+": ")}
	if e.Syntax != nil {
		d.Message = e.Syntax.Msg
	}
	return d
}

// report is the failure on standard error: its place and message, the calls
// that led there, and the exceptions before it.
func (f *failure) report(src *compile.Source) string {
	var b strings.Builder
	message, notes, _ := strings.Cut(f.last().Final, "\n")
	fmt.Fprintf(&b, "%s: %s\n", f.place(src), message)
	if notes != "" {
		fmt.Fprintln(&b, notes)
	}
	if hint := f.last().Hint; hint != "" {
		fmt.Fprintf(&b, "  hint: %s\n", hint)
	}
	for i, e := range f.chain {
		f.trace(&b, src, &e)
		if i < len(f.chain)-1 {
			fmt.Fprintf(&b, "%s\n\n%s\n\n", e.Final, e.Link)
		}
	}
	return b.String()
}

// trace writes the calls that were under way, outermost first.
func (f *failure) trace(b *strings.Builder, src *compile.Source, e *exception) {
	if len(e.Frames) == 0 {
		return
	}
	b.WriteString("Traceback (most recent call last):\n")
	for _, call := range e.Frames {
		if call.LeftOut > 0 {
			fmt.Fprintf(b, "  [%d more]\n", call.LeftOut)
			continue
		}
		pos, _ := f.position(src, call.File, call.Line, call.Col)
		fmt.Fprintf(b, "  File %q, line %d, in %s\n%s", pos.File, pos.Line, call.Name, call.Text)
	}
}
