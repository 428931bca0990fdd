package api_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"wb/agent/host"
	"wb/agent/settings"
	"wb/internal/test/llmtest"
	"wb/serve/api"
)

// A run is started, followed, and told about when it has ended.
func TestRun(t *testing.T) {
	b := newBench(t, scribe)
	id := b.run(map[string]any{"agent": "team.org#waldo", "task": "poem about ink"})
	frames := b.frames(id, 0)
	if got := types(frames); got != scribeTypes {
		t.Errorf("frames: %s", got)
	}
	last := frames[len(frames)-1]
	if last.Result != "wrote poem.txt" || last.Status != "done" || last.Usage.TokensIn != 30 {
		t.Errorf("the last frame is %+v", last)
	}
	got := b.ended(id)
	if got["status"] != "done" || got["result"] != "wrote poem.txt" || got["steps"] != 3.0 || fmt.Sprint(got["tools"]) != "[vfs_write vfs_read done]" {
		t.Errorf("the run is %v", got)
	}
	if events := got["events_org"].(string); !strings.Contains(events, ":RUN: "+id) || !strings.Contains(events, "vfs_write") || strings.Contains(events, b.dir("ada")) {
		t.Errorf("its events are %s", events)
	}
	if _, err := os.Stat(filepath.Join(b.dir("ada"), "poem.txt")); err == nil {
		t.Error("a run without leave wrote into the directory")
	}
	status, list := b.call(adaToken, "GET", "/api/run", nil)
	if rows := list["runs"].([]any); status != 200 || len(rows) != 1 || rows[0].(map[string]any)["agent"] != "team.org#waldo" {
		t.Errorf("the list is %v", list)
	}
	// who comes back goes on after what was seen; who has seen all is told so
	if later := b.frames(id, 7); types(later) != "subscribed thinking tool_start step done" && types(later) != "subscribed tool_start step done" {
		t.Errorf("after frame 7 come %s", types(later))
	}
	if status, _, _ := b.raw(adaToken, "GET", fmt.Sprintf("/api/run/%s/stream?after=%d", id, last.N), nil); status != http.StatusNoContent {
		t.Errorf("a reader who has seen all gets %d", status)
	}
	for _, f := range frames {
		if text, _ := json.Marshal(f); bytes.Contains(text, []byte("canary-key")) {
			t.Errorf("the key is in %s", text)
		}
	}
}

// An agent may come with the request; what it may use comes from the request, too.
func TestSystem(t *testing.T) {
	b := newBench(t, func(r llmtest.Request) llmtest.Step {
		if messages := r.Body["messages"].([]any); messages[0].(map[string]any)["content"] != "You loop." {
			return llmtest.Step{Text: "who am I?"}
		}
		return step("vfs_read", map[string]string{"path": "team.org"})
	})
	got := b.ended(b.run(map[string]any{"system": "You loop.", "task": "go", "max_steps": 3}))
	if got["status"] != "max_steps" || got["steps"] != 3.0 {
		t.Errorf("%v", got)
	}
	got = b.ended(b.run(map[string]any{"system": "You loop.", "task": "go"}))
	if got["status"] != "max_steps" || got["steps"] != 40.0 {
		t.Errorf("a caller that names no bound gets %v steps, %v", got["steps"], got["status"])
	}
}

