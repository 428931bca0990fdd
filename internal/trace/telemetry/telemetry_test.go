package telemetry

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"wb/internal/diag"
	"wb/internal/trace"
)

var start = time.Date(2026, 11, 21, 10, 0, 0, 0, time.Local)

// record makes a run with a component that ran, one that failed, one from the
// cache, a model turn and two tool calls.
func record(t *testing.T, state *trace.State, dir, id string, change func(*trace.Event)) {
	t.Helper()
	now := start
	run, err := trace.Begin(trace.Config{Files: trace.FilesIn(dir), State: state, Now: func() time.Time { now = now.Add(time.Second); return now },
		Warn: func(err error) { t.Error(err) }}, trace.RunInfo{ID: id, Workbook: filepath.Join(dir, "w.org")})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range []trace.Event{
		{Kind: trace.KindComponentStart, Component: "a"},
		{Kind: trace.KindCompile, Component: "a", Lang: "c", Duration: 90 * time.Millisecond},
		{Kind: trace.KindComponentEnd, Component: "a", Lang: "c", Duration: 100 * time.Millisecond, Fuel: 1000, Exit: trace.Exit(0), Output: "42"},
		{Kind: trace.KindComponentEnd, Component: "b", Lang: "js", Duration: 3 * time.Millisecond, Fuel: 50, Error: "w.org:3:1: broken"},
		{Kind: trace.KindCacheHit, Component: "c", Cache: "hit"},
		{Kind: trace.KindModelTurn, Agent: "ada", Step: 1, Model: "xiaomi/mimo-v2.5", Duration: 2 * time.Second, Usage: trace.Usage{TokensIn: 100, TokensOut: 20, TokensCached: 60, CostUSD: 0.01}},
		{Kind: trace.KindToolCall, Agent: "ada", Step: 1, Tool: "shell", Duration: 10 * time.Millisecond, Exit: trace.Exit(2), Args: []byte(`{"pipeline":"false"}`)},
		{Kind: trace.KindToolCall, Agent: "ada", Step: 1, Tool: "shell", Duration: 30 * time.Millisecond, Exit: trace.Exit(0)},
		{Kind: trace.KindDenial, Tool: "fetch", Error: "not granted"},
	} {
		if change != nil {
			change(&e)
		}
		if e.Kind != "" {
			if err := run.Emit(e); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := run.End(trace.Outcome{Status: "failed", Error: "b failed", Fuel: 1050}); err != nil {
		t.Fatal(err)
	}
}

func TestSummarize(t *testing.T) {
	dir := t.TempDir()
	state := trace.NewState(filepath.Join(dir, ".state"))
	record(t, state, dir, "01M7YZV2ZR0EADRY45K2BS68EA", nil)
	r, err := Find(state, "/nowhere", "last")
	if err != nil {
		t.Fatal(err)
	}
	s := Summarize(r)
	if s.Calls != 5 || s.Errors != 3 || s.CacheHits != 1 || s.TotalMS != 2143 || s.Fuel != 1050 || s.Status != "failed" {
		t.Errorf("%+v", s)
	}
	if s.Usage != (trace.Usage{TokensIn: 100, TokensOut: 20, TokensCached: 60, CostUSD: 0.01}) {
		t.Errorf("usage %+v", s.Usage)
	}
	if len(s.Failed) != 3 || s.Failed[0].Name != "fetch" || s.Failed[1].Error != "exit 2" || s.Failed[2].Name != "b" {
		t.Errorf("failed %+v", s.Failed)
	}
	if s.Slowest[0].Name != "xiaomi/mimo-v2.5" || len(s.Slowest) != 5 {
		t.Errorf("slowest %+v", s.Slowest)
	}
	counted := 0
	for i, b := range s.Times {
		counted += b.Calls
		if i > 0 && b.MinMS != s.Times[i-1].MaxMS {
			t.Errorf("a gap in %+v", s.Times)
		}
	}
	if counted != 5 || s.Times[0].MinMS != 2 || s.Times[len(s.Times)-1].MaxMS != 2048 {
		t.Errorf("times %+v", s.Times)
	}
	var text strings.Builder
	if err := s.Write(&text); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"5 calls · 3 errors · 1 from the cache", "tokens 100 in (60 cached), 20 out · $0.0100", "shell", "call 6  tool_call shell: exit 2", "█"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, text.String())
		}
	}
}

