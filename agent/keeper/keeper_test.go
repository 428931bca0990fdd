package keeper_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"wb/agent"
	"wb/agent/account"
	"wb/agent/host"
	"wb/agent/keeper"
	"wb/app"
	"wb/compile/lanes"
	"wb/internal/diag"
	"wb/internal/test/lanetest"
	"wb/internal/test/llmtest"
	"wb/internal/trace"
	"wb/workbook/capability"
)

// clock is a time that runs from one moment somebody waits for to the next, and
// ends the keeper when it has come to an end.
type clock struct {
	now, end time.Time
	stop     context.CancelFunc
}

func (c *clock) Now() time.Time { return c.now }

func (c *clock) At(t time.Time) <-chan time.Time {
	if t.After(c.end) {
		c.stop()
		return nil
	}
	c.now = t
	woken := make(chan time.Time, 1)
	woken <- t
	return woken
}

const document = `* Waldo :agent:
:PROPERTIES:
:ID: waldo
:TOOLS: vfs_read file_issue
:SCHEDULE: 0 7 * * *
:END:
You keep watch.
`

// bench is a machine with a kept agent; answer is its model.
type bench struct {
	t      *testing.T
	dir    string
	state  string
	server *llmtest.Server
	now    time.Time
	runs   []string // all that began
}

func newBench(t *testing.T, document string, answer func(llmtest.Request) llmtest.Step) *bench {
	b := &bench{t: t, dir: t.TempDir(), state: t.TempDir(), now: time.Date(2026, 6, 6, 6, 0, 0, 0, time.Local)}
	b.write(document)
	b.server = llmtest.Func(t, answer)
	return b
}

func (b *bench) write(document string) {
	b.t.Helper()
	if err := os.WriteFile(filepath.Join(b.dir, "team.org"), []byte(document), 0o644); err != nil {
		b.t.Fatal(err)
	}
}

// keep is a process that keeps the agent until a time.
func (b *bench) keep(until time.Time, mode keeper.Mode, change func(*keeper.Keeper)) ([]keeper.Wake, error) {
	b.t.Helper()
	env := lanetest.Env(b.t)
	registry, err := lanes.New(env)
	if err != nil {
		b.t.Fatal(err)
	}
	ctx, stop := context.WithCancel(b.t.Context())
	defer stop()
	c := &clock{b.now, until, stop}
	broker := &capability.Host{Tenant: "default", StateDir: b.state}
	defer broker.Close()
	rt := &host.Runtime{Env: env, Lanes: registry, Table: app.ForAgents{}, Records: host.Records{State: trace.NewState(b.state)}, Capabilities: broker, Now: c.Now, Getenv: func(name string) string {
		return map[string]string{"WB_LLM_BASE_URL": b.server.URL, "WB_LLM_API_KEY": "canary-key-1234"}[name]
	}}
	rt.On = []agent.Listener{func(e agent.Event) {
		if e.Kind == trace.KindRun {
			b.runs = append(b.runs, e.RunID)
		}
	}}
	var woke []keeper.Wake
	k := &keeper.Keeper{Runtime: rt, Task: host.Task{File: filepath.Join(b.dir, "team.org"), ID: "waldo"}, Clock: c, Woke: func(w keeper.Wake) { woke = append(woke, w) }}
	if change != nil {
		change(k)
	}
	err = k.Keep(ctx, mode)
	b.now = c.now
	return woke, err
}

func lines(woke []keeper.Wake) string {
	var all []string
	for _, w := range woke {
		all = append(all, w.String())
	}
	return strings.Join(all, "\n")
}

func calls(tool string, args map[string]string) llmtest.Step {
	text, _ := json.Marshal(args)
	return llmtest.Step{Calls: []llmtest.Call{{Name: tool, Args: string(text)}}, In: 100, Out: 10}
}

