package host_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wb/agent/host"
	"wb/agent/settings"
	"wb/internal/test/lanetest"
	"wb/internal/test/llmtest"
	"wb/internal/trace"
	"wb/sandbox/dock/broker"
	"wb/sandbox/grants"
	"wb/workbook/capability"
)

// A workbook that counts in kv, an agent of its document that names one of its
// components as a tool, and a toolkit with a command that counts too.
const counting = `* Waldo :agent:
:PROPERTIES:
:ID: waldo
:TOOLS: run wb next
:END:
You count.
* Next
:PROPERTIES:
:out: n
:END:
#+begin_src js :uses kv
import { kv } from "wb";
export function next() { kv.put("n", String(Number(kv.get("n") ?? 0) + 1)); return Number(kv.get("n")); }
#+end_src
`

const countingToolkit = `#+TITLE: Count
* Count :toolkit:
:PROPERTIES:
:ID: count
:END:
* next :command:
:PROPERTIES:
:ID: next
:CAPS: kv
:END:
#+begin_src js
import { kv } from "wb";
kv.put("n", String(Number(kv.get("n") ?? 0) + 1));
console.log("count " + kv.get("n"));
#+end_src
`

// counter is a machine whose agent runs the counting workbook, its component and
// the toolkit's command.
func counter(t *testing.T, script ...llmtest.Step) (*host.Runtime, host.Task) {
	t.Helper()
	rt, dir, _ := bench(t, script...)
	lanetest.Need(t, rt.Env, "quickjs")
	rt.Capabilities = &capability.Host{Tenant: "default", StateDir: t.TempDir(), Grants: grants.Open(t.TempDir(), nil)}
	t.Cleanup(func() { rt.Capabilities.Close() })
	for name, text := range map[string]string{"count.org": counting, "toolkits/count/manifest.org": countingToolkit} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return rt, host.Task{File: filepath.Join(dir, "count.org"), ID: "waldo", Text: "count"}
}

var counts = []llmtest.Step{
	step("run", map[string]string{"workbook": "count.org"}),
	step("next", map[string]string{}),
	step("wb", map[string]string{"args": "toolkit run count next"}),
	step("wb", map[string]string{"args": "run count.org"}),
	step("done", map[string]string{"result": "counted"}),
}

// outputs are what the tools of a run said, and its denials.
func outputs(t *testing.T, rt *host.Runtime, task host.Task) (said []string, denied string) {
	t.Helper()
	r, err := rt.Run(context.Background(), task)
	if err != nil || r.Status != "done" {
		t.Fatalf("%+v %v", r, err)
	}
	for _, e := range r.Events {
		if e.Tool != "done" {
			said = append(said, e.Output+e.Error)
		}
	}
	text, err := os.ReadFile(filepath.Join(filepath.Dir(task.File), "events.org"))
	if err != nil {
		t.Fatal(err)
	}
	for e := range trace.Events(text) {
		if e.Run == r.RunID && e.Kind == trace.KindDenial {
			denied += e.Agent + " " + e.Tool + ": " + e.Error + "\n"
		}
	}
	return said, denied
}

// What an agent runs has no capability unless the task was granted it; what it
// is denied is an event of the run.
func TestUngranted(t *testing.T) {
	rt, task := counter(t, counts...)
	said, denied := outputs(t, rt, task)
	if len(said) != 4 {
		t.Fatalf("tools said %q", said)
	}
	for i, want := range []string{"not granted", "not granted", "asks for kv", "not granted"} {
		if !strings.Contains(said[i], want) {
			t.Errorf("call %d said %q, not %q", i, said[i], want)
		}
	}
	if strings.Count(denied, "waldo kv.") != 3 { // the command did not start
		t.Errorf("denied: %s", denied)
	}
}

// With the grant, all that an agent runs in a directory sees the same keys, in
// later runs too.
func TestGranted(t *testing.T) {
	rt, task := counter(t, append(counts, counts...)...)
	task.Grants = []string{"kv"}
	said, denied := outputs(t, rt, task)
	if got := strings.Join(said, "|"); !strings.Contains(said[0], `:1}`) || said[1] != "2" || !strings.Contains(said[2], "count 3") || !strings.Contains(said[3], `:4}`) || denied != "" {
		t.Errorf("said %s, denied %q", got, denied)
	}
	if said, _ = outputs(t, rt, task); said[1] != "6" {
		t.Errorf("a later run said %q", said)
	}
}

