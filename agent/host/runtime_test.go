package host_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wb/agent"
	"wb/agent/host"
	"wb/app"
	"wb/compile/lanes"
	"wb/internal/test/lanetest"
	"wb/internal/test/llmtest"
	"wb/internal/trace"
)

const team = `* Waldo :agent:
:PROPERTIES:
:ID: waldo
:END:
You write.
`

// bench is a machine with one document and a scripted model.
func bench(t *testing.T, script ...llmtest.Step) (*host.Runtime, string, *llmtest.Server) {
	t.Helper()
	env := lanetest.Env(t)
	registry, err := lanes.New(env)
	if err != nil {
		t.Fatal(err)
	}
	lanetest.Need(t, env, "shell", "toolbox")
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "team.org"), []byte(team), 0o644); err != nil {
		t.Fatal(err)
	}
	server := llmtest.New(t, script...)
	return &host.Runtime{Env: env, Lanes: registry, Table: app.ForAgents{}, Records: host.Records{State: trace.NewState(t.TempDir())}, Getenv: func(name string) string {
		return map[string]string{"WB_LLM_BASE_URL": server.URL, "WB_LLM_API_KEY": "canary-key-1234"}[name]
	}}, dir, server
}

func step(tool string, args map[string]string) llmtest.Step {
	text, _ := json.Marshal(args)
	return llmtest.Step{Calls: []llmtest.Call{{Name: tool, Args: string(text)}}, In: 10, Out: 5}
}

var script = []llmtest.Step{
	step("vfs_write", map[string]string{"path": "a.txt", "content": "one\n"}),
	step("shell", map[string]string{"pipeline": "cat a.txt >> log.txt; echo two >> a.txt; cat a.txt"}),
	step("file_issue", map[string]string{"title": "No pen", "need": "ink", "tried": "blood"}),
	{Calls: []llmtest.Call{{Name: "shell", Args: `{ "pipeline": "wc -l < a.txt"}`}}, In: 10, Out: 5}, // neither blanks nor < may be lost
	step("done", map[string]string{"result": "written"}),
}

// A boss that asks another agent and a component of its document, and what its
// model says.
const company = `* Boss :agent:
:PROPERTIES:
:ID: boss
:TOOLS: waldo double vfs_read
:BUDGET_TOOL_CALLS: 6
:END:
You decide.
* Waldo :agent:
:PROPERTIES:
:ID: waldo
:TOOLS: vfs_write file_issue
:END:
You write.
* Double
:PROPERTIES:
:in: n
:out: twice
:sig: double(n: s32) -> s32
:END:
#+begin_src js
export function double(n) { return 2 * n }
#+end_src
`

var orders = []llmtest.Step{
	step("waldo", map[string]string{"task": "write it down"}),
	step("vfs_write", map[string]string{"path": "a.txt", "content": "one\ntwo\n"}),
	step("file_issue", map[string]string{"title": "No pen", "need": "ink", "tried": "blood"}),
	step("done", map[string]string{"result": "written"}),
	step("vfs_read", map[string]string{"path": "a.txt"}),
	{Calls: []llmtest.Call{{Name: "double", Args: `{"n":21}`}}, In: 10, Out: 5},
	step("done", map[string]string{"result": "42"}),
}

// An agent asks others of its document and components, all within its budget.
func TestTeam(t *testing.T) {
	rt, dir, server := bench(t, orders...)
	lanetest.Need(t, rt.Env, "quickjs")
	file := filepath.Join(dir, "company.org")
	if err := os.WriteFile(file, []byte(company), 0o644); err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	r, err := rt.Run(ctx, host.Task{File: file, ID: "boss", Text: "go"})
	if err != nil || r.Status != "budget" && r.Status != "done" {
		t.Fatalf("%+v %v", r, err)
	}
	want := "1 waldo written|2 vfs_read one\ntwo\n|3 double 42|"
	got := ""
	for _, e := range r.Events {
		got += fmt.Sprintf("%d %s %s|", e.Step, e.Tool, e.Output)
	}
	if !strings.HasPrefix(got, want) {
		t.Errorf("the boss did %q, want %q", got, want)
	}
	// waldo's two calls and done count: the seventh call, the boss's done, is one too many
	if r.Status != "budget" || !strings.Contains(r.Error, "tool_calls") {
		t.Errorf("ended %s: %s", r.Status, r.Error)
	}
	if n := len(server.Requests()); n != len(orders)+1 { // and one turn to wrap up
		t.Errorf("the model was asked %d times", n)
	}
}

