//go:build long

package oql

import (
	"fmt"
	"strings"
)

// words are n queries in the form without parentheses: each predicate in turn, then
// two conditions, one of which may be denied.
func (g *queries) inWords(n int) []string {
	out := make([]string, 0, n)
	for i := range n {
		q := g.wordLeaf(i)
		if i >= 2*wordLeafCount {
			q += " " + g.either("", "!") + g.wordLeaf(g.rnd.IntN(wordLeafCount))
		}
		out = append(out, q)
	}
	return out
}

// plain is a word of letters and digits alone, which needs no quotes.
func (g *queries) plain(list []string) string {
	for range 1000 {
		w := g.pick(list)
		if len(w) > 2 && strings.IndexFunc(w, func(r rune) bool { return !isLetter(r) && (r < '0' || r > '9') && r != '_' }) < 0 {
			return w
		}
	}
	return "org"
}

func (g *queries) plainDay() string {
	return g.either(strings.Trim(g.date(), `"`), strings.Trim(g.date(), `"`), fmt.Sprint(g.rnd.IntN(1200)-900), "today")
}

func (g *queries) plainPeriod() string {
	return g.either("", "from="+g.plainDay(), "to="+g.plainDay(), "on="+g.plainDay(), "from="+g.plainDay()+",to="+g.plainDay())
}

const wordLeafCount = 25

// wordLeaf is a condition of the i-th kind.
func (g *queries) wordLeaf(i int) string {
	word := func() string { return g.plain(g.words) }
	switch i % wordLeafCount {
	case 0:
		return g.either("todo:", "todo:"+g.pick(g.states), "todo:"+g.pick(g.states)+","+g.pick(g.states))
	case 1:
		return g.either("done:", "habit:", "blocked:")
	case 2:
		return g.either("tags:", "tags:"+g.pick(g.tags), "tags:"+g.pick(g.tags)+","+g.pick(g.tags))
	case 3:
		return g.either("tags&:", "tags-all:") + g.pick(g.tags) + g.either("", ","+g.pick(g.tags))
	case 4:
		return g.either("tags-local:", "ltags:") + g.either("", g.pick(g.tags))
	case 5:
		return g.either("itags:", "tags-inherited:") + g.either("", g.pick(g.tags))
	case 6:
		return g.either("tags*:", "tags-regexp:") + g.pick(g.tags)[:1]
	case 7:
		return g.either("heading:", "h:") + g.either(word(), g.piece(), word()+","+g.piece(), `"`+word()+`"`)
	case 8:
		return g.either("heading-regexp:", "h*:") + g.either("^"+g.piece(), g.piece()+".*"+g.piece(), g.piece()+"$")
	case 9:
		return g.either("regexp:", "r:") + g.either(word(), "^"+g.piece(), g.piece()+"[a-z]+"+g.piece())
	case 10:
		return g.either("rifle:", "smart:", "") + g.either(word(), `"`+word()+`"`)
	case 11:
		return word() + " " + word()
	case 12:
		return "property:" + g.either(g.plain(g.props), g.plain(g.props))
	case 13:
		k := g.rnd.IntN(len(g.props))
		for strings.ContainsAny(g.props[k]+g.values[k], " ,=\":+\t") || g.values[k] == "" {
			k = g.rnd.IntN(len(g.props))
		}
		return "property:" + g.props[k] + g.either("=", ",") + g.values[k] + g.either("", ",inherit=t")
	case 14:
		return g.either(fmt.Sprintf("level:%d", 1+g.rnd.IntN(4)), "level:2,3", "level:>,1", "level:<=,2")
	case 15:
		return g.either("priority:", "priority:A", "priority:A,B", "priority:>,B", "priority:<=,B")
	case 16:
		return g.either("ts:", "ts-active:", "ts-a:", "ts-inactive:", "ts-i:") + g.plainPeriod()
	case 17:
		return "scheduled:" + g.plainPeriod()
	case 18:
		return "deadline:" + g.either(g.plainPeriod(), "auto")
	case 19:
		return g.either("closed:", "clocked:") + g.plainPeriod()
	case 20:
		return "planning:" + g.plainPeriod()
	case 21:
		return g.either("src:", "src:lang="+g.pick(g.langs), "src:"+g.piece())
	case 22:
		return "link:" + g.either("", "http", "target=http", "description="+g.piece())
	case 23:
		return g.either("olp:", "outline-path:", "olps:") + g.either(word(), g.piece(), word()+","+word())
	default:
		return g.either("category:"+g.pick(g.categories), "path:"+g.piece(), "effort:", "effort:1:00", "parent:", "children:", "ancestors:", "descendants:")
	}
}