// An agent is woken at its times, remembers from one to the next, and what nobody
// was there for is one wake.
func TestKeep(t *testing.T) {
	wakes := 0
	b := newBench(t, document, func(r llmtest.Request) llmtest.Step {
		turn, task := r.Turn()
		switch turn {
		case 0:
			wakes++
			if seen := strings.Contains(task, "In your memory are: day.org"); seen != (wakes > 1) {
				t.Errorf("wake %d was told %q", wakes, task)
			}
			if wakes == 1 {
				return calls("memory", map[string]string{"op": "list"})
			}
			return calls("memory", map[string]string{"op": "read", "path": "day.org"})
		case 1:
			return calls("memory", map[string]string{"op": "write", "path": "day.org", "content": fmt.Sprintf("day %d", wakes)})
		}
		return llmtest.Step{Text: fmt.Sprintf("watched %d times, saw %s", wakes, r.Outputs()[0])}
	})
	start := b.now
	woke, err := b.keep(start.Add(49*time.Hour), keeper.Forever, nil)
	want := "2026-06-06 07:00 text watched 1 times, saw (nothing is remembered)\n2026-06-07 07:00 text watched 2 times, saw day 1\n2026-06-08 07:00 text watched 3 times, saw day 2"
	if err != nil || lines(woke) != want {
		t.Errorf("%v\n%s\nwant\n%s", err, lines(woke), want)
	}
	b.now = start.Add(10*24*time.Hour + 2*time.Hour) // nobody was there for eight mornings
	woke, err = b.keep(b.now.Add(time.Hour), keeper.Forever, nil)
	if err != nil || lines(woke) != "2026-06-16 07:00 text (7 missed) watched 4 times, saw day 3" || !strings.Contains(woke[0].Text, "for the last 7 times") {
		t.Errorf("%v\n%s", err, lines(woke))
	}
	b.write(strings.Replace(document, ":SCHEDULE:", ":MISSED: skip\n:SCHEDULE:", 1))
	b.now = b.now.Add(5 * 24 * time.Hour)
	if woke, err = b.keep(b.now.Add(time.Hour), keeper.Forever, nil); err != nil || len(woke) != 0 {
		t.Errorf("skipped: %v\n%s", err, lines(woke))
	}
	if woke, err = b.keep(b.now, keeper.Now, nil); err != nil || len(woke) != 1 || wakes != 5 {
		t.Errorf("now: %v\n%s", err, lines(woke))
	}
	if woke, err = b.keep(b.now, keeper.Once, nil); err != nil || len(woke) != 0 {
		t.Errorf("once: %v\n%s", err, lines(woke))
	}
	b.write(strings.Replace(document, ":SCHEDULE: 0 7 * * *\n", "", 1))
	var none *keeper.NoScheduleError
	if _, err = b.keep(b.now, keeper.Forever, nil); !errors.As(err, &none) {
		t.Errorf("without a schedule: %v", err)
	}
	b.write(strings.Replace(document, "0 7 * * *", "every morning", 1))
	for _, mode := range []keeper.Mode{keeper.Forever, keeper.Once} {
		if _, err = b.keep(b.now, mode, nil); err == nil || !strings.Contains(err.Error(), "every morning: expected") {
			t.Errorf("with words for a schedule: %v", err)
		}
	}
}

