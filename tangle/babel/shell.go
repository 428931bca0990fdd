package babel

import (
	"cmp"
	"fmt"
	"strings"

	"wb/tangle/elisp"
)

// shells are the languages of ob-shell. `shell` itself is among them; all are
// written for bash, which is what Emacs writes when the user's own shell
// ($SHELL) is bash, whatever the block's language says.
var shells = []string{"sh", "bash", "zsh", "fish", "csh", "ash", "dash", "ksh", "mksh", "posh", "shell"}

// assignShell writes scalars as quoted text, lists as arrays and tables of two
// or more columns as associative arrays from the first column to the rest. The
// programs that run know arrays in bash only; elsewhere a table is text.
func assignShell(shell string) assigner {
	return func(p *Params) ([]string, error) {
		format := shellFormat(p)
		arrays := !p.Exact || strings.HasSuffix(shell, "bash") || shell == "shell"
		return each(func(_ *Params, v Var) (string, error) {
			first, isRow := elisp.Car(v.Value).(*elisp.Cons)
			switch {
			case !arrays:
			case isRow && isPair(first.Cdr):
				if p.Exact && isLarge(v.Value) {
					if text, ok := format.packed(v, true); ok {
						return text, nil
					}
				}
				return format.table(v)
			case isPair(v.Value) && p.Exact && isLarge(v.Value):
				if text, ok := format.packed(v, false); ok {
					return text, nil
				}
				fallthrough
			case isPair(v.Value):
				words, err := joined(v, v.Value, " ", func(x elisp.Value) (string, error) { return format.quoted(x), nil })
				return fmt.Sprintf("unset %s\ndeclare -a %s=( %s )", v.Name, v.Name, words), err
			}
			if text := format.text(v.Value); p.Exact && len(text) > Large && strings.Contains(text, "'") {
				return fmt.Sprintf("printf -v %s %%b '%s'", v.Name, strings.NewReplacer(`\`, `\\`, "'", `\0047`).Replace(text)), nil
			}
			return v.Name + "=" + format.quoted(v.Value), nil
		})(p)
	}
}

// textFormat says how a value becomes text.
type textFormat struct {
	tableFormat
	exact bool
}

func shellFormat(p *Params) textFormat {
	f := textFormat{tableFormat{separator: "\t", rules: p.is(":hlines", "yes")}, p.Exact}
	if s, ok := p.text(":separator"); ok {
		f.separator = s
	}
	if f.rules {
		f.rule = "hline"
		if s, ok := p.text(":hline-string"); ok {
			f.rule = s
		}
	}
	return f
}

// Text is a value as a variable of a script holds it: rows are lines with tabs
// between cells, items of a list are lines.
func Text(x elisp.Value) string {
	return textFormat{tableFormat{separator: "\t"}, true}.text(x)
}

func isPair(v elisp.Value) bool {
	_, ok := v.(*elisp.Cons)
	return ok
}

func (f textFormat) table(v Var) (string, error) {
	rows, err := elements(v, v.Value)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "unset %s\ndeclare -A %s", v.Name, v.Name)
	for _, row := range rows {
		if !isPair(row) && f.exact { // a rule
			continue
		}
		if !elisp.IsList(row) {
			return "", cannot(v, "%s cannot be a row of an associative array", elisp.Print(row))
		}
		b.WriteString("\n" + v.Name + "[" + f.quoted(elisp.Car(row)) + "]=" + f.quoted(elisp.Cdr(row)))
	}
	return b.String(), nil
}

// packed fills a large array with one word, for the shell's own wb-array. It
// cannot hold values with the characters that part them.
func (f textFormat) packed(v Var, table bool) (string, bool) {
	items, proper := elisp.Items(v.Value)
	texts := make([]string, 0, len(items))
	for _, item := range items {
		switch {
		case !table:
			texts = append(texts, f.text(item))
		case isPair(item):
			texts = append(texts, f.text(elisp.Car(item))+"\x1f"+f.text(elisp.Cdr(item)))
		}
	}
	text := strings.Join(texts, "\x1e")
	marks := strings.Count(text, "\x1e") + strings.Count(text, "\x1f") + 1
	letter := "a"
	if table {
		letter, marks = "A", marks-len(texts)
	}
	return fmt.Sprintf("unset %s\ndeclare -%s %s\nwb-array %s %s", v.Name, letter, v.Name, v.Name, "$"+SingleQuoted(text)), proper && marks == len(texts)
}

// quoted wraps text in single quotes, the one form that hides everything but a
// single quote.
func (f textFormat) quoted(x elisp.Value) string {
	text := f.text(x)
	if f.exact && len(text) > Large && strings.Contains(text, "'") {
		return quotedOnce(text)
	}
	return "'" + strings.ReplaceAll(text, "'", `'"'"'`) + "'"
}

// quotedOnce is a text in one pair of quotes, which is one word to the parser
// whatever the text holds.
func quotedOnce(text string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "$", `\$`, "`", "\\`").Replace(text) + `"`
}

// text is a value as text: rows are lines, the items of a plain list too.
func (f textFormat) text(x elisp.Value) string {
	if !elisp.IsList(x) || f.exact && elisp.IsNil(x) {
		return f.cell(x)
	}
	items, _ := elisp.Items(x)
	first := elisp.Car(x)
	table := elisp.IsList(first) || first == elisp.HLine
	if table && !f.exact {
		return separated(x, f.tableFormat)
	}
	var lines []string
	for _, item := range items {
		switch {
		case table && item == elisp.HLine:
			if f.rules {
				lines = append(lines, f.rule)
			}
		case table:
			cells, _ := elisp.Items(item)
			texts := make([]string, len(cells))
			for i, cell := range cells {
				texts[i] = f.cell(cell)
			}
			lines = append(lines, strings.Join(texts, f.separator))
		default:
			lines = append(lines, f.cell(item))
		}
	}
	return strings.Join(lines, "\n")
}

// cell is a value on one line. Where values count, nil is not text.
func (f textFormat) cell(x elisp.Value) string {
	is, known := truth(x)
	switch {
	case !f.exact:
		return elisp.Text(x)
	case elisp.IsNil(x), known && !is:
		return ""
	case known:
		return "t"
	}
	return cmp.Or(number(x, "inf", "nan"), elisp.Text(x))
}
