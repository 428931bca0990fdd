package host_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"wb/agent"
	"wb/agent/host"
	"wb/internal/test/llmtest"
	"wb/internal/trace"
)

// Every event of a run, and of the agents it asks, says in events.org and to
// listeners which run it is of, which is the outermost, and which session.
func TestWhoseEvents(t *testing.T) {
	rt, dir, _ := bench(t,
		step("waldo", map[string]string{"task": "write it down"}),
		step("vfs_write", map[string]string{"path": "a.txt", "content": "one\n"}),
		step("done", map[string]string{"result": "written"}),
		step("done", map[string]string{"result": "42"}),
		llmtest.Step{Text: "again"})
	file := filepath.Join(dir, "company.org")
	if err := os.WriteFile(file, []byte(company), 0o644); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var all, levels []string
	var heard []agent.Event
	hear := func(level string) agent.Listener {
		return func(e agent.Event) {
			mu.Lock()
			defer mu.Unlock()
			levels = append(levels, level)
			if level == "call" {
				heard = append(heard, e)
				all = append(all, e.Agent+" "+string(e.Kind))
			}
		}
	}
	rt.On = []agent.Listener{hear("every")}
	task := host.Task{File: file, ID: "boss", Text: "go", Session: "monday", On: []agent.Listener{hear("call")}}
	r, err := rt.Run(context.Background(), task)
	if err != nil || r.Status != "done" {
		t.Fatalf("%+v %v", r, err)
	}
	want := "boss run, boss model_turn, waldo run, waldo model_turn, waldo tool_call, waldo model_turn, waldo tool_call, waldo result, boss tool_call, boss model_turn, boss tool_call, boss result"
	if got := strings.Join(all, ", "); got != want {
		t.Errorf("heard %s\nwant %s", got, want)
	}
	for i, level := range levels {
		if level != []string{"every", "call"}[i%2] {
			t.Fatalf("levels in the order %v", levels)
		}
	}
	inner := r.RunID + "/tool/0/0/waldo"
	for _, e := range heard {
		run := r.RunID
		if e.Agent == "waldo" {
			run = inner
		}
		if e.RunID != run || e.RootRunID != r.RunID || e.SessionID != "monday" {
			t.Errorf("%s %s is of run %q, root %q, session %q", e.Agent, e.Kind, e.RunID, e.RootRunID, e.SessionID)
		}
	}
	// a second run resumes nothing and is its own root
	again, err := rt.Run(context.Background(), task)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "events.org"))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]int{}
	for e := range trace.Events(text) {
		seen[e.Run]++
		if e.RootRun != e.Run || e.Session != "monday" || (e.InnerRun == inner) != (e.Agent == "waldo") {
			t.Errorf("%s of %s in events.org: run %q, root %q, inner %q, session %q", e.Kind, e.Agent, e.Run, e.RootRun, e.InnerRun, e.Session)
		}
	}
	if seen[r.RunID] != 10 || seen[again.RunID] != 3 || len(seen) != 2 {
		t.Errorf("events by run: %v", seen)
	}
	steps, err := os.ReadFile(filepath.Join(dir, "_steps.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range trace.VerifyEvents(text, steps) {
		if !v.Intact {
			t.Errorf("%s: %s", v.Run, v.Reason)
		}
	}
	// a run that goes on from another has that one's root
	resumed, err := rt.Resume(context.Background(), r.RunID)
	if err != nil || resumed.RootRunID != r.RunID || resumed.RunID == r.RunID {
		t.Fatalf("%+v %v", resumed, err)
	}
	mine := slices.DeleteFunc(slices.Clone(heard), func(e agent.Event) bool { return e.RunID != resumed.RunID })
	if len(mine) > 0 {
		t.Errorf("a listener of another call heard %d events", len(mine))
	}
	text, _ = os.ReadFile(filepath.Join(dir, "events.org"))
	count := 0
	for e := range trace.Events(text) {
		if e.Run == resumed.RunID {
			count++
			if e.RootRun != r.RunID {
				t.Errorf("%s of the resumed run has root %q", e.Kind, e.RootRun)
			}
		}
	}
	if count == 0 {
		t.Error("no events of the resumed run")
	}
}
