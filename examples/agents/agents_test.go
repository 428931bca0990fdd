// Package agents_test runs the example agents: offline against the cassettes in
// testdata, or against the endpoint of WB_LLM_BASE_URL when WB_EXAMPLES_LIVE is
// set. With -update the cassettes are recorded again, from that endpoint or else
// from the scripts beside them.
package agents_test

import (
	"encoding/json"
	"flag"
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
	"wb/org/oql"
	"wb/workbook"
)

var update = flag.Bool("update", false, "record the cassettes again")

var examples = []struct{ name, id, task, want string }{
	{"notes", "librarian", "what is still open in the garden?", "Mend the fence"},
	{"accountant", "accountant", "a bicycle costs 400 net", "476"},
	{"smith", "smith", "greet Ada, loudly", "HELLO ADA"},
}

func TestExamples(t *testing.T) {
	for _, e := range examples {
		t.Run(e.name, func(t *testing.T) {
			rt, file := bench(t, e.name)
			r, err := rt.Run(t.Context(), host.Task{File: file, ID: e.id, Text: e.task})
			if err != nil || r.ExitCode() != 0 {
				t.Fatalf("%+v %v", r, err)
			}
			if !live() && !strings.Contains(r.Result, e.want) {
				t.Errorf("%q has no %q", r.Result, e.want)
			}
			if e.name == "notes" && !live() {
				questions(t, filepath.Join(filepath.Dir(file), "events.org"))
			}
		})
	}
}

// A workbook whose components are code and agents.
func TestWorkbook(t *testing.T) {
	rt, file := bench(t, "report")
	ledger := host.NewComponentLedger()
	report, err := workbook.Run(t.Context(), workbook.Options{
		Book:      workbook.Book{File: file, Lanes: rt.Lanes},
		Authority: workbook.Authority{Grants: []string{"llm"}, Agents: rt.Agents(agent.Options{Ledger: ledger}, 0)},
	})
	if err != nil || report.Failed() != nil {
		t.Fatalf("%+v %v", report, err)
	}
	if got := report.Exports; !live() && (len(got) != 1 || got[0].Value.Text() != "# A GOOD YEAR\n\nSales rose by 50 % to 18.") {
		t.Errorf("it gave %v", got)
	}
	if ledger.Used().Tokens == 0 {
		t.Error("nobody paid")
	}
}

// live says that the examples run against an endpoint, which answers as it likes.
func live() bool { return os.Getenv("WB_EXAMPLES_LIVE") != "" }

// bench is a machine for an example, in a directory of its own.
func bench(t *testing.T, name string) (*host.Runtime, string) {
	t.Helper()
	env := lanetest.Env(t)
	registry, err := lanes.New(env)
	if err != nil {
		t.Fatal(err)
	}
	lanetest.Need(t, env, "quickjs", "wabt")
	dir := t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "programs"), os.DirFS("programs")); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(name + ".org")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, name+".org")
	if err := os.WriteFile(file, text, 0o644); err != nil {
		t.Fatal(err)
	}
	cassette, err := filepath.Abs(filepath.Join("testdata", name+".cassette"))
	if err != nil {
		t.Fatal(err)
	}
	settings := map[string]string{"WB_LLM_CASSETTE": cassette, "WB_LLM_MODEL": "example", "WB_LLM_PRICE_IN": "1", "WB_LLM_PRICE_OUT": "2"}
	if *update {
		_ = os.Remove(cassette)
		settings["WB_LLM_RECORD"] = "1"
		settings["WB_LLM_BASE_URL"] = scripted(t, name)
	}
	if live() {
		for _, name := range []string{"WB_LLM_BASE_URL", "WB_LLM_API_KEY", "OPENROUTER_API_KEY", "WB_LLM_MODEL"} {
			settings[name] = os.Getenv(name)
		}
		if !*update {
			delete(settings, "WB_LLM_CASSETTE")
		}
	}
	return &host.Runtime{Env: env, Lanes: registry, Table: app.ForAgents{}, Records: host.Records{State: trace.NewState(t.TempDir())}, Getenv: func(name string) string { return settings[name] }}, file
}

// scripted is an endpoint that plays an example's script.
func scripted(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name+".script.json"))
	if err != nil {
		t.Fatal(err)
	}
	var steps []llmtest.Step
	if err := json.Unmarshal(text, &steps); err != nil {
		t.Fatal(err)
	}
	return llmtest.New(t, steps...).URL
}

// questions asks events.org what failed, what was slow and what it cost, in one
// query each, as docs/agents.org shows.
func questions(t *testing.T, events string) {
	t.Helper()
	docs, err := os.ReadFile("../../docs/agents.org")
	if err != nil {
		t.Fatal(err)
	}
	for query, want := range map[string]string{
		"error:~. | select step,tool,error":                                       `[{"step":1,"tool":"vfs_read","error":"nosuchfile:garden.org"}]`,
		"tag:model_turn,tool_call | sort -dur_ms | limit 3 | select title,dur_ms": `"title":"step1:`,
		"tag:model_turn | group agent | sum COST_USD":                             `[{"agent":"librarian","sum":0.00204}]`,
	} {
		if !strings.Contains(string(docs), query) {
			t.Errorf("docs/agents.org does not show %q", query)
		}
		q, err := oql.Parse(query)
		if err != nil {
			t.Errorf("%s: %v", query, err)
			continue
		}
		answer, err := oql.Ask(t.Context(), oql.Request{Paths: []string{events}, Query: q})
		if err != nil {
			t.Errorf("%s: %v", query, err)
			continue
		}
		var b strings.Builder
		if err := answer.Write(&b, "json"); err != nil {
			t.Error(err)
		}
		answer.Close()
		if got := strings.Join(strings.Fields(b.String()), ""); !strings.Contains(got, want) {
			t.Errorf("%s gave %s, want %s", query, got, want)
		}
	}
}
