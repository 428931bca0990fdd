package host_test

import (
	"path/filepath"
	"strings"
	"testing"

	"wb/agent/host"
	"wb/internal/test/llmtest"
	"wb/workbook/capability"
)

// A dream makes a digest of what an agent did and said since the last, keeps it, and
// is no past itself.
func TestDream(t *testing.T) {
	rt, dir, server := bench(t, step("file_issue", map[string]string{"title": "No pen", "need": "ink", "tried": "blood"}), llmtest.Step{Text: "filed it"},
		llmtest.Step{Text: "* I lack a pen\n" + strings.Repeat("x", 20<<10)}, llmtest.Step{Text: "hello to you"}, llmtest.Step{Text: "* Second digest"})
	rt.Capabilities = &capability.Host{Tenant: "default", StateDir: rt.State.Dir()}
	t.Cleanup(func() { rt.Capabilities.Close() })
	ctx := t.Context()
	task := host.Task{File: filepath.Join(dir, "team.org")}
	if r, err := rt.Dream(ctx, task); r != nil || err != nil {
		t.Errorf("without a past: %+v %v", r, err)
	}
	work := task
	work.Text = "write"
	if _, err := rt.Run(ctx, work); err != nil {
		t.Fatal(err)
	}
	r, err := rt.Dream(ctx, task)
	if err != nil || r.Status != "text" || len(r.Events) != 0 {
		t.Fatalf("%+v %v", r, err)
	}
	asked := server.Requests()[2].Body
	_, told := server.Requests()[2].Turn()
	if !strings.Contains(told, "What you remembered so far:\n(nothing)") || !strings.Contains(told, "tool_call file_issue") || !strings.Contains(told, "No pen") {
		t.Errorf("was told %q", told)
	}
	if names, _ := asked["tools"].([]any); len(names) != 1 { // done
		t.Errorf("asleep it had the tools %v", names)
	}
	text, _, err := rt.Recall(ctx, task)
	if err != nil || !strings.Contains(text, "digest.org") || !strings.Contains(text, "* I lack a pen") || len(text) > 4200 {
		t.Errorf("recalls %d bytes %.80q %v", len(text), text, err)
	}
	if r, err := rt.Dream(ctx, task); r != nil || err != nil {
		t.Errorf("nothing has happened: %+v %v", r, err)
	}
	talk := work
	talk.Session, talk.Text = "morning", "hello"
	if _, err := rt.Run(ctx, talk); err != nil {
		t.Fatal(err)
	}
	if _, err := rt.Dream(ctx, task); err != nil {
		t.Fatal(err)
	}
	_, told = server.Requests()[4].Turn()
	if strings.Contains(told, "No pen") || !strings.Contains(told, "* I lack a pen") || !strings.Contains(told, "assistant :: hello to you") || len(told) > 64<<10 {
		t.Errorf("was told %d bytes %.200q", len(told), told)
	}
	if text, _, _ := rt.Recall(ctx, task); !strings.Contains(text, "* Second digest") || strings.Contains(text, "lack a pen") {
		t.Errorf("recalls %q", text)
	}
}
