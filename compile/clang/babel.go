package clang

import (
	"slices"
	"strings"

	"wb/compile"
	"wb/tangle/babel"
)

// babelUnit lays out src as ob-C does (org-babel-C-expand-C).
func babelUnit(src *compile.Source) (*unit, error) {
	body := bodyWithLogues(src)
	u, variables, wrapped, err := head(src, body.plain())
	if err != nil {
		return nil, err
	}
	u.append(variables)
	if !wrapped {
		u.add(originGlue, babel.MainOpen)
		u.append(body)
		u.add(originGlue, babel.MainEnd+"\n\n")
		return u, nil
	}
	u.append(body)
	u.add(originGlue, "\n\n")
	return u, nil
}

// head is the text ahead of a body: its #include, #define and using lines,
// and its variables. wrapped reports that the body needs no main around it.
func head(src *compile.Source, body string) (lines, variables *unit, wrapped bool, err error) {
	parts, err := babel.C(src.Lang, body, src.Babel())
	lines, variables = &unit{}, &unit{}
	lines.add(originIncludes, parts.Includes+"\n")
	lines.add(originDefines, parts.Defines+"\n")
	lines.add(originNamespaces, parts.Namespaces+"\n")
	variables.add(originVars, parts.Variables+"\n")
	return lines, variables, parts.Main, src.BabelError(err)
}

// hoistedUnit is babelUnit with the functions that a body without main defines,
// and its #include lines, moved ahead of main. gcc allows functions inside of
// functions, and people write such bodies; clang does not. It is nil when there
// is nothing to move.
func hoistedUnit(src *compile.Source) (*unit, error) {
	if main, _ := src.Arg("main"); main == "no" || babel.HasMain(bodyWithLogues(src).plain()) {
		return nil, nil
	}
	moved := &unit{}
	rest := []byte(src.Body)
	move := func(start, end int) {
		moved.parts = append(moved.parts, part{from: originBody, text: src.Body[start:end] + "\n", line: 1 + strings.Count(src.Body[:start], "\n")})
		for i := start; i < end; i++ {
			if rest[i] != '\n' {
				rest[i] = ' '
			}
		}
	}
	for _, m := range includeLine.FindAllStringIndex(src.Body, -1) {
		move(m[0], m[1])
	}
	found := false
	for _, f := range functions(src.Body) {
		if f.defined {
			move(f.start, f.end)
			found = true
		}
	}
	if !found {
		return nil, nil
	}
	inner := *src
	inner.Body = string(rest)
	u, err := babelUnit(&inner)
	if err != nil {
		return nil, err
	}
	for i, p := range u.parts {
		if p.text == babel.MainOpen {
			u.parts = slices.Insert(u.parts, i, moved.parts...)
			break
		}
	}
	return u, nil
}

// bodyWithLogues is the body between :prologue and :epilogue.
func bodyWithLogues(src *compile.Source) *unit {
	u := &unit{}
	if text, ok := src.Arg("prologue"); ok {
		u.add(originPrologue, compile.Unquoted(text)+"\n")
	}
	u.add(originBody, src.Body)
	if text, ok := src.Arg("epilogue"); ok {
		u.add(originEpilogue, "\n"+compile.Unquoted(text)+"\n")
	}
	return u
}
