package host_test

import (
	"context"
	"path/filepath"
	"testing"

	"wb/agent/host"
	"wb/internal/test/llmtest"
)

// The messages of a run are those that the model's endpoint was sent, turn by turn, also
// after the document was changed.
func TestMessages(t *testing.T) {
	rt, dir, server := bench(t,
		step("vfs_write", map[string]string{"path": "a.txt", "content": "one"}),
		step("vfs_read", map[string]string{"path": "a.txt"}),
		step("nothing", nil),
		llmtest.Step{Text: "read"})
	file := filepath.Join(dir, "team.org")
	r, err := rt.Run(context.Background(), host.Task{File: file, Text: "write & read <it>"})
	if err != nil || r.ExitCode() != 0 {
		t.Fatal(r, err)
	}
	writeTeam(t, dir, "* Nobody\n")
	got, err := rt.Messages(t.Context(), r.RunID)
	if err != nil {
		t.Fatal(err)
	}
	sent := server.Requests()
	if len(got.Turns) != 4 || len(sent) != 4 || len(got.Tools) == 0 {
		t.Fatalf("%d turns, %d requests, %d tools", len(got.Turns), len(sent), len(got.Tools))
	}
	for i, turn := range got.Turns {
		want := sent[i].Body["messages"].([]any)
		if len(want) != len(turn.Messages) || turn.Turn != i+1 || !turn.Exact {
			t.Fatalf("turn %d has %d messages, %d were sent; exact: %v", turn.Turn, len(turn.Messages), len(want), turn.Exact)
		}
		for j, m := range turn.Messages {
			was := want[j].(map[string]any)
			if text, _ := was["content"].(string); m.Role != was["role"] || m.Content != text {
				t.Errorf("turn %d, message %d: %s %q, sent was %v", i+1, j, m.Role, m.Content, was)
			}
		}
	}
	if last := got.Turns[3].Reply.Content; last != "read" {
		t.Errorf("the last reply is %q", last)
	}
	if _, err := rt.Messages(t.Context(), "01ARZ3NDEKTSV4RRFFQ69G5FAV"); err == nil {
		t.Error("a run that never was has messages")
	}
}