// facts are what two runs of the same task have in common.
func facts(r *agent.Result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s %q %d\n", r.Status, r.Result, r.Steps)
	for _, e := range r.Events {
		fmt.Fprintf(&b, "%d %s %s %q %s\n", e.Step, e.Tool, e.Args, e.Output, e.Error)
	}
	return b.String()
}

// Killed at any entry of its journal, a run resumes to the same end, asks the
// model nothing it has answered, and does nothing twice.
func TestResumeAtEveryBoundary(t *testing.T) {
	rt, dir, _ := bench(t, script...)
	ctx := context.Background()
	task := host.Task{File: filepath.Join(dir, "team.org"), Text: "write", Write: true}
	whole, err := rt.Run(ctx, task)
	if err != nil || whole.Status != "done" {
		t.Fatalf("%+v %v", whole, err)
	}
	journal, err := rt.State.OpenJournal(whole.RunID)
	if err != nil {
		t.Fatal(err)
	}
	entries := journal.Entries()
	journal.Close()
	if want := 1 + len(script)*3 + 2; len(entries) != want { // two calls announce what they write
		t.Fatalf("%d entries, want %d", len(entries), want)
	}
	for n := 1; n <= len(entries); n++ {
		turns, effects := 0, 0
		for _, e := range entries[:n] {
			switch e.Kind {
			case trace.EntryModel:
				turns++
			case trace.EntryEffect:
				effects++
			}
		}
		// the run as it was when it died: its journal, and what had been done
		fresh, dir, server := bench(t, script[turns:]...)
		fresh.Lanes = rt.Lanes
		fresh.State = rt.State
		half := fmt.Sprintf("half-%d", n)
		copyJournal(t, rt.State, whole.RunID, half, n, task.File, filepath.Join(dir, "team.org"))
		replayFiles(t, filepath.Dir(task.File), dir, effects)
		resumed, err := fresh.Resume(ctx, half)
		if err != nil {
			t.Fatalf("after %d entries: %v", n, err)
		}
		if facts(resumed) != facts(whole) {
			t.Errorf("after %d entries the run ends differently:\n%swant\n%s", n, facts(resumed), facts(whole))
		}
		if asked := len(server.Requests()); asked != len(script)-turns {
			t.Errorf("after %d entries the model was asked %d times, want %d", n, asked, len(script)-turns)
		}
		if got, _ := os.ReadFile(filepath.Join(dir, "a.txt")); string(got) != "one\ntwo\n" {
			t.Errorf("after %d entries a.txt is %q", n, got)
		}
		issues, _ := os.ReadFile(filepath.Join(dir, "issues.org"))
		if strings.Count(string(issues), "No pen") != 1 {
			t.Errorf("after %d entries issues.org has %s", n, issues)
		}
	}
}

// copyJournal writes the first n entries of a run's journal as those of another
// whose document is elsewhere.
func copyJournal(t *testing.T, state *trace.State, from, to string, n int, oldFile, newFile string) {
	t.Helper()
	src, err := state.OpenJournal(from)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	dst, err := state.OpenJournal(to)
	if err != nil {
		t.Fatal(err)
	}
	defer dst.Close()
	for _, e := range src.Entries()[:n] {
		body, err := src.Body(e)
		if err != nil {
			t.Fatal(err)
		}
		body = []byte(strings.ReplaceAll(strings.ReplaceAll(string(body), oldFile, newFile), filepath.Dir(oldFile)+`"`, filepath.Dir(newFile)+`"`))
		if _, err := dst.Append(e.Kind, e.Key, body); err != nil {
			t.Fatal(err)
		}
	}
}

