package agent_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"wb/agent"
	"wb/internal/trace"
)

// heard collects what listeners of several levels hear.
type heard struct {
	mu  sync.Mutex
	all []agent.Event
	by  []string
}

func (h *heard) at(level string) agent.Listener {
	return func(e agent.Event) {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.all, h.by = append(h.all, e), append(h.by, level)
	}
}

// Every event is heard by the definition's listeners, then the agent's, then
// the call's; a call's listeners hear that call only, and who is taken away
// hears nothing more.
func TestListeners(t *testing.T) {
	var h heard
	d := agent.Default()
	d.Bounds, d.Model, d.On = agent.Bounds{Steps: 9}, "m", []agent.Listener{h.at("factory")}
	one, other := agent.New(d), agent.New(d)
	off := one.On(h.at("instance"))
	options := func(run string, on ...agent.Listener) agent.Options {
		return agent.Options{Task: "do it", Model: &parrot{2}, Tools: []agent.Tool{echo, done}, RunID: run, RootRunID: "root", SessionID: "s", On: on}
	}
	if r := one.Run(context.Background(), options("r1", h.at("call"))); r.Status != "done" {
		t.Fatalf("%+v", r)
	}
	kinds := []trace.Kind{trace.KindRun, trace.KindModelTurn, trace.KindToolCall, trace.KindModelTurn, trace.KindToolCall, trace.KindResult}
	if len(h.all) != 3*len(kinds) {
		t.Fatalf("%d events heard, want %d at three levels", len(h.all), len(kinds))
	}
	for i, e := range h.all {
		if level := []string{"factory", "instance", "call"}[i%3]; h.by[i] != level || e.Kind != kinds[i/3] {
			t.Errorf("%d: %s hears %s, want %s at the %s", i, h.by[i], e.Kind, kinds[i/3], level)
		}
		if e.RunID != "r1" || e.RootRunID != "root" || e.SessionID != "s" || e.Agent != d.ID {
			t.Errorf("%d: %s is of run %q, root %q, session %q, agent %q", i, e.Kind, e.RunID, e.RootRunID, e.SessionID, e.Agent)
		}
	}
	h.all, h.by = nil, nil
	off()
	one.Run(context.Background(), options("r2"))
	other.Run(context.Background(), options("r3"))
	if len(h.by) != 2*len(kinds) || slices.ContainsFunc(h.by, func(level string) bool { return level != "factory" }) {
		t.Errorf("heard at %v", h.by)
	}
}

// Runs at the same time have events of their own, each in order.
func TestListenersOfConcurrentRuns(t *testing.T) {
	var h heard
	d := agent.Default()
	d.Bounds, d.Model = agent.Bounds{Steps: 9}, "m"
	a := agent.New(d)
	a.On(h.at("instance"))
	const runs = 20
	var group sync.WaitGroup
	calls := make([]heard, runs)
	for i := range runs {
		group.Go(func() {
			a.Run(context.Background(), agent.Options{Task: "do it", Model: &parrot{3}, Tools: []agent.Tool{echo, done}, RunID: fmt.Sprint("r", i), On: []agent.Listener{calls[i].at("call")}})
		})
	}
	group.Wait()
	of := map[string][]string{}
	for _, e := range h.all {
		if e.RootRunID != e.RunID {
			t.Errorf("run %s has root %s", e.RunID, e.RootRunID)
		}
		of[e.RunID] = append(of[e.RunID], string(e.Kind))
	}
	want := "run model_turn tool_call model_turn tool_call model_turn tool_call result"
	for i := range runs {
		id := fmt.Sprint("r", i)
		if got := strings.Join(of[id], " "); got != want {
			t.Errorf("%s: %s", id, got)
		}
		if len(calls[i].all) != 8 || slices.ContainsFunc(calls[i].all, func(e agent.Event) bool { return e.RunID != id }) {
			t.Errorf("the call's listener of %s heard %d events", id, len(calls[i].all))
		}
	}
}

// An agent without a name gets one from its model and tools: the same in every
// run, another with other tools.
func TestUnnamed(t *testing.T) {
	name := func(model string, tools ...agent.Tool) string {
		d := agent.Default()
		d.ID, d.Model, d.Bounds = "", model, agent.Bounds{Steps: 9}
		return agent.Run(context.Background(), agent.Options{Agent: d, Task: "do it", Model: &parrot{1}, Tools: tools, RunID: "r"}).Agent
	}
	first := name("m", echo, done)
	if !strings.HasPrefix(first, "agent-") || name("m", echo, done) != first {
		t.Errorf("named %q and %q", first, name("m", echo, done))
	}
	if name("n", echo, done) == first || name("m", done) == first {
		t.Error("other agents have the same name")
	}
}
