package interp

import (
	"fmt"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// program is what a shell and its subshells have parsed.
type program struct {
	files map[string]*syntax.File // so that eval in a loop parses once
	words map[string]*syntax.Word // likewise for texts that are expanded
	subs  map[string]syntax.ArithmExpr
	// keys holds subscripts as they were written: the parser takes each for
	// arithmetic, which those of associative arrays are not.
	keys map[syntax.ArithmExpr]string
	// arith holds expressions that hold expansions, which are made before the
	// rest is read: with x='1 + 2', $((3 * $x)) is 5.
	arith map[syntax.ArithmExpr]string
	later map[string]string // see postpone
	exprs map[string]syntax.ArithmExpr
}

func newProgram() *program {
	return &program{map[string]*syntax.File{}, map[string]*syntax.Word{}, map[string]syntax.ArithmExpr{}, map[syntax.ArithmExpr]string{},
		map[syntax.ArithmExpr]string{}, map[string]string{}, map[string]syntax.ArithmExpr{}}
}

// maxFiles bounds the parsed texts that are kept.
const maxFiles = 100

// record keeps the subscripts of a parsed text.
func (p *program) record(root syntax.Node, text string) {
	keep := func(x syntax.ArithmExpr) {
		if x == nil {
			return
		}
		if _, ok := x.(*syntax.Word); ok {
			return
		}
		from, to := int(x.Pos().Offset()), int(x.End().Offset())
		for from > 0 && from <= len(text) && text[from-1] != '[' {
			from--
		}
		for to < len(text) && text[to] != ']' {
			to++
		}
		if from >= 0 && from < to && to <= len(text) {
			p.keys[x] = text[from:to]
		}
	}
	syntax.Walk(root, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.ParamExp:
			keep(n.Index)
		case *syntax.Assign:
			keep(n.Index)
		case *syntax.ArrayElem:
			keep(n.Index)
		case *syntax.ArithmExp:
			skip := 3
			if n.Bracket {
				skip = 2
			}
			p.recordArithmetic(n.X, text, int(n.Left.Offset())+skip, int(n.Right.Offset()))
		case *syntax.ArithmCmd:
			p.recordArithmetic(n.X, text, int(n.Left.Offset())+2, int(n.Right.Offset()))
		}
		return true
	})
}

// text parses a text as if it stood between double quotes; one that cannot be
// parsed stands for itself.
func (p *program) text(s string) *syntax.Word {
	if w, ok := p.words[s]; ok {
		return w
	}
	asWritten := &syntax.Word{Parts: []syntax.WordPart{&syntax.Lit{Value: strings.ReplaceAll(s, `\`, `\\`)}}}
	w, err := asWritten, error(nil)
	if !unclosed(s, "${", "}") && !unclosed(s, "$(", ")") { // for which the parser does not end
		if w, err = syntax.NewParser(syntax.Variant(syntax.LangBash)).Document(strings.NewReader(s)); err != nil {
			w = asWritten
		}
	}
	if len(p.words) > maxFiles {
		clear(p.words)
	}
	p.words[s] = w
	return w
}

func unclosed(s, begin, end string) bool {
	i := strings.LastIndex(s, begin)
	return i >= 0 && !strings.Contains(s[i:], end)
}

// subscript parses a subscript that is known only when the script runs.
func (p *program) subscript(s string) syntax.ArithmExpr {
	if x, ok := p.subs[s]; ok {
		return x
	}
	var x syntax.ArithmExpr
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader("x["+s+"]="), "")
	if err == nil && len(file.Stmts) == 1 {
		if c, ok := file.Stmts[0].Cmd.(*syntax.CallExpr); ok && len(c.Assigns) == 1 {
			x = c.Assigns[0].Index
			p.record(file, "x["+s+"]=")
		}
	}
	if x == nil {
		x = verbatim(s)
	}
	if len(p.subs) > maxFiles {
		clear(p.subs)
	}
	p.subs[s] = x
	return x
}

// recordArithmetic keeps the text of an expression that holds expansions.
func (p *program) recordArithmetic(x syntax.ArithmExpr, text string, from, to int) {
	if x == nil || from < 0 || from > to || to > len(text) {
		return
	}
	body := text[from:to]
	if strings.Contains(body, "#") || strings.Contains(body, "][") {
		p.arith[x] = body // a comment for the parser, a mistake for bash
	}
	if strings.ContainsAny(body, "$`'\"") && !strings.Contains(body, "[\"") && !strings.Contains(body, "['") {
		p.arith[x] = body
	}
}

// expression parses an arithmetic expression that is known only when it is
// computed.
func (p *program) expression(s string) (syntax.ArithmExpr, error) {
	if x, ok := p.exprs[s]; ok {
		return x, nil
	}
	x, err := syntax.NewParser().Arithmetic(strings.NewReader(s))
	if err != nil || x == nil || strings.TrimSpace(s[min(len(s), int(x.End().Offset())):]) != "" {
		return nil, fmt.Errorf("%s: syntax error in expression", s)
	}
	if len(p.exprs) > 4*maxFiles {
		clear(p.exprs)
	}
	p.exprs[s] = x
	return x, nil
}
