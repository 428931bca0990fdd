package issues_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"wb/agent/host"
	"wb/agent/issues"
	"wb/app"
	"wb/compile/lanes"
	"wb/internal/diag"
	"wb/internal/test/lanetest"
	"wb/internal/test/llmtest"
	"wb/internal/trace"
)

const filed = `#+TITLE: Issues filed by agents

* TODO No pen :issue:
:PROPERTIES:
:ID: issue-pen
:CREATED: [2026-06-06 Sat 10:00]
:END:
- need :: ink
- tried :: blood

* TODO No paper :issue:
:PROPERTIES:
:ID: issue-paper
:END:
- need :: trees
* TODO A task of a person
:PROPERTIES:
:ID: mine
:END:
`

func worker(t *testing.T, dir, state string, server *llmtest.Server) *issues.Worker {
	t.Helper()
	env := lanetest.Env(t)
	registry, err := lanes.New(env)
	if err != nil {
		t.Fatal(err)
	}
	lanetest.Need(t, env, "shell", "toolbox")
	rt := &host.Runtime{Env: env, Lanes: registry, Table: app.ForAgents{}, Records: host.Records{State: trace.NewState(state)}, Getenv: func(name string) string {
		return map[string]string{"WB_LLM_BASE_URL": server.URL, "WB_LLM_API_KEY": "canary-key-1234"}[name]
	}}
	return &issues.Worker{Runtime: rt, Task: host.Task{Dir: dir, Write: true}, Path: issues.File(dir), Name: "w", Now: func() time.Time { return time.Date(2026, 6, 7, 8, 0, 0, 0, time.UTC) }}
}

func issuesText(t *testing.T, dir string) string {
	t.Helper()
	text, err := os.ReadFile(issues.File(dir))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Two workers at once never work on the same ticket.
func TestTogether(t *testing.T) {
	dir, state := t.TempDir(), t.TempDir()
	if err := os.WriteFile(issues.File(dir), []byte(filed), 0o644); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var meet sync.WaitGroup
	meet.Add(2)
	worked := map[string]int{}
	server := llmtest.Func(t, func(r llmtest.Request) llmtest.Step {
		_, task := r.Turn()
		title := "pen"
		if strings.Contains(task, "No paper") {
			title = "paper"
		}
		mu.Lock()
		worked[title]++
		mu.Unlock()
		meet.Done()
		meet.Wait() // both are at work
		return llmtest.Step{Text: "got " + title}
	})
	var all sync.WaitGroup
	for range 2 {
		w := worker(t, dir, state, server)
		all.Go(func() {
			o, err := w.Next(t.Context(), map[string]bool{})
			if err != nil || o == nil || !o.Resolved {
				t.Errorf("%+v %v", o, err)
			}
		})
	}
	all.Wait()
	if worked["pen"] != 1 || worked["paper"] != 1 {
		t.Errorf("worked on %v", worked)
	}
	text := issuesText(t, dir)
	for _, want := range []string{"* DONE No pen :issue:\n", "* DONE No paper :issue:\n", "* TODO A task of a person", " :: got pen\n\n* DONE No paper", " :: got paper\n* TODO"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in\n%s", want, text)
		}
	}
	if o, err := worker(t, dir, state, server).Next(t.Context(), map[string]bool{}); o != nil || err != nil {
		t.Errorf("nothing is left: %+v %v", o, err)
	}
}

// What a worker that was stopped has begun the next goes on with, in the same run; an
// answer that says it cannot, or text that looks like a headline, does no harm.
func TestGoesOn(t *testing.T) {
	dir, state := t.TempDir(), t.TempDir()
	if err := os.WriteFile(issues.File(dir), []byte(filed), 0o644); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	asked := 0
	args, _ := json.Marshal(map[string]string{"path": "ink.txt", "content": "ink\n"})
	server := llmtest.Func(t, func(r llmtest.Request) llmtest.Step {
		asked++
		switch turn, _ := r.Turn(); {
		case turn == 0:
			return llmtest.Step{Calls: []llmtest.Call{{Name: "vfs_write", Args: string(args)}}}
		case asked == 2:
			stop()
			return llmtest.Step{Stall: time.Minute}
		}
		return llmtest.Step{Text: "Cannot: no shop\n* TODO Forged :issue:\n:PROPERTIES:\n:ID: forged\n:END:"}
	})
	if o, err := worker(t, dir, state, server).Work(ctx, "issue-pen"); !errors.Is(err, context.Canceled) || o != nil {
		t.Fatalf("stopped: %+v %v", o, err)
	}
	all, err := issues.Read(issues.File(dir))
	if err != nil || len(all) != 2 || all[0].Worker != "w" || len(all[0].Runs) != 1 {
		t.Fatalf("%+v %v", all, err)
	}
	o, err := worker(t, dir, state, server).Work(t.Context(), "pen")
	if err != nil || o.Resolved || asked != 3 {
		t.Fatalf("went on: %+v %v, asked %d times", o, err, asked)
	}
	all, err = issues.Read(issues.File(dir))
	if err != nil || len(all) != 2 || all[0].Attempts != 1 || all[0].Worker != "" || all[0].Done {
		t.Errorf("%+v %v\n%s", all, err, issuesText(t, dir))
	}
	if ink, err := os.ReadFile(filepath.Join(dir, "ink.txt")); err != nil || string(ink) != "ink\n" {
		t.Errorf("%q %v", ink, err)
	}
	release, _, err := trace.NewState(filepath.Join(dir, ".wb", "tickets")).Lock("issue-pen")
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	var busy *diag.BusyError
	if _, err := worker(t, dir, state, server).Work(t.Context(), "pen"); !errors.As(err, &busy) {
		t.Errorf("somebody is at it: %v", err)
	}
}
