package oql

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"wb/internal/test/corpus"
)

// oracleQueries is how many queries Emacs is asked.
const oracleQueries = 700

// Every predicate, every one of its names and every one of its keywords is in
// the queries that [TestOracle] puts to Emacs.
func TestOracleAsksEverything(t *testing.T) {
	dir := notes(t, corpus.Size{Files: 12, Headlines: 500, Bytes: 250_000, Seed: 3})
	c, err := ReadPaths(context.Background(), []string{dir}, nil)
	if err != nil {
		t.Fatal(err)
	}
	all := newQueries(c, 20261121).all(oracleQueries, 8*leafCount)
	asked := map[string]int{}
	for _, text := range all {
		q, err := Parse(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		predicates := map[string]bool{}
		notePredicates(q.Where, predicates)
		for name := range predicates {
			asked[name]++
		}
	}
	everything := strings.Join(all, "\n")
	for _, p := range predicates {
		if p.Group == "text" { // wb's own
			continue
		}
		if asked[p.Name] < 5 {
			t.Errorf("%s is asked %d times", p.Name, asked[p.Name])
		}
		for _, name := range append([]string{p.Name}, p.Aliases...) {
			if name == "tag" || name == "prop" { // wb's own names, see TestBothSpellings
				continue
			}
			if !strings.Contains(everything, "("+name+" ") && !strings.Contains(everything, "("+name+")") {
				t.Errorf("nobody asks (%s)", name)
			}
		}
		for _, key := range p.Keys {
			if !strings.Contains(everything, ":"+key+" ") {
				t.Errorf("nobody asks for :%s", key)
			}
		}
	}
}

// Every name and argument means the same in both spellings.
func TestBothSpellings(t *testing.T) {
	arguments := map[string]string{ // of predicates that need one
		"level": "2", "property": "OWNER", "text": "sandbox", "heading": "a", "regexp": "a", "rifle": "a",
		"heading-regexp": "a", "tags-all": "work", "tags-regexp": "w", "outline-path": "a", "outline-path-segment": "a",
	}
	mean := func(text string) string {
		q, err := Parse(text)
		if err != nil {
			return err.Error()
		}
		return strings.ReplaceAll(q.String(), `"`, "")
	}
	same := func(words, sexp string) {
		t.Helper()
		if a, b := mean(words), mean(sexp); a != b || strings.HasPrefix(a, "query:") {
			t.Errorf("%s means %s\n%s means %s", words, a, sexp, b)
		}
	}
	for _, p := range predicates {
		for _, name := range append([]string{p.Name}, p.Aliases...) {
			arg := arguments[p.Name]
			same(name+":"+arg, strings.TrimSpace("("+name+" "+arg)+")")
			same("!"+name+":"+arg, "(not "+strings.TrimSpace("("+name+" "+arg)+"))")
			if p.Max < 0 {
				same(name+":a,b", "("+name+` "a" "b")`)
			}
			for _, key := range p.Keys {
				value := "t"
				switch {
				case slices.Contains(timeKeys, key):
					value = "today"
				case key == "type":
					value = "active"
				}
				words, list := name+":"+key+"="+value, "("+name+" :"+key+" "+value+")"
				if p.Min > 0 {
					words, list = name+":"+arg+","+key+"="+value, "("+name+" "+arg+" :"+key+" "+value+")"
				}
				same(words, list)
			}
			if p.Nested {
				same(name+":todo:NEXT", "("+name+" (todo NEXT))")
			}
			if p.Compare {
				for _, op := range []string{"<", "<=", ">", ">="} {
					a, b := mean(name+":"+op+"2"), mean("("+op+" "+p.Name+" 2)")
					if a != b {
						t.Errorf("%s:%s2 means %s, want %s", name, op, a, b)
					}
				}
			}
		}
	}
}

// notePredicates collects the predicates of a condition.
func notePredicates(e Expr, into map[string]bool) {
	walk(e, func(e Expr) {
		if c, ok := e.(*Call); ok {
			into[c.Name] = true
		}
	})
}

// queries makes queries of words that occur.
type queries struct {
	rnd                                                        *rand.Rand
	words, tags, states, props, values, langs, targets, titles []string
	categories                                                 []string
	year                                                       int // dates lie in the three years from this one
}

func newQueries(c *Corpus, seed uint64) *queries {
	g := &queries{rnd: rand.New(rand.NewPCG(seed, 1)), year: 2024}
	for _, f := range c.Files {
		for i := range f.Entries {
			h := &f.Entries[i]
			g.words = append(g.words, strings.Fields(h.Title)...)
			if len(h.Body) > 200 && i%7 == 0 {
				g.words = append(g.words, strings.Fields(h.Body[:200])...)
			}
			g.titles = append(g.titles, h.Title)
			g.tags = append(append(g.tags, h.Tags...), h.Inherited...)
			if h.State != "" {
				g.states = append(g.states, h.State)
			}
			for _, p := range h.Props {
				g.props = append(g.props, p.Name)
				g.values = append(g.values, p.Value)
			}
			for _, b := range h.Blocks {
				g.langs = append(g.langs, b.Lang)
			}
			for _, l := range h.Links {
				g.targets = append(g.targets, l.Target)
			}
			g.categories = append(g.categories, h.Category)
		}
	}
	g.words = slices.DeleteFunc(g.words, func(w string) bool { return len(w) < 3 || len(w) > 20 || strings.ContainsAny(w, "\\\"`'") })
	g.langs = slices.DeleteFunc(g.langs, func(w string) bool { return w == "" })
	return g
}

func (g *queries) pick(list []string) string { return list[g.rnd.IntN(len(list))] }

func (g *queries) word() string { return quote(g.pick(g.words)) }

// some are one to three of a list, quoted.
func (g *queries) some(list []string) string {
	n := 1 + g.rnd.IntN(3)
	out := make([]string, n)
	for i := range out {
		out[i] = quote(g.pick(list))
	}
	return strings.Join(out, " ")
}

func (g *queries) either(options ...string) string { return options[g.rnd.IntN(len(options))] }

// piece is a part of a word, letters only.
func (g *queries) piece() string {
	for {
		w := g.pick(g.words)
		if len(w) > 4 && strings.IndexFunc(w, func(r rune) bool { return !isLetter(r) }) < 0 {
			from := g.rnd.IntN(len(w) - 3)
			return w[from : from+3]
		}
	}
}

func (g *queries) regexp() string {
	p := g.piece()
	return g.either(quote(p), quote("^"+p), quote(p+".*"+g.piece()), quote(`\(`+p+`\|`+g.piece()+`\)`), quote(`\<`+p), quote("["+p+"][0-9]"), quote(p+"+$"), quote(`^\*+ `+p), quote(p[:2]+`\{1,2\}`))
}

func (g *queries) date() string {
	return fmt.Sprintf("%q", time.Date(g.year+g.rnd.IntN(3), time.Month(1+g.rnd.IntN(12)), 1+g.rnd.IntN(28), 0, 0, 0, 0, time.UTC).Format("2006-01-02"))
}

func (g *queries) day() string {
	return g.either(g.date(), g.date(), fmt.Sprint(g.rnd.IntN(1200)-900), "today")
}

func (g *queries) period() string {
	return g.either("", ":from "+g.day(), ":to "+g.day(), ":from "+g.date()+" :to "+g.day(), ":on "+g.date(), ":on "+g.day(),
		fmt.Sprintf(":from \"%d-%02d-11 10:30\"", g.year+1, 1+g.rnd.IntN(12)))
}

func (g *queries) timed(name string) string {
	p := g.period()
	if g.rnd.IntN(4) == 0 {
		p += g.either(" :with-time t", " :with-time nil")
	}
	return strings.TrimSpace("("+name+" "+p) + ")"
}

func (g *queries) cmp() string { return g.either("<", "<=", ">", ">=", "=") }

// leaf is a query of the i-th predicate.
func (g *queries) leaf(i int) string {
	leaves := []func() string{
		func() string { return "(blocked)" },
		func() string {
			return g.either("(category)", "(category "+g.some(g.categories)+")", "(c "+g.some(g.categories)+")")
		},
		func() string { return "(done)" },
		func() string {
			return g.either("(effort)", `(effort "1:00")`, `(effort "0:30" "2:00")`, "(effort "+g.cmp()+` "1:30")`, `(effort "90")`)
		},
		func() string { return "(habit)" },
		func() string {
			return g.either("(heading ", "(h ") + g.either(g.word(), g.word()+" "+g.word(), quote(g.piece())) + ")"
		},
		func() string { return g.either("(heading-regexp ", "(h* ") + g.regexp() + ")" },
		func() string {
			return g.either(fmt.Sprintf("(level %d)", 1+g.rnd.IntN(4)), "(level 2 3)", fmt.Sprintf("(level %s %d)", g.cmp(), 1+g.rnd.IntN(4)))
		},
		func() string {
			target := g.pick(g.targets)
			part := target[:min(len(target), 12)]
			return g.either("(link)", "(link "+quote(part)+")", "(link :target "+quote(part)+")", "(link :description "+g.word()+")",
				"(link :target "+quote(part)+" :description "+quote(g.piece())+")", "(link "+quote("htt.*"+g.piece())+" :regexp-p t)")
		},
		func() string {
			return g.either("(outline-path ", "(olp ") + g.either(g.word(), g.word()+" "+g.word(), quote(g.piece())) + ")"
		},
		func() string {
			return g.either("(outline-path-segment ", "(olps ") + g.either(quote(g.pick(g.titles)), g.word()+" "+g.word(), quote(g.piece())+" "+quote(g.piece())) + ")"
		},
		func() string {
			return g.either("(path)", `(path "note-0[1-5]")`, `(path "org$")`, `(path "news" "example")`)
		},
		func() string {
			return g.either("(priority)", `(priority "A")`, `(priority "B" "C")`, "(priority "+g.cmp()+` "B")`, "(priority "+g.cmp()+` "A")`)
		},
		func() string {
			k := g.rnd.IntN(len(g.props))
			name := quote(g.either(g.props[k], strings.ToLower(g.props[k])))
			return g.either("(property "+name+")", "(property "+name+" "+quote(g.values[k])+")", "(property "+name+" "+quote(g.values[k])+" :inherit t)",
				"(property "+name+" :inherit t)", "(property "+name+" "+quote(g.values[k])+" :inherit nil)", `(property "ITEM")`, `(property "CATEGORY" `+quote(g.pick(g.categories))+")",
				`(property "TODO" `+quote(g.pick(g.states))+")", `(property "PRIORITY" "A")`, `(property "TAGS")`,
				`(property "DEADLINE")`, `(property "SCHEDULED")`, `(property "CLOSED")`, `(property "TIMESTAMP")`, `(property "TIMESTAMP_IA")`)
		},
		func() string {
			return g.either("(regexp ", "(r ") + g.either(g.regexp(), g.regexp()+" "+g.regexp(), quote(g.piece())) + ")"
		},
		func() string {
			return g.either("(rifle ", "(smart ") + g.either(g.word(), g.word()+" "+g.word(), quote(g.piece())) + ")"
		},
		func() string {
			return g.either("(src)", "(src :lang "+quote(g.pick(g.langs))+")", "(src "+quote(g.piece())+")", "(src "+quote(g.piece())+" :lang "+quote(g.pick(g.langs))+")",
				"(src :regexps ("+quote(g.piece())+") :lang "+quote(g.pick(g.langs))+")")
		},
		func() string { return g.either("(tags)", "(tags "+g.some(g.tags)+")") },
		func() string { return g.either("(tags-all ", "(tags& ") + g.some(g.tags) + ")" },
		func() string {
			name := g.either("tags-inherited", "inherited-tags", "tags-i", "itags")
			return g.either("("+name+")", "("+name+" "+g.some(g.tags)+")")
		},
		func() string {
			name := g.either("tags-local", "local-tags", "tags-l", "ltags")
			return g.either("("+name+")", "("+name+" "+g.some(g.tags)+")")
		},
		func() string {
			return g.either("(tags-regexp", "(tags*") + g.either(" "+quote(g.pick(g.tags)[:1]+".*"), "") + ")"
		},
		func() string { return g.either("(todo)", "(todo "+g.some(g.states)+")") },
		func() string { return g.either("(ancestors)", "(ancestors "+g.simple()+")") },
		func() string { return g.either("(children)", "(children "+g.simple()+")") },
		func() string { return g.either("(descendants)", "(descendants "+g.simple()+")") },
		func() string { return g.either("(parent)", "(parent "+g.simple()+")") },
		func() string {
			return strings.TrimSuffix(g.timed("ts"), ")") + g.either("", "", " :type active", " :type inactive", " :type both") + ")"
		},
		func() string { return g.timed(g.either("ts-active", "ts-a")) },
		func() string { return g.timed(g.either("ts-inactive", "ts-i")) },
		func() string {
			return g.either(strings.TrimSpace("(clocked "+g.period())+")", fmt.Sprintf("(clocked %d)", g.rnd.IntN(900)))
		},
		func() string {
			return g.either(strings.TrimSpace("(closed "+g.period())+")", fmt.Sprintf("(closed %d)", g.rnd.IntN(900)))
		},
		func() string {
			return g.either(g.timed("deadline"), "(deadline auto)", fmt.Sprintf("(deadline %d)", g.rnd.IntN(100)-50))
		},
		func() string { return g.either("(deadline-warning)", "(deadline auto)") },
		func() string { return g.either(g.timed("planning"), fmt.Sprintf("(planning %d)", g.rnd.IntN(100)-50)) },
		func() string {
			return g.either(g.timed("scheduled"), fmt.Sprintf("(scheduled %d)", g.rnd.IntN(100)-50))
		},
	}
	return leaves[i%len(leaves)]()
}

// simple is a query that is cheap for Emacs.
func (g *queries) simple() string {
	return g.either("(todo)", "(tags "+g.some(g.tags)+")", "(heading "+quote(g.piece())+")", "(level 1)", "(done)", "(not (todo))", "(and (todo) (tags))", "(priority)")
}

const leafCount = 36

// all are n queries, the first of which, single, are one predicate each.
func (g *queries) all(n, single int) []string {
	out := make([]string, 0, n)
	for i := range n {
		q := g.leaf(i)
		switch x := g.rnd.IntN(10); {
		case i < single:
		case x < 3:
			q = "(and " + q + " " + g.leaf(g.rnd.IntN(leafCount)) + ")"
		case x < 6:
			q = "(or " + q + " " + g.leaf(g.rnd.IntN(leafCount)) + ")"
		case x < 7:
			q = "(not " + q + ")"
		case x < 8:
			q = "(and " + g.simple() + " (not " + q + "))"
		case x < 9:
			q = g.either("(when ", "(unless ") + g.simple() + " " + q + ")"
		}
		out = append(out, q)
	}
	return out
}
