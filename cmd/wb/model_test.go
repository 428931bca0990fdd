package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"

	"github.com/rogpeppe/go-internal/testscript"

	"wb/agent/llm/llmtest"
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
