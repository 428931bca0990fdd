// Package corpus generates org files with the distributions that collections
// of notes have in practice: many short entries and few long ones, headings a
// few levels deep, some with keywords, tags, dates, properties, clocks, links,
// tables and source blocks. The same seed gives the same files.
package corpus

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Size says how much to generate. The zero value is about 1,200 files with
// 20,000 headlines and 14 MB.
type Size struct {
	Files     int
	Headlines int // over all files
	Bytes     int // over all files, about
	Seed      uint64
}

func (s Size) orDefault() Size {
	if s.Files == 0 {
		// The sizes of files are drawn, and rounded down: 22,600 come to 20,000.
		s = Size{Files: 1200, Headlines: 22_600, Bytes: 14_000_000, Seed: s.Seed}
	}
	return s
}

// Write generates files below dir, in folders of about forty.
func Write(dir string, size Size) error {
	size = size.orDefault()
	for i := range size.Files {
		folder := filepath.Join(dir, fmt.Sprintf("%s-%02d", words[i/40%len(words)], i/40))
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("note-%04d.org", i)), File(size, i), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// File is the i-th file of a corpus.
func File(size Size, i int) []byte {
	size = size.orDefault()
	g := &generator{rnd: rand.New(rand.NewPCG(size.Seed+1, uint64(i)))}
	// File sizes are log-normal: most are small, a few hold hundreds of headings.
	weight := math.Exp(g.rnd.NormFloat64()*1.1 - 0.6)
	g.bytes = size.Bytes / max(size.Headlines, 1)
	n := max(1, int(weight*float64(size.Headlines)/float64(size.Files)))
	g.file(i, n)
	return []byte(g.b.String())
}

var words = strings.Fields(`report meeting budget garden kernel sandbox compile parser lambda review draft invoice travel
kitchen health reading paper dataset model training deploy server backup network router firmware sensor battery solar
music guitar practice recipe bread coffee garden seeds winter summer project customer contract agenda minutes summary
question answer problem solution algorithm graph tree index query search cache memory thread process signal window editor
buffer org emacs workbook ledger trace digest signature key policy capability wasm runtime engine module function value
table column row cell formula plot chart figure caption chapter section paragraph sentence word letter alphabet language
the of and to in is for on with that as are this by from be at or an it not which can has will one all when there`)

var (
	tags   = []string{"work", "home", "idea", "reading", "urgent", "waiting", "project", "errand", "someday", "health", "code", "finance"}
	langs  = []string{"python", "emacs-lisp", "sh", "go", "C", "js", "sql", "R"}
	states = []string{"TODO", "TODO", "TODO", "NEXT", "WAITING", "DONE", "DONE", "DONE", "CANCELLED"}
	names  = []string{"ada", "grace", "linus", "barbara", "ken"}
	origin = time.Date(2024, 1, 1, 8, 0, 0, 0, time.UTC)
)

type generator struct {
	rnd   *rand.Rand
	b     strings.Builder
	bytes int // of a headline with all below it, on average
	id    int
}

func (g *generator) chance(p float64) bool { return g.rnd.Float64() < p }

func (g *generator) pick(list []string) string { return list[g.rnd.IntN(len(list))] }

// word is Zipf-like: the square makes the first words of the list common.
func (g *generator) word() string {
	x := g.rnd.Float64()
	return words[len(words)-1-int(x*x*float64(len(words)))]
}

func (g *generator) words(n int) string {
	out := make([]string, n)
	for i := range out {
		out[i] = g.word()
	}
	return strings.Join(out, " ")
}

func (g *generator) date() time.Time {
	return origin.Add(time.Duration(g.rnd.IntN(3*365*24*60)) * time.Minute)
}

func (g *generator) stamp(open, end string) string {
	t := g.date()
	layout := "2006-01-02 Mon"
	if g.chance(0.5) {
		layout += " 15:04"
	}
	return open + t.Format(layout) + end
}

func (g *generator) file(i, headlines int) {
	fmt.Fprintf(&g.b, "#+TITLE: %s\n", g.words(3))
	if g.chance(0.3) {
		fmt.Fprintf(&g.b, "#+FILETAGS: :%s:\n", g.pick(tags))
	}
	if g.chance(0.6) {
		g.b.WriteString("#+TODO: TODO NEXT WAITING | DONE CANCELLED\n")
	}
	if g.chance(0.1) {
		fmt.Fprintf(&g.b, "#+CATEGORY: %s\n", g.word())
	}
	g.b.WriteString("\n")
	g.id = i * 10_000
	level := 1
	for k := range headlines {
		switch { // depth drifts between one and five
		case k == 0 || g.chance(0.15):
			level = 1
		case g.chance(0.35):
			level = min(level+1, 5)
		case g.chance(0.3):
			level = max(level-1, 1)
		}
		g.headline(level)
	}
}

func (g *generator) headline(level int) {
	start := g.b.Len()
	g.b.WriteString(strings.Repeat("*", level) + " ")
	state := ""
	if g.chance(0.35) {
		state = g.pick(states)
		g.b.WriteString(state + " ")
	}
	if g.chance(0.08) {
		fmt.Fprintf(&g.b, "[#%c] ", 'A'+g.rnd.IntN(3))
	}
	g.b.WriteString(g.words(2 + g.rnd.IntN(6)))
	if g.chance(0.25) {
		list := g.pick(tags)
		if g.chance(0.3) {
			list += ":" + g.pick(tags)
		}
		g.b.WriteString(" :" + list + ":")
	}
	g.b.WriteString("\n")
	g.planning(state)
	if g.chance(0.3) {
		g.drawer()
	}
	target := int(math.Exp(g.rnd.NormFloat64()*0.9-0.4) * float64(g.bytes))
	for g.b.Len()-start < target {
		g.paragraph()
	}
}

func (g *generator) planning(state string) {
	var parts []string
	if state == "DONE" || state == "CANCELLED" {
		parts = append(parts, "CLOSED: "+g.stamp("[", "]"))
	}
	if state != "" && g.chance(0.3) {
		end := ">"
		if g.chance(0.2) {
			end = " +1w>"
		}
		parts = append(parts, "SCHEDULED: "+g.stamp("<", end))
	}
	if state != "" && g.chance(0.2) {
		parts = append(parts, "DEADLINE: "+g.stamp("<", ">"))
	}
	if len(parts) > 0 {
		g.b.WriteString(strings.Join(parts, " ") + "\n")
	}
}

func (g *generator) drawer() {
	g.id++
	fmt.Fprintf(&g.b, ":PROPERTIES:\n:ID:       %08x-%04d\n", g.id, g.rnd.IntN(10_000))
	if g.chance(0.3) {
		fmt.Fprintf(&g.b, ":Effort:   %d:%02d\n", g.rnd.IntN(5), g.rnd.IntN(4)*15)
	}
	if g.chance(0.3) {
		fmt.Fprintf(&g.b, ":OWNER:    %s\n", g.pick(names))
	}
	if g.chance(0.2) {
		fmt.Fprintf(&g.b, ":COST:     %d.%02d\n", g.rnd.IntN(500), g.rnd.IntN(100))
	}
	g.b.WriteString(":END:\n")
	if g.chance(0.2) {
		from := g.date()
		to := from.Add(time.Duration(5+g.rnd.IntN(200)) * time.Minute)
		d := int(to.Sub(from).Minutes())
		fmt.Fprintf(&g.b, ":LOGBOOK:\nCLOCK: [%s]--[%s] => %2d:%02d\n:END:\n", from.Format("2006-01-02 Mon 15:04"), to.Format("2006-01-02 Mon 15:04"), d/60, d%60)
	}
}

func (g *generator) paragraph() {
	switch x := g.rnd.Float64(); {
	case x < 0.05:
		fmt.Fprintf(&g.b, "#+begin_src %s\n", g.pick(langs))
		for range 2 + g.rnd.IntN(8) {
			fmt.Fprintf(&g.b, "%s_%s(%d)\n", g.word(), g.word(), g.rnd.IntN(100))
		}
		g.b.WriteString("#+end_src\n\n")
	case x < 0.09:
		g.b.WriteString("| name | value |\n|------+-------|\n")
		for range 2 + g.rnd.IntN(5) {
			fmt.Fprintf(&g.b, "| %s | %d |\n", g.word(), g.rnd.IntN(1000))
		}
		g.b.WriteString("\n")
	case x < 0.25:
		for range 2 + g.rnd.IntN(4) {
			fmt.Fprintf(&g.b, "- %s\n", g.words(3+g.rnd.IntN(8)))
		}
		g.b.WriteString("\n")
	default:
		for range 1 + g.rnd.IntN(5) {
			line := g.words(9 + g.rnd.IntN(4))
			switch y := g.rnd.Float64(); {
			case y < 0.04:
				line += fmt.Sprintf(" [[https://example.org/%s/%d][%s]]", g.word(), g.rnd.IntN(1000), g.words(2))
			case y < 0.05:
				line += " " + g.stamp("[", "]")
			}
			g.b.WriteString(line + "\n")
		}
		g.b.WriteString("\n")
	}
}
