package host_test

import (
	"path/filepath"
	"strings"
	"testing"

	"wb/agent/host"
	"wb/internal/test/llmtest"
)

// stateSaid is what the calls of a run's state tool gave, in their order.
func stateSaid(t *testing.T, session string, script [][]llmtest.Step) []string {
	t.Helper()
	var all []llmtest.Step
	for _, run := range script {
		all = append(append(all, run...), step("done", map[string]string{"result": "kept"}))
	}
	rt, dir, _ := bench(t, all...)
	var said []string
	for range script {
		r, err := rt.Run(t.Context(), taskIn(dir, session))
		if err != nil || r.Status != "done" {
			t.Fatalf("%+v %v", r, err)
		}
		for _, e := range r.Events {
			if e.Tool == "state" {
				text := e.Output
				if e.Error != "" {
					text = "! " + e.Error
				}
				said = append(said, text)
			}
		}
	}
	return said
}

func state(op, key, value string) llmtest.Step {
	args := map[string]string{"op": op}
	if key != "" {
		args["key"] = key
	}
	if value != "" {
		args["value"] = value
	}
	return step("state", args)
}

// What the state tool keeps in one run of a session, the next run has.
func TestStateTool(t *testing.T) {
	got := stateSaid(t, "morning", [][]llmtest.Step{
		{state("list", "", ""), state("set", "city", "Bern"), state("set", "pen", "red"), state("get", "city", ""), state("get", "", ""), state("get", "ink", "")},
		{state("list", "", ""), state("get", "pen", ""), state("delete", "pen", ""), state("set", "city", "Ulm")},
		{state("list", "", ""), state("get", "city", ""), state("get", "pen", ""), state("burn", "city", "")},
	})
	want := []string{
		"(nothing is stored)", "kept city", "kept pen", "Bern", "! state error: get needs a key", "! state error: there is no ink",
		"city\npen", "red", "deleted pen", "kept city",
		"city", "Ulm", "! state error: there is no pen",
	}
	if len(got) != len(want)+1 || strings.Join(got[:len(want)], "|") != strings.Join(want, "|") {
		t.Errorf("state said %q, want %q", got, want)
	} else if last := got[len(want)]; !strings.HasPrefix(last, "! state error") || !strings.Contains(last, "enum") {
		t.Errorf("an operation that does not exist: %q", last)
	}
}

// A run without a session has no such tool.
func TestStateWithoutSession(t *testing.T) {
	if got := stateSaid(t, "", [][]llmtest.Step{{state("set", "city", "Bern")}}); len(got) != 1 || !strings.Contains(got[0], "unknown tool: state") {
		t.Errorf("state said %q", got)
	}
}

// taskIn is a task for the agent of a bench in a session.
func taskIn(dir, session string) host.Task {
	return host.Task{File: filepath.Join(dir, "team.org"), Text: "keep it", Session: session}
}
