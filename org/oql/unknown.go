package oql

import (
	"fmt"
	"slices"
	"strings"

	"wb/internal/nearest"
)

// noteUnknown remarks on columns that no row has: every property is a column,
// so a misspelt name is not an error, but it should not go unnoticed either. The
// condition is looked at only when nothing was found.
func (r *Result) noteUnknown(q *Query, corpus *Corpus) {
	if r.Read == 0 {
		return
	}
	var asked []string
	ask := func(name string) {
		if name != "" && !slices.Contains(asked, name) && !slices.Contains(r.made, name) {
			asked = append(asked, name)
		}
	}
	for _, c := range slices.Concat(q.Group, q.Select) {
		ask(c.Field)
	}
	for _, o := range slices.Concat(q.Before, q.Sort) {
		ask(o.Column)
	}
	if len(r.Rows) == 0 || r.nothing {
		walk(q.Where, func(e Expr) {
			switch e := e.(type) {
			case *Compare:
				if e.Pos != (Pos{}) { // others nobody has written
					ask(e.Field)
				}
			case *Call:
				if e.Name == "property" && len(e.Args) > 0 && !isSpecialProperty(strings.ToUpper(e.Args[0].Text)) {
					ask(e.Args[0].Text)
				}
			}
		})
	}
	if r.nothing && r.Kind == "headlines" {
		r.noteKeywords(q, corpus)
	}
	for _, name := range asked {
		if isColumn(name) && r.Kind == "headlines" || slices.Contains(defaultColumns[r.Kind], strings.ToLower(name)) || corpus.has(name) {
			continue
		}
		note := "no row has a column or property " + name
		if stage := strings.ToLower(name); slices.Contains(stages, stage) {
			note += fmt.Sprintf(" (a stage begins with a bar: | %s …)", stage)
		} else if near := nearest.Word(name, corpus.columns(r.Kind)); near != "" {
			note += fmt.Sprintf(" (did you mean %s?)", near)
		}
		r.Notes = append(r.Notes, note)
	}
}

// noteKeywords remarks on keywords that neither a file nor a setting declares: many
// people declare theirs in Emacs's configuration alone.
func (r *Result) noteKeywords(q *Query, corpus *Corpus) {
	var words []string
	walk(q.Where, func(e Expr) {
		switch e := e.(type) {
		case *Call:
			if e.Name == "todo" {
				words = append(words, texts(e.Args)...)
			}
		case *Compare:
			if e.Op == "=" && (strings.EqualFold(e.Field, "state") || strings.EqualFold(e.Field, "todo")) {
				words = append(words, e.Value.Text)
			}
		}
	})
	var declared []string
	for _, f := range corpus.Files {
		declared = slices.Concat(declared, f.Todo, f.DoneKey)
	}
	slices.Sort(declared)
	declared = slices.Compact(declared)
	for _, w := range words {
		if w == "" || slices.Contains(declared, w) {
			continue
		}
		note := fmt.Sprintf("no file declares the keyword %s: write #+TODO: TODO %s | DONE into those that use it, "+
			"or set it for all with org.todo or org.init in wb/wb.toml of your configuration directory", w, w)
		if near := nearest.Word(w, declared); near != "" {
			note = fmt.Sprintf("no file declares the keyword %s (did you mean %s?)", w, near)
		}
		r.Notes = append(r.Notes, note)
	}
}

// walk shows every expression within e, e itself first.
func walk(e Expr, show func(Expr)) {
	if e == nil {
		return
	}
	show(e)
	switch e := e.(type) {
	case *And:
		for _, a := range e.Args {
			walk(a, show)
		}
	case *Or:
		for _, a := range e.Args {
			walk(a, show)
		}
	case *Not:
		walk(e.Arg, show)
	case *Call:
		walk(e.Query, show)
	}
}

// has reports whether some row has a column. Indexed files answer by the names
// they hold, which may include those of tags.
func (c *Corpus) has(name string) bool {
	upper := strings.ToUpper(name)
	return slices.ContainsFunc(c.Files, func(f *File) bool {
		switch {
		case f.log != nil && f.log.columns[upper] != nil, slices.ContainsFunc(f.Columns, func(s string) bool { return strings.EqualFold(s, name) }):
			return true
		case f.packed != nil:
			return slices.Contains(f.packed.names, upper)
		case f.log != nil:
			return isColumn(name)
		}
		for i := range f.Entries {
			if _, ok := f.Field(i, name); ok {
				return true
			}
		}
		return false
	})
}

// columns are the names that rows of a kind go by, properties included. Only
// the first rows of each file are looked at.
func (c *Corpus) columns(kind string) []string {
	const rows = 1000
	seen := map[string]bool{}
	for _, name := range slices.Concat(defaultColumns[kind], headlineColumns, otherColumns) {
		seen[name] = true
	}
	for _, f := range c.Files {
		for _, name := range f.Columns {
			seen[name] = true
		}
		if f.log != nil {
			for name := range f.log.columns {
				seen[strings.ToLower(name)] = true
			}
			continue
		}
		for i := range min(f.Len(), rows) {
			for _, p := range f.At(i).Props {
				seen[strings.ToLower(p.Name)] = true
			}
		}
	}
	names := make([]string, 0, len(seen))
	for name := range seen {
		names = append(names, name)
	}
	return names
}
