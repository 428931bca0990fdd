package babel

import (
	"fmt"
	"strings"

	"wb/tangle/elisp"
)

// expandCSharp puts the body into Main of class Program, unless :main or :class
// say no.
func expandCSharp(body string, p *Params) (string, error) {
	var b strings.Builder
	if text, ok := p.prologue(); ok {
		b.WriteString(text + "\n")
	}
	b.WriteString("namespace org.babel.autogen;\n")
	if usings := p.arg(":usings"); !elisp.IsNil(usings) {
		items, proper := elisp.Items(usings)
		if !proper {
			return "", fmt.Errorf(":usings must be a list of strings, found %s", elisp.Print(usings))
		}
		lines := make([]string, len(items))
		for i, item := range items {
			name, ok := item.(elisp.String)
			if !ok {
				return "", fmt.Errorf(":usings must be a list of strings, found %s in it", elisp.Print(item))
			}
			lines[i] = fmt.Sprintf("using %s;", string(name))
		}
		b.WriteString("\n" + strings.Join(lines, "\n") + "\n")
	}
	class, named := p.text(":class")
	if !named {
		class = "Program"
	}
	hasClass, hasMain := class != "no", !p.is(":main", "no")
	if hasClass {
		b.WriteString("\nclass " + class + "\n{\n")
	}
	if hasMain {
		b.WriteString("static void Main(string[] args)\n{\n")
	}
	for i, v := range p.Vars {
		if i > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "var %s = %s;", v.Name, elisp.Print(v.Value))
	}
	b.WriteString("\n" + body)
	if hasMain {
		b.WriteString("\n}")
	}
	if hasClass {
		b.WriteString("\n}")
	}
	if text, ok := p.epilogue(); ok {
		b.WriteString("\n" + text)
	}
	return b.String(), nil
}
