package babel

import (
	"fmt"
	"strings"

	"wb/tangle/elisp"
)

// shells are the languages of ob-shell. `shell` itself is among them; all are
// written for bash, which is what Emacs writes when the user's own shell
// ($SHELL) is bash, whatever the block's language says.
var shells = []string{"sh", "bash", "zsh", "fish", "csh", "ash", "dash", "ksh", "mksh", "posh", "shell"}

// assignShell writes scalars as quoted text, lists as arrays and tables of two
// or more columns as associative arrays from the first column to the rest.
func assignShell(p *Params) ([]string, error) {
	separator := "\t"
	if s, ok := p.text(":separator"); ok {
		separator = s
	}
	rule, hasRule := "", p.is(":hlines", "yes")
	if hasRule {
		rule = "hline"
		if s, ok := p.text(":hline-string"); ok {
			rule = s
		}
	}
	quote := func(x elisp.Value) string { return shellQuoted(shellText(x, separator, rule, hasRule)) }
	return each(func(v Var) (string, error) {
		first, isRow := elisp.Car(v.Value).(*elisp.Cons)
		switch {
		case isRow && isPair(first.Cdr):
			return shellTable(v, quote)
		case isPair(v.Value):
			items, err := elements(v, v.Value)
			if err != nil {
				return "", err
			}
			words := make([]string, len(items))
			for i, item := range items {
				words[i] = quote(item)
			}
			return fmt.Sprintf("unset %s\ndeclare -a %s=( %s )", v.Name, v.Name, strings.Join(words, " ")), nil
		}
		return v.Name + "=" + quote(v.Value), nil
	})(p)
}

func isPair(v elisp.Value) bool {
	_, ok := v.(*elisp.Cons)
	return ok
}

func shellTable(v Var, quote func(elisp.Value) string) (string, error) {
	rows, err := elements(v, v.Value)
	if err != nil {
		return "", err
	}
	entries := make([]string, len(rows))
	for i, row := range rows {
		if !elisp.IsList(row) {
			return "", cannot(v, "%s cannot be a row of an associative array", elisp.Print(row))
		}
		entries[i] = fmt.Sprintf("%s[%s]=%s", v.Name, quote(elisp.Car(row)), quote(elisp.Cdr(row)))
	}
	return fmt.Sprintf("unset %s\ndeclare -A %s\n%s", v.Name, v.Name, strings.Join(entries, "\n")), nil
}

// shellQuoted wraps text in single quotes, the one form that hides everything
// but a single quote.
func shellQuoted(s string) string {
	return "'" + strings.ReplaceAll(s, "'", `'"'"'`) + "'"
}

// shellText is a value as text: rows are lines, cells separated by separator,
// the items of a plain list one per line.
func shellText(x elisp.Value, separator, rule string, hasRule bool) string {
	if !elisp.IsList(x) {
		return elisp.Text(x)
	}
	if first := elisp.Car(x); elisp.IsList(first) || first == elisp.HLine {
		return separated(x, tableFormat{separator: separator, rule: rule, rules: hasRule})
	}
	items, _ := elisp.Items(x)
	lines := make([]string, len(items))
	for i, item := range items {
		lines[i] = elisp.Text(item)
	}
	return strings.Join(lines, "\n")
}
