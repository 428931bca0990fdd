package oql

import (
	"slices"
	"strings"
)

// A screen looks at packed rows before they are decoded. For one file it gives
// a sieve, which says of each row that it cannot match, or that it may; an
// exact sieve says that it does. What a screen cannot judge passes.
type screen func(p *packed) sieve

// flagged passes the rows that have one of the flags.
func flagged(flags uint32, exact bool) screen {
	return func(p *packed) sieve {
		return sieve{row: func(i int) bool { return p.field(i, recFlags)&flags != 0 }, exact: exact}
	}
}

// screenOf finds the screen of a condition; a nil condition is always true.
func (c *compiler) screenOf(e Expr) screen {
	switch e := e.(type) {
	case nil:
		return func(*packed) sieve { return all }
	case *And:
		return eachFile(c.screens(e.Args), allSieves)
	case *Or:
		return eachFile(c.screens(e.Args), anySieve)
	case *Not:
		inner := c.screenOf(e.Arg)
		return func(p *packed) sieve { return inner(p).not() }
	case *Compare:
		return compareScreen(e)
	case *Call:
		return c.callScreen(e)
	}
	return func(*packed) sieve { return passes }
}

func (c *compiler) screens(args []Expr) []screen {
	out := make([]screen, len(args))
	for i, a := range args {
		out[i] = c.screenOf(a)
	}
	return out
}

// eachFile binds screens to a file and joins their sieves.
func eachFile(list []screen, join func([]sieve) sieve) screen {
	return func(p *packed) sieve {
		sieves := make([]sieve, len(list))
		for i, s := range list {
			sieves[i] = s(p)
		}
		return join(sieves)
	}
}

// callScreen finds the screen of a predicate.
func (c *compiler) callScreen(e *Call) screen {
	words := texts(e.Args)
	switch e.Name {
	case "todo":
		return todoScreen(words)
	case "done":
		return flagged(flagDone, true)
	case "category":
		if len(words) == 0 {
			return func(*packed) sieve { return all }
		}
		return nameScreen(recCategory, words)
	case "level":
		if ok, err := between(e.Args, func(a Arg) (float64, bool) { return parseNumber(a.Text) }); err == nil {
			return func(p *packed) sieve {
				return rows(func(i int) bool { return ok(float64(p.field(i, recLevel))) })
			}
		}
	case "priority":
		return func(p *packed) sieve {
			return suspects(func(i int) bool { return p.field(i, recFlags)>>24 != 0 })
		}
	case "heading":
		return headingScreen(words)
	case "heading-regexp":
		return headingRegexpScreen(e.Args)
	case "regexp":
		return regexpScreen(e.Args)
	case "rifle":
		return rifleScreen(words)
	case "tags", "tags-all", "tags-inherited", "tags-local":
		return tagsScreen(e.Name, words)
	case "outline-path", "outline-path-segment":
		return fileHasWords(words)
	case "property":
		return propertyScreen(e)
	case "habit":
		return hasName("STYLE", flagProps)
	case "effort":
		return hasName("EFFORT", flagProps)
	case "link":
		return flagged(flagLink, false)
	case "src":
		return flagged(flagBlock, false)
	case "blocked":
		return todoScreen(nil).confirm()
	case "parent", "ancestors", "children", "descendants":
		return c.kinScreen(e)
	}
	return timeScreen(e)
}

// confirm makes a screen's verdict one that has to be confirmed.
func (s screen) confirm() screen {
	return func(p *packed) sieve { v := s(p); v.exact = v.none; return v }
}

func todoScreen(words []string) screen {
	if len(words) > 0 {
		return nameScreen(recState, words)
	}
	return func(p *packed) sieve {
		return rows(func(i int) bool { return p.field(i, recState) != 0 && p.field(i, recFlags)&flagDone == 0 })
	}
}

// nameScreen passes rows whose field names one of the words.
func nameScreen(field int, words []string) screen {
	return func(p *packed) sieve {
		var ids []uint32
		for i, n := range p.names {
			if n != "" && slices.Contains(words, n) {
				ids = append(ids, uint32(i))
			}
		}
		if len(ids) == 0 {
			return nobody
		}
		return rows(func(i int) bool { return slices.Contains(ids, p.field(i, field)) })
	}
}

// tagsScreen decides about each list of tags once.
func tagsScreen(name string, words []string) screen {
	return func(p *packed) sieve {
		if len(words) > 0 && !slices.ContainsFunc(words, func(w string) bool { return slices.Contains(p.names, w) }) {
			return nobody
		}
		return rows(func(i int) bool {
			own, inherited := p.set(p.field(i, recTags)), p.set(p.field(i, recInherited))
			return tagsHold(name, words, own, inherited)
		})
	}
}

func headingScreen(words []string) screen {
	find := finders(words)
	return func(p *packed) sieve {
		if !find.all(p.heap) { // some heading is put together, in the heap behind the text
			return nobody
		}
		return rows(func(i int) bool { return find.all(p.heading(i)) })
	}
}

