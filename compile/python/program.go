package python

import (
	"encoding/json"
	"fmt"

	"wb/compile"
	"wb/internal/diag"
)

// kind says how the statements of a program become a result.
type kind string

const (
	// kindScript runs them; the result is what they print.
	kindScript kind = "script"
	// kindFunction makes them the body of a function and calls it, as ob-python
	// does for :results value: the result is what they return.
	kindFunction kind = "function"
	// kindExpression runs them in a session; the result is the value of the
	// last one, when that is an expression.
	kindExpression kind = "expression"
	// kindModule runs them and calls one function they define.
	kindModule kind = "module"
)

// program is what is built from a block: everything needed to run it. It knows
// nothing of where the block stands in its file, which may change.
type program struct {
	Kind kind `json:"kind"`
	// Text has the body, with prologue, variables and epilogue around it. Line
	// Skip+1 of it is the body's first of Lines.
	Text     string `json:"text"`
	Skip     int    `json:"skip"`
	Lines    int    `json:"lines"`
	Preamble string `json:"preamble"`
	// Large are variables that the text finds in __main__._wb_large.
	Large   map[string]json.RawMessage `json:"large,omitempty"`
	Session bool                       `json:"session"`
	Results compile.Results            `json:"results"`
	Func    string                     `json:"func"`
	Params  []string                   `json:"params"`
	Outs    []string                   `json:"outs"`
	// Graphics is the file that gets the figure, "" for none.
	Graphics string `json:"graphics,omitempty"`
	// Sources are modules that come with the block; Python gets them as files.
	Sources map[string][]byte `json:"sources,omitempty"`
	// Packs are the names of those it imports.
	Packs []string `json:"packs,omitempty"`
}

// metaProgram is the entry of Artifact.Meta that holds a program, as JSON.
const metaProgram = "program"

// pack stores the program in an artifact.
func (p *program) pack(art *compile.Artifact) error {
	data, err := json.Marshal(p)
	art.Meta = map[string]string{metaProgram: string(data)}
	return err
}

// unpack is the inverse of pack.
func unpack(art *compile.Artifact) (*program, error) {
	p := &program{}
	if err := json.Unmarshal([]byte(art.Meta[metaProgram]), p); err != nil {
		return nil, fmt.Errorf("artifact %s: %w", art.Digest, err)
	}
	return p, nil
}

// newProgram reads a block in its shape.
func newProgram(src *compile.Source) (*program, error) {
	p := &program{Kind: kindScript, Text: src.Body, Lines: src.LineCount(), Results: list(src.Results),
		Func: src.Func, Params: list(src.Params), Outs: list(src.Outs), Sources: src.Files}
	switch src.Shape {
	case compile.ShapeComponent:
		p.Kind = kindModule
	case compile.ShapeBabel:
		return p, p.expand(src)
	}
	return p, nil
}

// list is never null in JSON.
func list(words []string) []string {
	if words == nil {
		return []string{}
	}
	return words
}

// place is where in the org file a line of the program stands, and whether it
// is one of the body.
func (p *program) place(src *compile.Source, line, col int) (pos diag.Position, inBody bool) {
	body := line - p.Skip
	if body < 1 || body > p.Lines {
		return at(src, 1, 1), false
	}
	return at(src, body, max(col, 1)), true
}

// at is src.At, or a position relative to the block when src is not known.
func at(src *compile.Source, line, col int) diag.Position {
	if src == nil {
		return diag.Position{File: "block.py", Line: line, Col: col}
	}
	return src.At(line, col)
}
