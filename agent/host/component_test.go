package host_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wb/agent"
	"wb/agent/host"
	"wb/internal/test/llmtest"
	"wb/workbook"
)

// The agents of a workbook draw on one ledger, at the same time too: what they have
// used together never exceeds it, and who finds nothing left says which bound it was.
func TestComponentBudget(t *testing.T) {
	var doc strings.Builder
	for i := range 6 {
		fmt.Fprintf(&doc, "* Agent %d :agent:\n:PROPERTIES:\n:ID: a%d\n:out: o%d\n:TOOLS: done\n:MAX_TOKENS: 300\n:WRAP_UP: nil\n:END:\nYou answer.\n", i, i, i)
	}
	rt, dir, _ := bench(t)
	server := llmtest.Func(t, func(llmtest.Request) llmtest.Step { return llmtest.Step{Text: "yes", In: 100, Out: 200} })
	rt.Getenv = func(name string) string {
		return map[string]string{"WB_LLM_BASE_URL": server.URL, "WB_LLM_API_KEY": "canary-key-1234"}[name]
	}
	file := filepath.Join(dir, "six.org")
	if err := os.WriteFile(file, []byte(doc.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	const budget = 1500
	ledger := agent.NewLedger(agent.Bounds{Tokens: budget}, nil)
	report, err := workbook.Run(context.Background(), workbook.Options{
		Book:      workbook.Book{File: file, Lanes: rt.Lanes},
		Authority: workbook.Authority{Grants: []string{"llm"}, Agents: rt.Agents(agent.Options{Ledger: ledger}, 0)},
		Venue:     workbook.Venue{Jobs: 6},
		Write:     workbook.WriteNothing,
	})
	if err != nil {
		t.Fatal(err)
	}
	answered := 0
	for _, d := range report.Components {
		switch {
		case d.Err == nil && d.Value.Text() == "yes":
			answered++
		case d.Err == nil || !strings.Contains(d.Err.Error(), "budget tokens exhausted"):
			t.Errorf("%s: %q, %v", d.ID, d.Value, d.Err)
		}
	}
	if used := ledger.Used().Tokens; used > budget || used != int64(300*answered) || answered == 0 || answered == 6 {
		t.Errorf("%d answered with %d tokens of %d", answered, used, budget)
	}
}

// An agent that is a component has few steps, unless its drawer or block says more.
func TestComponentSteps(t *testing.T) {
	look := step("vfs_read", map[string]string{"path": "team.org"})
	for _, c := range []struct {
		doc   string
		turns int
	}{
		{"* A :agent:\n:PROPERTIES:\n:out: o\n:WRAP_UP: nil\n:END:\nLook.\n", host.ComponentSteps},
		{"* A :agent:\n:PROPERTIES:\n:out: o\n:WRAP_UP: nil\n:MAX_STEPS: 8\n:END:\nLook.\n", 8},
		{"* A\n:PROPERTIES:\n:out: o\n:END:\n#+begin_src agent :wrap-up nil\nLook.\n#+end_src\n", host.ComponentSteps},
		{"* A\n:PROPERTIES:\n:out: o\n:END:\n#+begin_src agent :wrap-up nil :max-steps 2\nLook.\n#+end_src\n", 2},
	} {
		rt, dir, server := bench(t, look, look, look, look, look, look, look, look, look, look)
		file := filepath.Join(dir, "a.org")
		if err := os.WriteFile(file, []byte(c.doc), 0o644); err != nil {
			t.Fatal(err)
		}
		report, err := workbook.Run(context.Background(), workbook.Options{
			Book:      workbook.Book{File: file, Lanes: rt.Lanes},
			Authority: workbook.Authority{Grants: []string{"llm"}, Agents: rt.Agents(agent.Options{Ledger: host.NewComponentLedger()}, 0)},
			Write:     workbook.WriteNothing,
		})
		if err != nil {
			t.Fatal(err)
		}
		failed := report.Failed()
		if want := fmt.Sprintf("reached max_steps (%d)", c.turns); failed == nil || !strings.Contains(failed.Err.Error(), want) {
			t.Errorf("%q: %v, want %s", c.doc, failed, want)
		}
		if n := len(server.Requests()); n != c.turns {
			t.Errorf("%q: the model was asked %d times, want %d", c.doc, n, c.turns)
		}
	}
}