// What is wrong with a request is said, and nothing is started.
func TestRefused(t *testing.T) {
	b := newBench(t, scribe)
	write(t, filepath.Join(filepath.Dir(b.dir("ada")), "outside.org"), team)
	if err := os.Symlink(filepath.Join(b.dir("bob"), "team.org"), filepath.Join(b.dir("ada"), "link.org")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		body any
		want int
	}{
		{`{`, 400}, {`{"task":"x"} {}`, 400}, {`[]`, 400}, {`{"task":""}`, 400}, {`{"task":"x","surprise":1}`, 400},
		{map[string]any{"task": "x", "max_steps": 0}, 400}, {map[string]any{"task": "x", "timeout_ms": -1}, 400},
		{map[string]any{"task": "x", "agent": "team.org", "system": "y"}, 400},
		{map[string]any{"task": "x", "agent": "nowhere.org"}, 404}, {map[string]any{"task": "x", "agent": "team.org#wal"}, 404},
		{map[string]any{"task": "x", "agent": "../outside.org"}, 404}, {map[string]any{"task": "x", "agent": filepath.Join(b.dir("bob"), "team.org")}, 404},
		{map[string]any{"task": "x", "agent": "link.org"}, 404},
		{map[string]any{"task": strings.Repeat("x", 300<<10)}, 400}, {map[string]any{"task": strings.Repeat("x", 2<<20)}, 413},
	} {
		if status, got := b.call(adaToken, "POST", "/api/run", c.body); status != c.want || got["error"] == nil {
			t.Errorf("%.80v: %d %v, want %d", c.body, status, got, c.want)
		}
	}
	for _, id := range []string{"nope", "01ARZ3NDEKTSV4RRFFQ69G5FAV", "..%2F..%2Fx", "01arz3ndektsv4rrffq69g5fav"} {
		for _, path := range []string{"", "/stream"} {
			if status, _, _ := b.raw(adaToken, "GET", "/api/run/"+id+path, nil); status != 404 {
				t.Errorf("GET %s%s: %d", id, path, status)
			}
		}
	}
	if _, list := b.call(adaToken, "GET", "/api/run", nil); len(list["runs"].([]any)) != 0 {
		t.Errorf("refused requests left runs: %v", list)
	}
}

// Only who has a token gets in, and only to what is theirs.
func TestTenants(t *testing.T) {
	b := newBench(t, scribe)
	id := b.run(map[string]any{"agent": "team.org#waldo", "task": "secret plan"})
	b.ended(id)
	for _, token := range []string{"", "wrong", adaToken + "x", adaToken[:len(adaToken)-1], "Bearer"} {
		for _, path := range []string{"/api/run", "/api/run/" + id, "/api/run/" + id + "/stream"} {
			if status, header, _ := b.raw(token, "GET", path, nil); status != 401 || header.Get("WWW-Authenticate") == "" {
				t.Errorf("GET %s with token %q: %d", path, token, status)
			}
		}
	}
	for _, c := range [][2]string{{"GET", ""}, {"GET", "/stream"}, {"POST", "/cancel"}, {"DELETE", ""}, {"POST", "/review"}} {
		status, got := b.call(bobToken, c[0], "/api/run/"+id+c[1], map[string]any{})
		unknown, other := b.call(bobToken, c[0], "/api/run/01ARZ3NDEKTSV4RRFFQ69G5FAV"+c[1], map[string]any{})
		mine, _ := json.Marshal(got)
		if status != 404 || unknown != 404 || strings.ReplaceAll(string(mine), id, "") != strings.ReplaceAll(string(mustJSON(other)), "01ARZ3NDEKTSV4RRFFQ69G5FAV", "") {
			t.Errorf("bob's %v of ada's run: %d %v; of none: %d %v", c, status, got, unknown, other)
		}
	}
	if _, list := b.call(bobToken, "GET", "/api/run", nil); len(list["runs"].([]any)) != 0 {
		t.Errorf("bob sees %v", list)
	}
}

func mustJSON(v any) []byte {
	text, _ := json.Marshal(v)
	return text
}

// exec is granted by the host to those it names, and its absence is said.
func TestExec(t *testing.T) {
	for _, c := range []struct {
		allow bool
		token string
		want  bool
	}{{false, adaToken, false}, {true, adaToken, true}, {true, bobToken, false}} {
		b := newBench(t, scribe, func(config *api.Config) { config.AllowExec = c.allow })
		status, got := b.call(c.token, "POST", "/api/run", map[string]any{"agent": "team.org#waldo", "task": "x", "exec": true})
		if status != 202 || got["exec"] != c.want || (got["warnings"] == nil) != c.want {
			t.Errorf("allowed %v: %d %v", c.allow, status, got)
		}
	}
}

