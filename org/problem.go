package org

import "sort"

// Problem is something that looks like an element but is not closed, or
// closes nothing, so that Org reads it as text. Lint reports it at Span, the
// line where it opened.
type Problem struct {
	Kind ProblemKind
	Span Span   // the line, without its line ending
	Name string // as written: "src", "LOGBOOK", "align"
}

// ProblemKind says what is wrong.
type ProblemKind uint8

// The kinds of Problem.
const (
	UnterminatedBlock  ProblemKind = iota // #+begin_NAME without #+end_NAME before the next headline
	UnterminatedDrawer                    // :NAME: without :END:
	UnterminatedLatex                     // \begin{NAME} without \end{NAME}
	StrayEnd                              // #+end_NAME or :END: that closes nothing
)

// String describes the kind in lower case.
func (k ProblemKind) String() string {
	switch k {
	case UnterminatedBlock:
		return "unterminated block"
	case UnterminatedDrawer:
		return "unterminated drawer"
	case UnterminatedLatex:
		return "unterminated latex environment"
	}
	return "end without a beginning"
}

// Problems returns what is unbalanced in the document, in source order.
func (d *Document) Problems() []Problem { return d.problems }

func (p *parser) note(kind ProblemKind, l line, name string) {
	p.problems = append(p.problems, Problem{kind, Span{l.text, l.end}, name})
}

// notePossibleEnd notes a line of text that reads "#+end_NAME" or ":END:".
func (p *parser) notePossibleEnd(l line) {
	switch p.src[l.text] {
	case '#':
		if _, ok := blockEndName(p.src, l.text, l.next); ok {
			p.note(StrayEnd, l, p.src[l.text+len("#+"):l.end])
		}
	case ':':
		if isDrawerEnd(p.src, l.text, l.next) {
			p.note(StrayEnd, l, p.src[l.text:l.end])
		}
	}
}

func sortProblems(list []Problem) []Problem {
	sort.SliceStable(list, func(i, j int) bool { return list[i].Span.Start < list[j].Span.Start })
	return list
}
