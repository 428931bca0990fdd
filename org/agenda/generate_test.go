package agenda

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"
)

// generator makes documents with dates.
type generator struct{ *rand.Rand }

func (g *generator) one(list ...string) string { return list[g.IntN(len(list))] }

func (g *generator) often(percent int) bool { return g.IntN(100) < percent }

// around is the year that dates are in.
var around = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func (g *generator) date() time.Time { return around.AddDate(0, 0, g.IntN(420)-60) }

func (g *generator) clock() string {
	text := fmt.Sprintf("%02d:%02d", g.IntN(24), 5*g.IntN(12))
	if g.often(40) {
		text += fmt.Sprintf("-%02d:%02d", 10+g.IntN(14), 5*g.IntN(12))
	}
	return text
}

func (g *generator) repeater() string {
	return fmt.Sprintf("%s%d%s", g.one("+", "++", ".+"), 1+g.IntN(4), g.one("d", "w", "w", "m", "y"))
}

// stamp is an active timestamp with what may stand in one.
func (g *generator) stamp(lead bool) string {
	text := g.date().Format("2006-01-02 Mon")
	if g.often(40) {
		text += " " + g.clock()
	}
	if g.often(35) {
		text += " " + g.repeater()
	}
	if lead && g.often(25) {
		text += fmt.Sprintf(" -%d%s", 1+g.IntN(20), g.one("d", "w", "d"))
	}
	return "<" + text + ">"
}

// several is a range of days, or of times on one.
func (g *generator) several() string {
	from := g.date()
	to := from.AddDate(0, 0, g.IntN(5))
	clock := func() string {
		if g.often(40) {
			return fmt.Sprintf(" %02d:%02d", g.IntN(24), 5*g.IntN(12))
		}
		return ""
	}
	return "<" + from.Format("2006-01-02 Mon") + clock() + ">--<" + to.Format("2006-01-02 Mon") + clock() + ">"
}

func (g *generator) document(entries int) string {
	var b strings.Builder
	if g.often(50) {
		b.WriteString("#+TODO: TODO NEXT WAIT | DONE CANCELLED\n")
	}
	if g.often(30) {
		b.WriteString("#+FILETAGS: :home:\n")
	}
	if g.often(30) {
		b.WriteString("#+CATEGORY: " + g.one("Work", "A longer category", "été") + "\n")
	}
	b.WriteString("Before <2026-05-05 Tue> the first headline.\n")
	level := 1
	for i := range entries {
		level = 1 + g.IntN(min(level+1, 3))
		g.entry(&b, level, i)
	}
	return b.String()
}

func (g *generator) entry(b *strings.Builder, level, i int) {
	b.WriteString(strings.Repeat("*", level) + " ")
	if g.often(65) {
		b.WriteString(g.one("TODO", "TODO", "DONE") + " ")
	}
	if g.often(20) {
		b.WriteString("[#" + g.one("A", "B", "C", "D") + "] ")
	}
	if g.often(2) {
		b.WriteString("COMMENT ")
	}
	fmt.Fprintf(b, "%s %d", g.one("Call Ada", "Write the report", "Buy seeds", "[[https://example.org/a][the page]] of", "Größe prüfen", "会議"), i)
	if g.often(10) {
		b.WriteString(" at " + g.one("9:30", "14:00-15:30", "8am", "12pm", "7:05pm"))
	}
	if g.often(12) {
		b.WriteString(" " + g.stamp(false))
	}
	if g.often(35) {
		b.WriteString("  " + g.one(":work:", ":work:urgent:", ":home:", ":a_b:@x:", ":ARCHIVE:"))
	}
	b.WriteString("\n")
	var planned []string
	habit := g.often(8)
	switch {
	case habit:
		repeat := fmt.Sprintf("%s%dd", g.one("+", "++", ".+"), 1+g.IntN(3))
		if g.often(50) {
			repeat += fmt.Sprintf("/%dd", 4+g.IntN(4))
		}
		clock := ""
		if g.often(30) {
			clock = " 07:15"
		}
		planned = append(planned, "SCHEDULED: <"+g.date().Format("2006-01-02 Mon")+clock+" "+repeat+">")
	case g.often(45):
		planned = append(planned, "SCHEDULED: "+g.stamp(true))
	}
	if g.often(35) {
		planned = append(planned, "DEADLINE: "+g.stamp(true))
	}
	if g.often(8) {
		planned = append(planned, "CLOSED: ["+g.date().Format("2006-01-02 Mon 15:04")+"]")
	}
	g.Shuffle(len(planned), func(i, j int) { planned[i], planned[j] = planned[j], planned[i] })
	if len(planned) > 0 {
		b.WriteString(strings.Join(planned, " ") + "\n")
	}
	switch {
	case habit:
		b.WriteString(":PROPERTIES:\n:STYLE: habit\n:END:\n")
	case g.often(8):
		b.WriteString(":PROPERTIES:\n:CATEGORY: " + g.one("Own", "Very long name of mine") + "\n:WHEN: " + g.stamp(false) + "\n:END:\n")
	}
	if habit {
		b.WriteString(":LOGBOOK:\n")
		day := g.date()
		for range g.IntN(12) {
			fmt.Fprintf(b, "- State \"DONE\"       from \"TODO\"       [%s]\n", day.Format("2006-01-02 Mon 15:04"))
			day = day.AddDate(0, 0, -1-g.IntN(4))
		}
		b.WriteString(":END:\n")
	}
	if g.often(25) {
		b.WriteString("Some text " + g.stamp(false) + " and more.\n")
	}
	if g.often(15) {
		b.WriteString("Away " + g.several() + "\n")
	}
	if g.often(5) {
		b.WriteString("# " + g.stamp(false) + "\n")
	}
	if g.often(5) {
		b.WriteString("#+begin_src org\n" + g.stamp(false) + "\n#+end_src\n")
	}
	if g.often(5) {
		b.WriteString("#+begin_example\n" + g.stamp(false) + "\n#+end_example\n")
	}
	if g.often(5) {
		b.WriteString("- item " + g.stamp(false) + "\n- other =" + g.stamp(false) + "=\n")
	}
	if g.often(4) {
		b.WriteString("| a | " + g.stamp(false) + " |\n")
	}
	if g.often(4) {
		b.WriteString("CLOCK: [2026-03-01 Sun 10:00]--[2026-03-01 Sun 11:00] =>  1:00\n")
	}
}
