package api_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"wb/internal/test/lanetest"
	"wb/internal/test/llmtest"
)

// A run is forked, replayed and shown as its model saw it, by programs too; one that
// ended undone is gone on with.
func TestAgain(t *testing.T) {
	var broken atomic.Bool
	broken.Store(true)
	b := newBench(t, func(r llmtest.Request) llmtest.Step {
		if turn, task := r.Turn(); broken.Load() && task == "break" && turn == 1 {
			return llmtest.Step{Status: 400, Body: `{"error":{"message":"no"}}`}
		}
		return scribe(r)
	})
	id := b.run(map[string]any{"agent": "team.org#waldo", "task": "poem about ink"})
	if status, got := b.call(adaToken, "POST", "/api/run/"+id+"/fork", map[string]any{"turn": 9}); status < 400 {
		t.Errorf("a fork from a turn that was not: %d %v", status, got)
	}
	b.ended(id)
	status, got := b.call(adaToken, "POST", "/api/run/"+id+"/fork", map[string]any{"turn": 2})
	if status != 202 {
		t.Fatalf("fork: %d %v", status, got)
	}
	fork := b.ended(got["id"].(string))
	if from := fork["from"].(map[string]any); fork["status"] != "done" || from["run"] != id || from["how"] != "forked" || from["turn"] != 2.0 {
		t.Errorf("the fork is %v", fork)
	}
	if status, got := b.call(adaToken, "POST", "/api/run/"+id+"/replay", nil); status != 200 || got["same"] != true {
		t.Errorf("replay: %d %v", status, got)
	}
	status, got = b.call(adaToken, "GET", "/api/run/"+id+"/messages", nil)
	if turns := got["turns"].([]any); status != 200 || len(turns) != 3 || len(turns[2].(map[string]any)["messages"].([]any)) != 6 {
		t.Errorf("messages: %d %v", status, got)
	}
	if status, _ := b.call(bobToken, "GET", "/api/run/"+id+"/messages", nil); status != 404 {
		t.Errorf("bob reads ada's messages: %d", status)
	}

	// the document is another now
	write(t, filepath.Join(b.dir("ada"), "team.org"), strings.Replace(team, "You write.", "You sing.", 1))
	_, got = b.call(adaToken, "POST", "/api/run/"+id+"/replay", nil)
	if got["same"] != false || !strings.Contains(fmt.Sprint(got["diff"]), "+You sing.") {
		t.Errorf("replay of a changed document: %v", got)
	}

	id = b.run(map[string]any{"agent": "team.org#waldo", "task": "break"})
	if got := b.ended(id); got["status"] != "error" {
		t.Fatalf("%v", got)
	}
	broken.Store(false)
	status, got = b.call(adaToken, "POST", "/api/run/"+id+"/resume", nil)
	if status != 202 {
		t.Fatalf("resume: %d %v", status, got)
	}
	if got := b.ended(got["id"].(string)); got["status"] != "done" || got["from"].(map[string]any)["how"] != "resumed" {
		t.Errorf("gone on with: %v", got)
	}
}

// A workbook is run as agents are: it is in the list, can be followed, and its
// components are in its log.
func TestBookRun(t *testing.T) {
	b := newBench(t, scribe)
	lanetest.Need(t, lanetest.Env(t), "shell", "toolbox") // whose recipes the bench's lanes bring
	write(t, filepath.Join(b.dir("ada"), "count.org"), "#+name: n\n#+begin_src sh :var words=\"a b c\"\necho $words | wc -w\n#+end_src\n\n#+name: twice\n#+begin_src sh :var n=n\necho $((n*2))\n#+end_src\n")
	id := b.run(map[string]any{"workbook": "count.org"})
	frames := b.frames(id, 0)
	if got := types(frames); got != "subscribed component_start component component_start component done" {
		t.Errorf("frames: %s", got)
	}
	got := b.ended(id)
	if data := fmt.Sprint(got["data"]); got["status"] != "done" || data != "map[twice:6]" {
		t.Errorf("%v", got)
	}
	if events := got["events_org"].(string); !strings.Contains(events, "count.org\n") || strings.Contains(events, b.dir("ada")) {
		t.Errorf("the server's own paths are in %s", events)
	}
	p := b.person()
	p.post("/login", map[string][]string{"token": {adaToken}})
	if status, text, _ := p.get("/run/" + id); status != 200 || !strings.Contains(text, "twice = 6") || !strings.Contains(text, "<dt>Components</dt><dd>2</dd>") || outside.MatchString(text) {
		t.Errorf("%d %s", status, text)
	}
	if _, text, _ := p.get("/?q=count"); !strings.Contains(text, id) {
		t.Errorf("the list: %s", text)
	}
	for _, q := range []map[string]any{{"workbook": "gone.org"}, {"workbook": "../x.org"}, {"workbook": "count.org", "task": "x"}} {
		if status, got := b.call(adaToken, "POST", "/api/run", q); status < 400 || got["error"] == nil {
			t.Errorf("%v: %d %v", q, status, got)
		}
	}
}
