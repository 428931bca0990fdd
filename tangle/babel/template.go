package babel

import (
	"fmt"
	"regexp"
	"strings"

	"wb/tangle/elisp"
)

// Some languages have no variables; there the variable's name is replaced by
// its value wherever it stands in the body, case ignored.

// replaceName replaces every occurrence of pattern, a literal text.
func replaceName(body, pattern, value string) string {
	re, err := regexp.Compile("(?i)" + regexp.QuoteMeta(pattern))
	if err != nil { // bytes that are not text have no case
		return strings.ReplaceAll(body, pattern, value)
	}
	return re.ReplaceAllLiteralString(body, value)
}

// expandDollar replaces $name in dot and lilypond.
func expandDollar(body string, p *Params) (string, error) {
	for _, v := range p.Vars {
		body = replaceName(body, "$"+v.Name, elisp.Text(v.Value))
	}
	return around(body, p), nil
}

// expandOrg replaces $name in org text.
func expandOrg(body string, p *Params) (string, error) {
	for _, v := range p.Vars {
		body = replaceName(body, "$"+v.Name, elisp.Princ(v.Value))
	}
	return around(body, p), nil
}

// expandLatex replaces the bare name.
func expandLatex(body string, p *Params) (string, error) {
	for _, v := range p.Vars {
		body = replaceName(body, elisp.Symbol(v.Name).String(), elisp.Text(v.Value))
	}
	return trim(around(body, p)), nil
}

// expandSQL replaces $name. A table would have to become a data file, which
// exists only while a query runs.
func expandSQL(body string, p *Params) (string, error) {
	for _, v := range p.Vars {
		if elisp.IsList(v.Value) {
			return "", cannot(v, "a table becomes a temporary data file in SQL, which cannot be tangled; use :no-expand")
		}
		body = replaceName(body, "$"+v.Name, elisp.Text(v.Value))
	}
	prologue, _ := p.prologue()
	epilogue, _ := p.epilogue()
	return strings.Join([]string{prologue, body, epilogue}, "\n"), nil
}

// expandGnuplot writes variables as assignments, replaces $name, and sets what
// the plotting arguments ask for.
func expandGnuplot(body string, p *Params) (string, error) {
	above := func(format string, args ...any) { body = fmt.Sprintf(format, args...) + "\n" + body }
	missing, hasMissing := p.text(":missing")
	if hasMissing {
		above("set datafile missing '%s'", missing)
	}
	if title, ok := p.text(":title"); ok {
		above("set title '%s'", title)
	}
	for _, argument := range []struct{ name, format string }{{":line", "%s"}, {":set", "set %s"}} {
		items, proper := elisp.Items(p.arg(argument.name))
		if !proper {
			return "", fmt.Errorf("%s must be a list in gnuplot, found %s", argument.name, elisp.Print(p.arg(argument.name)))
		}
		for _, item := range items {
			above(argument.format, elisp.Princ(item))
		}
	}
	for _, axis := range []struct{ name, tics string }{{":xlabels", "xtics"}, {":ylabels", "ytics"}} {
		pairs, proper := elisp.Items(p.arg(axis.name))
		if !proper {
			return "", fmt.Errorf("%s must be a list in gnuplot, found %s", axis.name, elisp.Print(p.arg(axis.name)))
		}
		labels := make([]string, len(pairs))
		for i, pair := range pairs {
			labels[i] = fmt.Sprintf(`"%s" %s`, elisp.Princ(elisp.Cdr(pair)), elisp.Princ(elisp.Car(pair)))
		}
		if len(labels) > 0 {
			above("set %s (%s)", axis.tics, strings.Join(labels, ", "))
		}
	}
	format, hasFormat := p.text(":timefmt")
	if _, index := p.text(":timeind"); index || hasFormat {
		if !hasFormat {
			format = "%Y-%m-%d-%H:%M:%S"
		}
		above("set xdata time")
		above("set timefmt \"%s\"", format)
	}
	term, hasTerm := p.text(":term")
	if file, ok := p.text(":file"); ok {
		above("set output \"%s\"", file)
		body += "\nset output\n"
		if dot := strings.LastIndexByte(file, '.'); !hasTerm && dot >= 0 {
			term, hasTerm = file[dot+1:], true
			if strings.EqualFold(term, "eps") {
				term = "postscript eps"
			}
		}
	}
	if hasTerm {
		above("set term %s", term)
	}
	assignments := make([]string, len(p.Vars))
	for i, v := range p.Vars {
		if elisp.IsList(v.Value) {
			return "", cannot(v, "a table becomes a temporary data file in gnuplot, which cannot be tangled; use :no-expand")
		}
		assignments[i] = fmt.Sprintf(`%s = "%s"`, v.Name, elisp.Princ(v.Value))
	}
	above("%s", strings.Join(assignments, "\n"))
	for _, v := range p.Vars {
		if s, ok := v.Value.(elisp.String); ok {
			body = replaceName(body, "$"+v.Name, string(s))
		} else if strings.Contains(strings.ToLower(body), "$"+strings.ToLower(v.Name)) {
			return "", cannot(v, "gnuplot replaces $%s only by text, found %s", v.Name, elisp.Print(v.Value))
		}
	}
	if text, ok := p.prologue(); ok {
		above("%s", text)
	}
	if text, ok := p.epilogue(); ok {
		body += "\n" + text
	}
	above("cd '%s'", p.Dir)
	return body, nil
}
