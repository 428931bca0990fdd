package main

import (
	"bytes"
	"encoding/json"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"wb/agent"
	"wb/compile/lanes"
	"wb/internal/test/lanetest"
	"wb/internal/test/llmtest"
)

// agentVerbs are the verbs of wb that an agent may use: they look, or change nothing
// but the tree of the run and plain variables of the tenant.
var agentVerbs = []string{"agenda", "fmt", "help", "lint", "plan", "query", "run", "search", "tangle", "telemetry", "toolkit list", "toolkit run",
	"toolkit search", "toolkit show", "trace diff", "trace export", "var get", "var list", "var ref", "var set", "verify", "why"}

// verbPaths are the verbs of a tree that do something, with their parents.
func verbPaths(v verbJSON, above []string) [][]string {
	if len(v.Verbs) == 0 {
		return [][]string{above}
	}
	var all [][]string
	for _, child := range v.Verbs {
		all = append(all, verbPaths(child, append(slices.Clone(above), child.Name))...)
	}
	return all
}

// Every verb there is, of whichever kind and whenever it was added, is not permitted
// to an agent unless it stands in the list above.
func TestAgentVerbs(t *testing.T) {
	env := lanetest.Env(t)
	if _, err := lanes.New(env); err != nil {
		t.Fatal(err)
	}
	lanetest.Need(t, env, "shell", "toolbox")
	wb, err := exec.LookPath("wb") // where testscript.Main has put it
	if err != nil {
		t.Fatal(err)
	}
	help, err := exec.Command(wb, "help", "--json").Output()
	if err != nil {
		t.Fatal(err)
	}
	var tree struct{ Data verbJSON }
	if err := json.Unmarshal(help, &tree); err != nil {
		t.Fatal(err)
	}
	paths := verbPaths(tree.Data, nil)
	if len(paths) < 60 {
		t.Fatalf("there are only %d verbs", len(paths))
	}
	var calls []llmtest.Call
	for _, path := range paths {
		args, _ := json.Marshal(map[string]any{"args": append(slices.Clone(path), "team.org", "-h")})
		calls = append(calls, llmtest.Call{Name: "wb", Args: string(args)})
	}
	server := httptest.NewServer(llmtest.Answering(func(r llmtest.Request) llmtest.Step {
		if turn, _ := r.Turn(); turn == 0 {
			return llmtest.Step{Calls: calls}
		}
		return llmtest.Step{Text: "tried"}
	}))
	defer server.Close()
	dir, state := t.TempDir(), t.TempDir()
	team := []byte("* Waldo :agent:\n:PROPERTIES:\n:ID: waldo\n:TOOLS: wb\n:EXEC: t\n:END:\nYou try.\n")
	if err := os.WriteFile(filepath.Join(dir, "team.org"), team, 0o644); err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), wb, "--json", "agent", "run", "team.org#waldo", "go", "--write", "--exec", "--grant", "kv")
	command.Dir = dir
	command.Env = append(os.Environ(), "WB_STATE_DIR="+state, "XDG_CONFIG_HOME="+state, "WB_LLM_BASE_URL="+server.URL, "WB_LLM_API_KEY=canary-key-1234", "NO_COLOR=1")
	var out, stderr bytes.Buffer
	command.Stdout, command.Stderr = &out, &stderr
	if err := command.Run(); err != nil {
		t.Fatalf("%v\n%s", err, &stderr)
	}
	var envelope struct{ Data *agent.Result }
	if err := json.Unmarshal(out.Bytes(), &envelope); err != nil || envelope.Data == nil || len(envelope.Data.Events) != len(paths) {
		t.Fatalf("%v: %s", err, &out)
	}
	for i, path := range paths {
		verb, answer := strings.Join(path, " "), envelope.Data.Events[i].Error
		if permitted := !strings.Contains(answer, "not permitted to an agent"); permitted != slices.Contains(agentVerbs, verb) {
			t.Errorf("wb %s: %q", verb, answer)
		}
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if want := []string{"_ledger.json", "_steps.jsonl", "events.org", "team.org"}; !slices.Equal(slices.DeleteFunc(names, func(n string) bool { return n == ".wb" }), want) {
		t.Errorf("the directory has %v, want %v", names, want)
	}
	if now, _ := os.ReadFile(filepath.Join(dir, "team.org")); !bytes.Equal(now, team) {
		t.Errorf("team.org is %q", now)
	}
}
