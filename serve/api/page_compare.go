package api

import (
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"slices"
	"strings"
	"time"

	"wb/internal/clip"
	"wb/internal/textdiff"
	"wb/internal/trace/telemetry"
)

// side is one of two runs that are compared.
type side struct {
	ID, Title, Class, Word string
	Created                time.Time
	run                    *run
	record                 record
	rows                   []*node // in order, without their tree
}

// fact is one thing about both runs.
type fact struct {
	Name, Before, After string
	Differs             bool
}

// pairing is one point of the comparison: what both runs did there, or one of them.
type pairing struct {
	Class         string
	Before, After *node
}

// itemView shows how a tool, component or model differs between the runs.
type itemView struct {
	Kind, Name, Change  string
	What                []string
	Calls, Failed, Time string
}

// comparison is the page of two runs.
type comparison struct {
	chrome
	Wrong      string
	Sides      []side
	Facts      []fact
	SameResult bool
	Result     shown
	ResultDiff template.HTML
	Steps      []pairing
	Items      []itemView
}

func (s *Server) comparePage(w http.ResponseWriter, r *http.Request) {
	t := tenantIn(r.Context())
	data := &comparison{chrome: s.chrome(r)}
	ids := r.URL.Query()["run"]
	if len(ids) != 2 || ids[0] == ids[1] {
		if data.Wrong = fmt.Sprintf("choose two runs, not %d", len(ids)); len(ids) == 2 {
			data.Wrong = "choose two different runs"
		}
		render(w, http.StatusBadRequest, "compare.html", data)
		return
	}
	slices.Sort(ids) // the earlier one first
	for _, id := range ids {
		found, err := t.find(id)
		if err != nil {
			s.notFound(w, r, "There is no run "+clip.Chars(id, 64), "")
			return
		}
		data.Sides = append(data.Sides, t.side(found))
	}
	data.facts()
	data.results()
	data.steps()
	items, err := t.items(data.Sides[0].run.latestRun(), data.Sides[1].run.latestRun())
	t.warn(err)
	data.Items = items
	render(w, http.StatusOK, "compare.html", data)
}

func (t *tenant) side(found *run) side {
	rec := found.snapshot()
	waits := t.waiting()(&rec)
	one := side{ID: rec.ID, Title: rec.title(), Created: rec.Created, Class: statusClass(rec.Status, waits), Word: statusWord(rec.Status, waits), run: found, record: rec}
	frames, _, _ := found.since(0)
	each(trail(frames, rec.Created, ended(rec, t.clock.Now())), func(n *node) { one.rows = append(one.rows, n) })
	return one
}

// facts compares what the runs amount to.
func (c *comparison) facts() {
	var all [2][]string
	for i, one := range c.Sides {
		usage := one.run.spent()
		turns, calls, model := 0, 0, ""
		for _, n := range one.rows {
			switch n.Kind {
			case "thinking":
				turns, model = turns+1, n.Model
			case "call", "component":
				calls++
			}
		}
		all[i] = []string{one.record.who(), model, millis(one.record.took(one.run.tenant.clock.Now()).Milliseconds()), grouped(turns), grouped(calls),
			grouped(usage.TokensIn), grouped(usage.TokensOut), dollars(usage)}
	}
	for i, name := range []string{"Agent or workbook", "Model", "Time", "Turns", "Calls", "Tokens in", "Tokens out", "Cost"} {
		c.Facts = append(c.Facts, fact{name, all[0][i], all[1][i], all[0][i] != all[1][i]})
	}
}

// results compares what came of the runs.
func (c *comparison) results() {
	var texts [2]string
	for i, one := range c.Sides {
		if one.record.Result != nil {
			texts[i] = one.record.Result.Result
		}
	}
	if c.SameResult = texts[0] == texts[1]; c.SameResult {
		c.Result = showProse(texts[0])
		return
	}
	c.ResultDiff = diffHTML(textdiff.Unified("first", "second", texts[0]+"\n", texts[1]+"\n"))
}

// steps pairs what both runs did, in order.
func (c *comparison) steps() {
	var lines [2][]string
	for i, one := range c.Sides {
		for _, n := range one.rows {
			lines[i] = append(lines[i], strings.Join([]string{n.Kind, n.Agent, n.Tool, string(compact(n.Args)), n.Text, n.Output, n.Error, n.Status}, "\x00"))
		}
	}
	a, b := c.Sides[0].rows, c.Sides[1].rows
	i, j := 0, 0
	for _, h := range append(textdiff.Compare(lines[0], lines[1]), textdiff.Hunk{A0: len(a), A1: len(a), B0: len(b), B1: len(b)}) {
		for ; i < h.A0; i, j = i+1, j+1 {
			c.Steps = append(c.Steps, pairing{"same", a[i], b[j]})
		}
		for i < h.A1 && j < h.B1 && a[i].Kind == b[j].Kind && a[i].Tool == b[j].Tool { // the same thing, done otherwise
			c.Steps = append(c.Steps, pairing{"differs", a[i], b[j]})
			i, j = i+1, j+1
		}
		for ; i < h.A1; i++ {
			c.Steps = append(c.Steps, pairing{"removed", a[i], nil})
		}
		for ; j < h.B1; j++ {
			c.Steps = append(c.Steps, pairing{"added", nil, b[j]})
		}
	}
}

// items are the differences that wb trace diff finds between two runs of the tenant.
func (t *tenant) items(before, after string) ([]itemView, error) {
	known, err := telemetry.List(nil, t.Dir)
	if err != nil || before == "" || after == "" {
		return nil, err
	}
	a, errA := telemetry.Choose(known, before)
	b, errB := telemetry.Choose(known, after)
	if err := errors.Join(errA, errB); err != nil {
		return nil, err
	}
	var all []itemView
	for _, d := range telemetry.Compare(a, b).Items {
		both := func(of func(*telemetry.Outcome) string) string {
			x, y := "–", "–"
			if d.Before != nil {
				x = of(d.Before)
			}
			if d.After != nil {
				y = of(d.After)
			}
			if x == y {
				return x
			}
			return x + " → " + y
		}
		all = append(all, itemView{Kind: d.Kind, Name: d.Name, Change: string(d.Change), What: d.What,
			Calls:  both(func(o *telemetry.Outcome) string { return grouped(o.Calls) }),
			Failed: both(func(o *telemetry.Outcome) string { return grouped(o.Errors) }),
			Time:   both(func(o *telemetry.Outcome) string { return millis(o.DurMS) })})
	}
	return all, nil
}
