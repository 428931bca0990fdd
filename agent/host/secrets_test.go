package host_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wb/agent/host"
	"wb/agent/settings"
	"wb/internal/test/llmtest"
)

// A key of the host that lies in a file reaches neither the model nor anything that
// is kept of the run, in no form; nor when several keys are set.
func TestKeysInFiles(t *testing.T) {
	keys := map[string]string{"WB_LLM_API_KEY": "canary-key-1234", "OPENROUTER_API_KEY": "canary-router-5678", "GUARD_KEY": "canary-guard-9012"}
	rt, dir, server := bench(t,
		step("vfs_read", map[string]string{"path": "env.txt"}),
		step("shell", map[string]string{"pipeline": "base64 -w0 < env.txt; cat env.txt >&2; cat missing-canary-router-5678"}),
		step("vfs_read", map[string]string{"path": "none/canary-guard-9012"}),
		llmtest.Step{Status: 401, Body: `{"error":{"message":"no canary-key-1234"}}`})
	getenv := rt.Getenv
	rt.Getenv = func(name string) string {
		if keys[name] != "" {
			return keys[name]
		}
		return getenv(name)
	}
	rt.Settings.Guard = map[string]settings.Guard{"strict": {URL: "http://127.0.0.1:1", KeyEnv: "GUARD_KEY"}}
	var text strings.Builder
	for name, key := range keys {
		fmt.Fprintf(&text, "%s=%s\n", name, key)
	}
	if err := os.WriteFile(filepath.Join(dir, "env.txt"), []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := rt.Run(context.Background(), host.Task{File: filepath.Join(dir, "team.org"), Text: "look"})
	if err != nil || len(r.Events) != 3 {
		t.Fatalf("%+v %v", r, err)
	}
	if !strings.Contains(r.Events[0].Output, "OPENROUTER_API_KEY=[key]") {
		t.Errorf("the model was told %q", r.Events[0].Output)
	}
	var told strings.Builder
	for _, request := range server.Requests() {
		fmt.Fprintf(&told, "%v\n", request.Body)
	}
	for _, name := range []string{"events.org", "_steps.jsonl"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		told.Write(text)
	}
	// the path that the model itself wrote is its own; what came back of it is not
	err = filepath.WalkDir(filepath.Join(rt.State.Dir(), "blobs"), func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		told.Write(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{"WB_LLM_API_KEY=canary-key", "canary-router-5678\n", "GUARD_KEY=canary-guard", base64.StdEncoding.EncodeToString([]byte("WB_LLM_API_KEY=canary-key"))} {
		if strings.Contains(told.String(), secret) {
			t.Errorf("%q was told or kept", secret)
		}
	}
	if strings.Contains(fmt.Sprintf("%+v", r.Result), "canary") {
		t.Errorf("the result is %q", r.Result)
	}
}

// The user's settings name the model, where nothing else does, and what it costs.
func TestModelOfSettings(t *testing.T) {
	rt, dir, server := bench(t, llmtest.Step{Text: "yes", In: 1000, Out: 100}, llmtest.Step{Text: "yes"})
	env := map[string]string{"MY_KEY": "canary-key-1234"}
	rt.Getenv = func(name string) string { return env[name] }
	rt.Settings.Model = settings.Model{Name: "small", BaseURL: server.URL, KeyEnv: "MY_KEY", PriceIn: 1, PriceOut: 10}
	task := host.Task{File: filepath.Join(dir, "team.org"), Text: "look"}
	r, err := rt.Run(context.Background(), task)
	if err != nil || r.Result != "yes" || r.Usage.CostUSD != 0.002 {
		t.Fatalf("%+v %v", r, err)
	}
	env["WB_LLM_MODEL"] = "large"
	if _, err := rt.Run(context.Background(), task); err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"small", "large"} {
		if q := server.Requests()[i]; q.Body["model"] != want || q.Authorization != "Bearer canary-key-1234" {
			t.Errorf("request %d asked %v", i, q.Body["model"])
		}
	}
}
