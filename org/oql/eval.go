package oql

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"wb/org"
)

// test decides about entry i of file f.
type test func(f *File, i int) bool

// compiler turns conditions into tests. Regexps, dates and names are worked
// out once, before the first row.
type compiler struct {
	now time.Time // naive local time
	// text scores full-text words; nil when the query has none.
	text func(words []string) func(f *File, i int) (float64, bool)
	// field reads any column of a row, for comparisons.
	score map[rowID]float64
}

type rowID struct {
	file *File
	row  int
}

func (c *compiler) compile(e Expr) (test, error) {
	switch e := e.(type) {
	case nil:
		return func(*File, int) bool { return true }, nil
	case *And:
		return c.all(e.Args)
	case *Or:
		return c.any(e.Args)
	case *Not:
		inner, err := c.compile(e.Arg)
		return func(f *File, i int) bool { return !inner(f, i) }, err
	case *Compare:
		return c.compare(e)
	case *Call:
		return c.call(e)
	}
	return nil, fmt.Errorf("unknown condition %T", e)
}

func (c *compiler) each(args []Expr) ([]test, error) {
	tests := make([]test, len(args))
	for i, a := range args {
		t, err := c.compile(a)
		if err != nil {
			return nil, err
		}
		tests[i] = t
	}
	return tests, nil
}

func (c *compiler) all(args []Expr) (test, error) {
	tests, err := c.each(args)
	return func(f *File, i int) bool {
		for _, t := range tests {
			if !t(f, i) {
				return false
			}
		}
		return true
	}, err
}

func (c *compiler) any(args []Expr) (test, error) {
	tests, err := c.each(args)
	return func(f *File, i int) bool {
		for _, t := range tests {
			if t(f, i) {
				return true
			}
		}
		return false
	}, err
}

// onEntry lifts a test of a lone entry.
func onEntry(t func(*Entry) bool) test {
	return func(f *File, i int) bool { return t(f.At(i)) }
}

func texts(args []Arg) []string {
	out := make([]string, len(args))
	for i, a := range args {
		out[i] = a.Text
	}
	return out
}

func (c *compiler) call(e *Call) (test, error) {
	words := texts(e.Args)
	switch e.Name {
	case "todo":
		return onEntry(func(h *Entry) bool {
			if len(words) == 0 {
				return h.State != "" && !h.Done
			}
			return slices.Contains(words, h.State)
		}), nil
	case "done":
		return onEntry(func(h *Entry) bool { return h.Done }), nil
	case "habit":
		return onEntry(func(h *Entry) bool { v, _ := h.Prop("STYLE"); return v == "habit" }), nil
	case "blocked":
		return blocked, nil
	case "category":
		return onEntry(func(h *Entry) bool { return len(words) == 0 || slices.Contains(words, h.Category) }), nil
	case "heading":
		return foldAll(words, func(f *File, i int) string { return f.At(i).Heading }), nil
	case "heading-regexp":
		return c.regexpAll(e.Args, func(f *File, i int) string { return f.At(i).Heading })
	case "regexp":
		return c.regexpAll(e.Args, func(f *File, i int) string { return f.At(i).Text })
	case "rifle":
		return rifle(words), nil
	case "outline-path":
		return olpTest(words, false), nil
	case "outline-path-segment":
		return olpTest(words, true), nil
	case "path":
		return pathTest(e.Args)
	case "level":
		return c.level(e)
	case "priority":
		return priorityTest(e)
	case "effort":
		return effortTest(e)
	case "property":
		return propertyTest(e), nil
	case "link":
		return linkTest(e)
	case "src":
		return srcTest(e)
	case "tags", "tags-all", "tags-inherited", "tags-local":
		return tagsTest(e.Name, words), nil
	case "tags-regexp":
		return tagsRegexp(e.Args)
	case "ancestors", "children", "descendants", "parent":
		return c.structure(e)
	case "text":
		return c.fullText(words)
	}
	return c.timeTest(e)
}

