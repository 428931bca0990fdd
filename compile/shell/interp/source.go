package interp

import (
	"errors"
	"fmt"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// source runs a text as far as it can be read: what stands on the lines before a
// syntax error has been asked for, and bash has run it by the time it gets there.
func (sh *Shell) source(text, name string) {
	if sh.opts["expand_aliases"] && len(sh.aliases) > 0 || strings.Contains(text, "alias") && (sh.dialect == POSIX || strings.Contains(text, "expand_aliases") || sh.opts["expand_aliases"]) {
		sh.sourceByLine(text, name)
		return
	}
	file, err := sh.parse(text, name)
	if err == nil {
		sh.units(file.Stmts)
		return
	}
	sh.runBeforeError(text, err)
	if sh.flow == 0 {
		sh.reportSyntax(err)
		if sh.dialect == POSIX || !insideTest(text, err) {
			sh.status = 2
		}
	}
}

// units runs statements. An error that bash calls fatal to a command, such as a
// division by zero, ends what is left of the line, not the script.
func (sh *Shell) units(list []*syntax.Stmt) {
	for i := 0; i < len(list); i++ {
		sh.stmt(list[i])
		if sh.flow == flowDiscard && sh.subshells == 0 {
			sh.flow, sh.flowCount = 0, 0
			for last := list[i].End().Line(); i+1 < len(list) && list[i+1].Pos().Line() <= last; {
				i++
			}
			continue
		}
		if sh.flow != 0 {
			return
		}
	}
}

// discard gives up the command under way and the rest of its line.
func (sh *Shell) discard() {
	sh.status = 1
	if sh.dialect == POSIX {
		sh.exit(1)
		return
	}
	sh.flow = flowDiscard
}

// sourceByLine reads command by command, because an alias counts from the line
// after the one that defines it.
func (sh *Shell) sourceByLine(text, name string) {
	lines := strings.SplitAfter(text, "\n")
	for first := 0; first < len(lines); {
		var file *syntax.File
		var err error
		last := first + 1
		for ; ; last++ {
			unit := sh.withAliases(strings.Repeat("\n", first) + strings.Join(lines[first:last], ""))
			if file, err = sh.parse(unit, name); err == nil || last == len(lines) || !syntax.IsIncomplete(err) && !strings.Contains(err.Error(), "without matching") && !strings.Contains(err.Error(), "must be followed by") {
				break
			}
		}
		if err != nil {
			sh.reportSyntax(err)
			sh.status = 2
			return
		}
		sh.units(file.Stmts)
		if sh.flow != 0 {
			return
		}
		first = last
	}
}

// withAliases replaces the aliases in a text. A name is not replaced again
// inside what it stands for.
func (sh *Shell) withAliases(text string) string {
	if len(sh.aliases) == 0 || sh.dialect != POSIX && !sh.opts["expand_aliases"] {
		return text
	}
	type span struct {
		from, to int
		name     string
	}
	var inside []span
	next := -1 // the word here is a candidate too: the alias before it ended in a blank
	for range 200 {
		from, to, name := sh.findAlias(text, next, func(at int, name string) bool {
			for _, s := range inside {
				if s.name == name && at >= s.from && at < s.to {
					return true
				}
			}
			return false
		})
		if name == "" {
			return text
		}
		value := sh.aliases[name]
		text = text[:from] + value + text[to:]
		grown := len(value) - (to - from)
		for i := range inside {
			if inside[i].from > from {
				inside[i].from += grown
			}
			if inside[i].to > from {
				inside[i].to += grown
			}
		}
		if next > from {
			next += grown
		}
		inside = append(inside, span{from, from + len(value), name})
		if strings.HasSuffix(value, " ") || strings.HasSuffix(value, "\t") {
			for next = from + len(value); next < len(text) && strings.IndexByte(" \t", text[next]) >= 0; {
				next++
			}
		}
	}
	return text
}

// findAlias finds the first word of a text that is to be replaced.
func (sh *Shell) findAlias(text string, also int, done func(at int, name string) bool) (from, to int, name string) {
	candidate := func(w *syntax.Word) bool {
		lit := w.Lit()
		from, to = int(w.Pos().Offset()), int(w.End().Offset())
		if _, ok := sh.aliases[lit]; !ok || to > len(text) || text[from:to] != lit || done(from, lit) {
			return false
		}
		name = lit
		return true
	}
	file, err := sh.parser().Parse(strings.NewReader(text), "")
	if err != nil { // an alias may complete the syntax: try the first word of each line
		at := 0
		for line := range strings.Lines(text) {
			word := strings.TrimLeft(line, " \t")
			start := at + len(line) - len(word)
			end := strings.IndexAny(word, " \t\n;&|()<>")
			if end < 0 {
				end = len(word)
			}
			if _, ok := sh.aliases[word[:end]]; ok && !done(start, word[:end]) {
				return start, start + end, word[:end]
			}
			at += len(line)
		}
		return 0, 0, ""
	}
	syntax.Walk(file, func(n syntax.Node) bool {
		if name != "" {
			return false
		}
		if c, ok := n.(*syntax.CallExpr); ok && len(c.Args) > 0 {
			if candidate(c.Args[0]) {
				return false
			}
			for _, w := range c.Args[1:] {
				if int(w.Pos().Offset()) == also && candidate(w) {
					return false
				}
			}
		}
		return true
	})
	return from, to, name
}

func (sh *Shell) parser() *syntax.Parser { return syntax.NewParser(syntax.Variant(syntax.LangBash)) }

func (sh *Shell) parse(text, name string) (*syntax.File, error) {
	if file := sh.program.files[text]; file != nil {
		return file, nil
	}
	source := text
	file, err := sh.parser().Parse(strings.NewReader(source), name)
	for tries := 0; err != nil && tries < 50; tries++ {
		fixed, ok := sh.program.postpone(source, err)
		if !ok {
			break
		}
		var again error
		if file, again = sh.parser().Parse(strings.NewReader(fixed), name); again != nil && samePlace(err, again) {
			break
		}
		source, err = fixed, again
	}
	if err == nil && sh.dialect == Bash {
		err = unbraced(file)
	}
	if err != nil {
		return nil, err
	}
	sh.program.record(file, source)
	if len(sh.program.files) < maxFiles {
		sh.program.files[text] = file
	}
	return file, nil
}

func samePlace(a, b error) bool {
	var x, y syntax.ParseError
	return errors.As(a, &x) && errors.As(b, &y) && x.Pos == y.Pos
}

// runBeforeError runs the complete statements of the lines before a syntax error.
func (sh *Shell) runBeforeError(text string, err error) {
	var perr syntax.ParseError
	var lerr syntax.LangError
	line := 0
	switch {
	case errors.As(err, &perr):
		line = int(perr.Pos.Line())
	case errors.As(err, &lerr):
		line = int(lerr.Pos.Line())
	}
	lines := strings.SplitAfter(text, "\n")
	for n := line - 1; n > 0 && n <= len(lines); n-- {
		head := strings.Join(lines[:n], "")
		if file, err := sh.parse(head, sh.name); err == nil {
			sh.units(file.Stmts)
			return
		}
	}
}

func (sh *Shell) reportSyntax(err error) {
	var perr syntax.ParseError
	if errors.As(err, &perr) {
		sh.write(2, fmt.Appendf(nil, "%s: line %d: syntax error: %s\n", sh.name, max(1, int(perr.Pos.Line())-sh.before), perr.Text))
		return
	}
	sh.write(2, fmt.Appendf(nil, "%s: syntax error: %v\n", sh.name, err))
}
