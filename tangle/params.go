package tangle

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"wb/org"
	"wb/tangle/babel"
	"wb/tangle/elisp"
)

// argsOf returns the block's merged header arguments, as text.
func (p *planner) argsOf(b *block) org.Args {
	if b.args == nil {
		defaults := defaultArgs
		if b.Lang.Text == "haskell" {
			defaults = append(defaults[:len(defaults):len(defaults)], org.Arg{Key: ":padline", Value: "no"})
		}
		b.args = p.doc.HeaderArgs(b.Node, defaults...)
	}
	return b.args
}

// defaultArgs are those of org-babel's defaults whose absence would mean
// something else. Haskell alone has one of its own that tangling looks at.
var defaultArgs = []org.Arg{{Key: ":hlines", Value: "no"}, {Key: ":results", Value: "replace"}}

// param evaluates one header argument; ok tells whether it is there. One
// without a value is [elisp.Nil].
func (p *planner) param(ctx context.Context, b *block, key string) (v elisp.Value, ok bool, err error) {
	arg, ok := p.argsOf(b).Get(key)
	if !ok {
		return elisp.Nil, false, nil
	}
	v, err = p.read(ctx, b, arg)
	return v, true, err
}

// read evaluates the text of a header argument.
func (p *planner) read(ctx context.Context, b *block, arg org.Arg) (elisp.Value, error) {
	if arg.Value == "" {
		return elisp.Nil, nil
	}
	v, err := p.readText(ctx, b, arg.Value)
	if err != nil {
		return nil, p.at.wrap(arg.At.Start, arg.Key, err)
	}
	return v, nil
}

// readText evaluates text of a header argument; what is not Lisp needs nothing
// to be evaluated in.
func (p *planner) readText(ctx context.Context, b *block, text string) (elisp.Value, error) {
	if text != "*this*" && (text == "" || strings.IndexByte("('`[", text[0]) < 0) {
		return elisp.ReadCell(text, nil)
	}
	v, err := elisp.ReadCell(text, p.envFor(b))
	if err != nil {
		return p.inEmacs(ctx, b, text, err)
	}
	return v, nil
}

// text is a header argument as text; "" when it is absent or has no value.
func (p *planner) text(ctx context.Context, b *block, key string) (string, error) {
	v, _, err := p.param(ctx, b, key)
	if err != nil || elisp.IsNil(v) {
		return "", err
	}
	return elisp.Princ(v), nil
}

// literal is a header argument as text without evaluating Lisp in it: that is
// how blocks are looked at before they are tangled, and how referenced blocks
// are always looked at.
func (p *planner) literal(b *block, key string) string {
	arg, ok := p.argsOf(b).Get(key)
	if !ok || arg.Value == "" {
		return ""
	}
	v, err := elisp.ReadCell(arg.Value, nil)
	if err != nil {
		return arg.Value
	}
	return elisp.Princ(v)
}

// envFor is the environment of Lisp in a block's header arguments.
func (p *planner) envFor(b *block) *elisp.Env {
	env := elisp.FileEnv(p.file, p.opts.Machine.Home)
	m := p.opts.Machine
	if m.OS != "" {
		env.Vars["system-type"] = elisp.Symbol(systemType(m.OS))
	}
	env.Vars["window-system"] = elisp.Nil
	if m.Home != "" {
		env.Vars["user-emacs-directory"] = elisp.String("~/.emacs.d/")
	}
	for name, fact := range map[elisp.Symbol]string{"system-name": m.Host, "user-login-name": m.User} {
		if fact != "" {
			env.Funcs[name] = func([]elisp.Value) (elisp.Value, error) { return elisp.String(fact), nil }
		}
	}
	env.Funcs["org-entry-get"] = func(args []elisp.Value) (elisp.Value, error) {
		name, ok := elisp.Value(elisp.Nil), len(args) >= 2
		if ok {
			name = args[1]
		}
		property, isText := name.(elisp.String)
		if !isText {
			return nil, errEntryGet
		}
		inherit := len(args) > 2 && !elisp.IsNil(args[2])
		if text, found := p.property(b, string(property), inherit); found {
			return elisp.String(text), nil
		}
		return elisp.Nil, nil
	}
	return env
}

var errEntryGet = &elisp.Error{Msg: "org-entry-get takes a position and the name of a property"}

// systemType is Emacs's name for an operating system.
func systemType(goos string) string {
	switch goos {
	case "linux":
		return "gnu/linux"
	case "windows":
		return "windows-nt"
	case "freebsd", "netbsd", "openbsd":
		return "berkeley-unix"
	}
	return goos
}

// property looks a property up in the heading of a block.
func (p *planner) property(b *block, name string, inherit bool) (string, bool) {
	if inherit {
		return p.doc.Property(b.Node, name)
	}
	if h, ok := p.doc.Headline(b.Node); ok {
		return h.Property(name)
	}
	return "", false
}