// A run ends when its caller says so, not when it leaves.
func TestCancel(t *testing.T) {
	asked := make(chan struct{}, 8)
	b := newBench(t, func(llmtest.Request) llmtest.Step {
		asked <- struct{}{}
		return llmtest.Step{Text: "late", Stall: time.Hour}
	})
	id := b.run(map[string]any{"agent": "team.org#waldo", "task": "x"})
	<-asked
	ctx, leave := context.WithCancel(t.Context())
	request, _ := http.NewRequestWithContext(ctx, "GET", b.http.URL+"/api/run/"+id+"/stream", nil)
	request.Header.Set("Authorization", "Bearer "+adaToken)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	leave()
	response.Body.Close()
	if _, got := b.call(adaToken, "GET", "/api/run/"+id, nil); got["status"] != "running" {
		t.Fatalf("the run ended with its reader: %v", got)
	}
	if status, got := b.call(adaToken, "POST", "/api/run/"+id+"/cancel", nil); status != 202 {
		t.Fatalf("cancel: %d %v", status, got)
	}
	if got := b.ended(id); got["status"] != "cancelled" || got["result"] != "cancelled: by its caller" {
		t.Errorf("%v", got)
	}
	if status, _ := b.call(adaToken, "DELETE", "/api/run/"+id, nil); status != 409 {
		t.Errorf("an ended run can be cancelled: %d", status)
	}
}

// A tenant has so many runs at once and no more.
func TestFull(t *testing.T) {
	b := newBench(t, func(llmtest.Request) llmtest.Step { return llmtest.Step{Text: "late", Stall: time.Hour} }, func(c *api.Config) { c.MaxRuns = 2 })
	for range 2 {
		b.run(map[string]any{"agent": "team.org#waldo", "task": "x"})
	}
	status, header, _ := b.raw(adaToken, "POST", "/api/run", map[string]any{"agent": "team.org#waldo", "task": "x"})
	if status != http.StatusTooManyRequests || header.Get("Retry-After") == "" {
		t.Errorf("the third run: %d", status)
	}
	if status, _ := b.call(bobToken, "POST", "/api/run", map[string]any{"agent": "team.org#waldo", "task": "x"}); status != 202 {
		t.Errorf("bob's first run: %d", status)
	}
}

// What needs a person waits for one, and goes on by itself.
func TestReview(t *testing.T) {
	b := newBench(t, scribe, func(c *api.Config) {
		plain := c.Runtime
		c.Runtime = func(t api.Tenant) *host.Runtime {
			rt := plain(t)
			rt.Settings = settings.Settings{Policy: settings.Policy{Approve: []string{"vfs_write"}}}
			return rt
		}
	})
	for _, allow := range []bool{true, false} {
		id := b.run(map[string]any{"agent": "team.org#waldo", "task": fmt.Sprintf("poem%v", allow)})
		var ask string
		for ask == "" { // the question comes when the model has answered
			_, got := b.call(adaToken, "GET", "/api/run/"+id, nil)
			for _, r := range got["reviews"].([]any) {
				ask = r.(map[string]any)["id"].(string)
			}
		}
		if status, _ := b.call(bobToken, "POST", "/api/run/"+id+"/review", map[string]any{"id": ask, "allow": true}); status != 404 {
			t.Errorf("bob decides for ada: %d", status)
		}
		if status, _ := b.call(adaToken, "POST", "/api/run/"+id+"/review", map[string]any{"id": ask}); status != 400 {
			t.Errorf("no decision: %d", status)
		}
		if status, got := b.call(adaToken, "POST", "/api/run/"+id+"/review", map[string]any{"id": ask, "allow": allow}); status != 200 {
			t.Fatalf("review: %d %v", status, got)
		}
		if status, _ := b.call(adaToken, "POST", "/api/run/"+id+"/review", map[string]any{"id": ask, "allow": !allow}); status != 409 {
			t.Errorf("a decision can be changed: %d", status)
		}
		b.ended(id)
		asked, said := false, ""
		for _, f := range b.frames(id, 0) {
			asked = asked || f.Type == "review" && f.Status == "asked"
			if f.Type == "step" && f.Tool == "vfs_write" {
				said = f.Output
			}
		}
		if !asked || strings.Contains(said, "denied") == allow {
			t.Errorf("allow %v: asked %v, the tool said %q", allow, asked, said)
		}
	}
}

