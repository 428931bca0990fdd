//go:build long

package oql

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"wb/internal/corpus"
)

// TestOracle compares the headings that wb and Emacs find for some hundred
// queries, made at random from what stands in the files. testdata/oracle.el
// evaluates org-ql's predicates as its manual describes them, with nothing but
// Org's own functions.
//
// The files are generated notes, this repository's own org files, Emacs' etc/ORG-NEWS
// and those below the directories in WB_ORG_CORPUS. WB_ORACLE names another
// elisp file to ask, such as one that calls org-ql itself.
func TestOracle(t *testing.T) {
	if _, err := exec.LookPath("emacs"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("no emacs: apt-get install emacs-nox")
		}
		t.Skip("no emacs: apt-get install emacs-nox")
	}
	files := oracleFiles(t)
	c, err := ReadPaths(context.Background(), files)
	if err != nil {
		t.Fatal(err)
	}
	g := newQueries(c, 20261121)
	queries := g.all(700)
	want := askEmacs(t, files, queries)
	now := naive(time.Now())
	agree, matches, found := 0, 0, 0
	asked := map[string]bool{}
	for i, text := range queries {
		q, err := Parse(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		note(q.Where, asked)
		res, err := Run(context.Background(), q, Options{Corpus: c, Now: now})
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		var got []string
		for _, p := range res.Places {
			got = append(got, fmt.Sprintf("%s:%d", p.Path, p.Line))
		}
		slices.Sort(got)
		matches += len(got)
		if len(got) > 0 {
			found++
		}
		if d := differing(want[i], got); d != "" {
			t.Errorf("%s\n%s", text, d)
			continue
		}
		agree++
	}
	for _, p := range predicates {
		if p.Group != "text" && !asked[p.Name] {
			t.Errorf("no query asks %s", p.Name)
		}
	}
	t.Logf("%d files, %d headings; %d of %d queries agree, %d of them find something, %d matches in all", len(files), headings(c), agree, len(queries), found, matches)
}

func headings(c *Corpus) (n int) {
	for _, f := range c.Files {
		n += f.Len()
	}
	return n
}

// note collects the predicates of a condition.
func note(e Expr, into map[string]bool) {
	switch e := e.(type) {
	case *And:
		for _, a := range e.Args {
			note(a, into)
		}
	case *Or:
		for _, a := range e.Args {
			note(a, into)
		}
	case *Not:
		note(e.Arg, into)
	case *Call:
		into[e.Name] = true
		note(e.Query, into)
	}
}

// differing shows headings that only one side finds.
func differing(want, got []string) string {
	var b strings.Builder
	show := func(label string, a, b2 []string) {
		n := 0
		for _, x := range a {
			if _, ok := slices.BinarySearch(b2, x); !ok {
				if n++; n <= 3 {
					fmt.Fprintf(&b, "  only %s: %s\n", label, x)
				}
			}
		}
		if n > 3 {
			fmt.Fprintf(&b, "  only %s: %d in all\n", label, n)
		}
	}
	show("Emacs", want, got)
	show("wb", got, want)
	return b.String()
}

// oracleFiles are the files to ask about.
func oracleFiles(t *testing.T) []string {
	dir := t.TempDir()
	var files []string
	size := corpus.Size{Files: 12, Headlines: 500, Bytes: 250_000, Seed: 3}
	for i := range size.Files {
		name := filepath.Join(dir, fmt.Sprintf("note-%02d.org", i))
		if err := os.WriteFile(name, corpus.File(size, i), 0o644); err != nil {
			t.Fatal(err)
		}
		files = append(files, name)
	}
	repo, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	roots := append([]string{filepath.Join(repo, "examples"), filepath.Join(repo, "docs"), filepath.Join(repo, "org", "oql", "testdata")}, filepath.SplitList(os.Getenv("WB_ORG_CORPUS"))...)
	for _, root := range roots {
		if _, err := os.Stat(root); err != nil {
			continue
		}
		more, err := orgFiles([]string{root})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range more {
			if info, err := os.Stat(f); err == nil && info.Size() < 60_000 {
				files = append(files, f)
			}
		}
	}
	if all := globAll("/usr/share/emacs/*/etc/ORG-NEWS", "/usr/local/share/emacs/*/etc/ORG-NEWS"); len(all) > 0 {
		text, err := os.ReadFile(all[0])
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Join(dir, "org-news.org")
		if err := os.WriteFile(name, text, 0o644); err != nil {
			t.Fatal(err)
		}
		files = append(files, name)
	}
	return files
}