// langParams resolves everything that a language may write into a body:
// variables, prologue and epilogue and its own arguments.
func (p *planner) langParams(ctx context.Context, b *block) (*babel.Params, error) {
	out := &babel.Params{
		Args:     map[string]elisp.Value{},
		Dir:      p.dir,
		Property: func(name string) (string, bool) { return p.property(b, name, true) },
	}
	args := p.argsOf(b)
	for _, arg := range args {
		if arg.Key == ":var" || planningArgs[arg.Key] {
			continue
		}
		v, err := p.read(ctx, b, arg)
		if err != nil {
			if !lispMatters[arg.Key] {
				continue // some other program's argument
			}
			return nil, err
		}
		out.Args[arg.Key] = v
	}
	out.Results = args.Words(":results")
	for _, arg := range args {
		if arg.Key != ":var" || strings.TrimSpace(arg.Value) == "" {
			continue
		}
		v, err := p.resolveVar(ctx, b, arg)
		if err != nil {
			return nil, err
		}
		out.Vars = append(out.Vars, v)
	}
	if err := disassemble(out); err != nil {
		return nil, p.at.wrap(b.Begin.Start, "", err)
	}
	return out, nil
}

// planningArgs are arguments that no language reads.
var planningArgs = map[string]bool{
	":tangle": true, ":mkdirp": true, ":comments": true, ":padline": true, ":noweb": true, ":noweb-ref": true,
	":noweb-sep": true, ":noweb-prefix": true, ":shebang": true, ":tangle-mode": true, ":no-expand": true,
	":exports": true, ":eval": true, ":cache": true, ":session": true, ":results": true, ":post": true, ":dir": true,
}

// lispMatters are the arguments whose Lisp must be understood for the output
// to be right.
var lispMatters = map[string]bool{
	":prologue": true, ":epilogue": true, ":hlines": true, ":colnames": true, ":rownames": true,
	":includes": true, ":defines": true, ":namespaces": true, ":imports": true, ":main": true, ":usings": true,
	":class": true, ":classname": true, ":ns": true, ":separator": true, ":hline-string": true,
	":set": true, ":line": true, ":title": true, ":xlabels": true, ":ylabels": true, ":timefmt": true,
	":timeind": true, ":missing": true, ":term": true, ":file": true,
}

// disassemble takes column names, row names and rules off the tables among the
// variables, as :colnames, :rownames and :hlines say.
func disassemble(p *babel.Params) error {
	is := func(v elisp.Value, text string) bool { return v == elisp.String(text) }
	colnames, rownames, hlines := argOr(p, ":colnames"), argOr(p, ":rownames"), argOr(p, ":hlines")
	if is(colnames, "nil") { // Org before 9.8.12 takes it for yes
		colnames = elisp.Nil
	}
	for i := range p.Vars {
		v := &p.Vars[i]
		rows, proper := elisp.Items(v.Value)
		if !proper {
			continue
		}
		if !is(colnames, "no") && (!elisp.IsNil(colnames) || hasHeader(rows)) {
			v.ColNames, rows = cutHeader(rows)
		}
		if !elisp.IsNil(rownames) && !is(rownames, "no") {
			if slices.ContainsFunc(rows, func(row elisp.Value) bool { return !isRule(row) && !elisp.IsList(row) }) {
				return fmt.Errorf(":rownames needs a table, but %s is a plain list", v.Name)
			}
			v.RowNames, rows = cutFirstColumn(rows)
		}
		if !elisp.IsNil(hlines) && !is(hlines, "yes") {
			rows = slices.DeleteFunc(slices.Clone(rows), isRule)
		}
		v.Value = elisp.List(rows...)
	}
	return nil
}

func argOr(p *babel.Params, name string) elisp.Value {
	if v, ok := p.Args[name]; ok {
		return v
	}
	return elisp.Nil
}

func isRule(v elisp.Value) bool { return v == elisp.HLine }

// hasHeader reports whether a table has one row, a rule, and no further rule.
func hasHeader(rows []elisp.Value) bool {
	return len(rows) > 1 && !isRule(rows[0]) && isRule(rows[1]) && !slices.ContainsFunc(rows[2:], isRule)
}

// cutHeader takes the first row that is not a rule as names, with the rule
// below it.
func cutHeader(rows []elisp.Value) (names elisp.Value, rest []elisp.Value) {
	for len(rows) > 0 && isRule(rows[0]) {
		rows = rows[1:]
	}
	if len(rows) == 0 {
		return elisp.Nil, nil
	}
	if len(rows) > 1 && isRule(rows[1]) {
		return rows[0], rows[2:]
	}
	return rows[0], rows[1:]
}

// cutFirstColumn takes the first cell off every row; rules go.
func cutFirstColumn(rows []elisp.Value) (names, rest []elisp.Value) {
	for _, row := range rows {
		if isRule(row) {
			continue
		}
		names = append(names, elisp.Car(row))
		rest = append(rest, elisp.Cdr(row))
	}
	return names, rest
}
