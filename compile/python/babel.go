package python

import (
	"strings"

	"wb/compile"
	"wb/internal/value"
)

// expand puts a block together as ob-python does: prologue, variables, body and
// epilogue, one below the other.
func (p *program) expand(src *compile.Source) {
	p.Session = src.InSession()
	wantsValue := !src.Results.Has("output")
	switch {
	case wantsValue && p.Session:
		p.Kind = kindExpression
	case wantsValue:
		p.Kind = kindFunction
	}
	body := compile.Dedent(src.Body)
	var before []string
	if text, ok := src.Arg("prologue"); ok {
		before = append(before, compile.Unquoted(text))
	}
	for _, v := range src.Vars {
		before = append(before, v.Name+"="+literal(v.Value))
	}
	parts := append(before, strings.TrimSuffix(body, "\n"))
	if text, ok := src.Arg("epilogue"); ok {
		parts = append(parts, compile.Unquoted(text))
	}
	if text, ok := src.Arg("return"); ok && wantsValue {
		if !p.Session {
			text = "return " + compile.Unquoted(text)
		}
		parts = append(parts, text)
	}
	if text, ok := src.Arg("preamble"); ok && !p.Session {
		p.Preamble = compile.Unquoted(text)
	}
	p.Text = strings.Join(parts, "\n") + "\n"
	for _, text := range before {
		p.Skip += 1 + strings.Count(text, "\n")
	}
}

// literal writes a value as Python (org-babel-python-var-to-python). A rule
// between rows is None, elisp's nil an empty list.
func literal(v value.Value) string {
	switch v.Kind() {
	case value.Null:
		return "[]"
	case value.HLine:
		return "None"
	case value.Bool:
		if v.Bool() {
			return "True"
		}
		return "False"
	case value.String:
		return textLiteral(v.Text())
	case value.List:
		items := make([]string, len(v.Items()))
		for i, item := range v.Items() {
			items[i] = literal(item)
		}
		return "[" + strings.Join(items, ", ") + "]"
	case value.Object:
		members := make([]string, len(v.Fields()))
		for i, f := range v.Fields() {
			members[i] = textLiteral(f.Name) + ": " + literal(f.Value)
		}
		return "{" + strings.Join(members, ", ") + "}"
	case value.Float:
		switch text := v.String(); text {
		case "null":
			return "float('nan')"
		default:
			return text
		}
	}
	return v.String()
}

// textLiteral writes text as elisp's %S does, which Python reads the same way;
// text of several lines gets three quotes.
func textLiteral(text string) string {
	quoted := `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
	if strings.ContainsAny(text, "\n\r") {
		return `""` + quoted + `""`
	}
	return quoted
}

// babelValue is what Emacs makes of the text a block leaves: what it printed,
// or its value as Python shows it.
func babelValue(p *program, shown *string, stdout string) value.Value {
	text := stdout
	switch {
	case shown != nil:
		text = *shown
	case p.Session:
		text = strings.TrimRight(text, " \t\n\r\f\v")
	}
	words := p.Results
	switch {
	case words.Has("discard"):
		return value.Nil()
	case words.AsText():
		return value.OfString(text)
	}
	if p.Kind == kindScript { // Emacs reads [1, 2] with a line end as Lisp's vector
		text = strings.TrimRight(text, "\n")
	}
	return tableOrText(text)
}

// tableOrText reads lists and tuples as tables, in which None at the top is a
// rule, numbers and text as what they are, and dicts as text
// (org-babel-python-table-or-string).
func tableOrText(text string) value.Value {
	if strings.HasPrefix(text, "{") {
		return value.OfString(text)
	}
	return readEscaped(text)
}
