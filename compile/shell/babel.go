package shell

import (
	"strings"

	"wb/compile"
	"wb/internal/diag"
	"wb/internal/value"
)

// arrays reports whether variables become arrays of bash, which ob-shell does
// for languages whose name ends so, and for plain "shell", whose program is
// bash in this lane.
func arrays(lang string) bool { return strings.HasSuffix(lang, "bash") || lang == "shell" }

// dialect is the program that runs a block: the language decides, then
// :shebang.
func dialect(src *compile.Source) (string, error) {
	name := "sh"
	switch src.Lang {
	case "bash", "shell", "ksh", "mksh":
		name = "bash"
	}
	shebang, ok := src.Arg("shebang")
	shebang = strings.TrimSpace(compile.Unquoted(shebang))
	if !ok || shebang == "" {
		return name, nil
	}
	words := strings.Fields(strings.TrimPrefix(shebang, "#!"))
	for len(words) > 0 && (base(words[0]) == "env" || strings.HasPrefix(words[0], "-")) {
		words = words[1:]
	}
	if len(words) > 0 {
		switch b := base(words[0]); b {
		case "bash", "ksh", "mksh":
			return "bash", nil
		case "sh", "dash", "ash", "posh":
			return "sh", nil
		}
	}
	return "", diag.Errorf(src.At(1, 1), ":shebang %s: only shells run shell blocks here", shebang)
}

func base(p string) string { return p[strings.LastIndexByte(p, '/')+1:] }

// expand lays a babel block out as ob-shell does: prologue, variables, body,
// epilogue, and, where the value is asked for, a line that prints the exit
// status. before is the number of lines ahead of the body.
func expand(src *compile.Source) (script string, before int) {
	var head []string
	if text, ok := src.Arg("prologue"); ok {
		head = append(head, compile.Unquoted(text))
	}
	for _, v := range src.Vars {
		head = append(head, assignment(src, v))
	}
	var b strings.Builder
	for _, part := range head {
		b.WriteString(part)
		b.WriteByte('\n')
	}
	script = b.String()
	before = strings.Count(script, "\n")
	script += src.Body
	if text, ok := src.Arg("epilogue"); ok {
		script = strings.TrimSuffix(script, "\n") + "\n" + compile.Unquoted(text)
	}
	if src.Results.Has("value") {
		script = strings.TrimSuffix(script, "\n") + "\necho $?"
	}
	return script, before
}

// separators are how rows and rules of a table become text.
type separators struct {
	cell string
	rule string // "" leaves rules out
}

func separatorsOf(src *compile.Source) separators {
	s := separators{cell: "\t"}
	if sep, ok := src.Arg("separator"); ok {
		s.cell = compile.Unquoted(sep)
	}
	if hlines, _ := src.Arg("hlines"); hlines == "yes" {
		s.rule = "hline"
		if text, ok := src.Arg("hline-string"); ok {
			s.rule = compile.Unquoted(text)
		}
	}
	return s
}

// assignment is the statement that gives a block one variable
// (org-babel-variable-assignments:shell).
func assignment(src *compile.Source, v compile.Var) string {
	sep := separatorsOf(src)
	items := v.Value.Items()
	if !arrays(src.Lang) || v.Value.Kind() != value.List || len(items) == 0 {
		return v.Name + "=" + sep.quoted(v.Value)
	}
	var b strings.Builder
	b.WriteString("unset " + v.Name + "\n")
	if first := items[0]; first.Kind() == value.List && len(first.Items()) >= 2 {
		b.WriteString("declare -A " + v.Name)
		for _, row := range items {
			cells := row.Items()
			if len(cells) == 0 {
				continue
			}
			b.WriteString("\n" + v.Name + "[" + sep.quoted(cells[0]) + "]=" + sep.quoted(value.OfList(cells[1:]...)))
		}
		return b.String()
	}
	b.WriteString("declare -a " + v.Name + "=(")
	for _, item := range items {
		b.WriteString(" " + sep.quoted(item))
	}
	return b.String() + " )"
}

// quoted is a value as one word of a script.
func (s separators) quoted(v value.Value) string {
	return "'" + strings.ReplaceAll(s.text(v), "'", `'"'"'`) + "'"
}

// Text is a value as a variable of a shell or awk script holds it: rows are
// lines with tabs between cells, items of a list are lines.
func Text(v value.Value) string { return separators{cell: "\t"}.text(v) }

// text is a value as text: a table's rows are lines, a list's items too
// (org-babel-sh-var-to-string).
func (s separators) text(v value.Value) string {
	if v.Kind() != value.List {
		return lisp(v)
	}
	items := v.Items()
	var lines []string
	table := len(items) > 0 && (items[0].Kind() == value.List || items[0].Kind() == value.HLine)
	for _, item := range items {
		switch {
		case table && item.Kind() == value.HLine:
			if s.rule != "" {
				lines = append(lines, s.rule)
			}
		case table:
			var cells []string
			for _, cell := range item.Items() {
				cells = append(cells, lisp(cell))
			}
			lines = append(lines, strings.Join(cells, s.cell))
		default:
			lines = append(lines, lisp(item))
		}
	}
	return strings.Join(lines, "\n")
}

// lisp is a value as Emacs prints it with %S, strings without quotes.
func lisp(v value.Value) string {
	switch v.Kind() {
	case value.String:
		return v.Text()
	case value.Null:
		return ""
	case value.Bool:
		if v.Bool() {
			return "t"
		}
		return ""
	case value.HLine:
		return "hline"
	case value.List:
		parts := make([]string, len(v.Items()))
		for i, item := range v.Items() {
			if parts[i] = lisp(item); item.Kind() == value.String {
				parts[i] = `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(parts[i]) + `"`
			}
		}
		return "(" + strings.Join(parts, " ") + ")"
	}
	return v.String()
}

// result reads what a babel block printed. With :results value that is its exit
// status, printed last.
func result(words compile.Results, stdout string) value.Value {
	if words.Has("value") {
		lines := strings.FieldsFunc(stdout, func(r rune) bool { return r == '\n' })
		if len(lines) == 0 {
			return value.Nil()
		}
		stdout = lines[len(lines)-1]
	}
	return words.Read(stdout)
}