func globAll(patterns ...string) (out []string) {
	for _, p := range patterns {
		names, _ := filepath.Glob(p)
		out = append(out, names...)
	}
	return out
}

// askEmacs returns, for each query, the sorted places of its matches.
func askEmacs(t *testing.T, files, queries []string) [][]string {
	dir := t.TempDir()
	oracle := os.Getenv("WB_ORACLE")
	if oracle == "" {
		oracle = "testdata/oracle.el"
	}
	in := filepath.Join(dir, "queries")
	if err := os.WriteFile(in, []byte(strings.Join(queries, "\n")+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("emacs", append([]string{"-Q", "--batch", "-l", oracle, "-f", "wb-oracle", in}, files...)...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("emacs: %v\n%s", err, errs.String())
	}
	answers := make([][]string, len(queries))
	n := -1
	for line := range strings.SplitSeq(strings.TrimSpace(string(out)), "\n") {
		switch {
		case strings.HasPrefix(line, "query "):
			fmt.Sscanf(line, "query %d", &n)
		case strings.HasPrefix(line, "error "):
			t.Errorf("%s: Emacs says %s", queries[n], line)
		case line != "" && n >= 0:
			answers[n] = append(answers[n], line)
		}
	}
	for i := range answers {
		slices.Sort(answers[i])
	}
	return answers
}

// queries makes queries of words that occur.
type queries struct {
	rnd                                                        *rand.Rand
	words, tags, states, props, values, langs, targets, titles []string
	categories                                                 []string
}

func newQueries(c *Corpus, seed uint64) *queries {
	g := &queries{rnd: rand.New(rand.NewPCG(seed, 1))}
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
	return fmt.Sprintf("%q", time.Date(2024+g.rnd.IntN(3), time.Month(1+g.rnd.IntN(12)), 1+g.rnd.IntN(28), 0, 0, 0, 0, time.UTC).Format("2006-01-02"))
}

func (g *queries) day() string {
	return g.either(g.date(), g.date(), fmt.Sprint(g.rnd.IntN(1200)-900), "today")
}

func (g *queries) period() string {
	return g.either("", ":from "+g.day(), ":to "+g.day(), ":from "+g.date()+" :to "+g.day(), ":on "+g.date(), ":on "+g.day(),
		fmt.Sprintf(":from \"2025-%02d-11 10:30\"", 1+g.rnd.IntN(12)))
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
				`(property "TODO" `+quote(g.pick(g.states))+")", `(property "PRIORITY" "A")`, `(property "TAGS")`)
		},
		func() string {
			return g.either("(regexp ", "(r ") + g.either(g.regexp(), g.regexp()+" "+g.regexp(), quote(g.piece())) + ")"
		},
		func() string {
			return g.either("(rifle ", "(smart ") + g.either(g.word(), g.word()+" "+g.word(), quote(g.piece())) + ")"
		},
		func() string {
			return g.either("(src)", "(src :lang "+quote(g.pick(g.langs))+")", "(src "+g.word()+")", "(src "+quote(g.piece())+" :lang "+quote(g.pick(g.langs))+")",
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
		func() string { return g.either("(tags-regexp ", "(tags* ") + quote(g.pick(g.tags)[:1]+".*") + ")" },
		func() string { return g.either("(todo)", "(todo "+g.some(g.states)+")") },
		func() string { return g.either("(ancestors)", "(ancestors "+g.simple()+")") },
		func() string { return g.either("(children)", "(children "+g.simple()+")") },
		func() string { return g.either("(descendants)", "(descendants "+g.simple()+")") },
		func() string { return g.either("(parent)", "(parent "+g.simple()+")") },
		func() string { return g.timed("ts") },
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

func (g *queries) all(n int) []string {
	out := make([]string, 0, n)
	for i := range n {
		q := g.leaf(i)
		switch x := g.rnd.IntN(10); {
		case i < 8*leafCount:
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
