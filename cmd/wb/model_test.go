package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"wb/internal/test/llmtest"
)

// modelCommand is "model FILE" in scripts: it starts a scripted model endpoint,
// whose steps the file lists as JSON, and points WB_LLM_BASE_URL at it.
func modelCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: model FILE")
	}
	var script []llmtest.Step
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0])), &script))
	server := llmtest.Unstarted(script...)
	listening := httptest.NewServer(http.HandlerFunc(server.ServeHTTP))
	ts.Defer(listening.Close)
	ts.Setenv("WB_LLM_BASE_URL", listening.URL)
	ts.Setenv("WB_LLM_API_KEY", "canary-key-1234")
}

// lastRunCommand is "lastrun NAME": it puts the id of the run that stderr tells
// of into the environment.
func lastRunCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: lastrun NAME")
	}
	for line := range strings.Lines(ts.ReadFile("stderr")) {
		if id, ok := strings.CutPrefix(line, "run "); ok {
			ts.Setenv(args[0], strings.TrimSpace(id))
			return
		}
	}
	ts.Fatalf("stderr tells of no run")
}

// denyCommand is "deny FILE": it refuses, as a person in an editor would, every
// request for approval that waits.
func denyCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: deny FILE")
	}
	text := strings.ReplaceAll(ts.ReadFile(args[0]), "* TODO APPROVE", "* DENIED APPROVE")
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o644))
}

// mcpConfigCommand is "mcpconfig NAME DIR": it configures `wb mcp DIR` as the MCP
// server NAME, with two of its tools.
func mcpConfigCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: mcpconfig NAME DIR")
	}
	self, err := exec.LookPath("wb")
	ts.Check(err)
	text := fmt.Sprintf("[mcp.%s]\ncommand = [%q, \"mcp\", %q]\nenv = [\"XDG_CACHE_HOME\"]\ntools = [\"search\", \"read\"]\n", args[0], self, ts.MkAbs(args[1]))
	ts.Check(os.MkdirAll(ts.MkAbs(".config/wb"), 0o755))
	ts.Check(os.WriteFile(ts.MkAbs(".config/wb/wb.toml"), []byte(text), 0o644))
}

// kindsCommand is "cmpkinds LINES WANT": it compares the level, kind and agent of
// each event of a stream with what is wanted.
func kindsCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: cmpkinds LINES WANT")
	}
	var got strings.Builder
	for line := range strings.Lines(ts.ReadFile(args[0])) {
		var e struct {
			Level, Kind, Agent, Run string
			Inner                   string `json:"inner_run"`
		}
		ts.Check(json.Unmarshal([]byte(line), &e))
		fmt.Fprintf(&got, "%s %s %s", e.Level, e.Kind, e.Agent)
		if e.Inner != "" {
			got.WriteString(" inner")
		}
		if e.Run == "" {
			got.WriteString(" of no run")
		}
		got.WriteString("\n")
	}
	if want := ts.ReadFile(args[1]); got.String() != want {
		ts.Fatalf("told\n%swant\n%s", got.String(), want)
	}
}
