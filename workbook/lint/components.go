package lint

import (
	"slices"
	"strings"

	"wb/internal/diag"
	"wb/org"
	"wb/tangle/babel"
	"wb/workbook/plan"
)

// components checks what each component is made of.
func (l *linter) components() {
	for _, c := range l.plan.Components {
		if c.Kind == plan.KindData || c.Kind == plan.KindCall || c.Kind == plan.KindInlineCall || c.Library() {
			continue
		}
		l.of = c
		l.language(c)
		l.arguments(c)
		l.signature(c)
		l.uses(c)
	}
	l.of = nil
}

func (l *linter) language(c *plan.Component) {
	if l.opts.Languages == nil || c.Lang == "" || c.Lang == plan.LangAgent || !c.MayRun() {
		return
	}
	if _, ok := l.opts.Languages.Lookup(c.Lang); ok {
		return
	}
	hint := ":eval no keeps a block from running; there are lanes for " + strings.Join(l.opts.Languages.Names(), " ")
	if near := l.opts.Languages.Nearest(c.Lang); near != "" {
		hint = "did you mean " + near + "?"
	}
	severity := diag.Error
	if c.Dialect == plan.DialectBabel { // a file of Emacs' may hold what only Emacs runs
		severity = diag.Warning
	}
	l.report(severity, "unknown-language", l.offset(c), hint, "there is no lane for %s", c.Lang)
}

// offset is where the component stands in the source.
func (l *linter) offset(c *plan.Component) int {
	span, ok := l.doc.Line(c.Pos.Line)
	if !ok {
		return 0
	}
	return span.Start + max(c.Pos.Col-1, 0)
}

// arguments reports header arguments that have no effect.
func (l *linter) arguments(c *plan.Component) {
	for _, a := range c.Args {
		name := strings.ToLower(strings.TrimSuffix(strings.TrimPrefix(a.Key, ":"), "+"))
		_, known := babel.Lookup(name)
		if name == "results" {
			l.wordsOf(a)
		}
		if c.Dialect == plan.DialectBabel && (name == "sig" || name == "in" || name == "out") {
			l.warnf("unknown-argument", l.keyOffset(a), "write it into the drawer of the heading above, as :"+name+":, which makes the block a component",
				"%s means nothing on a block that is not a component", a.Key)
		}
		if a.Origin == org.FromDefault || known || strings.HasPrefix(name, "default-") ||
			c.Lang == plan.LangAgent && slices.Contains(plan.AgentArguments, name) {
			continue
		}
		severity := diag.Warning
		hint := plan.DidYouMean(name, babel.Names(), "")
		if hint != "" && c.Dialect != plan.DialectBabel {
			severity = diag.Error
		}
		l.report(severity, "unknown-argument", l.keyOffset(a), hint, "unknown header argument %s", a.Key)
	}
}

// wordsOf reports words of :results that mean nothing. What is Lisp or
// quoted is not looked into.
func (l *linter) wordsOf(a org.Arg) {
	if a.Origin == org.FromDefault || strings.ContainsAny(a.Value, `("`) {
		return
	}
	for _, word := range strings.Fields(a.Value) {
		if slices.Contains(babel.ResultWords, strings.ToLower(word)) {
			continue
		}
		at := a.At.Start
		if i := strings.Index(l.doc.Source()[at:], word); i >= 0 {
			at += i
		}
		l.warnf("unknown-result", at, plan.DidYouMean(word, babel.ResultWords, ""), "%s means nothing in :results", word)
	}
}

// keyOffset is where the name of an argument stands: on the line of its value,
// before that.
func (l *linter) keyOffset(a org.Arg) int {
	source := l.doc.Source()
	line := strings.LastIndexByte(source[:a.At.Start], '\n') + 1
	if i := strings.LastIndex(source[line:a.At.Start], a.Key); i >= 0 {
		return line + i
	}
	return a.At.Start
}

// uses checks the capabilities a component asks for against what it would get.
func (l *linter) uses(c *plan.Component) {
	profile := c.Args.Value(":profile")
	held, known := plan.ProfileCaps[profile]
	if profile != "" && !known {
		l.warnf("unknown-profile", l.offset(c), plan.DidYouMean(profile, plan.Profiles(), "profiles are compute minimal network posix"), "unknown profile %s means compute", profile)
	}
	if !known {
		held = plan.ProfileCaps["compute"]
	}
	for _, use := range c.Uses {
		name := plan.Capability(use)
		switch {
		case !slices.Contains(plan.KnownCapabilities, name):
			l.errorf("unknown-capability", l.offset(c), plan.DidYouMean(name, plan.KnownCapabilities, "capabilities are "+strings.Join(plan.KnownCapabilities, " ")),
				"%s asks for %s, which is not a capability", c.ID, use)
		case l.opts.Granted != nil && l.opts.Granted(name):
		case slices.Contains(held, name) && name == "vfs":
		default:
			l.warnf("not-granted", l.offset(c), "run it with --grant "+name, "%s asks for %s, which a run does not have unless it is granted", c.ID, name)
		}
	}
}

// signature checks that a :sig: agrees with the ports beside it.
func (l *linter) signature(c *plan.Component) {
	if c.Sig == nil {
		return
	}
	var params, ins []string
	for _, p := range c.Sig.Params {
		params = append(params, p.Name)
	}
	for _, in := range c.In {
		ins = append(ins, in.Name)
	}
	if len(ins) > 0 && !slices.Equal(params, ins) {
		l.errorf("sig-ports", l.offset(c), "name the same inputs in the same order", ":sig: takes (%s), :in: says (%s)",
			strings.Join(params, ", "), strings.Join(ins, ", "))
	}
	var results []string
	for _, r := range c.Sig.Results {
		if r.Name != "" {
			results = append(results, r.Name)
		}
	}
	switch {
	case len(results) > 0 && len(c.Out) > 0 && !slices.Equal(results, c.Out):
		l.errorf("sig-ports", l.offset(c), "name the same outputs in the same order", ":sig: gives (%s), :out: says (%s)",
			strings.Join(results, ", "), strings.Join(c.Out, ", "))
	case len(results) == 0 && len(c.Out) > 1:
		l.errorf("sig-ports", l.offset(c), "write -> (a: T, b: U)", ":out: names %d outputs, :sig: gives one", len(c.Out))
	}
}

// imports warns of inputs that no component produces and that have no default: a run
// needs them from outside.
func (l *linter) imports() {
	called := map[string]bool{}
	for _, c := range l.plan.Components {
		called[c.ID] = l.opts.Called != nil && l.opts.Called(c)
	}
	for _, i := range l.plan.Imports {
		if i.Default != nil || !slices.ContainsFunc(i.Consumers, func(id string) bool { return !called[id] }) {
			continue
		}
		l.found = append(l.found, diag.Finding{Pos: i.Pos, Severity: diag.Warning, Code: "no-producer",
			Message: "nothing produces " + i.Name, Hint: "give it with --set " + i.Name + "=…, or a default with :default-" + i.Name + ":"})
	}
}
