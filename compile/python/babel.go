package python

import (
	"encoding/json"
	"path"
	"strconv"
	"strings"

	"wb/compile"
	"wb/internal/value"
	"wb/tangle/babel"
)

// expand puts a block together as ob-python does: prologue, variables, body and
// epilogue, one below the other.
func (p *program) expand(src *compile.Source) error {
	p.Session = src.InSession()
	wantsValue := !src.Results.Has("output")
	switch {
	case wantsValue && p.Session:
		p.Kind = kindExpression
	case wantsValue:
		p.Kind = kindFunction
	}
	body := compile.Dedent(src.Body)
	params := src.Babel()
	params.Keep = func(name, text string) string {
		if p.Large == nil {
			p.Large = map[string]json.RawMessage{}
		}
		p.Large[name] = json.RawMessage(text)
		return `__import__("__main__")._wb_large["` + name + `"]`
	}
	before, after, err := babel.Surround("python", params)
	if err != nil {
		return src.BabelError(err)
	}
	if p.Graphics = figureFile(src); p.Graphics != "" && !wantsValue {
		before, after = "import matplotlib.pyplot\nmatplotlib.pyplot.gcf().clear()\n"+before, after+"\nmatplotlib.pyplot.savefig("+strconv.QuoteToASCII(p.Graphics)+")"
	}
	p.Text = before + strings.TrimSuffix(body, "\n") + after + "\n"
	if text, ok := src.Arg("return"); ok && wantsValue {
		if !p.Session {
			text = "return " + compile.Unquoted(text)
		}
		p.Text += text + "\n"
	}
	if text, ok := src.Arg("preamble"); ok && !p.Session {
		p.Preamble = compile.Unquoted(text)
	}
	p.Skip = strings.Count(before, "\n")
	return nil
}

// figureFile is the file for the figure of a block with :results graphics, "" for
// others.
func figureFile(src *compile.Source) string {
	file, ok := src.Arg("file")
	if !ok || !src.Results.Has("graphics") {
		return ""
	}
	dir, _ := src.Arg("output-dir")
	return path.Join(compile.Unquoted(dir), compile.Unquoted(file))
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
