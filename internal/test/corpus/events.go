package corpus

import (
	"bufio"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"time"

	"wb/internal/trace"
)

// Events writes an events.org with n events in runs of a few hundred: some of
// workbooks, some of agents, as trace writes them.
func Events(w io.Writer, n int, seed uint64) error {
	g := &generator{rnd: rand.New(rand.NewPCG(seed, 7))}
	out := bufio.NewWriterSize(w, 1<<20)
	at := origin
	var buf []byte
	emit := func(e trace.Event) {
		at = at.Add(time.Duration(g.rnd.IntN(2000)) * time.Millisecond)
		e.Time = at
		buf = trace.AppendOrg(buf[:0], &e)
		out.Write(buf)
	}
	for written := 0; written < n; {
		run := fmt.Sprintf("01JD%010d", written)
		agent := g.chance(0.4)
		header := trace.Event{Run: run, Kind: trace.KindRun, Workbook: g.word() + ".org"}
		if agent {
			header.Workbook, header.Agent = "", g.pick(names)
		}
		emit(header)
		calls := 50 + g.rnd.IntN(400)
		for call := range calls {
			e := g.event(run, call, agent)
			e.Agent = header.Agent
			emit(e)
			if written++; written == n {
				break
			}
		}
		emit(trace.Event{Run: run, Call: calls, Kind: trace.KindResult, Status: "ok", Duration: time.Minute, Output: "done"})
	}
	return out.Flush()
}

func (g *generator) event(run string, call int, agent bool) trace.Event {
	e := trace.Event{Run: run, Call: call, Duration: time.Duration(math.Exp(g.rnd.NormFloat64()*1.5+4)) * time.Millisecond}
	code := 0
	if g.chance(0.05) {
		code = 1
	}
	e.Exit = trace.Exit(code)
	if agent {
		e.Kind, e.Step, e.Tool = trace.KindToolCall, call/3+1, g.pick([]string{"shell", "fetch", "search", "query", "write"})
		e.Args = fmt.Appendf(nil, `{"pipeline":"cat %s.json | jq .%s | sort -u | head -%d"}`, g.word(), g.word(), g.rnd.IntN(100))
		e.Output = g.words(12)
		return e
	}
	e.Kind, e.Component, e.Lang = trace.KindComponentEnd, g.word()+"-"+g.word(), g.pick(langs)
	e.Fuel = int64(g.rnd.IntN(1e9))
	e.Cache = g.pick([]string{"hit", "miss", "miss"})
	e.Output = g.words(8)
	return e
}
