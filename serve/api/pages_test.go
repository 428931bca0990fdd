package api_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"wb/agent/host"
	"wb/agent/settings"
	"wb/internal/test/lanetest"
	"wb/internal/test/llmtest"
	"wb/serve/api"
)

// person is a browser without scripts.
type person struct {
	t      *testing.T
	client *http.Client
	base   string
}

func (b *bench) person() *person {
	jar, err := cookiejar.New(nil)
	if err != nil {
		b.t.Fatal(err)
	}
	return &person{b.t, &http.Client{Jar: jar}, b.http.URL}
}

func (p *person) get(path string) (int, string, *http.Response) {
	p.t.Helper()
	response, err := p.client.Get(p.base + path)
	return p.read(response, err)
}

func (p *person) post(path string, form url.Values) (int, string, *http.Response) {
	p.t.Helper()
	response, err := p.client.PostForm(p.base+path, form)
	return p.read(response, err)
}

func (p *person) read(response *http.Response, err error) (int, string, *http.Response) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	return response.StatusCode, string(text), response
}

// outside finds anything that a page would load from elsewhere, or that its
// policy forbids.
var outside = regexp.MustCompile(`(?i)(src|href|action)="?(https?:|//)|<style|style=|\son[a-z]+=|<script>`)

// Without a script a person gets in, starts a run, decides, and sees what it did.
func TestPages(t *testing.T) {
	b := newBench(t, scribe, func(c *api.Config) {
		plain := c.Runtime
		c.Runtime = func(t api.Tenant) *host.Runtime {
			rt := plain(t)
			rt.Settings = settings.Settings{Policy: settings.Policy{Approve: []string{"vfs_write"}}}
			return rt
		}
	})
	p := b.person()
	if status, text, response := p.get("/"); status != 200 || response.Request.URL.Path != "/login" || !strings.Contains(text, "Token") {
		t.Fatalf("without a token: %d %s", status, text)
	}
	if status, _, _ := p.post("/login", url.Values{"token": {"guess"}}); status != 401 {
		t.Errorf("a wrong token: %d", status)
	}
	status, text, response := p.post("/login", url.Values{"token": {adaToken}})
	if status != 200 || response.Request.URL.Path != "/" || !strings.Contains(text, "No runs yet") {
		t.Fatalf("after the token: %d %s", status, text)
	}
	if got := response.Header.Get("Content-Security-Policy"); !strings.Contains(got, "default-src 'none'") || strings.Contains(got, "unsafe") {
		t.Errorf("policy %q", got)
	}
	status, text, _ = p.post("/run", url.Values{"agent": {"team.org#nobody"}, "task": {"<b>poem</b>"}})
	if status != 422 || !strings.Contains(text, "has no agent nobody") || !strings.Contains(text, "&lt;b&gt;poem") {
		t.Errorf("a wrong agent: %d %s", status, text)
	}
	_, text, response = p.post("/run", url.Values{"agent": {"team.org#waldo"}, "task": {"<b>poem</b> about ink"}})
	path := response.Request.URL.Path
	if !strings.HasPrefix(path, "/run/") || !strings.Contains(text, `http-equiv="refresh"`) {
		t.Fatalf("the run's page is %s: %s", path, text)
	}
	question := regexp.MustCompile(`name="id" value="(approval-[0-9a-f]+)"`)
	var ask []string
	for ask == nil { // it comes when the model has answered
		_, text, _ = p.get(path)
		ask = question.FindStringSubmatch(text)
	}
	if !strings.Contains(text, "<pre tabindex=\"0\">&lt;b&gt;poem") && !strings.Contains(text, "<code>&lt;b&gt;poem") {
		t.Errorf("what is to be allowed is not shown to the letter: %s", text)
	}
	if strings.Contains(text, "<b>poem") || outside.MatchString(text) {
		t.Errorf("the page is not safe:\n%s", text)
	}
	if status, _, _ := p.post(path+"/review", url.Values{"id": {ask[1]}, "decision": {"allow"}}); status != 200 {
		t.Errorf("deciding: %d", status)
	}
	id := strings.TrimPrefix(path, "/run/")
	b.ended(id)
	_, text, _ = p.get(path)
	for _, want := range []string{"allowed by page", "<dt>Tokens in</dt><dd>30</dd>", "<dt>Tokens out</dt><dd>15</dd>", "vfs_read", "done"} {
		if !strings.Contains(text, want) {
			t.Errorf("the page does not say %q:\n%s", want, text)
		}
	}
	if strings.Contains(text, "refresh") || strings.Contains(text, "data-run") {
		t.Error("the page of an ended run reloads")
	}
	if _, got := b.call(adaToken, "GET", "/api/agents", nil); !strings.Contains(fmt.Sprint(got), "team.org#waldo") {
		t.Errorf("agents: %v", got)
	}
	for query, n := range map[string]int{"q=ink+poem": 1, "q=nobody": 0, "status=done": 1, "status=waiting": 0, "before=" + id: 0, "limit=1": 1} {
		if _, got := b.call(adaToken, "GET", "/api/run?"+query, nil); len(got["runs"].([]any)) != n {
			t.Errorf("%s: %v", query, got)
		}
	}
	if status, got := b.call(adaToken, "GET", "/api/run?status=bogus", nil); status != 400 || !strings.Contains(fmt.Sprint(got), "waiting running done error bound cancelled") {
		t.Errorf("a status that does not exist: %d %v", status, got)
	}
	if status, text, _ := p.get("/?status=bogus"); status != 400 || !strings.Contains(text, "there is no status") {
		t.Errorf("a status that does not exist, on the page: %d %s", status, text)
	}
	if _, text, _ := p.get("/"); !strings.Contains(text, id) || outside.MatchString(text) {
		t.Errorf("the list:\n%s", text)
	}
	if status, text, _ := p.get("/no/such<page>"); status != 404 || !strings.Contains(text, "There is no page here") || !strings.Contains(text, "/no/such&lt;page&gt;") || !strings.Contains(text, `class="tenant">ada<`) {
		t.Errorf("an unknown address: %d %s", status, text)
	}
	if status, text, _ := b.person().get("/no/such/page"); status != 404 || !strings.Contains(text, "There is no page here") || strings.Contains(text, `class="tenant">ada<`) {
		t.Errorf("an unknown address, to a stranger: %d %s", status, text)
	}
	if status, text, response := p.post("/compare", nil); status != 405 || response.Header.Get("Allow") != "GET" {
		t.Errorf("a page that takes no form: %d %s", status, text)
	}
	if status, _, _ := p.get("/run/01ARZ3NDEKTSV4RRFFQ69G5FAV"); status != 404 {
		t.Errorf("no such run: %d", status)
	}
	other := b.person()
	other.post("/login", url.Values{"token": {bobToken}})
	if status, _, _ := other.get(path); status != 404 {
		t.Errorf("bob sees ada's run: %d", status)
	}
	p.post("/logout", nil)
	if _, _, response := p.get(path); response.Request.URL.Path != "/login" {
		t.Error("who has left is still in")
	}
}

