package tangle

import (
	"context"
	"strings"
	"unicode/utf8"

	"wb/internal/textdiff"
)

// Tracing answers where each line of a tangled file comes from, through noweb
// references, variables and everything languages do to a body. It does not
// follow those steps; it repeats them on bodies whose lines carry their line
// number in characters that no document uses, and reads the numbers off the
// result. Where that result is not the real one but for the numbers (a step
// looked at the end of a line, say) lines are matched by their text instead.

// mark says that a line's text up to End comes from a line of the document.
type mark struct{ end, line int }

// The characters of a mark: ten digits and a stop, from the private use area.
const (
	markDigit = '\uE100'
	markStop  = markDigit + 10
)

func hasMarks(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return r >= markDigit && r <= markStop })
}

// markLines numbers the lines of a body, the first one being line first of the
// document. The number stands behind the last character that is not blank;
// blank lines have none.
func markLines(body string, first int) string {
	var out strings.Builder
	for rest, n := body, first; rest != ""; n++ {
		line, next := cutLine(rest)
		rest = next
		end := len(strings.TrimRight(line, " \t\r\n"))
		out.WriteString(line[:end])
		if end > 0 {
			writeMark(&out, n)
		}
		out.WriteString(line[end:])
	}
	return out.String()
}

func writeMark(out *strings.Builder, n int) {
	if n >= 10 {
		writeMarkDigits(out, n/10)
	}
	out.WriteRune(markDigit + rune(n%10))
	out.WriteRune(markStop)
}

func writeMarkDigits(out *strings.Builder, n int) {
	if n >= 10 {
		writeMarkDigits(out, n/10)
	}
	out.WriteRune(markDigit + rune(n%10))
}

// readMarks takes the numbers out of a line.
func readMarks(line string) (text string, marks []mark) {
	var out strings.Builder
	number := 0
	for i, r := range line {
		switch {
		case r == markStop:
			marks = append(marks, mark{out.Len(), number})
			number = 0
		case r >= markDigit && r < markStop:
			number = number*10 + int(r-markDigit)
		default:
			_, size := utf8.DecodeRuneInString(line[i:])
			out.WriteString(line[i : i+size])
		}
	}
	return out.String(), marks
}

// trace finds the marks of every line of every part.
func (p *planner) trace(ctx context.Context) error {
	q := newPlanner(p.doc, p.opts)
	q.marking = !hasMarks(p.doc.Source())
	q.resolved, q.others, q.names, q.ids = p.resolved, p.others, p.names, p.ids
	if q.marking {
		if err := q.collectFiles(ctx); err != nil {
			q.targets = nil
		}
	}
	for i, target := range p.targets {
		for j := range target.parts {
			part := &target.parts[j]
			var marked string
			if i < len(q.targets) && j < len(q.targets[i].parts) && q.targets[i].parts[j].block.Begin == part.block.Begin {
				marked = q.targets[i].parts[j].body
			}
			if part.marks = marksOf(part.body, marked); part.marks == nil {
				part.marks = p.matchLines(part)
			}
		}
	}
	return nil
}

// marksOf reads the marks of a body line by line; nil when the marked body is
// not the same text.
func marksOf(body, marked string) [][]mark {
	clean, want := strings.Split(marked, "\n"), strings.Split(body, "\n")
	for len(clean) > len(want) && onlyMarks(clean[len(clean)-1]) {
		clean = clean[:len(clean)-1] // behind a reference with comments: trimmed where there is no mark
	}
	if len(clean) != len(want) {
		return nil
	}
	marks := make([][]mark, len(want))
	for i, line := range clean {
		text, found := readMarks(line)
		if text != want[i] {
			return nil
		}
		marks[i] = found
	}
	return marks
}

func onlyMarks(line string) bool {
	text, _ := readMarks(line)
	return strings.Trim(text, " \t\r") == ""
}

// matchLines finds the lines of a body that stand in the block itself.
func (p *planner) matchLines(part *part) [][]mark {
	own := textdiff.Lines(Uncomma(p.doc.Text(part.block.Body)))
	lines := strings.Split(part.body, "\n")
	marks := make([][]mark, len(lines))
	first, _ := p.doc.Position(part.block.Body.Start)
	trimmed := func(lines []string) []string {
		out := make([]string, len(lines))
		for i, line := range lines {
			out[i] = strings.Trim(line, " \t\r")
		}
		return out
	}
	a, b := trimmed(own), trimmed(lines)
	at := 0
	hunks := append(textdiff.Compare(a, b), textdiff.Hunk{A0: len(a), A1: len(a), B0: len(b), B1: len(b)})
	for _, h := range hunks {
		for i := at; i < h.A0; i++ {
			j := h.B0 - (h.A0 - i)
			if a[i] != "" {
				marks[j] = []mark{{len(strings.TrimRight(lines[j], " \t\r")), first + i}}
			}
		}
		at = h.A1
	}
	return marks
}
