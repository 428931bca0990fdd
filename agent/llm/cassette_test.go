package llm_test

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wb/agent"
	"wb/agent/llm"
	"wb/internal/test/llmtest"
)

// A cassette gives back what was recorded, in order, and holds no key.
func TestCassette(t *testing.T) {
	const key = "canary-key-1234"
	server := llmtest.New(t, llmtest.Step{Status: 503, Body: "busy", RetryAfter: "0"}, llmtest.Step{Text: "one"}, llmtest.Step{Text: "two"},
		llmtest.Step{Status: 400, Body: `{"error":{"message":"no such key: ` + key + `"}}`})
	path := filepath.Join(t.TempDir(), "a.cassette")
	ask := func(record http.RoundTripper, base, system, text string) (string, error) {
		cassette, err := llm.OpenCassette(path, record, key)
		if err != nil {
			return "", err
		}
		client, err := llm.New(llm.Config{BaseURL: base, Key: key, Transport: cassette, Retries: 1, Backoff: 1})
		if err != nil {
			return "", err
		}
		r, err := client.Complete(context.Background(), agent.Request{Model: "m", Messages: []agent.Message{{Role: agent.RoleSystem, Content: system}, {Role: agent.RoleUser, Content: text}}}, nil)
		return r.Message.Content, err
	}
	if _, err := ask(nil, "http://127.0.0.1:1", "", "first"); err == nil {
		t.Error("there is no cassette yet")
	}
	for _, text := range []string{"first", "second"} {
		if _, err := ask(http.DefaultTransport, server.URL, "s", text); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := ask(http.DefaultTransport, server.URL, "s", "refused"); err == nil {
		t.Error("a refusal is not an answer")
	}
	server.Close()
	if got, err := ask(nil, "http://127.0.0.1:1", "another prompt", "second"); got != "two" || err != nil {
		t.Errorf("%q %v", got, err)
	}
	if got, err := ask(nil, "http://127.0.0.1:1", "s", "first"); got != "one" || err != nil {
		t.Errorf("%q %v", got, err)
	}
	var missing *llm.NotRecordedError
	if _, err := ask(nil, "http://127.0.0.1:1", "s", "third"); !errors.As(err, &missing) || missing.Asks != "third" {
		t.Errorf("%v", err)
	}
	text, err := os.ReadFile(path)
	if err != nil || strings.Count(string(text), "\n") != 3 || strings.Contains(string(text), "busy") || strings.Contains(string(text), key) {
		t.Errorf("%s %v", text, err)
	}
}
