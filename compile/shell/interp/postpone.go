package interp

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// The parser reads a script as a whole and refuses what bash accepts, or finds
// wrong only when it gets there. Such places are written so that the parser
// takes them and the shell knows them again.

// errorPlace is where and what a syntax error is.
func errorPlace(err error) (at int, message string, ok bool) {
	var perr syntax.ParseError
	var lerr syntax.LangError
	switch {
	case errors.As(err, &perr):
		return int(perr.Pos.Offset()), perr.Text, true
	case errors.As(err, &lerr):
		return int(lerr.Pos.Offset()), "", true
	}
	return 0, "", false
}

// postponedName is a name that stands for a text.
func (p *program) postponedName(text string) string {
	name := fmt.Sprintf("%s%d", postponed, len(p.later))
	p.later[name] = text
	return name
}

// postpone replaces the arithmetic around a syntax error by a name that stands
// for its text: what $((…)) holds is read when it is computed, and is wrong
// only then.
func (p *program) postpone(text string, err error) (string, bool) {
	at, message, ok := errorPlace(err)
	if !ok {
		return "", false
	}
	at = min(at, len(text))
	if fixed, ok := p.respell(text, at, message); ok {
		return fixed, true
	}
	if fixed, ok := p.postponeParam(text, at); ok {
		return fixed, true
	}
	for open := strings.LastIndex(text[:min(at+3, len(text))], "(("); open >= 0; open = strings.LastIndex(text[:open], "((") {
		end := closingParens(text, open+2)
		if end < 0 { // two subshells, one in the other
			return text[:open+1] + " " + text[open+1:], true
		}
		if end+2 < at {
			continue
		}
		body := text[open+2 : end]
		if strings.Contains(body, ";") || strings.HasPrefix(body, postponed) {
			continue
		}
		return text[:open+2] + p.postponedName(body) + strings.Repeat("\n", strings.Count(body, "\n")) + text[end:], true
	}
	return "", false
}

// postponeParam does the same for a parameter expansion that cannot be read.
func (p *program) postponeParam(text string, at int) (string, bool) {
	open := strings.LastIndex(text[:min(at+2, len(text))], "${")
	if open < 0 {
		return "", false
	}
	end, depth := open+2, 0
	for ; end < len(text); end++ {
		switch text[end] {
		case '\\':
			end++
		case '{':
			depth++
		case '}':
			depth--
		case '\n':
			return "", false
		}
		if depth < 0 {
			break
		}
	}
	if end >= len(text) || end < at {
		return "", false
	}
	body := text[open+2 : end]
	if strings.HasPrefix(body, postponed) {
		return "", false
	}
	if rest, ok := strings.CutSuffix(body, ":"); ok && strings.Contains(rest, ":") { // ${x::} has an implicit length of 0
		if rest, ok := strings.CutSuffix(rest, ":"); ok {
			body = rest + ":0"
		} else {
			body = rest
		}
		return text[:open+2] + body + ":0" + text[end:], true
	}
	return text[:open+2] + p.postponedName(body) + text[end:], true
}

// postponed begins the names of expressions that are read when they are computed.
const postponed = "_wb_later_"

// closingParens finds the "))" that ends an expression.
func closingParens(text string, i int) int {
	depth := 0
	for ; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '(':
			depth++
		case ')':
			if depth == 0 {
				if i+1 < len(text) && text[i+1] == ')' {
					return i
				}
				return -1
			}
			depth--
		}
	}
	return -1
}

// respell writes what stands at a syntax error in another way that means what
// bash makes of it.
func (p *program) respell(text string, at int, message string) (string, bool) {
	rest := text[at:]
	switch {
	case message == "inline variables cannot be arrays": // a=(1 2) command: the value is this text
		open := strings.Index(rest, "=(") + 1
		end := closingParen(rest, open+1)
		if open == 0 || end < 0 {
			return "", false
		}
		return text[:at] + rest[:open] + singleQuoted(rest[open:end+1]) + rest[end+1:], true
	case message == "arrays cannot be nested" && strings.HasPrefix(rest, "=(") && strings.HasSuffix(text[:at], "]"): // the parser takes a[0]+=(…)
		return text[:at] + "+" + rest, true
	case strings.HasPrefix(rest, "[]") && strings.HasPrefix(message, "`[`"):
		return text[:at+1] + p.postponedName("[]") + text[at+1:], true
	case strings.HasPrefix(message, "`:`") && emptyOffset.MatchString(rest): // ${a[@]: }
		return text[:at+1] + "0" + text[at+1:], true
	case strings.HasPrefix(rest, "()") && at > 0 && strings.IndexByte("@?*+!", text[at-1]) >= 0 && strings.HasPrefix(message, "not a valid test operator"):
		return text[:at+1] + "|" + text[at+1:], true // @() is the pattern of nothing
	case message == "invalid func name":
		end := strings.Index(rest, "()")
		if end <= 0 {
			return "", false
		}
		return text[:at] + p.postponedName(rest[:end]) + rest[end:], true
	case message == "expansions not allowed in heredoc words":
		return p.respellHeredoc(text, at)
	}
	return "", false
}

var (
	emptyOffset = regexp.MustCompile(`^:[ \t]+[:}]`)
	heredocWord = regexp.MustCompile(`^(?:\$\{[^}\n]*\}|\$\([^)\n]*\)|[^\s;&|<>()])+`)
)

// respellHeredoc gives a here-document that ends with ${x}, which nobody
// expands there, a plain word for its end.
func (p *program) respellHeredoc(text string, at int) (string, bool) {
	word := heredocWord.FindString(text[at:])
	if word == "" {
		return "", false
	}
	name, rest := p.postponedName(word), text[at+len(word):]
	if i := strings.Index(rest+"\n", "\n"+word+"\n"); i >= 0 {
		rest = rest[:i+1] + name + rest[i+1+len(word):]
	}
	return text[:at] + name + rest, true
}

// closingParen finds the ")" that ends a list.
func closingParen(text string, i int) int {
	depth := 0
	for ; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '(':
			depth++
		case ')':
			if depth == 0 {
				return i
			}
			depth--
		}
	}
	return -1
}

// unbraced finds a function whose body is no compound command, which the parser
// takes and bash does not.
func unbraced(file *syntax.File) error {
	var err error
	syntax.Walk(file, func(n syntax.Node) bool {
		f, ok := n.(*syntax.FuncDecl)
		if !ok || err != nil {
			return err == nil
		}
		switch f.Body.Cmd.(type) {
		case *syntax.CallExpr, *syntax.DeclClause, *syntax.LetClause, *syntax.TimeClause, *syntax.CoprocClause, *syntax.FuncDecl, nil:
			err = syntax.ParseError{Pos: f.Body.Pos(), Text: "the body of a function is a compound command"}
		}
		return err == nil
	})
	return err
}

// insideTest tells that a syntax error is one of [[ … ]], after which bash ends
// the script with the status it had.
func insideTest(text string, err error) bool {
	at, _, ok := errorPlace(err)
	if !ok {
		return false
	}
	open := strings.LastIndex(text[:min(at+2, len(text))], "[[")
	return open >= 0 && !strings.Contains(text[open:max(open, min(at, len(text)))], "]]")
}
