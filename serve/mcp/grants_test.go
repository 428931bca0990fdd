package mcp_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wb/compile/lanes"
	"wb/internal/test/lanetest"
	"wb/internal/trace"
	"wb/sandbox/grants"
	"wb/serve/mcp"
	"wb/workbook/capability"
)

const counter = `* Next
:PROPERTIES:
:out: n
:END:
#+begin_src js :uses kv
import { kv } from "wb";
export function next() { kv.put("n", String(Number(kv.get("n") ?? 0) + 1)); return Number(kv.get("n")); }
#+end_src
`

// A workbook has what it asks for and the server was started with; what it is
// denied is recorded.
func TestGrants(t *testing.T) {
	env := lanetest.Env(t)
	if _, err := lanes.New(env); err != nil { // which knows what quickjs is
		t.Fatal(err)
	}
	lanetest.Need(t, env, "quickjs")
	dir, state := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "count.org"), []byte(counter), 0o644); err != nil {
		t.Fatal(err)
	}
	host := &capability.Host{Tenant: "default", StateDir: state, Grants: grants.Open(t.TempDir(), nil)}
	t.Cleanup(func() { host.Close() })
	with := func(granted ...string) func(*mcp.Config) {
		return func(c *mcp.Config) {
			c.Capabilities, c.Grants = host, granted
			c.Record = func(file string, _ []byte) (*trace.Run, error) {
				return trace.Begin(trace.Config{Files: trace.FilesIn(dir), State: trace.NewState(state)}, trace.RunInfo{Workbook: file})
			}
		}
	}
	run := map[string]any{"file": "count.org"}
	for _, granted := range [][]string{nil, {"queue", "vars"}} {
		if got := ask(t, connect(t, dir, with(granted...)), "run", run); !strings.Contains(got, "kv is not granted") {
			t.Errorf("granted %v: %s", granted, got)
		}
	}
	session := connect(t, dir, with("kv"))
	for _, want := range []string{`{"n":1}`, `{"n":2}`} {
		if got := ask(t, session, "run", run); !strings.Contains(got, want) {
			t.Errorf("granted: %s, want %s", got, want)
		}
	}
	if _, err := host.Grants.Revoke(filepath.Join(dir, "count.org"), "kv"); err != nil {
		t.Fatal(err)
	}
	if got := ask(t, session, "run", run); !strings.Contains(got, "revoked") {
		t.Errorf("revoked: %s", got)
	}
	if got := ask(t, session, "events", nil); strings.Count(got, `"denial"`) != 3 {
		t.Errorf("events: %s", got)
	}
}