func TestHealthAndWellKnown(t *testing.T) {
	b := newBench(t, scribe)
	if status, got := b.call("", "GET", "/healthz", nil); status != 200 || got["status"] != "ok" {
		t.Errorf("%d %v", status, got)
	}
	status, got := b.call("", "GET", "/.well-known/wb.json", nil)
	if status != 200 || got["auth"] != "bearer" || got["endpoints"].(map[string]any)["run"] != "/api/run" {
		t.Errorf("%d %v", status, got)
	}
	status, got = b.call("", "GET", "/.well-known/did.json", nil)
	if id, _ := got["id"].(string); status != 200 || !strings.HasPrefix(id, "did:web:127.0.0.1%3A") {
		t.Errorf("%d %v", status, got)
	}
	if status, got := b.call(adaToken, "GET", "/api/nothing", nil); status != 404 || got["error"] == nil {
		t.Errorf("%d %v", status, got)
	}
}

// An address that others reach needs a token.
func TestListen(t *testing.T) {
	open := []api.Tenant{{Name: "default"}}
	if l, err := api.Listen(t.Context(), "127.0.0.1:0", open); err != nil {
		t.Error(err)
	} else {
		l.Close()
	}
	for _, addr := range []string{":0", "0.0.0.0:0", "[::]:0"} {
		if l, err := api.Listen(t.Context(), addr, open); err == nil || !strings.Contains(err.Error(), "needs a token") {
			t.Errorf("%s without a token: %v", addr, err)
			l.Close()
		}
	}
	l, err := api.Listen(t.Context(), "0.0.0.0:0", []api.Tenant{{Name: "default", Token: adaToken}})
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
}

// Without a token a page elsewhere must not get in through a name that it makes
// resolve to this machine, nor by a form.
func TestOpenServer(t *testing.T) {
	b := newBench(t, scribe, func(c *api.Config) { c.Tenants = []api.Tenant{{Name: "default", Dir: c.Tenants[0].Dir}} })
	ask := func(method, path string, change func(*http.Request)) int {
		request, _ := http.NewRequestWithContext(t.Context(), method, b.http.URL+path, strings.NewReader(`{"task":"x"}`))
		change(request)
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		return response.StatusCode
	}
	if got := ask("GET", "/api/run", func(*http.Request) {}); got != 200 {
		t.Errorf("from this machine: %d", got)
	}
	if got := ask("GET", "/api/run", func(r *http.Request) { r.Host = "evil.example:80" }); got != 403 {
		t.Errorf("by another name: %d", got)
	}
	if got := ask("GET", "/", func(r *http.Request) { r.Host = "evil.example" }); got != 403 {
		t.Errorf("the page by another name: %d", got)
	}
	if got := ask("POST", "/api/run", func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") }); got != 403 {
		t.Errorf("from another origin: %d", got)
	}
	if got := ask("POST", "/api/run", func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") }); got != 403 {
		t.Errorf("from another site: %d", got)
	}
}

