package agenda

import (
	"strings"
	"testing"
	"time"

	"wb/org"
)

const notes = `#+TODO: TODO NEXT | DONE
* Work                                                                 :work:
** NEXT [#A] Write the report                                        :urgent:
SCHEDULED: <2026-11-21 Sat 09:30 +1w> DEADLINE: <2026-12-01 Tue>
:PROPERTIES:
:ID:       r1
:LOCATION: Room 7, floor 2; left
:END:
See [[https://example.org/draft][the draft]].
* Meeting <2026-11-23 Mon 10:00-11:30>
* TODO Run
SCHEDULED: <2026-11-22 Sun .+1d/3d>
:PROPERTIES:
:STYLE:    habit
:END:
- State "DONE"       from "TODO"       [2026-11-20 Fri 10:00]
* Away
<2026-11-20 Fri>--<2026-11-25 Wed>
* COMMENT Hidden <2026-11-22 Sun>
* Old <2026-11-22 Sun>                                              :ARCHIVE:
`

var sunday = time.Date(2026, 11, 22, 10, 0, 0, 0, time.UTC)

func read(t *testing.T) []*File {
	t.Helper()
	return []*File{Read("notes.org", org.ParseString(notes))}
}

func text(t *testing.T, v *View) string {
	t.Helper()
	var b strings.Builder
	if err := v.Text(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestDay(t *testing.T) {
	span, _ := NewSpan("day", DayOf(sunday))
	const want = `Day-agenda (W47):
Sunday     22 November 2026
  notes:      Sched. 1x:  NEXT [#A] Write the report              :work::urgent:
  notes:      In   9 d.:  NEXT [#A] Write the report              :work::urgent:
  notes:      (3/6):  Away
  notes:      TODO Run                                     * !
`
	if got := text(t, Days(read(t), span, sunday, Defaults())); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// The grid shows where an item has a time.
func TestGrid(t *testing.T) {
	span, _ := NewSpan("day", DayOf(sunday)+1)
	got := text(t, Days(read(t), span, sunday, Defaults()))
	for _, line := range []string{
		"               8:00...... ----------------\n",
		"  notes:      10:00-11:30 Meeting\n              10:00......",
	} {
		if !strings.Contains(got, line) {
			t.Errorf("no %q in\n%s", line, got)
		}
	}
	if strings.Contains(got, "now -") {
		t.Errorf("another day shows what time it is now\n%s", got)
	}
}

func TestGroups(t *testing.T) {
	files := read(t)
	v := List("All", files[0].Entries, Defaults())
	v.GroupBy("todo")
	var names []string
	for _, g := range v.Groups {
		names = append(names, g.Name)
	}
	if got := strings.Join(names, "; "); got != "To-do: TODO; To-do: NEXT; Other items" {
		t.Errorf("groups: %s", got)
	}
}

func TestPage(t *testing.T) {
	var b strings.Builder
	f := Read("a<b.org", org.ParseString("* TODO <i>x</i> [[https://e.org/?a&b][\"y\"]] [[javascript:alert(1)][z]]\n"))
	if err := List("<script>", f.Entries, Defaults()).HTML(&b); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"&lt;script&gt;", "&lt;i&gt;x&lt;/i&gt;", `<a href="https://e.org/?a&amp;b">&#34;y&#34;</a> z`, `title="a&lt;b.org:1"`} {
		if !strings.Contains(b.String(), part) {
			t.Errorf("no %s in\n%s", part, b.String())
		}
	}
}

// Emacs gives these answers, too: the 31st of February is the third of March, and
// then the last repetition may be after the day.
func TestRepetitions(t *testing.T) {
	for _, test := range []struct {
		stamp, day, past, future string
	}{
		{"<2026-01-31 Sat +1m>", "2026-03-01", "2026-03-03", "2026-03-31"},
		{"<2026-01-31 Sat +1m>", "2026-03-03", "2026-03-03", "2026-03-03"},
		{"<2024-02-29 Thu +1y>", "2026-03-01", "2026-03-01", "2026-03-01"},
		{"<2026-11-01 Sun ++3d>", "2026-11-22", "2026-11-22", "2026-11-22"},
		{"<2026-11-01 Sun .+2w>", "2026-11-22", "2026-11-15", "2026-11-29"},
		{"<2026-11-20 Fri 12:00 +36h>", "2026-11-22", "2026-11-22", "2026-11-22"},
		{"<2026-11-20 Fri>", "2026-11-22", "2026-11-20", "2026-11-20"},
	} {
		at, ok := org.ParseTimestamp(test.stamp)
		day, err := time.Parse("2006-01-02", test.day)
		if !ok || err != nil {
			t.Fatal(test.stamp)
		}
		s := newStamp(test.stamp, at, 0)
		if past, future := s.past(DayOf(day)).String(), s.future(DayOf(day)).String(); past != test.past || future != test.future {
			t.Errorf("%s around %s: %s and %s, not %s and %s", test.stamp, test.day, past, future, test.past, test.future)
		}
	}
}