// foldAll holds when every word is in the text, ignoring case.
func foldAll(words []string, text func(*File, int) string) test {
	find := finders(words)
	return func(f *File, i int) bool { return find.all(text(f, i)) }
}

func regexps(args []Arg) ([]*Regexp, error) {
	res := make([]*Regexp, len(args))
	for i, a := range args {
		re, err := CompileRegexp(a.Text)
		if err != nil {
			return nil, errorf(a.Pos, escapeTip, "regexp %q: %v", a.Text, err)
		}
		res[i] = re
	}
	return res, nil
}

func (c *compiler) regexpAll(args []Arg, text func(*File, int) string) (test, error) {
	res, err := regexps(args)
	list := matchers(res)
	return func(f *File, i int) bool {
		s := text(f, i)
		return allIn(list, s, strings.ContainsAny(s, oddFolds))
	}, err
}

// rifle holds when each word is in the entry or in its outline path.
func rifle(words []string) test {
	find := finders(words)
	return func(f *File, i int) bool {
		for _, w := range find {
			if !w.in(f.At(i).Text) && !slices.ContainsFunc(f.olp(i), w.in) {
				return false
			}
		}
		return true
	}
}

// olpTest matches words against parts of the outline path: each somewhere, or
// as neighbouring parts in order.
func olpTest(words []string, segment bool) test {
	find := finders(words)
	return func(f *File, i int) bool {
		path := f.olp(i)
		if !segment {
			return !slices.ContainsFunc(find, func(w finder) bool { return !slices.ContainsFunc(path, w.in) })
		}
		for start := 0; start+len(find) <= len(path); start++ {
			match := true
			for k, w := range find {
				match = match && w.in(path[start+k])
			}
			if match {
				return true
			}
		}
		return false
	}
}

func pathTest(args []Arg) (test, error) {
	res, err := regexps(args)
	return func(f *File, _ int) bool {
		if len(res) == 0 {
			return f.Path != ""
		}
		return slices.ContainsFunc(res, func(re *Regexp) bool { return re.MatchString(f.Path) })
	}, err
}

func propertyTest(e *Call) test {
	name := strings.ToUpper(e.Args[0].Text)
	inherit := false
	if a, ok := e.Keyword("inherit"); ok {
		inherit = a.Text != "nil"
	}
	return func(f *File, i int) bool {
		var got string
		var ok bool
		if inherit {
			got, ok = f.inherited(i, name)
		} else {
			got, ok = specialOrOwn(f, i, name)
		}
		return ok && (len(e.Args) == 1 || isNil(e.Args[1]) || got == e.Args[1].Text)
	}
}

// isNil reports whether an argument is Lisp's nil: none.
func isNil(a Arg) bool { return a.Kind == ArgSymbol && a.Text == "nil" }

// isSpecialProperty reports whether org computes the property instead of
// reading it from the drawer.
func isSpecialProperty(name string) bool {
	switch name {
	case "ITEM", "TODO", "PRIORITY", "CATEGORY", "FILE", "TAGS", "ALLTAGS",
		"SCHEDULED", "DEADLINE", "CLOSED", "TIMESTAMP", "TIMESTAMP_IA":
		return true
	}
	return false
}

// specialOrOwn answers the special properties of org-entry-get, then the drawer.
func specialOrOwn(f *File, i int, name string) (string, bool) {
	h := f.At(i)
	switch name {
	case "ITEM":
		return h.Title, true
	case "TODO":
		return h.State, h.State != ""
	case "PRIORITY":
		return string(rune(h.Priority)), h.Priority != 0
	case "CATEGORY":
		return h.Category, h.Category != ""
	case "FILE":
		return f.Path, f.Path != ""
	case "TAGS":
		return colonTags(h.Tags), len(h.Tags) > 0
	case "ALLTAGS":
		all := append(slices.Clone(h.Inherited), h.Tags...)
		return colonTags(all), len(all) > 0
	case "SCHEDULED", "DEADLINE", "CLOSED":
		return plannedText(h, name)
	case "TIMESTAMP", "TIMESTAMP_IA":
		return stampText(h, name == "TIMESTAMP")
	}
	return h.Prop(name)
}

