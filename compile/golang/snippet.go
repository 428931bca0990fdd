package golang

import (
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"strconv"
	"strings"

	"wb/internal/lazyregexp"
)

// mainPattern is how ob-go recognises a main function.
var mainPattern = lazyregexp.New(`(?m)^[ \t]*func\s+main\s*\(\s*\)\s*\{`)

// packagePattern is how ob-go recognises a package clause.
var packagePattern = lazyregexp.New(`(?m)^[ \t]*package\s+[\pL_]`)

// piece is a stretch of a body: a declaration that may stand outside of
// functions, or statements.
type piece struct {
	start, end int // bytes of the body
	kind       token.Token
}

// moves reports whether the piece goes ahead of main.
func (p piece) moves() bool { return p.kind != token.ILLEGAL }

// pieces splits a body without package clause where semicolons stand outside
// of all brackets. It reports false when brackets do not match.
func pieces(body string) ([]piece, bool) {
	var found []piece
	var s scanner.Scanner
	set := token.NewFileSet()
	f := set.AddFile("", set.Base(), len(body))
	bad := false
	s.Init(f, []byte(body), func(token.Position, string) { bad = true }, 0)
	var tokens []token.Token // of the piece under way
	depth, start, end := 0, 0, 0
	for {
		pos, tok, lit := s.Scan()
		at := f.Offset(pos)
		if tok == token.EOF || tok == token.SEMICOLON && depth == 0 {
			if tok == token.SEMICOLON && lit == ";" {
				end = at + 1
			}
			if len(tokens) > 0 {
				found = append(found, piece{start, end, declared(tokens)})
			}
			tokens = tokens[:0]
			if tok == token.EOF {
				return found, !bad && depth == 0
			}
			continue
		}
		if len(tokens) == 0 {
			start = at
		}
		switch tok {
		case token.LPAREN, token.LBRACE, token.LBRACK:
			depth++
		case token.RPAREN, token.RBRACE, token.RBRACK:
			depth--
		}
		tokens = append(tokens, tok)
		end = at + max(len(lit), len(tok.String()))
		if lit != "" {
			end = at + len(lit)
		}
	}
}

// declared is the keyword of a declaration that may stand outside of
// functions, ILLEGAL for statements.
func declared(tokens []token.Token) token.Token {
	switch first := tokens[0]; first {
	case token.IMPORT, token.TYPE, token.CONST, token.VAR:
		return first
	case token.FUNC:
		if len(tokens) > 1 && tokens[1] == token.IDENT {
			return first
		}
		depth := 0 // a method: func (receiver) name(
		for i, t := range tokens[1:] {
			switch t {
			case token.LPAREN:
				depth++
			case token.RPAREN:
				if depth--; depth == 0 && i+3 < len(tokens) && tokens[i+2] == token.IDENT && (tokens[i+3] == token.LPAREN) {
					return first
				}
			}
			if depth == 0 {
				break
			}
		}
	}
	return token.ILLEGAL
}

// arrangement is a body as a Go file: what stands ahead of main, in the order
// it was written, and what main does.
type arrangement struct {
	ahead []piece
	main  string // the body with everything else blanked, lines kept
	bare  bool   // nothing but declarations
}

// arrange parts declarations from statements. Functions, types, constants and
// imports move out of main, and so do the variables that stand before the
// first statement when there are functions, which may use them.
func arrange(body string) (arrangement, bool) {
	list, ok := pieces(body)
	if !ok {
		return arrangement{}, false
	}
	a := arrangement{bare: true}
	functions := false
	for _, p := range list {
		functions = functions || p.kind == token.FUNC
	}
	rest := []byte(body)
	for _, p := range list {
		if !p.moves() || p.kind == token.VAR && !(functions && a.bare) {
			a.bare = false
			continue
		}
		if p.kind == token.IMPORT {
			a.ahead = append([]piece{p}, a.ahead...)
		} else {
			a.ahead = append(a.ahead, p)
		}
		for i := p.start; i < p.end; i++ {
			if rest[i] != '\n' {
				rest[i] = ' '
			}
		}
	}
	a.main = string(rest)
	return a, true
}