func headingRegexpScreen(args []Arg) screen {
	res, err := regexps(args)
	if err != nil {
		return func(*packed) sieve { return passes }
	}
	list := matchers(res)
	find := literals(list)
	return func(p *packed) sieve {
		if !p.odd && !find.all(p.heap) {
			return nobody
		}
		return rows(func(i int) bool { return allIn(list, p.heading(i), p.odd) })
	}
}

func regexpScreen(args []Arg) screen {
	res, err := regexps(args)
	if err != nil {
		return func(*packed) sieve { return passes }
	}
	list := matchers(res)
	find := literals(list)
	return func(p *packed) sieve {
		if !p.odd && !find.all(p.heap[:p.text]) {
			return nobody
		}
		return rows(func(i int) bool { return allIn(list, p.entryText(i), p.odd) })
	}
}

// rifleScreen: every word that is found in an entry or above it is in the file.
func rifleScreen(words []string) screen {
	find := finders(words)
	return func(p *packed) sieve {
		if !find.all(p.heap[:p.text]) {
			return nobody
		}
		return rows(func(i int) bool {
			text := p.entryText(i)
			for _, f := range find {
				if f.in(text) {
					continue
				}
				above := int(p.field(i, recParent)) - 1
				for above >= 0 && !f.in(p.title(above)) {
					above = int(p.field(above, recParent)) - 1
				}
				if above < 0 {
					return false
				}
			}
			return true
		})
	}
}

func fileHasWords(words []string) screen {
	find := finders(words)
	return func(p *packed) sieve {
		if !find.all(p.heap[:p.text]) {
			return nobody
		}
		return passes
	}
}

// hasName passes rows with one of the flags, in files that know the name.
func hasName(name string, flags uint32) screen {
	return func(p *packed) sieve {
		if !slices.Contains(p.names, name) {
			return nobody
		}
		return flagged(flags, false)(p)
	}
}

func propertyScreen(e *Call) screen {
	name := strings.ToUpper(e.Args[0].Text)
	inherit, _ := e.Keyword("inherit")
	switch {
	case name == "SCHEDULED":
		return flagged(flagScheduled, false)
	case name == "DEADLINE":
		return flagged(flagDeadline, false)
	case name == "CLOSED":
		return flagged(flagClosed, false)
	case isSpecialProperty(name):
		return func(*packed) sieve { return passes }
	case inherit.Text != "" && inherit.Text != "nil":
		return func(p *packed) sieve {
			if !slices.Contains(p.names, name) {
				return nobody
			}
			return passes
		}
	}
	return func(p *packed) sieve {
		id := slices.Index(p.names, name)
		if id < 0 {
			return nobody
		}
		return suspects(func(i int) bool { _, ok := p.prop(i, id); return ok })
	}
}

// prop looks a property up in the details of row i.
func (p *packed) prop(i, id int) (string, bool) {
	if p.field(i, recFlags)&flagProps == 0 {
		return "", false
	}
	d := decoder{p: p, at: int(headWord(p.data, headDetails) + p.field(i, recDetails))}
	for range d.num() {
		name := d.num()
		if name == id {
			return d.text(), true
		}
		d.num()
		d.num()
	}
	return "", false
}

// compareScreen lets rows pass that have the property which is compared.
func compareScreen(e *Compare) screen {
	name := strings.ToUpper(e.Field)
	if knownField(name) || isColumn(e.Field) {
		return func(*packed) sieve { return passes }
	}
	return func(p *packed) sieve {
		id := slices.Index(p.names, name)
		if id < 0 {
			return nobody
		}
		return suspects(func(i int) bool { _, ok := p.prop(i, id); return ok })
	}
}

func isColumn(name string) bool {
	name = strings.ToLower(name)
	return slices.Contains(headlineColumns, name) || slices.Contains(otherColumns, name)
}

func timeScreen(e *Call) screen {
	switch e.Name {
	case "ts":
		return flagged(flagActive|flagInactive, false)
	case "ts-active":
		return flagged(flagActive, false)
	case "ts-inactive":
		return flagged(flagInactive, false)
	case "clocked":
		return flagged(flagClock, false)
	case "closed":
		return flagged(flagClosed, false)
	case "deadline", "deadline-warning":
		return flagged(flagDeadline, false)
	case "scheduled":
		return flagged(flagScheduled, false)
	case "planning":
		return flagged(flagScheduled|flagDeadline|flagClosed, false)
	}
	return func(*packed) sieve { return passes }
}

// kinScreen leaves out files where no row is the relative asked for.
func (c *compiler) kinScreen(e *Call) screen {
	inner := c.screenOf(e.Query)
	upward := e.Name == "parent" || e.Name == "ancestors"
	return func(p *packed) sieve {
		v := inner(p)
		if v.none {
			return nobody
		}
		switch {
		case upward:
			return suspects(func(i int) bool {
				for k := int(p.field(i, recParent)) - 1; k >= 0; k = int(p.field(k, recParent)) - 1 {
					if v.row == nil || v.row(k) {
						return true
					}
					if e.Name == "parent" {
						return false
					}
				}
				return false
			})
		}
		return suspects(func(i int) bool { return int(p.field(i, recEnd)) > i+1 })
	}
}
