package lint

import (
	"cmp"
	"slices"
	"strings"

	"wb/internal/diag"
	"wb/org"
	"wb/workbook/plan"
)

// Plan checks a workbook without running it and returns what it found in
// source order. Errors are mistakes that make a run, a tangle or a site wrong;
// warnings are things that Org silently reads differently from what stands
// there. Every diagnostic has a code that names the check.
func Plan(p *plan.Plan, opts Options) []diag.Finding {
	l := &linter{plan: p, doc: p.Document(), opts: opts}
	l.found = append(l.found, p.Problems...)
	if slices.ContainsFunc(l.found, func(d diag.Finding) bool { return d.Code == "not-text" }) {
		return l.found // what else it seems to say, it does not
	}
	l.balance()
	l.names()
	l.headlines()
	l.timestamps()
	l.links()
	l.components()
	l.imports()
	l.blockers()
	l.secrets()
	l.trust()
	slices.SortStableFunc(l.found, func(a, b diag.Finding) int {
		return cmp.Or(cmp.Compare(a.Pos.Line, b.Pos.Line), cmp.Compare(a.Pos.Col, b.Pos.Col))
	})
	return slices.Compact(l.found)
}

// balance reports blocks and drawers that never close, where they open.
func (l *linter) balance() {
	for _, p := range l.doc.Problems() {
		switch p.Kind {
		case org.UnterminatedBlock:
			l.errorf("unbalanced-block", p.Span.Start, "add #+end_"+p.Name, "#+begin_%s is never closed", p.Name)
		case org.UnterminatedDrawer:
			l.errorf("unbalanced-drawer", p.Span.Start, "add :END:", "drawer :%s: is never closed", p.Name)
		case org.UnterminatedLatex:
			l.warnf("unbalanced-latex", p.Span.Start, `add \end{`+p.Name+"}", `\begin{%s} is never closed`, p.Name)
		case org.StrayEnd:
			l.warnf("stray-end", p.Span.Start, "remove it, or add the line that opens it", "%s closes nothing", strings.TrimSpace(p.Name))
		}
	}
}

// names reports ids, custom ids and #+NAMEs that are given twice.
func (l *linter) names() {
	seen := map[string]int{}
	check := func(code, name string, t org.Token) {
		key := code + "\x00" + t.Text
		if t.Text == "" {
			return
		}
		if first, dup := seen[key]; dup {
			line, _ := l.doc.Position(first)
			l.errorf(code, t.Start, "give each its own; Emacs uses the first", "%s %s is already used on line %d", name, t.Text, line)
			return
		}
		seen[key] = t.Start
	}
	for n := range l.doc.All() {
		if n.Kind().IsElement() {
			check("duplicate-name", "#+NAME", n.Name())
		}
		p, ok := n.Property()
		switch {
		case !ok:
		case p.Is("ID"):
			check("duplicate-id", ":ID:", p.Value)
		case p.Is("CUSTOM_ID"):
			check("duplicate-custom-id", ":CUSTOM_ID:", p.Value)
		}
	}
}
