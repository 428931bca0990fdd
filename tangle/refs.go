package tangle

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"wb/internal/lazyregexp"
	"wb/internal/value"
	"wb/org"
	"wb/tangle/babel"
	"wb/tangle/elisp"
)

// ErrRun is wrapped by errors for references that need a block to be run when
// nothing can run it.
var ErrRun = errors.New("a block would have to be run")

// ErrReference is wrapped by errors for references to nothing.
var ErrReference = errors.New("reference not found")

// resolveVar finds the value of one :var.
func (p *planner) resolveVar(ctx context.Context, b *block, arg org.Arg) (babel.Var, error) {
	name, text, ok := strings.Cut(arg.Value, "=")
	name, text = strings.TrimSpace(name), strings.TrimSpace(text)
	if !ok || name == "" {
		err := p.at.errorf(arg.At.Start, nil, "variable %q has no value", arg.Value)
		err.Advice = "write :var name=value"
		return babel.Var{}, err
	}
	at := arg.At.Start + strings.Index(arg.Value, "=") + 1
	at += len(p.doc.Source()[at:]) - len(strings.TrimLeft(p.doc.Source()[at:], " \t"))
	v, err := p.readText(ctx, b, text)
	if err != nil {
		return babel.Var{}, p.at.wrap(at, ":var "+name, err)
	}
	if v == elisp.String(text) { // not a literal: a reference
		if v, err = p.resolve(ctx, text); err != nil {
			return babel.Var{}, p.at.wrap(at, ":var "+name, err)
		}
	}
	return babel.Var{Name: name, Value: v}, nil
}

// A reference is NAME, NAME(args), NAME[header](args), FILE:NAME…, each with an
// optional [index] behind it.
var (
	indexed  = lazyregexp.New(`\[([^\[]*)\]$`)
	called   = lazyregexp.New(`^(.+?)(?:\[(.*)\]|())\((.*)\)$`)
	elsewere = lazyregexp.New(`^(.+):(.+)$`)
)

// valueRef is a reference to a value.
type valueRef struct {
	file, name string
	header     string
	args       []string
	index      string // "" for the whole
	body       bool   // name[]: the text of a block, not its result
}

func parseRef(text string) valueRef {
	var r valueRef
	if m := indexed.FindStringSubmatchIndex(text); m != nil &&
		strings.Count(text[:m[0]], "(") == strings.Count(text[:m[0]], ")") {
		r.index = text[m[2]:m[3]]
		r.body = r.index == ""
		text = text[:m[0]]
	}
	if m := called.FindStringSubmatch(text); m != nil {
		text, r.header = m[1], m[2]
		r.args = splitCallArgs(m[4])
	}
	r.name = text
	if m := elsewere.FindStringSubmatch(text); m != nil {
		r.file = m[1]
	}
	return r
}

// splitCallArgs splits at commas outside of quotes and brackets.
func splitCallArgs(text string) []string {
	var args []string
	depth, start, quoted := 0, 0, false
	cut := func(end int) {
		if arg := trim(text[start:end]); arg != "" {
			args = append(args, arg)
		}
		start = end + 1
	}
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"' && (i == 0 || text[i-1] != '\\'):
			quoted = !quoted
		case quoted:
		case c == '(' || c == '[':
			depth++
		case c == ')' || c == ']':
			depth--
		case c == ',' && depth <= 0:
			cut(i)
		}
	}
	cut(len(text))
	return args
}

// resolve finds what a reference stands for. What it finds is remembered, so
// that a block is run once however often it is referred to.
func (p *planner) resolve(ctx context.Context, text string) (elisp.Value, error) {
	if v, ok := p.resolved[text]; ok {
		return v, nil
	}
	r := parseRef(text)
	doc, file := p.doc, p.file
	if r.file != "" {
		other, err := p.otherFile(r.file)
		if err != nil {
			return nil, err
		}
		if other != nil {
			doc, file = other, elisp.Expand(r.file, p.dir, p.opts.Machine.Home)
			r.name = r.name[len(r.file)+1:]
		}
	}
	v, err := p.named(ctx, doc, file, r, text)
	if err != nil {
		return nil, err
	}
	if name, symbol := v.(elisp.Symbol); symbol && name != elisp.Nil {
		v = elisp.String(elisp.Print(name))
	}
	if r.index != "" && elisp.IsList(v) {
		v = element(r.index, v)
	}
	if p.resolved == nil {
		p.resolved = map[string]elisp.Value{}
	}
	p.resolved[text] = v
	return v, nil
}

// otherFile parses the file a reference names; nil when there is none, and
// then the colon belongs to the name.
func (p *planner) otherFile(name string) (*org.Document, error) {
	if !strings.Contains(name, ".") && !strings.Contains(name, "/") {
		return nil, nil
	}
	path := elisp.Expand(name, p.dir, p.opts.Machine.Home)
	if doc, ok := p.others[path]; ok {
		return doc, nil
	}
	if p.opts.ReadFile == nil {
		return nil, fmt.Errorf("references to other files are not read here: %s", name)
	}
	text, err := p.opts.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if p.others == nil {
		p.others = map[string]*org.Document{}
	}
	p.others[path] = readable(org.Parse(text))
	return p.others[path], nil
}

