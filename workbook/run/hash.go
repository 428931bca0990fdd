package run

import (
	"crypto/sha1"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"

	"wb/internal/trace"
	"wb/internal/value"
	"wb/org"
	"wb/tangle/babel"
	"wb/tangle/elisp"
)

// emacsHash is the hash that org-babel writes in #+RESULTS[hash]: for a block
// with :cache yes (org-babel-sha1-hash), so that Emacs takes results of ours
// for fresh and we take its. It covers all header arguments in Lisp notation,
// sorted by name, and the body with variables, prologue and epilogue.
func (p *program) emacsHash() (string, error) {
	params := p.lispParams()
	expanded, err := babel.Expand(p.src.Lang, p.src.Body, &params)
	if err != nil {
		return "", err
	}
	sum := sha1.Sum([]byte(strings.Join(p.hashedArgs(), ":") + "-" + expanded))
	return hex.EncodeToString(sum[:]), nil
}

// lispParams are the header arguments as the languages of org-babel take them.
func (p *program) lispParams() babel.Params {
	params := babel.Params{Args: map[string]elisp.Value{}, Results: p.words}
	for _, a := range p.args.Args {
		if a.Key != ":var" {
			params.Args[a.Key] = lispArg(a)
		}
	}
	for _, v := range p.vars {
		params.Vars = append(params.Vars, babel.Var{Name: v.name, Value: elisp.FromValue(v.value),
			ColNames: v.lispColNames(), RowNames: lispItems(v.rowNames)})
	}
	return params
}

// lispColNames are the column names as a list; those of a plain list are its
// first item alone.
func (v variable) lispColNames() elisp.Value {
	switch {
	case v.colNames == nil:
		return nil
	case v.flat:
		return elisp.FromValue(v.colNames[0])
	}
	return elisp.List(lispItems(v.colNames)...)
}

func lispItems(values []value.Value) []elisp.Value {
	var items []elisp.Value
	for _, v := range values {
		items = append(items, elisp.FromValue(v))
	}
	return items
}

// lispArg is the value that org-babel reads from a header argument.
func lispArg(a org.Arg) elisp.Value {
	if a.Value == "" {
		return elisp.Nil
	}
	v, err := elisp.ReadCell(a.Value, &elisp.Env{})
	if err != nil {
		return elisp.String(a.Value)
	}
	return v
}

// unhashedWords are words of :results that do not change what a block gives.
var unhashedWords = []string{"replace", "silent", "none", "discard", "append", "prepend"}

// hashedArgs prints every header argument that has a value, in order of their
// names, with those that org-babel derives.
func (p *program) hashedArgs() []string {
	type entry struct{ name, text string }
	var entries []entry
	add := func(name string, v elisp.Value) {
		if !elisp.IsNil(v) && v != elisp.String("") {
			entries = append(entries, entry{name, elisp.Print(v)})
		}
	}
	for _, a := range p.args.Args {
		switch a.Key {
		case ":var", ":results":
		case ":file":
			add(a.Key, p.lispFile())
		case ":exports":
			entries = append(entries, entry{a.Key, elisp.Print(elisp.String(sortedWords(strings.Fields(a.Value))))})
		default:
			add(a.Key, lispArg(a))
		}
	}
	if _, ok := p.args.Get(":file"); !ok {
		add(":file", p.lispFile())
	}
	var colNames, rowNames []elisp.Value
	for _, v := range p.vars {
		if v.colNames != nil {
			colNames = append(colNames, &elisp.Cons{Car: elisp.Symbol(v.name), Cdr: v.lispColNames()})
		}
		if v.rowNames != nil {
			rowNames = append(rowNames, &elisp.Cons{Car: elisp.Symbol(v.name), Cdr: elisp.List(lispItems(v.rowNames)...)})
		}
	}
	add(":colname-names", elisp.List(colNames...))
	add(":rowname-names", elisp.List(rowNames...))
	words := slices.DeleteFunc(slices.Clone([]string(p.words)), func(w string) bool { return slices.Contains(unhashedWords, w) })
	slices.Sort(words)
	var list []elisp.Value
	for _, w := range words {
		list = append(list, elisp.String(w))
	}
	add(":result-params", elisp.List(list...))
	kind := elisp.Symbol("value")
	if p.words.Has("output") {
		kind = "output"
	}
	add(":result-type", kind)
	entries = append(entries, entry{":results", elisp.Print(elisp.String(sortedWords(words)))})
	for _, v := range p.vars {
		entries = append(entries, entry{":var", elisp.Print(&elisp.Cons{Car: elisp.Symbol(v.name), Cdr: elisp.FromValue(v.value)})})
	}
	slices.SortStableFunc(entries, func(a, b entry) int { return strings.Compare(a.name, b.name) })
	texts := make([]string, len(entries))
	for i, e := range entries {
		texts[i] = e.text
	}
	return texts
}

// lispFile is the file a block's result goes to as org-babel notes it among the
// header arguments (org-babel-generate-file-param).
func (p *program) lispFile() elisp.Value {
	file, ok := p.args.Get(":file")
	name := lispArg(file)
	if ext, has := p.args.Get(":file-ext"); !ok {
		if !has || p.code.Name == "" {
			return elisp.Nil
		}
		name = elisp.String(p.code.Name + "." + elisp.Princ(lispArg(ext)))
	}
	if dir, has := p.args.Get(":output-dir"); has && dir.Value != "" {
		name = elisp.String(strings.TrimSuffix(elisp.Princ(lispArg(dir)), "/") + "/" + elisp.Princ(name))
	}
	return name
}

func sortedWords(words []string) string {
	words = slices.DeleteFunc(slices.Clone(words), func(w string) bool { return slices.Contains(unhashedWords, w) })
	slices.Sort(words)
	return strings.Join(words, " ")
}

// digest computes what the outcome of p depends on.
func (p *program) digest() {
	src := *p.src
	src.Vars = nil
	d := &Digests{Inputs: map[string]string{}, Toolchain: p.lane.Fingerprint(), Profile: p.profile, Caps: p.caps}
	d.Source = src.Key("")
	if p.job.Dir != "" {
		d.Source = trace.Digest([]byte(d.Source + "\n" + p.job.Dir))
	}
	for _, v := range p.src.Vars {
		digest := v.Value.Digest()
		if v.ColNames != nil || v.RowNames != nil {
			names, err := json.Marshal([][]string{v.ColNames, v.RowNames})
			if err == nil {
				digest = trace.Digest(append([]byte(digest), names...))
			}
		}
		d.Inputs[v.Name] = digest
	}
	for _, in := range p.job.Inputs {
		d.Inputs[in.Name] = in.Value.Digest()
	}
	if len(p.job.Args) > 0 {
		d.Inputs["$@"] = trace.Digest([]byte(strings.Join(p.job.Args, "\x00")))
	}
	if len(p.job.Stdin) > 0 {
		d.Inputs["stdin"] = trace.Digest(p.job.Stdin)
	}
	p.digests = d
}
