package host_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"wb/agent"
	"wb/agent/host"
	"wb/agent/settings"
	"wb/internal/test/lanetest"
	"wb/internal/test/llmtest"
	"wb/internal/trace"
)

// guarded is a document whose agent names a guard.
func guarded(t *testing.T, dir, guard, more string) string {
	t.Helper()
	file := filepath.Join(dir, "guarded.org")
	text := "* Waldo :agent:\n:PROPERTIES:\n:ID: waldo\n:TOOLS: vfs_read\n:GUARD: " + guard + "\n:END:\nYou work.\n" + more
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return file
}

// moderator is a moderation endpoint that flags tasks about poison, is broken for
// those about rain, and counts what it is asked.
func moderator(t *testing.T, key string, asked *atomic.Int32) string {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		var q struct{ Input, Model string }
		if json.NewDecoder(r.Body).Decode(&q) != nil || r.Method != http.MethodPost || key != "" && r.Header.Get("Authorization") != "Bearer "+key {
			http.Error(w, "no", http.StatusUnauthorized)
			return
		}
		switch {
		case strings.Contains(q.Input, "rain"):
			http.Error(w, "out of order", http.StatusInternalServerError)
		case strings.Contains(q.Input, "fog"):
			fmt.Fprint(w, `{"results":[{}]}`)
		default:
			fmt.Fprintf(w, `{"results":[{"flagged":%v,"categories":{"harm":true,"hate":false}}]}`, strings.Contains(q.Input, "poison"))
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// The guard sees the task before the model does; when it refuses or cannot say, the
// model sees nothing.
func TestGuardEndpoint(t *testing.T) {
	rt, dir, server := bench(t, llmtest.Step{Text: "tea"}, llmtest.Step{Text: "tea"})
	var asked atomic.Int32
	address := moderator(t, "", &asked)
	rt.Settings = settings.Settings{Guard: map[string]settings.Guard{"strict": {URL: moderator(t, "guard-key-1", &asked), KeyEnv: "GUARD_KEY"}}}
	getenv := rt.Getenv
	rt.Getenv = func(name string) string {
		if name == "GUARD_KEY" {
			return "guard-key-1"
		}
		return getenv(name)
	}
	rt.Net.Private = func(netip.Addr) bool { return true } // the endpoint is on this machine
	requests := 0
	for _, c := range []struct{ guard, task, status, result string }{
		{address, "make tea", agent.StatusText, "tea"},
		{address, "make poison", agent.StatusBlocked, "blocked: harm"},
		{address, "make rain", agent.StatusError, "error: guard: the endpoint answered HTTP 500"},
		{address, "make fog", agent.StatusError, "error: guard: the endpoint's answer has no member flagged"},
		{"strict", "make tea", agent.StatusText, "tea"},
		{"strict", "make poison", agent.StatusBlocked, "blocked: harm"},
		{"http://127.0.0.1:1/", "make tea", agent.StatusError, "error: guard: "},
	} {
		file := guarded(t, dir, c.guard, "")
		var denials []trace.Event
		r, err := rt.Run(t.Context(), host.Task{File: file, Text: c.task, On: []agent.Listener{func(e agent.Event) {
			if e.Kind == trace.KindDenial {
				denials = append(denials, e.Event)
			}
		}}})
		if err != nil || r.Status != c.status || !strings.HasPrefix(r.Result, c.result) {
			t.Errorf("%s, %s: %+v %v, want %s %s", c.guard, c.task, r, err, c.status, c.result)
			continue
		}
		if c.status == agent.StatusText {
			requests++
		}
		if len(server.Requests()) != requests {
			t.Errorf("%s, %s: the model was asked %d times, want %d", c.guard, c.task, len(server.Requests()), requests)
		}
		if c.status == agent.StatusError {
			continue
		}
		if blocked := c.status == agent.StatusBlocked; blocked != (len(denials) == 1) || blocked && (denials[0].Tool != "guard" || denials[0].Error != "harm") {
			t.Errorf("%s, %s: events %+v", c.guard, c.task, denials)
		}
		before := asked.Load()
		again, err := rt.Replay(t.Context(), r.RunID)
		if err != nil || again.Status != r.Status || again.Result != r.Result || asked.Load() != before {
			t.Errorf("%s, %s: replayed %+v %v", c.guard, c.task, again, err)
		}
	}
	rt.Net.Private = nil // without that, the floor holds for guards, too
	if r, err := rt.Run(t.Context(), host.Task{File: guarded(t, dir, address, ""), Text: "make tea"}); err != nil || r.Status != agent.StatusError || !strings.Contains(r.Result, "denied") {
		t.Errorf("an address on this machine: %+v %v", r, err)
	}
}

const censor = `* Censor
:PROPERTIES:
:in: task
:out: verdict
:END:
#+begin_src js
export function verdict(task) {
  if (task.includes("crash")) throw new Error("crashed");
  if (task.includes("number")) return 7;
  if (task.includes("object")) return { flagged: true, reason: "an object" };
  return task.includes("poison") ? "no poison here" : "";
}
#+end_src
`

// A component of the document may be the guard.
func TestGuardComponent(t *testing.T) {
	rt, dir, server := bench(t, llmtest.Step{Text: "tea"})
	lanetest.Need(t, rt.Env, "quickjs")
	for _, c := range []struct{ guard, task, status, result string }{
		{"censor", "make tea", agent.StatusText, "tea"},
		{"guarded/censor", "make poison", agent.StatusBlocked, "blocked: no poison here"},
		{"censor", "make object", agent.StatusBlocked, "blocked: an object"},
		{"censor", "make number", agent.StatusError, "error: guard: 7 is not a verdict"},
		{"censor", "make crash", agent.StatusError, "error: guard: "},
	} {
		r, err := rt.Run(t.Context(), host.Task{File: guarded(t, dir, c.guard, censor), Text: c.task})
		if err != nil || r.Status != c.status || !strings.HasPrefix(r.Result, c.result) {
			t.Errorf("%s, %s: %+v %v, want %s %s", c.guard, c.task, r, err, c.status, c.result)
		}
	}
	if n := len(server.Requests()); n != 1 {
		t.Errorf("the model was asked %d times", n)
	}
	for guard, want := range map[string]string{"cencor": "uses the guard cencor, but no guard has that name", "two": "has 2 inputs"} {
		file := guarded(t, dir, guard, censor+strings.NewReplacer("Censor", "Two", ":in: task", ":in: task, b").Replace(censor))
		if _, err := rt.Run(t.Context(), host.Task{File: file, Text: "x"}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", guard, err)
		}
	}
}