// What an agent wrote cannot become part of a page.
func TestPagesEscape(t *testing.T) {
	evil := `"><script src=//evil.example></script><img onerror=alert(1)>`
	b := newBench(t, func(r llmtest.Request) llmtest.Step {
		if turn, _ := r.Turn(); turn == 0 {
			s := step("vfs_read", map[string]string{"path": evil})
			s.Text = evil
			return s
		}
		return llmtest.Step{Text: evil}
	})
	id := b.run(map[string]any{"agent": "team.org#waldo", "task": evil})
	b.ended(id)
	p := b.person()
	p.post("/login", url.Values{"token": {adaToken}})
	for _, path := range []string{"/", "/run/" + id} {
		if _, text, _ := p.get(path); strings.Contains(text, "<img") || strings.Contains(text, "<script src=//") || !strings.Contains(text, "&lt;img") {
			t.Errorf("%s:\n%s", path, text)
		}
	}
}

// A workbook is run by request; it gets nothing and changes nothing.
func TestWorkflow(t *testing.T) {
	lanetest.Need(t, lanetest.Env(t), "shell", "toolbox")
	b := newBench(t, scribe)
	const book = "* Count\n#+name: n\n#+begin_src sh :var words=\"a b c\"\necho $words | wc -w\n#+end_src\n"
	file := b.dir("ada") + "/book.org"
	write(t, file, book)
	for _, q := range []map[string]any{{"workbook": "book.org"}, {"org": book}} {
		status, got := b.call(adaToken, "POST", "/api/workflow", q)
		if exports := fmt.Sprint(got["exports"]); status != 200 || got["status"] != "ok" || !strings.Contains(exports, "3") {
			t.Errorf("%d %v", status, got)
		}
	}
	if _, text, _ := b.person().get("/healthz"); !strings.Contains(text, "ok") {
		t.Error(text)
	}
	status, got := b.call(adaToken, "POST", "/api/workflow?plan=1", map[string]any{"workbook": "book.org"})
	if status != 200 || got["components"] == nil {
		t.Errorf("plan: %d %v", status, got)
	}
	status, got = b.call(adaToken, "POST", "/api/workflow", map[string]any{"org": "#+begin_src sh\nexit 3\n#+end_src\n"})
	if status != 200 || got["status"] != "failed" {
		t.Errorf("a failing block: %d %v", status, got)
	}
	for _, c := range []struct {
		body any
		want int
	}{{map[string]any{}, 400}, {map[string]any{"org": "x", "workbook": "y"}, 400}, {map[string]any{"workbook": "none.org"}, 404}, {map[string]any{"workbook": "../x"}, 404}} {
		if status, got := b.call(adaToken, "POST", "/api/workflow", c.body); status != c.want {
			t.Errorf("%v: %d %v", c.body, status, got)
		}
	}
	if status, _ := b.call("", "POST", "/api/workflow", map[string]any{"workbook": "book.org"}); status != 401 {
		t.Errorf("without a token: %d", status)
	}
}

