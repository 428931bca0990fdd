package oql

import (
	"strconv"
	"strings"
)

// node is one s-expression: an atom, or a list of nodes.
type node struct {
	arg  Arg
	kids []node // for lists
	list bool
	pos  Pos
}

// head is the leading symbol of a list, "" when there is none.
func (n node) head() string {
	if n.list && len(n.kids) > 0 && !n.kids[0].list && n.kids[0].arg.Kind == ArgSymbol {
		return n.kids[0].arg.Text
	}
	return ""
}

// maxDepth bounds nesting so that hostile input cannot exhaust the stack.
const maxDepth = 200

// reader turns query text into nodes.
type reader struct {
	src string
	at  int
}

func (r *reader) pos() Pos { return posAt(r.src, r.at) }

// posAt finds the line and column of a byte offset.
func posAt(src string, at int) Pos {
	before := src[:min(at, len(src))]
	line := strings.Count(before, "\n") + 1
	return Pos{line, len(before) - strings.LastIndexByte(before, '\n')}
}

func (r *reader) skipSpace() {
	for r.at < len(r.src) {
		switch c := r.src[r.at]; {
		case c == ' ' || c == '\t' || c == '\n' || c == '\r':
			r.at++
		case c == ';': // a comment to the end of the line, as in Lisp
			for r.at < len(r.src) && r.src[r.at] != '\n' {
				r.at++
			}
		default:
			return
		}
	}
}

// readAll reads every form of the text.
func (r *reader) readAll() ([]node, error) {
	var forms []node
	for {
		r.skipSpace()
		if r.at >= len(r.src) {
			return forms, nil
		}
		form, err := r.read(0)
		if err != nil {
			return nil, err
		}
		forms = append(forms, form)
	}
}

func (r *reader) read(depth int) (node, error) {
	r.skipSpace()
	pos := r.pos()
	if r.at >= len(r.src) {
		return node{}, errorf(pos, "write a condition such as (todo)", "unexpected end of query")
	}
	if depth > maxDepth {
		return node{}, errorf(pos, "combine conditions with and, or at one level", "nested deeper than %d levels", maxDepth)
	}
	switch r.src[r.at] {
	case '(':
		return r.readList(pos, depth)
	case ')':
		return node{}, errorf(pos, "remove it, or open a parenthesis before it", "unexpected )")
	case '"':
		text, err := r.readString()
		return node{arg: Arg{Kind: ArgString, Text: text, Pos: pos}, pos: pos}, err
	case '\'', '`', '#': // quote marks people bring from Emacs mean nothing here
		r.at++
		return r.read(depth + 1)
	}
	return node{arg: r.readAtom(pos), pos: pos}, nil
}

func (r *reader) readList(open Pos, depth int) (node, error) {
	r.at++
	list := node{list: true, pos: open}
	for {
		r.skipSpace()
		if r.at >= len(r.src) {
			return list, errorf(open, "add the missing )", "( is never closed")
		}
		if r.src[r.at] == ')' {
			r.at++
			return list, nil
		}
		kid, err := r.read(depth + 1)
		if err != nil {
			return list, err
		}
		list.kids = append(list.kids, kid)
	}
}

// readString reads a double-quoted string; a backslash keeps the next byte,
// except \n and \t, so that regexps need no doubling of other escapes.
func (r *reader) readString() (string, error) {
	open := r.pos()
	r.at++
	var b strings.Builder
	for r.at < len(r.src) {
		c := r.src[r.at]
		r.at++
		switch {
		case c == '"':
			return b.String(), nil
		case c == '\\' && r.at < len(r.src):
			next := r.src[r.at]
			r.at++
			switch next {
			case '"', '\\':
				b.WriteByte(next)
			case 'n':
				b.WriteByte('\n')
			case 't':
				b.WriteByte('\t')
			default:
				b.WriteByte('\\')
				b.WriteByte(next)
			}
		default:
			b.WriteByte(c)
		}
	}
	return "", errorf(open, `add the missing "`, "string is never closed")
}

func (r *reader) readAtom(pos Pos) Arg {
	start := r.at
	for r.at < len(r.src) && !strings.ContainsRune(" \t\r\n()\";", rune(r.src[r.at])) {
		r.at++
	}
	if r.at == start { // a lone delimiter cannot stall the reader
		r.at++
	}
	return atom(r.src[start:r.at], pos)
}

// atom classifies a bare word as number or symbol.
func atom(text string, pos Pos) Arg {
	if f, err := strconv.ParseFloat(text, 64); err == nil && strings.IndexFunc(text, isLetter) < 0 {
		return Arg{Kind: ArgNumber, Text: text, Num: f, Pos: pos}
	}
	return Arg{Kind: ArgSymbol, Text: text, Pos: pos}
}

func isLetter(r rune) bool { return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' }
