package sql

import (
	"strconv"
	"strings"

	"wb/compile"
	"wb/internal/diag"
	"wb/internal/lazyregexp"
)

// complaint is how the shell begins a message about a statement that starts in
// a line; the statement and a caret follow in two lines.
var complaint = lazyregexp.New(`^(Parse error|Runtime error|Error)(?: near line (\d+))?: +(.*)$`)

// caret marks the place in the line above.
var caret = lazyregexp.New(`^  ( *)(\^--- error here|error here ---\^)$`)

// report is the shell's message, with places in the org file, and whether that
// is an error.
func (u *unit) report(src *compile.Source, messages string) (text string, failed bool) {
	lines := strings.Split(strings.TrimRight(messages, "\n"), "\n")
	var b strings.Builder
	for i := 0; i < len(lines); i++ {
		m := complaint.FindStringSubmatch(lines[i])
		if m == nil {
			if lines[i] != "" {
				b.WriteString(lines[i] + "\n")
			}
			continue
		}
		failed = true
		line, _ := strconv.Atoi(m[2])
		pos := src.At(1, 1)
		if line > 0 {
			pos = u.position(src, line, "", 0)
		}
		if i+2 < len(lines) && strings.HasPrefix(lines[i+1], "  ") {
			if c := caret.FindStringSubmatch(lines[i+2]); c != nil {
				col := len(c[1])
				if strings.HasPrefix(c[2], "error") {
					col = len(c[0]) - 2 - 1
				}
				if line > 0 { // else it is about SQL on the command line
					pos = u.position(src, line, lines[i+1][2:], col)
				}
				i += 2
			}
		}
		b.WriteString(pos.String() + ": " + m[3] + "\n")
		if strings.HasPrefix(m[3], "no such column") || strings.HasPrefix(m[3], "no such table") {
			b.WriteString(u.whatThereIs())
		}
	}
	return b.String(), failed
}

// whatThereIs is the line of a hint that lists the tables that variables became
// and their columns; "" without any.
func (u *unit) whatThereIs() string {
	if len(u.Tables) == 0 {
		return ""
	}
	list := make([]string, len(u.Tables))
	for i, t := range u.Tables {
		list[i] = t.Name + "(" + strings.Join(t.Columns, ", ") + ")"
	}
	return "  hint: the variables are " + strings.Join(list, ", ") + "\n"
}

// position finds a place: col bytes into a part of the statement that begins
// in, or after, a line of the script. In that part blanks are spaces.
func (u *unit) position(src *compile.Source, line int, part string, col int) diag.Position {
	lines := strings.SplitAfter(u.Script, "\n")
	before := len(strings.Join(lines[:min(line-1, len(lines))], ""))
	rest := u.Script[before:]
	offset := len(rest) - len(strings.TrimLeft(rest, " \t\n"))
	if part != "" {
		blank := strings.Map(func(r rune) rune {
			if r == '\n' || r == '\t' || r == '\r' {
				return ' '
			}
			return r
		}, rest)
		if found := strings.Index(blank, strings.TrimRight(part, " ")); found >= 0 {
			offset = found + col
		}
	}
	done := u.Script[:min(before+offset, len(u.Script))]
	row := 1 + strings.Count(done, "\n") - u.Skip
	column := len(done) - strings.LastIndexByte(done, '\n')
	if row < 1 {
		return src.At(1, 1)
	}
	return src.At(min(row, u.Lines), column)
}
