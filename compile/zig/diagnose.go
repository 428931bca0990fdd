package zig

import (
	"regexp"
	"strconv"
	"strings"

	"wb/compile"
	"wb/internal/diag"
	"wb/internal/lazyregexp"
	"wb/sandbox"
)

var (
	// messageLine is how the compiler writes a message:
	// block.zig:3:5: error: use of undeclared identifier 'x'
	messageLine = lazyregexp.New(`^(\S+?):(\d+):(\d+): (error|note): (.*)$`)
	// bodyPlace is a place in the block, wherever a message mentions it.
	bodyPlace = lazyregexp.New(`\b` + regexp.QuoteMeta(bodyFile) + `:(\d+):(\d+)`)
)

// buildError places the compiler's messages in the org file. An error inside
// Zig's library is placed where the block first leads there. It never loses
// what the compiler said: when no message can be read, all of it is one.
func (u *unit) buildError(messages string) error {
	var found []diag.Finding
	elsewhere := -1 // the last error, while it still has no place in the block
	for line := range strings.Lines(messages) {
		line = strings.TrimRight(line, "\r\n")
		m := messageLine.FindStringSubmatch(line)
		if m == nil || m[1] != bodyFile {
			if p := bodyPlace.FindStringSubmatch(line); p != nil && elsewhere >= 0 {
				found[elsewhere].Pos, _ = u.at(number(p[1]), number(p[2]))
				elsewhere = -1
			}
		}
		if m == nil {
			continue
		}
		d := diag.Finding{Severity: diag.Error, Message: m[5]}
		if m[4] == "note" {
			d.Severity = diag.Note
		}
		if m[1] == bodyFile {
			var from string
			if d.Pos, from = u.at(number(m[2]), number(m[3])); from != "" && from != "glue" {
				d.Message = "in " + strings.TrimPrefix(from, "in ") + ": " + d.Message
			}
			if elsewhere >= 0 {
				found[elsewhere].Pos, elsewhere = d.Pos, -1
			}
		} else {
			if d.Severity == diag.Note {
				continue
			}
			d.Pos = u.src.At(1, 1)
			if m[1] == glueFile {
				d.Message = "calling the block: " + d.Message
				found = append(found, d)
				elsewhere = len(found) - 1
				continue
			}
			d.Message = "in " + strings.TrimPrefix(m[1], "/lib/") + ":" + m[2] + ": " + d.Message
		}
		d.Hint = hintFor(d.Message)
		found = append(found, d)
		if m[1] != bodyFile {
			elsewhere = len(found) - 1
		}
	}
	if len(found) == 0 {
		return diag.Errorf(u.src.At(1, 1), "compiler failed: %s", strings.TrimSpace(messages))
	}
	return &diag.FindingsError{Findings: found}
}

func number(digits string) int {
	n, _ := strconv.Atoi(digits) // the pattern admits digits only
	return n
}

// hints explain messages that come of the lane.
var hints = []struct{ text, hint string }{
	{"no module named", "there are no packages: put the source into the block, for instance with noweb"},
	{"C import", "@cImport needs libclang; write a C block and pass its result on"},
	{"TODO implement", "Zig's bootstrap compiler cannot turn this into C"},
}

func hintFor(message string) string {
	for _, h := range hints {
		if strings.Contains(message, h.text) {
			return h.hint
		}
	}
	return ""
}

// frameName finds the author's function in the C name that Zig makes of it:
// block_average__312.
var frameName = lazyregexp.New(`\bblock_(\w+?)__\d+$`)

// crash puts the end of a program that trapped in one line. Without the safety
// checks that the bootstrap compiler lacks, what the machine says is all there
// is.
func crash(src *compile.Source, stderr string, trap *sandbox.TrapError) string {
	if src == nil {
		src = &compile.Source{Pos: diag.Position{File: bodyFile, Line: 1, Col: 1}}
	}
	pos, where := src.At(1, 1), ""
	for _, frame := range trap.Frames {
		m := frameName.FindStringSubmatch(frame)
		if m == nil {
			continue
		}
		for _, f := range functions(src.Body) {
			if f.Name == m[1] {
				pos, where = src.At(f.Line, f.Col), " in "+f.Name
			}
		}
		if where != "" {
			break
		}
	}
	text := trap.Reason
	switch {
	case strings.Contains(stderr, "panic: "):
		_, text, _ = strings.Cut(stderr[strings.LastIndex(stderr, "panic: "):], "panic: ")
		text, _, _ = strings.Cut(text, "\n")
		text = "panic: " + text
	case strings.HasPrefix(text, "out of bounds memory"):
		text = "access outside of memory"
	case text == "unreachable":
		text = "the program reached an unreachable instruction"
	}
	return pos.String() + ": error: " + text + where
}