func TestFind(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	state := trace.NewState(filepath.Join(dir, ".state"))
	for i, id := range []string{"01M7YZV2ZR0EADRY45K2BS68EA", "01M7YZV2ZR0EADRY45K2BS68EB", "01M8YZV2ZR0EADRY45K2BS68EC"} {
		record(t, state, dir, id, nil)
		_ = i
	}
	record(t, trace.NewState(filepath.Join(other, ".state")), other, "01M9ELSEWHERE0000000000000", nil)
	for ref, want := range map[string]string{"": "C", "last": "C", "last~1": "B", "01M8": "C", "01m8": "C", "01M7YZV2ZR0EADRY45K2BS68EA": "A", dir: "C",
		filepath.Join(dir, "events.org"): "C", filepath.Join(dir, "_steps.jsonl"): "C"} {
		r, err := Find(state, "/nowhere", ref)
		if err != nil || r.Run[len(r.Run)-1:] != want || len(r.Events) == 0 {
			t.Errorf("%q: %v %v", ref, r, err)
		}
	}
	var ambiguous *AmbiguousError
	if _, err := Find(state, "/nowhere", "01M7"); !errors.As(err, &ambiguous) || len(ambiguous.IDs) != 2 {
		t.Error(err)
	}
	var missing *diag.NotFoundError
	for _, ref := range []string{"last~3", "nothing", "01X"} {
		if _, err := Find(state, "/nowhere", ref); !errors.As(err, &missing) {
			t.Errorf("%s: %v", ref, err)
		}
	}
	records, err := List(state, other)
	if err != nil || len(records) != 4 {
		t.Errorf("%d runs, %v", len(records), err)
	}
	if err := os.Remove(filepath.Join(dir, "events.org")); err != nil {
		t.Fatal(err)
	}
	if r, err := Find(state, "/nowhere", "last"); err != nil || Summarize(r).Calls != 5 {
		t.Errorf("without events.org, from _steps.jsonl: %v", err)
	}
	os.Remove(filepath.Join(dir, "_steps.jsonl"))
	if _, err := Find(state, "/nowhere", "last"); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

func TestCompare(t *testing.T) {
	dir := t.TempDir()
	state := trace.NewState(filepath.Join(dir, ".state"))
	record(t, state, dir, "01M7YZV2ZR0EADRY45K2BS68EA", nil)
	record(t, state, dir, "01M7YZV2ZR0EADRY45K2BS68EB", func(e *trace.Event) {
		switch {
		case e.Component == "a":
			e.Fuel, e.Duration, e.Output = e.Fuel+1, 10*e.Duration, "43"
		case e.Component == "b":
			e.Component = "new"
		case e.Kind == trace.KindModelTurn:
			e.Duration *= 2
		case e.Tool == "shell" && e.Exit != nil && *e.Exit == 2:
			e.Kind = ""
		}
	})
	before, err := Find(state, dir, "last~1")
	if err != nil {
		t.Fatal(err)
	}
	after, err := Find(state, dir, "last")
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, d := range Compare(before, after).Items {
		got[d.Name] = string(d.Change) + " " + strings.Join(d.What, ",")
	}
	want := map[string]string{"a": "changed output,fuel", "b": "removed ", "new": "added ", "c": "same ", "xiaomi/mimo-v2.5": "slower ", "shell": "changed calls"}
	for name := range want {
		if got[name] != want[name] {
			t.Errorf("%s: %q, want %q", name, got[name], want[name])
		}
	}
	if len(got) != len(want) {
		t.Error(got)
	}
	same := Compare(before, before)
	if same.Differs() {
		t.Errorf("a run differs from itself: %+v", same.Items)
	}
}
