package ruby

import (
	"fmt"
	"strings"

	"wb/compile"
	"wb/internal/diag"
)

// position is a line of the body as a place in the org file; without a column
// it is that of the line's first word.
func (u *unit) position(src *compile.Source, line, col int) diag.Position {
	if line < 1 || line > u.Lines {
		return src.At(1, 1)
	}
	if col <= 0 {
		col = 1
		if lines := strings.Split(u.Code, "\n"); line+u.Skip <= len(lines) {
			text := lines[line+u.Skip-1]
			col += len(text) - len(strings.TrimLeft(text, " \t"))
		}
	}
	return src.At(line, col)
}

// report is the text on standard error for an exception: its place, its message
// and the calls that led there.
func (u *unit) report(src *compile.Source, f *failure) string {
	pos := src.At(1, 1)
	for _, s := range f.Stack {
		if s.Path == "block" {
			pos = u.position(src, s.Line, f.Col)
			break
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s", pos, f.Message)
	if f.Class != "" && f.Class != "RuntimeError" {
		fmt.Fprintf(&b, " (%s)", f.Class)
	}
	b.WriteByte('\n')
	if len(f.Stack) > 1 {
		for _, s := range f.Stack {
			where := fmt.Sprintf("%s:%d", s.Path, s.Line)
			if s.Path == "block" {
				where = u.position(src, s.Line, 0).String()
			}
			fmt.Fprintf(&b, "  %s: in %s\n", where, s.Label)
		}
	}
	return b.String()
}