func colonTags(tags []string) string {
	if len(tags) == 0 {
		return ""
	}
	return ":" + strings.Join(tags, ":") + ":"
}

func tagsTest(name string, words []string) test {
	return onEntry(func(h *Entry) bool { return tagsHold(name, words, h.Tags, h.Inherited) })
}

// tagsHold decides about an entry's own and its inherited tags.
func tagsHold(name string, words, own, inherited []string) bool {
	has := func(tag string) bool {
		return name != "tags-inherited" && slices.Contains(own, tag) ||
			name != "tags-local" && slices.Contains(inherited, tag)
	}
	switch {
	case name == "tags-all":
		return !slices.ContainsFunc(words, func(w string) bool { return !has(w) })
	case len(words) > 0:
		return slices.ContainsFunc(words, has)
	}
	return name != "tags-inherited" && len(own) > 0 || name != "tags-local" && len(inherited) > 0
}

func tagsRegexp(args []Arg) (test, error) {
	if len(args) == 0 {
		return tagsTest("tags", nil), nil
	}
	res, err := regexps(args)
	return onEntry(func(h *Entry) bool {
		for _, re := range res {
			if slices.ContainsFunc(h.Tags, re.MatchString) || slices.ContainsFunc(h.Inherited, re.MatchString) {
				return true
			}
		}
		return false
	}), err
}

// structure tests relatives of an entry.
func (c *compiler) structure(e *Call) (test, error) {
	inner, err := c.compile(e.Query)
	if err != nil {
		return nil, err
	}
	switch e.Name {
	case "parent":
		return func(f *File, i int) bool {
			p := f.At(i).Parent
			return p >= 0 && inner(f, p)
		}, nil
	case "ancestors":
		return func(f *File, i int) bool {
			for p := f.At(i).Parent; p >= 0; p = f.At(p).Parent {
				if inner(f, p) {
					return true
				}
			}
			return false
		}, nil
	case "children":
		return func(f *File, i int) bool {
			for k := i + 1; k < f.At(i).End; k = f.At(k).End {
				if inner(f, k) {
					return true
				}
			}
			return false
		}, nil
	}
	return func(f *File, i int) bool {
		for k := i + 1; k < f.At(i).End; k++ {
			if inner(f, k) {
				return true
			}
		}
		return false
	}, nil
}

// fullText matches words by the index and remembers each row's score.
func (c *compiler) fullText(words []string) (test, error) {
	if c.text == nil {
		return nil, fmt.Errorf("no full-text search is available here")
	}
	score := c.text(words)
	return func(f *File, i int) bool {
		s, ok := score(f, i)
		if ok {
			c.score[rowID{f, i}] += s
		}
		return ok
	}, nil
}

// blocked is org's own rule with dependencies enforced, and BLOCKER's: an open
// task is blocked by an open task below it, by one before it below an ORDERED
// parent (also of an ancestor, as long as all between are open tasks), or by an
// id in BLOCKER that is not done.
func blocked(f *File, i int) bool {
	open := func(k int) bool { return f.At(k).State != "" && !f.At(k).Done }
	if !open(i) {
		return false
	}
	for k := i + 1; k < f.At(i).End; k++ {
		if open(k) {
			return true
		}
	}
	if ids, ok := f.At(i).Prop("BLOCKER"); ok && blockedByID(f, ids) {
		return true
	}
	for k := i; f.At(k).Parent >= 0; {
		p := f.At(k).Parent
		if ordered, ok := f.At(p).Prop("ORDERED"); ok && ordered != "nil" {
			for s := p + 1; s < k; s++ {
				if open(s) {
					return true
				}
			}
		}
		if !open(p) {
			return false
		}
		k = p
	}
	return false
}

func blockedByID(f *File, ids string) bool {
	for _, id := range org.Blockers(ids) {
		for k := range f.Len() {
			if v, ok := f.At(k).Prop("ID"); ok && v == id && !f.At(k).Done {
				return true
			}
		}
	}
	return false
}