// Tenants that could see each other are refused.
func TestConfig(t *testing.T) {
	dir := t.TempDir()
	inner := filepath.Join(dir, "inner")
	if err := os.Mkdir(inner, 0o755); err != nil {
		t.Fatal(err)
	}
	other := t.TempDir()
	for want, tenants := range map[string][]api.Tenant{
		"no tenant":          {},
		"overlap":            {{Name: "a", Dir: dir, Token: adaToken}, {Name: "b", Dir: inner, Token: bobToken}},
		"same token":         {{Name: "a", Dir: dir, Token: adaToken}, {Name: "b", Dir: other, Token: adaToken}},
		"named twice":        {{Name: "a", Dir: dir, Token: adaToken}, {Name: "a", Dir: other, Token: bobToken}},
		"has no token":       {{Name: "a", Dir: dir, Token: adaToken}, {Name: "b", Dir: other}},
		"at least 16":        {{Name: "a", Dir: dir, Token: "short"}},
		"small letters":      {{Name: "../a", Dir: dir, Token: adaToken}},
		"no such file or di": {{Name: "a", Dir: filepath.Join(dir, "none"), Token: adaToken}},
	} {
		if _, err := api.New(api.Config{Tenants: tenants, State: t.TempDir()}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

func TestReadToken(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	write(t, file, "  from-a-file\n")
	getenv := func(name string) string { return map[string]string{"T": "from-env"}[name] }
	for ref, want := range map[string]string{"env:T": "from-env", "file:" + file: "from-a-file"} {
		if got, err := api.ReadToken(ref, getenv); got != want || err != nil {
			t.Errorf("%s: %q %v", ref, got, err)
		}
	}
	for _, ref := range []string{"env:NONE", "file:/nowhere", "plain-text-token", ""} {
		if got, err := api.ReadToken(ref, getenv); err == nil || strings.Contains(err.Error(), "plain-text") {
			t.Errorf("%s: %q %v", ref, got, err)
		}
	}
}

// What is wrong with a request is said in the API's words, with what was probably
// meant, and without telling where the server keeps things.
func TestWrongRequests(t *testing.T) {
	b := newBench(t, scribe)
	for _, c := range []struct {
		method, path string
		body         any
		status       int
		message      string
		hint         string
	}{
		{"PUT", "/api/run", nil, 405, "/api/run does not take PUT; it takes GET, POST", ""},
		{"GET", "/api/workflow", nil, 405, "/api/workflow does not take GET; it takes POST", ""},
		{"GET", "/api/nothing", nil, 404, "no such address: /api/nothing", ""},
		{"POST", "/api/run", `{"agnet":"x","task":"y"}`, 400, "unknown member agnet; did you mean agent?", ""},
		{"POST", "/api/run", `{"zzz":1}`, 400, "unknown member zzz; expected one of agent, system, workbook, set, only, task", ""},
		{"POST", "/api/run", `{"task":"y","max_steps":"3"}`, 400, "max_steps: expected a number, got a JSON string", ""},
		{"POST", "/api/run", `[]`, 400, "expected an object, got a JSON array", ""},
		{"POST", "/api/run", ``, 400, "it is empty", ""},
		{"POST", "/api/run", `{`, 400, "", ""},
		{"POST", "/api/run", `{"agent":"team.org#wlado","task":"y"}`, 404, "team.org has no agent wlado", "did you mean team.org#waldo?"},
		{"POST", "/api/run", `{"agent":"typo.org","task":"y"}`, 422, "typo.org:4:2: error: agent typo uses the tool shel", "did you mean shell?"},
	} {
		write(t, filepath.Join(b.dir("ada"), "typo.org"), "* Typo :agent:\n:PROPERTIES:\n:ID: typo\n:TOOLS: shel\n:END:\nx\n")
		status, header, text := b.raw(adaToken, c.method, c.path, c.body)
		var got struct {
			Error struct{ Message, Hint string }
		}
		if err := json.Unmarshal(text, &got); err != nil {
			t.Fatalf("%+v: %s", c, text)
		}
		if status != c.status || !strings.Contains(got.Error.Message, c.message) || got.Error.Hint != c.hint || strings.Contains(string(text), b.dir("ada")) {
			t.Errorf("%s %s %v: %d %s", c.method, c.path, c.body, status, text)
		}
		if status == 405 && header.Get("Allow") == "" {
			t.Errorf("%s %s: no Allow", c.method, c.path)
		}
	}
}

// An agent has the steps its drawer gives, and forty over HTTP where it gives none.
func TestSteps(t *testing.T) {
	b := newBench(t, func(llmtest.Request) llmtest.Step { return step("vfs_read", map[string]string{"path": "few.org"}) })
	write(t, filepath.Join(b.dir("ada"), "few.org"), "* Few :agent:\n:PROPERTIES:\n:ID: few\n:MAX_STEPS: 2\n:WRAP_UP: nil\n:END:\nx\n* Many :agent:\n:PROPERTIES:\n:ID: many\n:WRAP_UP: nil\n:END:\nx\n")
	for body, want := range map[string]string{
		`{"agent":"few.org#few","task":"x"}`:               "reached max_steps (2)",
		`{"agent":"few.org#few","task":"x","max_steps":3}`: "reached max_steps (3)",
		`{"agent":"few.org#many","task":"x"}`:              "reached max_steps (40)",
	} {
		_, got := b.call(adaToken, "POST", "/api/run", body)
		if ended := b.ended(got["id"].(string)); !strings.Contains(ended["result"].(string), want) {
			t.Errorf("%s: %v", body, ended["result"])
		}
	}
}