// Who accepts events hears what a block prints before the run is over; the result is
// the one that others get.
func TestWorkflowEvents(t *testing.T) {
	lanetest.Need(t, lanetest.Env(t), "shell", "toolbox")
	b := newBench(t, scribe)
	post := func(body any) []string {
		text, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, b.http.URL+"/api/workflow", bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+adaToken)
		r.Header.Set("Accept", "text/event-stream")
		answer, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		all, err := io.ReadAll(answer.Body)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Split(strings.TrimSpace(string(all)), "\n\n")
	}
	got := post(map[string]any{"org": "#+name: n\n#+begin_src sh\necho one\necho two\necho three >&2\n#+end_src\n"})
	var names []string
	printed := map[bool]string{}
	for _, event := range got {
		name, data, _ := strings.Cut(strings.TrimPrefix(event, "event: "), "\ndata: ")
		names = append(names, name)
		var said struct {
			Text   string
			Stderr any // of an output whether it is, of a component its text
		}
		if err := json.Unmarshal([]byte(data), &said); err != nil {
			t.Errorf("%q: %v", event, err)
		}
		printed[said.Stderr == true] += said.Text
	}
	if printed[false] != "one\ntwo\n" || printed[true] != "three\n" {
		t.Errorf("heard %v", printed)
	}
	if n := len(names); n < 4 || names[0] != "output" || names[n-2] != "component" || names[n-1] != "result" {
		t.Errorf("events %q", names)
	}
	if last := got[len(got)-1]; !strings.Contains(last, `"exports":{"n":`) {
		t.Error(last)
	}
	if got := post(map[string]any{"org": "#+begin_src sh :var x=none\n#+end_src\n", "only": []string{"gone"}}); !strings.HasPrefix(got[0], "event: failed\ndata: {\"code\":\"not_found\"") {
		t.Errorf("a run of nothing: %q", got)
	}
}
