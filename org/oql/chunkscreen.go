package oql

import (
	"slices"
	"strings"
)

// chunkScreen judges rows of logs by their columns. It is what [screen] is for
// packed files.
type chunkScreen func(c *chunk) sieve

func (c *compiler) chunkScreenOf(e Expr) chunkScreen {
	switch e := e.(type) {
	case nil:
		return func(*chunk) sieve { return all }
	case *And:
		return eachChunk(c.chunkScreens(e.Args), allSieves)
	case *Or:
		return eachChunk(c.chunkScreens(e.Args), anySieve)
	case *Not:
		inner := c.chunkScreenOf(e.Arg)
		return func(k *chunk) sieve { return inner(k).not() }
	case *Compare:
		return compareChunk(e)
	case *Call:
		return c.callChunk(e)
	}
	return func(*chunk) sieve { return passes }
}

func (c *compiler) chunkScreens(args []Expr) []chunkScreen {
	out := make([]chunkScreen, len(args))
	for i, a := range args {
		out[i] = c.chunkScreenOf(a)
	}
	return out
}

func eachChunk(list []chunkScreen, join func([]sieve) sieve) chunkScreen {
	return func(k *chunk) sieve {
		sieves := make([]sieve, len(list))
		for i, s := range list {
			sieves[i] = s(k)
		}
		return join(sieves)
	}
}

func (c *compiler) callChunk(e *Call) chunkScreen {
	words := texts(e.Args)
	switch e.Name {
	case "todo", "done", "priority", "blocked", "clocked", "closed", "deadline", "deadline-warning", "scheduled", "planning", "src":
		return func(*chunk) sieve { return nobody } // a log has none of these
	case "level":
		if ok, err := between(e.Args, func(a Arg) (float64, bool) { return parseNumber(a.Text) }); err == nil {
			return func(c *chunk) sieve { return rows(func(i int) bool { return ok(float64(c.level(i))) }) }
		}
	case "tags", "tags-all", "tags-local", "tags-inherited":
		return func(c *chunk) sieve { return tagsChunk(c, e.Name, words) }
	case "property":
		name := strings.ToUpper(words[0])
		if inherit, _ := e.Keyword("inherit"); isSpecialProperty(name) || inherit.Text != "" && inherit.Text != "nil" {
			break
		}
		any := len(words) == 1 || isNil(e.Args[1])
		return func(c *chunk) sieve {
			return c.valueSieve(name, func(text string) bool { return any || words[1] == text })
		}
	case "rifle":
		find := finders(words)
		return textChunk(func(c *chunk, i int) bool {
			for _, w := range find {
				if h := c.run(i); !w.in(c.record(i)) && (h == nil || c.eventsOnly || !w.in(h.title())) {
					return false
				}
			}
			return true
		})
	case "regexp":
		if res, err := regexps(e.Args); err == nil {
			list := matchers(res)
			return textChunk(func(c *chunk, i int) bool {
				text := c.record(i)
				return allIn(list, text, strings.ContainsAny(text, oddFolds))
			})
		}
	case "ts", "ts-active", "ts-inactive":
		if p, err := c.stampPeriod(e); err == nil {
			return textChunk(func(c *chunk, i int) bool { return p.anyIn(c.record(i)) })
		}
	case "heading":
		find := finders(words)
		return textChunk(func(c *chunk, i int) bool { return find.all(c.title(i)) })
	}
	return func(*chunk) sieve { return passes }
}

// textChunk judges rows by their text.
func textChunk(holds func(c *chunk, i int) bool) chunkScreen {
	return func(c *chunk) sieve { return rows(func(i int) bool { return holds(c, i) }) }
}

// tagsChunk decides about each list of tags once, where inherited ones do not
// matter, and row by row where they do.
func tagsChunk(c *chunk, name string, words []string) sieve {
	own := make([]bool, len(c.sets))
	for i, set := range c.sets {
		own[i] = tagsHold(name, words, set, nil)
	}
	if name == "tags-local" {
		return rows(func(i int) bool { return own[c.field(i, rowKind)>>8] })
	}
	// Runs have few headers: ask once for each that follow one another.
	last, lastSet, verdict := ^uint32(0), ^uint32(0), false
	return rows(func(i int) bool {
		set := c.field(i, rowKind) >> 8
		if own[set] && name != "tags-inherited" {
			return true
		}
		if c.level(i) == 1 {
			return own[set]
		}
		if run := c.field(i, rowRun); run != last || set != lastSet {
			last, lastSet, verdict = run, set, tagsHold(name, words, c.sets[set], c.inherited(i))
		}
		return verdict
	})
}

func compareChunk(e *Compare) chunkScreen {
	name := strings.ToUpper(e.Field)
	holds, err := comparison(e)
	switch {
	case err != nil:
		return func(*chunk) sieve { return passes }
	case name == "BODY":
		return textChunk(func(c *chunk, i int) bool { return holds(c.body(i)) })
	case name == "TITLE" || name == "HEADING":
		return textChunk(func(c *chunk, i int) bool { return holds(c.title(i)) })
	case name == "KIND":
		return func(c *chunk) sieve {
			ok := make([]bool, len(c.sets))
			for i, set := range c.sets {
				ok[i] = holds(set[0])
			}
			return rows(func(i int) bool { return ok[c.field(i, rowKind)>>8] })
		}
	case isColumn(e.Field):
		return func(*chunk) sieve { return passes }
	}
	return func(c *chunk) sieve { return c.valueSieve(name, holds) }
}

// valueSieve passes rows whose property has a value that holds. Each word of a
// dictionary is judged once.
func (c *chunk) valueSieve(name string, holds func(string) bool) sieve {
	k := c.columns[name]
	if k == nil {
		return nobody
	}
	if k.form != columnWords {
		return rows(func(i int) bool { text, ok := c.prop(i, name); return ok && holds(text) })
	}
	words := k.dictionary(c.n)
	verdict := make([]bool, len(words)+1)
	for i, w := range words {
		verdict[i+1] = holds(w)
	}
	if !slices.Contains(verdict, true) {
		return nobody
	}
	return rows(func(i int) bool { return verdict[k.id(i)] })
}