// replayFiles leaves the directory as the first effects of the script left it.
func replayFiles(t *testing.T, ended, dir string, effects int) {
	t.Helper()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if effects >= 1 {
		write("a.txt", "one\n")
	}
	if effects >= 2 {
		write("a.txt", "one\ntwo\n")
		write("log.txt", "one\n")
	}
	if effects >= 3 {
		issues, err := os.ReadFile(filepath.Join(ended, "issues.org"))
		if err != nil {
			t.Fatal(err)
		}
		write("issues.org", string(issues))
	}
}

// A replay asks nobody and says where a changed document leads elsewhere.
func TestReplay(t *testing.T) {
	rt, dir, server := bench(t, script...)
	ctx := context.Background()
	task := host.Task{File: filepath.Join(dir, "team.org"), Text: "write"}
	whole, err := rt.Run(ctx, task)
	if err != nil {
		t.Fatal(err)
	}
	server.Close()
	again, err := rt.Replay(ctx, whole.RunID)
	if err != nil || facts(again) != facts(whole) {
		t.Errorf("replayed %v:\n%swant\n%s", err, facts(again), facts(whole))
	}
	if _, err := os.Stat(filepath.Join(dir, "a.txt")); err == nil {
		t.Error("a run without leave wrote into the working directory")
	}
	if err := os.WriteFile(task.File, []byte(team+"You sing, too.\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	changed, err := rt.Replay(ctx, whole.RunID)
	if err != nil || changed.Status != "error" || !strings.Contains(changed.Result, "replay diverged at turn/0") {
		t.Errorf("a changed prompt replays to %v %+v", err, changed)
	}
}

// A fork keeps what was before its step and does the rest anew.
func TestFork(t *testing.T) {
	rt, dir, server := bench(t, script...)
	ctx := context.Background()
	whole, err := rt.Run(ctx, host.Task{File: filepath.Join(dir, "team.org"), Text: "write"})
	if err != nil {
		t.Fatal(err)
	}
	server.Add(step("done", map[string]string{"result": "otherwise"}))
	fork, err := rt.Fork(ctx, whole.RunID, 3)
	if err != nil || fork.Result != "otherwise" || len(fork.Events) != 3 {
		t.Errorf("%v %+v", err, fork)
	}
	if _, err := rt.Fork(ctx, whole.RunID, 9); err == nil || !strings.Contains(err.Error(), "no step 9") {
		t.Errorf("fork at a step that is not there: %v", err)
	}
}

// A session remembers what was said, until its time is over.
func TestSession(t *testing.T) {
	rt, dir, server := bench(t, llmtest.Step{Text: "Hello Ada."}, llmtest.Step{Text: "Your name is Ada."}, llmtest.Step{Text: "I do not know."})
	ctx := context.Background()
	task := host.Task{File: filepath.Join(dir, "team.org"), Text: "I am Ada.", Session: "s1"}
	if _, err := rt.Run(ctx, task); err != nil {
		t.Fatal(err)
	}
	task.Text = "Who am I?"
	second, err := rt.Run(ctx, task)
	if err != nil {
		t.Fatal(err)
	}
	messages := server.Requests()[1].Body["messages"].([]any)
	if len(messages) != 4 || messages[2].(map[string]any)["content"] != "Hello Ada." {
		t.Errorf("the second run was told %v", messages)
	}
	if again, err := rt.Replay(ctx, second.RunID); err != nil || again.Result != second.Result {
		t.Errorf("a run of a session replays to %v %+v", err, again)
	}
	task.Session = "s2"
	if _, err := rt.Run(ctx, task); err != nil {
		t.Fatal(err)
	}
	if messages := server.Requests()[2].Body["messages"].([]any); len(messages) != 2 {
		t.Errorf("another session was told %v", messages)
	}
	task.Session = "../s"
	if _, err := rt.Run(ctx, task); err == nil {
		t.Error("a session may be named ../s")
	}
}