// No task has more than its host's ceiling, and a grant that is taken back from
// the agent is gone.
func TestCeilingAndRevocation(t *testing.T) {
	rt, task := counter(t, append(counts, counts...)...)
	task.Grants = []string{"kv"}
	rt.Ceiling = func(asked []string) []string { return grants.Ceiling([]string{"queue"}, asked) }
	if said, denied := outputs(t, rt, task); !strings.Contains(said[2], "asks for kv") || denied == "" {
		t.Errorf("under the ceiling: %q, denied %q", said, denied)
	}
	rt.Ceiling = nil
	rt.Sink = trace.SinkFunc(func(e trace.Event) error {
		if e.Kind == trace.KindToolCall && e.Tool == "run" { // the first call has ended
			_, err := rt.Capabilities.Grants.Revoke("waldo", "kv")
			return err
		}
		return nil
	})
	said, denied := outputs(t, rt, task)
	if !strings.Contains(said[0], ":1}") || !strings.Contains(said[1], "revoked") || !strings.Contains(said[2], "revoked") || !strings.Contains(said[3], "revoked") || strings.Count(denied, "waldo kv.") != 3 {
		t.Errorf("taken back after the first call: %q, denied %q", said, denied)
	}
}

// After text from the web nothing that speaks to the world is passed on where
// the policy asks a person before that; keys are.
func TestTaintedPassesNothingOut(t *testing.T) {
	rt, task := counter(t, step("run", map[string]string{"workbook": "#+begin_src js :uses llm :results output\nimport { llm } from \"wb\";\nconsole.log(llm.complete(\"hello\"));\n#+end_src\n"}),
		step("run", map[string]string{"workbook": "#+begin_src js :uses llm kv :results output\nimport { llm, kv } from \"wb\";\nkv.put(\"n\", \"1\");\nconsole.log(llm.complete(\"again\"));\n#+end_src\n"}),
		step("done", map[string]string{"result": "asked"}))
	task.Grants = []string{"llm", "kv"}
	rt.Settings = settings.Settings{Policy: settings.Policy{Taint: "egress"}}
	asked := 0
	rt.Capabilities.Complete = func(context.Context, string) (broker.Completion, error) {
		asked++
		return broker.Completion{Text: "hello", Tokens: 3}, nil
	}
	said, denied := outputs(t, rt, task)
	if asked != 1 || !strings.Contains(denied, "llm is not forwarded: the run has read untrusted text from outside") || !strings.Contains(said[1], "not granted") {
		t.Errorf("asked %d times, said %q, denied %q", asked, said, denied)
	}
}

// A policy that asks a person before run asks before wb run, however it is spelt.
func TestApprovalOfWBRun(t *testing.T) {
	for _, args := range []string{`{"args": "wb run count.org"}`, `{"args": ["run", "count.org"]}`, `{"args": ["lint", "count.org"]}`} {
		rt, task := counter(t, llmtest.Step{Calls: []llmtest.Call{{Name: "wb", Args: args}}}, step("done", map[string]string{"result": "done"}))
		rt.Settings = settings.Settings{Policy: settings.Policy{Approve: []string{"run"}}}
		task.NoWait = true
		r, err := rt.Run(t.Context(), task)
		if err != nil {
			t.Fatal(err)
		}
		if asked := r.Status != "done"; asked == strings.Contains(args, "lint") {
			t.Errorf("%s ended with %s: %s", args, r.Status, r.Result)
		}
	}
}

// With the working directory granted, a symbolic link leads neither out of it nor to
// what the host keeps, also for the shell.
func TestWriteThroughLinks(t *testing.T) {
	rt, task := counter(t, step("vfs_write", map[string]string{"path": "repo/config", "content": "x"}),
		step("wb", map[string]string{"args": "tangle links.org"}), step("shell", map[string]string{"pipeline": "echo x > repo/config"}),
		step("vfs_write", map[string]string{"path": "alias/ok", "content": "y"}),
		step("done", map[string]string{"result": "done"}))
	task.Write = true
	dir := filepath.Dir(task.File)
	if err := errors.Join(os.Mkdir(filepath.Join(dir, ".git"), 0o755), os.Symlink(".git", filepath.Join(dir, "repo")),
		os.Mkdir(filepath.Join(dir, "real"), 0o755), os.Symlink("real", filepath.Join(dir, "alias")),
		os.WriteFile(filepath.Join(dir, "links.org"), []byte("#+begin_src sh :tangle repo/hooks/pre-commit :mkdirp yes\ntrue\n#+end_src\n"), 0o644)); err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(counting, ":TOOLS: run wb next", ":TOOLS: wb vfs_write shell", 1)
	if err := os.WriteFile(task.File, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	said, _ := outputs(t, rt, task)
	if len(said) != 4 || !strings.Contains(said[2], "write blocked: .git/config is reserved for the host") || !strings.Contains(said[0], "write blocked: .git/config is reserved for the host") || !strings.Contains(said[1], "write blocked: .git/hooks/pre-commit is reserved for the host") {
		t.Errorf("tools said %q", said)
	}
	if entries, _ := os.ReadDir(filepath.Join(dir, ".git")); len(entries) != 0 {
		t.Errorf(".git has %v", entries)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "real", "ok")); string(text) != "y" {
		t.Errorf("real/ok is %q, %v", text, err)
	}
}
