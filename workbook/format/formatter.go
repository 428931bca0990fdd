package format

import (
	"fmt"

	"wb/org"
)

type formatter struct {
	doc     *org.Document
	opts    Options
	results []org.Span // in source order
	edits   []org.Edit
	notes   []Note
}

// change replaces a span unless it holds the text already.
func (f *formatter) change(s org.Span, text string) {
	if f.doc.Text(s) != text {
		f.edits = append(f.edits, org.Replace(s, text))
	}
}

func (f *formatter) note(at int, format string, args ...any) {
	line, col := f.doc.Position(at)
	f.notes = append(f.notes, Note{line, col, fmt.Sprintf(format, args...)})
}

// Options says what to leave out. The zero value formats everything.
type Options struct {
	// KeepFormulas leaves the values that #+TBLFM: lines compute as they are.
	//
	// Otherwise a table is recomputed until it no longer changes, by formulas
	// for columns ($3=…), rows (@2=…), fields (@2$3=…) and areas
	// (@2$3..@4$5=…) that consist of numbers, references, + - * / % ^,
	// comparisons, if, abs, round, floor, ceil, trunc, sqrt, min, max, remote,
	// and vsum, vmean, vmin, vmax, vcount, vprod, vmedian over ranges. Formats
	// are ;%.2f and the like, f2, N, E and the durations T, t, U. A formula
	// that is anything else, or meets a field that is not a number, leaves its
	// fields as they are, and a [Note] says why.
	KeepFormulas bool
}

// Note is something that formatting left alone, and why.
type Note struct {
	Line, Col int // one-based; the column counts bytes
	Text      string
}

func (n Note) String() string { return fmt.Sprintf("%d:%d: %s", n.Line, n.Col, n.Text) }