// directive says that what follows stands at a place of the body.
func directive(body string, offset int) string {
	line := 1 + strings.Count(body[:offset], "\n")
	col := 1 + offset - (strings.LastIndexByte(body[:offset], '\n') + 1)
	return "\n//line " + bodyFile + ":" + strconv.Itoa(line) + ":" + strconv.Itoa(col) + "\n"
}

// names of the files that a block becomes.
const (
	bodyFile  = "block.go"
	varsFile  = "vars.go"
	glueFile  = "glue.go"
	startFile = "start.go"
)

// startUp is part of every program. Go lets a goroutine's stack grow to a
// gigabyte; here it would meet the memory limit long before, and what an
// author should hear is that recursion went too deep. The runtime offers the
// function for package runtime/debug, which would bring half of os along.
const startUp = `package main

import _ "unsafe"

//go:linkname wbSetMaxStack runtime/debug.setMaxStack
func wbSetMaxStack(int) int

func init() { wbSetMaxStack(8 << 20) }
`

// program lays out a body as a file of package main. imports are import
// declarations to add, one after another on one line. wrap puts statements
// into main.
func program(body string, imports string, wrap bool) string {
	if loc := packagePattern.FindStringIndex(body); loc != nil {
		set := token.NewFileSet()
		f, err := parser.ParseFile(set, "", body, parser.PackageClauseOnly)
		if err != nil || imports == "" {
			return "//line " + bodyFile + ":1:1\n" + body
		}
		end := set.Position(f.Name.End()).Offset
		return "//line " + bodyFile + ":1:1\n" + body[:end] + "; " + imports + directive(body, end) + body[end:]
	}
	head := "package main; " + imports
	if !wrap || mainPattern.MatchString(body) {
		return head + directive(body, 0) + body
	}
	a, ok := arrange(body)
	if !ok {
		return head + "func main() {" + directive(body, 0) + body + "\n}\n"
	}
	var b strings.Builder
	b.WriteString(head)
	for _, p := range a.ahead {
		b.WriteString(directive(body, p.start) + body[p.start:p.end])
	}
	b.WriteString("\n//line " + glueFile + ":1\nfunc main() {" + directive(body, 0) + a.main + "\n}\n")
	return b.String()
}

// freeNames are the names a file uses as x in x.y without declaring them, in
// order: packages that want importing, or variables of the package's other
// files.
func freeNames(f *ast.File) []string {
	qualifies := make(map[*ast.Ident]bool)
	ast.Inspect(f, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok {
				qualifies[x] = true
			}
		}
		return true
	})
	imported := make(map[string]bool)
	for _, s := range f.Imports {
		imported[nameOf(s)] = true
	}
	var names []string
	for _, x := range f.Unresolved {
		if qualifies[x] && !imported[x.Name] {
			imported[x.Name] = true
			names = append(names, x.Name)
		}
	}
	return names
}

// nameOf is the name an import goes by, guessed from its path when the import
// does not say: the last element, or the one before a version such as v2.
func nameOf(s *ast.ImportSpec) string {
	if s.Name != nil {
		return s.Name.Name
	}
	path, _ := strconv.Unquote(s.Path.Value) // the parser accepted it
	return lastElement(path)
}

var versionElement = lazyregexp.New(`^v[0-9]+$`)

func lastElement(path string) string {
	elements := strings.Split(path, "/")
	last := elements[len(elements)-1]
	if len(elements) > 1 && versionElement.MatchString(last) {
		last = elements[len(elements)-2]
	}
	last = strings.TrimPrefix(last, "go-")
	last, _, _ = strings.Cut(last, ".")
	return last
}
