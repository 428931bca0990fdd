package babel

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"wb/internal/lazyregexp"
	"wb/tangle/elisp"
)

var fortranProgram = lazyregexp.New(`(?im)^[ \t]*program\b`)

// expandFortran wraps the body into a program when it is none. (With a program
// around it, the prologue is what follows the body too: that is how ob-fortran
// writes it, and so does this.)
func expandFortran(body string, p *Params) (string, error) {
	includes, err := fortranLines(p, "includes")
	if err != nil {
		return "", err
	}
	defines, err := fortranLines(p, "defines")
	if err != nil {
		return "", err
	}
	prologue := ""
	if text, ok := p.prologue(); ok {
		prologue = text + "\n"
	}
	if p.is(":main", "no") {
		body = prologue + body
		if text, ok := p.epilogue(); ok {
			body += "\n" + text + "\n"
		}
	} else {
		declarations := make([]string, len(p.Vars))
		for i, v := range p.Vars {
			if declarations[i], err = assignFortran(v); err != nil {
				return "", err
			}
		}
		body = strings.Join(declarations, "\n") + prologue + body + prologue
		if !fortranProgram.MatchString(body) {
			body = "program main\n" + body + "\nend program main\n"
		} else if len(p.Vars) > 0 {
			return "", cannot(p.Vars[0], "variables cannot be added to a block that has its own program statement")
		}
	}
	return strings.Join([]string{includes, defines, body, "\n"}, "\n"), nil
}

// fortranLines is the #include or #define lines of an argument, or of the
// property of the same name.
func fortranLines(p *Params, name string) (string, error) {
	value := p.arg(":" + name)
	if elisp.IsNil(value) && p.Property != nil {
		if text, ok := p.Property(name); ok {
			value = elisp.String(text)
		}
	}
	items := []elisp.Value{value}
	if elisp.IsList(value) {
		var proper bool
		if items, proper = elisp.Items(value); !proper {
			return "", fmt.Errorf(":%s: %s is not a proper list", name, elisp.Print(value))
		}
	}
	lines := make([]string, len(items))
	for i, item := range items {
		lines[i] = fmt.Sprintf("#%s %s", strings.TrimSuffix(name, "s"), elisp.Princ(item))
	}
	return strings.Join(lines, "\n"), nil
}

func assignFortran(v Var) (string, error) {
	value := v.Value
	if name, ok := value.(elisp.Symbol); ok {
		value = elisp.String(name)
		if runes := []rune(string(name)); len(runes) == 1 {
			value = elisp.Int(runes[0])
		}
	}
	name := elisp.Symbol(v.Name).String()
	switch x := value.(type) {
	case elisp.Int:
		return fmt.Sprintf("integer, parameter  ::  %s = %s\n", name, elisp.Print(x)), nil
	case elisp.Float:
		return fmt.Sprintf("real, parameter ::  %s = %s\n", name, elisp.Print(x)), nil
	case elisp.String:
		return fmt.Sprintf("character(len=%d), parameter ::  %s = '%s'\n", utf8.RuneCountInString(string(x)), name, string(x)), nil
	}
	rows, err := elements(v, value)
	if err != nil {
		return "", err
	}
	text, err := bracketed(v, value, "(/", ", ", "/)")
	if err != nil {
		return "", err
	}
	for _, row := range rows {
		if !elisp.IsList(row) {
			return fmt.Sprintf("real, parameter :: %s(%d) = %s\n", name, len(rows), text), nil
		}
	}
	columns, _ := elisp.Items(rows[0])
	return fmt.Sprintf("real, parameter :: %s(%d,%d) = transpose( reshape( %s , (/ %d, %d /) ) )\n",
		name, len(rows), len(columns), text, len(columns), len(rows)), nil
}
