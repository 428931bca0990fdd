//go:build long

package agenda

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"wb/internal/test/emacs"
	"wb/org"
)

// TestOracle compares agendas with those of Org itself, for documents with dates
// made at random and looked at from random days. WB_AGENDA_SEED makes others.
func TestOracle(t *testing.T) {
	e := emacs.Need(t)
	seed, _ := strconv.ParseUint(os.Getenv("WB_AGENDA_SEED"), 10, 64)
	g := &generator{rand.New(rand.NewPCG(20261122, seed))}
	dir := t.TempDir()
	const documents, entries = 12, 30
	var names []string
	var files []*File
	for i := range documents {
		name := filepath.Join(dir, fmt.Sprintf("notes-%02d.org", i))
		text := g.document(entries)
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
		files = append(files, Read(name, org.ParseString(text)))
	}
	jobs := g.jobs()
	var list strings.Builder
	for _, j := range jobs {
		start := "nil"
		if j.from != "" {
			start = strconv.Quote(j.from)
		}
		fmt.Fprintf(&list, "(%q %s %s)\n", j.now.Format("2006-01-02 15:04:05"), start, j.span)
	}
	in := filepath.Join(dir, "jobs")
	if err := os.WriteFile(in, []byte(list.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	answers := strings.Split(e.Run(t, "testdata/oracle.el", append([]string{in}, names...)...), "\f")[1:]
	if len(answers) != len(jobs) {
		t.Fatalf("Emacs answered %d of %d", len(answers), len(jobs))
	}
	days, lines, wrong := 0, 0, 0
	for i, j := range jobs {
		_, want, _ := strings.Cut(answers[i], "\n")
		v := j.view(files)
		var b strings.Builder
		if err := v.Text(&b); err != nil {
			t.Fatal(err)
		}
		days += len(v.Days)
		lines += strings.Count(b.String(), "\n")
		if d := differing(plain(want), plain(b.String())); d != "" {
			if wrong++; wrong <= 8 {
				t.Errorf("now %s, %s from %q:\n%s", j.now, j.span, j.from, d)
			}
		}
	}
	t.Logf("%d documents, %d entries; %d of %d agendas of %d days with %d lines agree", documents, documents*entries, len(jobs)-wrong, len(jobs), days, lines)
}

// job is an agenda to look at.
type job struct {
	now  time.Time
	from string // the first day; today without one
	span string
}

func (j job) view(files []*File) *View {
	if j.span == "todo" {
		var open []*Entry
		for _, f := range files {
			for _, e := range f.Entries {
				if e.State != "" && !e.Done {
					open = append(open, e)
				}
			}
		}
		return List("Global list of TODO items of type: ALL", open, Defaults())
	}
	from := DayOf(j.now)
	if j.from != "" {
		t, _ := time.Parse("2006-01-02", j.from)
		from = DayOf(t)
	}
	span, ok := NewSpan(j.span, from)
	if !ok {
		n, _ := strconv.Atoi(j.span)
		span = DaySpan(from, n)
	}
	return Days(files, span, j.now, Defaults())
}

// plain is text without blanks at the ends of lines, and without the keys that
// Emacs offers below the title of a list.
func plain(text string) []string {
	var out []string
	for _, line := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		if !strings.HasPrefix(line, "Press ") && !menuLine.MatchString(line) {
			out = append(out, strings.TrimRight(line, " \t"))
		}
	}
	return out
}

// menuLine goes on with the keywords that Emacs offers by number.
var menuLine = regexp.MustCompile(`^ +\(\d+\)\S`)

// differing shows the first lines that differ.
func differing(want, got []string) string {
	for i := range max(len(want), len(got)) {
		w, g := "(no more)", "(no more)"
		if i < len(want) {
			w = want[i]
		}
		if i < len(got) {
			g = got[i]
		}
		if w != g {
			return fmt.Sprintf("line %d\n  Emacs: %q\n  wb:    %q", i+1, w, g)
		}
	}
	return ""
}

// jobs are agendas of days and weeks seen from anywhere in the year.
func (g *generator) jobs() (list []job) {
	now := func() time.Time { return g.date().Add(time.Duration(g.IntN(24*60)) * time.Minute) }
	for range 45 {
		list = append(list, job{now: now(), span: "week"})
	}
	for range 60 {
		list = append(list, job{now: now(), span: "day"})
	}
	for range 10 {
		list = append(list, job{now: now(), span: g.one("3", "10", "fortnight")})
	}
	for range 20 {
		list = append(list, job{now: now(), from: g.date().Format("2006-01-02"), span: g.one("day", "week", "3")})
	}
	return append(list, job{now: now(), span: "todo"})
}
