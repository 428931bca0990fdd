package api_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wb/internal/identity"
	"wb/internal/test/lanetest"
	"wb/internal/test/llmtest"
	"wb/internal/trace"
	"wb/sandbox/grants"
	"wb/serve/api"
	"wb/workbook/capability"
)

const counter = `* Next
:PROPERTIES:
:out: n
:END:
#+begin_src js :uses kv vars
import { kv } from "wb";
export function next() { kv.put("n", (kv.get("n") ?? "") + "x"); return kv.get("n"); }
#+end_src
`

// granting lets tenants use the keys of hosts of their own.
func granting(t *testing.T, server []string, tenants map[string][]string) with {
	store := grants.Open(t.TempDir(), nil)
	return func(c *api.Config) {
		c.Grants = server
		c.Capabilities = func(tenant, dir string, _ identity.Key) (*capability.Host, error) {
			return &capability.Host{Tenant: tenant, StateDir: dir, Grants: store}, nil
		}
		for i := range c.Tenants {
			at := &c.Tenants[i]
			at.Grants = tenants[at.Name]
			write(t, filepath.Join(at.Dir, "count.org"), counter)
		}
	}
}

// counted runs the counting workbook and gives what it counted, or why not.
func counted(b *bench, token string) string {
	b.t.Helper()
	status, got := b.call(token, "POST", "/api/workflow", map[string]any{"workbook": "count.org"})
	if status != 200 {
		b.t.Fatalf("%d %v", status, got)
	}
	if exports, ok := got["exports"].(map[string]any); ok && exports["n"] != nil {
		return exports["n"].(string)
	}
	return got["components"].([]any)[0].(map[string]any)["error"].(string)
}

// A tenant has what it and the server both grant, in stores of its own: what
// ada keeps, bob does not see, and what is denied is an event.
func TestWorkflowGrants(t *testing.T) {
	b := newBench(t, nil, granting(t, []string{"kv", "queue"}, map[string][]string{"ada": {"kv"}, "bob": {"kv", "net"}}))
	lanetest.Need(t, lanetest.Env(t), "quickjs")
	for i, c := range []struct{ token, want string }{{adaToken, "x"}, {adaToken, "xx"}, {bobToken, "x"}, {adaToken, "xxx"}, {bobToken, "xx"}} {
		if got := counted(b, c.token); got != c.want {
			t.Errorf("run %d counted %s, want %s", i, got, c.want)
		}
	}
	b.stop()
	b.start() // what is kept, stays
	if got := counted(b, bobToken); got != "xxx" {
		t.Errorf("after a restart bob counted %s", got)
	}
}

func TestWorkflowWithoutGrants(t *testing.T) {
	for _, c := range []struct {
		name    string
		server  []string
		tenants map[string][]string
	}{
		{"neither", nil, nil},
		{"only the server", []string{"kv"}, nil},
		{"only the tenant", nil, map[string][]string{"ada": {"kv"}}},
		{"something else", []string{"kv", "queue"}, map[string][]string{"ada": {"queue"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t, nil, granting(t, c.server, c.tenants))
			lanetest.Need(t, lanetest.Env(t), "quickjs")
			if got := counted(b, adaToken); !strings.Contains(got, "kv is not granted") {
				t.Errorf("got %s", got)
			}
			if got := denials(t, b.dir("ada")); !strings.Contains(got, "kv.get: kv is not granted") {
				t.Errorf("events: %s", got)
			}
		})
	}
}

// denials are those among the events of a directory.
func denials(t *testing.T, dir string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "events.org"))
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for e := range trace.Events(text) {
		if e.Kind == trace.KindDenial {
			b.WriteString(e.Tool + ": " + e.Error + "\n")
		}
	}
	return b.String()
}

// An agent of a tenant passes on what the tenant holds.
func TestAgentGrants(t *testing.T) {
	b := newBench(t, func(r llmtest.Request) llmtest.Step {
		messages := r.Body["messages"].([]any)
		if last := messages[len(messages)-1].(map[string]any); last["role"] == "tool" {
			return step("done", map[string]string{"result": last["content"].(string)})
		}
		return step("run", map[string]string{"workbook": "count.org"})
	}, granting(t, []string{"kv"}, map[string][]string{"ada": {"kv"}}))
	lanetest.Need(t, lanetest.Env(t), "quickjs")
	for _, c := range []struct{ token, want string }{{adaToken, `{"n":"x"}`}, {adaToken, `{"n":"xx"}`}, {bobToken, "kv is not granted"}} {
		_, begun := b.call(c.token, "POST", "/api/run", map[string]any{"system": "You count.", "task": "count"})
		id := begun["id"].(string)
		_, _, _ = b.raw(c.token, "GET", "/api/run/"+id+"/stream", nil) // until it ends
		if _, got := b.call(c.token, "GET", "/api/run/"+id, nil); !strings.Contains(fmt.Sprint(got["result"]), c.want) {
			t.Errorf("%s: %v, want %s", c.token, got, c.want)
		}
	}
	if got := counted(b, adaToken); got != "xxx" {
		t.Errorf("a workflow after agents counted %s", got)
	}
	if got := denials(t, b.dir("bob")); !strings.Contains(got, "kv.get: kv is not granted") {
		t.Errorf("events: %s", got)
	}
}

// A workflow may have agents where llm is granted; what they do is among its events.
func TestWorkflowAgents(t *testing.T) {
	b := newBench(t, func(r llmtest.Request) llmtest.Step {
		_, task := r.Turn()
		return llmtest.Step{Text: "judged " + task}
	}, granting(t, []string{"llm"}, map[string][]string{"ada": {"llm"}}))
	body := map[string]any{"org": "* Judge :agent:\n:PROPERTIES:\n:ID: judge\n:in: x\n:out: verdict\n:END:\nYou judge.\n", "set": map[string]any{"x": "wine"}}
	status, got := b.call(adaToken, "POST", "/api/workflow", body)
	if exports, ok := got["exports"].(map[string]any); status != 200 || !ok || exports["verdict"] != "judged wine" {
		t.Errorf("%d %v", status, got)
	}
	text, err := os.ReadFile(filepath.Join(b.dir("ada"), "events.org"))
	if err != nil || !strings.Contains(string(text), "/text/judge\n") {
		t.Errorf("%v\n%s", err, text)
	}
	if _, got = b.call(bobToken, "POST", "/api/workflow", body); !strings.Contains(fmt.Sprint(got), "needs the capability llm, which is not granted") {
		t.Errorf("bob: %v", got)
	}
}
