package api_test

import (
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wb/internal/test/llmtest"
	"wb/serve/api"
)

// From the page an agent works on a ticket and what is scheduled is fired; both are runs
// like any other, in the list.
func TestBoards(t *testing.T) {
	b := newBench(t, func(llmtest.Request) llmtest.Step { return llmtest.Step{Text: "The legend is there now."} },
		func(c *api.Config) { c.AllowWrite = true })
	dir := b.dir("ada")
	write(t, filepath.Join(dir, "issues.org"), walkTickets)
	write(t, filepath.Join(dir, "team.org"), strings.Replace(team, ":ID: waldo", ":ID: waldo\n:SCHEDULE: @daily", 1))
	p := b.person()
	p.post("/login", url.Values{"token": {adaToken}})

	_, text, response := p.post("/tickets/issue-3f2a", url.Values{"agent": {"team.org#waldo"}})
	id := strings.TrimPrefix(response.Request.URL.Path, "/run/")
	if !strings.Contains(text, "issue-3f2a") {
		t.Fatalf("%s: %s", response.Request.URL, text)
	}
	if got := b.ended(id); got["result"] != "The legend is there now." {
		t.Errorf("the ticket's run is %v", got)
	}
	if tickets, _ := os.ReadFile(filepath.Join(dir, "issues.org")); !strings.Contains(string(tickets), "* DONE The chart has no legend") || !strings.Contains(string(tickets), "The legend is there now.") {
		t.Errorf("the ticket is %s", tickets)
	}
	if _, text, _ := p.get("/tickets"); strings.Contains(text, "issue-3f2a") {
		t.Error("a ticket that is done is among the open ones")
	}
	if _, text, _ := p.get("/tickets?status=done&q=legend"); !strings.Contains(text, "issue-3f2a") || !strings.Contains(text, `href="/run/`) {
		t.Errorf("the done tickets are %s", text)
	}
	if status, text, _ := p.post("/tickets/issue-3f2a", nil); status != 422 || !strings.Contains(text, "is done") {
		t.Errorf("work on what is done: %d", status)
	}

	if _, text, _ := p.get("/schedules"); !strings.Contains(text, "team.org#waldo") || !strings.Contains(text, "@daily") {
		t.Errorf("schedules: %s", text)
	}
	p.post("/schedules", url.Values{"name": {"team.org#waldo"}})
	_, list := b.call(adaToken, "GET", "/api/run", nil)
	if runs := list["runs"].([]any); len(runs) != 2 || runs[0].(map[string]any)["schedule"] != "@daily" {
		t.Errorf("the runs are %v", list)
	}
	if status, _, _ := p.post("/schedules", url.Values{"name": {"team.org#nobody"}}); status != 404 {
		t.Errorf("a schedule that is none: %d", status)
	}
	if other := b.person(); true {
		other.post("/login", url.Values{"token": {bobToken}})
		if _, text, _ := other.get("/tickets?status=all"); strings.Contains(text, "issue-3f2a") {
			t.Error("bob sees ada's tickets")
		}
	}
}

// Without --write the page offers no work on tickets, and a request for it leaves them as
// they are.
func TestTicketsReadOnly(t *testing.T) {
	b := newBench(t, func(llmtest.Request) llmtest.Step { return llmtest.Step{Text: "Done."} })
	path := filepath.Join(b.dir("ada"), "issues.org")
	write(t, path, walkTickets)
	p := b.person()
	p.post("/login", url.Values{"token": {adaToken}})
	if _, text, _ := p.get("/tickets"); !strings.Contains(text, "issue-3f2a") || !strings.Contains(text, "--write") || strings.Contains(text, "Work on it") {
		t.Errorf("the tickets are %s", text)
	}
	if status, text, _ := p.post("/tickets/issue-3f2a", nil); status != 403 || !strings.Contains(text, "server started with --write") {
		t.Errorf("work on a ticket: %d %s", status, text)
	}
	if after, _ := os.ReadFile(path); string(after) != walkTickets {
		t.Errorf("the tickets are now\n%s", after)
	}
}
