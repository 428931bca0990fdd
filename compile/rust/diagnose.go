package rust

import (
	"strconv"
	"strings"

	"wb/compile"
	"wb/internal/diag"
	"wb/internal/lazyregexp"
	"wb/sandbox"
)

// messageLine is how mrustc writes a message:
// /w/block.rs:3: error:0: Cannot find variable 'x'
// with a column where it knows one.
var messageLine = lazyregexp.New(`^(\S+?):(\d+)(?:[:-](\d+))?\S*: (error|warn|note):(?:\w+:)?\s*(.*)$`)

// buildError places the compiler's messages in the org file. It never loses
// what the compiler said: when no message can be read, all of it is one.
func (u *unit) buildError(messages string) error {
	var found []diag.Finding
	for line := range strings.Lines(messages) {
		m := messageLine.FindStringSubmatch(strings.TrimRight(line, "\r\n"))
		if m == nil || m[4] == "warn" {
			continue
		}
		d := diag.Finding{Severity: diag.Error, Message: m[5]}
		if m[4] == "note" {
			d.Severity = diag.Note
		}
		own := strings.HasSuffix(m[1], bodyFile)
		inside := false
		if d.Pos, inside = u.at(number(m[2]), max(1, number(m[3]))); !own || !inside {
			d.Pos = u.src.At(1, 1)
			if own {
				d.Message = "calling the block: " + d.Message
			} else {
				d.Message = "in " + m[1] + ":" + m[2] + ": " + d.Message
			}
		}
		found = append(found, d)
	}
	if len(found) == 0 {
		return diag.Errorf(u.src.At(1, 1), "compiler failed: %s", strings.TrimSpace(messages))
	}
	return &diag.FindingsError{Findings: found}
}

func number(digits string) int {
	n, _ := strconv.Atoi(digits) // the pattern admits digits only; none is 0
	return n
}

// panicLine is how Rust reports a panic: with the place, in newer versions on a
// line before the message.
var panicLine = lazyregexp.New(`panicked at (?:'(.*)', )?(\S+):(\d+):(\d+):?\n?([^\n]*)`)

// crash puts the end of a program that trapped in one line.
func crash(src *compile.Source, stderr string, trap *sandbox.TrapError) string {
	if src == nil {
		src = &compile.Source{Pos: diag.Position{File: bodyFile, Line: 1, Col: 1}}
	}
	m := panicLine.FindStringSubmatch(stderr)
	if m == nil {
		return src.At(1, 1).String() + ": error: " + trap.Reason
	}
	pos := src.At(1, 1)
	if u, err := newUnit(src, src.Shape != compile.ShapeComponent, ""); err == nil && strings.HasSuffix(m[2], bodyFile) {
		pos, _ = u.at(number(m[3]), number(m[4]))
	}
	return pos.String() + ": panic: " + m[1] + m[5]
}