// named reads the element of that name, runs it if it is a block, or returns
// the text below the heading with that ID.
func (p *planner) named(ctx context.Context, doc *org.Document, file string, r valueRef, text string) (elisp.Value, error) {
	for _, n := range p.elementsNamed(doc, r.name) {
		if commented(doc, n) {
			continue
		}
		if n.Kind() == org.KindCall || n.Kind() == org.KindSrcBlock && !r.body {
			return p.run(ctx, Call{File: file, Doc: doc, Node: n, Name: r.name, Args: r.args, Header: r.header}, text)
		}
		if v, ok := readElement(doc, n, p.dir); ok {
			return v, nil
		}
		return nil, fmt.Errorf("%w: %s has no value to read", ErrReference, r.name)
	}
	if h, ok := p.headlineWithID(doc, r.name); ok {
		return elisp.String(bodyOf(h)), nil
	}
	return nil, fmt.Errorf("%w: nothing is named %s", ErrReference, r.name)
}

// elementsNamed lists the elements with a #+NAME, in order.
func (p *planner) elementsNamed(doc *org.Document, name string) []*org.Node {
	index, ok := p.names[doc]
	if !ok {
		index = map[string][]*org.Node{}
		for n := range doc.Nodes(org.KindAffiliated) {
			if k, _ := n.Keyword(); k.Name() == "NAME" {
				element := n.Parent()
				name := element.Name().Text
				if known := index[name]; len(known) == 0 || known[len(known)-1] != element {
					index[name] = append(known, element)
				}
			}
		}
		if p.names == nil {
			p.names = map[*org.Document]map[string][]*org.Node{}
		}
		p.names[doc] = index
	}
	return index[name]
}

func (p *planner) run(ctx context.Context, call Call, text string) (elisp.Value, error) {
	if slices.Contains(p.running, call.Node) {
		return nil, fmt.Errorf("%s needs its own result", text)
	}
	p.running = append(p.running, call.Node)
	defer func() { p.running = p.running[:len(p.running)-1] }()
	if v, ok, err := p.runLisp(ctx, call); ok || err != nil {
		return v, err
	}
	if p.opts.Run == nil {
		return nil, fmt.Errorf("%w: %s", ErrRun, text)
	}
	result, err := p.opts.Run(ctx, call)
	if err != nil {
		return nil, err
	}
	return elisp.FromValue(result), nil
}

// call answers <<name(args)>>.
func (p *planner) call(ctx context.Context, text string) (value.Value, error) {
	v, err := p.resolve(ctx, text)
	if err != nil {
		return value.Nil(), err
	}
	if s, ok := v.(elisp.String); ok {
		return value.OfString(string(s)), nil
	}
	return value.OfString(elisp.Print(v)), nil
}

func commented(doc *org.Document, n *org.Node) bool {
	for h, ok := doc.Headline(n); ok; h, ok = h.Up() {
		if h.Comment {
			return true
		}
	}
	return false
}

// headlineWithID finds the heading whose CUSTOM_ID, or else ID, is id.
func (p *planner) headlineWithID(doc *org.Document, id string) (org.Headline, bool) {
	index, ok := p.ids[doc]
	if !ok {
		index = map[string]org.Headline{}
		for _, property := range []string{"CUSTOM_ID", "ID"} {
			for h := range doc.Headlines() {
				if value, has := h.Property(property); has {
					if _, known := index[value]; !known {
						index[value] = h
					}
				}
			}
		}
		if p.ids == nil {
			p.ids = map[*org.Document]map[string]org.Headline{}
		}
		p.ids[doc] = index
	}
	h, ok := index[id]
	return h, ok
}

// bodyOf is the text below a heading, its drawer and planning line left out,
// sub-headings included.
func bodyOf(h org.Headline) string {
	source := h.Document().Source()
	end := h.End()
	if end < len(source) { // a heading follows: its newline is not ours
		end--
	}
	return source[min(h.Body().Start, end):end]
}

// element indexes a list: "0", "-1", "1:3", "*" or "", one for each dimension.
func element(index string, v elisp.Value) elisp.Value {
	if index == "" {
		return v
	}
	portion, rest, _ := strings.Cut(index, ",")
	items, _ := elisp.Items(v)
	var chosen []elisp.Value
	for _, at := range babel.Places(portion, len(items)) {
		var item elisp.Value = elisp.Nil
		if at < len(items) {
			item = items[at]
		}
		chosen = append(chosen, item)
	}
	for i, item := range chosen {
		if elisp.IsList(item) {
			chosen[i] = element(rest, item)
		}
	}
	if len(chosen) == 1 {
		return chosen[0]
	}
	return elisp.List(chosen...)
}