// A keeper that is stopped in a wake leaves it to the next, which goes on with the
// same run; one that died before its run began begins it; one that died after its run
// had ended does nothing again.
func TestKeepOn(t *testing.T) {
	issue := map[string]string{"title": "No pen", "need": "ink", "tried": "blood"}
	var interrupt func()
	asked := 0
	b := newBench(t, document, func(r llmtest.Request) llmtest.Step {
		turn, _ := r.Turn()
		asked++
		switch turn {
		case 0:
			return calls("file_issue", issue)
		case 1:
			if interrupt != nil {
				interrupt()
				interrupt = nil
				return llmtest.Step{Stall: time.Minute}
			}
		}
		return llmtest.Step{Text: "done"}
	})
	end := b.now.Add(3 * time.Hour)
	woke, err := b.keep(end, keeper.Forever, func(k *keeper.Keeper) {
		c := k.Clock.(*clock)
		interrupt = c.stop
	})
	if err != nil || len(woke) != 0 {
		t.Fatalf("interrupted: %v\n%s", err, lines(woke))
	}
	woke, err = b.keep(end, keeper.Forever, nil)
	if err != nil || len(woke) != 1 || woke[0].Status != agent.StatusText || len(woke[0].Runs) != 2 {
		t.Fatalf("went on: %v\n%+v", err, woke)
	}
	issues, _ := os.ReadFile(filepath.Join(b.dir, "issues.org"))
	if strings.Count(string(issues), "* TODO No pen") != 1 || asked != 3 {
		t.Errorf("asked %d times, filed\n%s", asked, issues)
	}
	state := trace.NewState(b.state)
	key := b.key(state)
	kept, err := keeper.Load(state, key)
	if err != nil || kept.Wake != nil || kept.Wakes != 1 {
		t.Fatalf("%+v %v", kept, err)
	}
	put := func(s keeper.State) {
		t.Helper()
		text, _ := json.Marshal(s)
		if err := os.WriteFile(filepath.Join(b.state, "keepers", key+".json"), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	dead := kept // as if the process had died before it said that the wake is over
	dead.Wake, dead.Last, dead.Wakes = &woke[0], nil, 0
	put(dead)
	woke, err = b.keep(end, keeper.Once, nil)
	if err != nil || len(woke) != 1 || woke[0].Status != agent.StatusText || asked != 3 {
		t.Errorf("the run had ended: %v, asked %d times\n%+v", err, asked, woke)
	}
	begun := kept // as if it had died before the run began
	begun.Wake = &keeper.Wake{Due: b.now, Text: "wake up"}
	put(begun)
	woke, err = b.keep(end, keeper.Once, nil)
	if err != nil || len(woke) != 1 || woke[0].Status != agent.StatusText || asked != 5 || len(woke[0].Runs) != 1 {
		t.Errorf("the run had not begun: %v, asked %d times\n%+v", err, asked, woke)
	}
	release, _, err := state.Lock("keeper-" + key)
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	var busy *diag.BusyError
	if _, err := b.keep(end, keeper.Forever, nil); !errors.As(err, &busy) {
		t.Errorf("two keepers: %v", err)
	}
	if !keeper.Kept(state, key) {
		t.Error("no process keeps it")
	}
}

// key finds the name of the agent's state.
func (b *bench) key(state *trace.State) string {
	b.t.Helper()
	found, err := filepath.Glob(filepath.Join(state.Dir(), "keepers", "*.json"))
	if err != nil || len(found) != 1 {
		b.t.Fatalf("%v %v", found, err)
	}
	return strings.TrimSuffix(filepath.Base(found[0]), ".json")
}

// All wakes draw on one account; when it is empty, the agent sleeps until it is not.
func TestKeepAccount(t *testing.T) {
	b := newBench(t, strings.Replace(document, "0 7 * * *", "0 * * * *\n:BUDGET_DAY_TOKENS: 1100", 1), func(llmtest.Request) llmtest.Step {
		return llmtest.Step{Text: "watched"}
	})
	var notes []string
	woke, err := b.keep(b.now.Add(41*time.Hour), keeper.Forever, func(k *keeper.Keeper) { k.Note = func(n string) { notes = append(notes, n) } })
	if err != nil {
		t.Fatal(err)
	}
	days := map[string]int64{}
	for _, w := range woke {
		if w.Result != nil {
			days[w.Due.Format("2006-01-02")] += w.Result.Usage.TokensIn + w.Result.Usage.TokensOut
		}
	}
	for day, spent := range days {
		if spent > 1100 || spent == 0 {
			t.Errorf("%s: %d tokens", day, spent)
		}
	}
	if len(days) != 2 || len(woke) > 6 || len(notes) < 30 {
		t.Errorf("woke on %v, %d notes:\n%s", days, len(notes), lines(woke))
	}
	found, _ := filepath.Glob(filepath.Join(b.state, "accounts", "*.json"))
	book, err := account.Read(slices.Concat(found, []string{""})[0])
	if err != nil || book.Total.Tokens != days["2026-06-06"]+days["2026-06-07"] {
		t.Errorf("%+v %v, want %v", book, err, days)
	}
}
