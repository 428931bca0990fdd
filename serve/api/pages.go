package api

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"html/template"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"wb/agent"
	"wb/agent/approval"
	"wb/agent/host"
	"wb/internal/trace"
)

// The pages are for people: everything on them works without a script, which
// only saves reloading.
//
//go:embed page
var pageFiles embed.FS

var pageTemplates = template.Must(template.New("").Funcs(template.FuncMap{
	"clip":   func(n int, text string) string { return clip(text, n) },
	"clock":  func(t time.Time) string { return t.Local().Format("2006-01-02 15:04:05") },
	"cost":   cost,
	"pretty": func(text json.RawMessage) string { return pretty(text) },
	"lines":  outputLines,
}).ParseFS(pageFiles, "page/*.html"))

// outputLines is an output as it is; of one that is a difference between texts, lines
// that came and went are marked.
func outputLines(text string) template.HTML {
	var b strings.Builder
	b.WriteString(`<pre tabindex="0">`)
	diff := strings.HasPrefix(text, "--- ") && strings.Contains(text, "\n+++ ")
	for line := range strings.Lines(text) {
		safe := template.HTMLEscapeString(line)
		switch {
		case diff && strings.HasPrefix(line, "+"):
			safe = `<span class="added">` + safe + `</span>`
		case diff && strings.HasPrefix(line, "-"):
			safe = `<span class="removed">` + safe + `</span>`
		}
		b.WriteString(safe)
	}
	b.WriteString("</pre>")
	return template.HTML(b.String()) // every line was escaped
}

// cost is what a run used, in words.
func cost(u trace.Usage) string {
	text := strconv.FormatInt(u.TokensIn, 10) + " tokens in, " + strconv.FormatInt(u.TokensOut, 10) + " out"
	if u.CostUSD > 0 {
		text += ", $" + strconv.FormatFloat(u.CostUSD, 'f', 4, 64)
	}
	return text
}

func (s *Server) pages(mux *http.ServeMux) {
	mux.Handle("GET /{$}", s.gate.people(s.runsPage))
	mux.Handle("POST /run", s.gate.people(s.startPage))
	mux.Handle("GET /run/{id}", s.gate.people(s.runPage))
	mux.Handle("POST /run/{id}/resume", s.gate.people(s.resumePage))
	mux.Handle("POST /run/{id}/cancel", s.gate.people(s.cancelPage))
	mux.Handle("POST /run/{id}/review", s.gate.people(s.reviewPage))
	mux.HandleFunc("GET /login", func(w http.ResponseWriter, r *http.Request) { render(w, http.StatusOK, "login.html", nil) })
	mux.HandleFunc("POST /login", s.login)
	mux.HandleFunc("POST /logout", func(w http.ResponseWriter, r *http.Request) {
		s.gate.leave(w, r)
		http.Redirect(w, r, "/login", http.StatusSeeOther)
	})
	for name, kind := range map[string]string{"style.css": "text/css; charset=utf-8", "live.js": "text/javascript; charset=utf-8"} {
		text, err := pageFiles.ReadFile("page/" + name)
		if err != nil {
			panic(err) // it is embedded
		}
		mux.HandleFunc("GET /"+name, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", kind)
			_, _ = w.Write(text)
		})
	}
}

func render(w http.ResponseWriter, status int, name string, data any) {
	var b strings.Builder
	if err := pageTemplates.ExecuteTemplate(&b, name, data); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write([]byte(b.String()))
}

// login takes a token and gives the browser a session.
func (s *Server) login(w http.ResponseWriter, r *http.Request) {
	t := s.gate.shown(r, r.PostFormValue("token"))
	if t == nil && s.gate.guesses.tooMany(r) {
		w.Header().Set("Retry-After", "60")
		render(w, http.StatusTooManyRequests, "login.html", guessRefused)
		return
	}
	if t == nil {
		render(w, http.StatusUnauthorized, "login.html", "That is no token of this server.")
		return
	}
	s.gate.enter(w, r, t)
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

// row is a run in the list.
type row struct {
	ID, Class, Word, Agent, Task, Schedule string
	Created                                time.Time
	Took                                   time.Duration
	Usage                                  trace.Usage
	Running                                bool
}

func (s *Server) runsPage(w http.ResponseWriter, r *http.Request) {
	s.showRuns(w, r, http.StatusOK, nil)
}

// showRuns lists the runs, with what was wrong with a request for another.
func (s *Server) showRuns(w http.ResponseWriter, r *http.Request, status int, wrong error) {
	t := tenantIn(r.Context())
	f := filterOf(r)
	f.Limit = pageRows
	all, more, err := t.selected(f)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	agents, err := host.AgentsIn(t.root.FS())
	t.warn(err)
	data := struct {
		Tenant        string
		Login         bool
		Rows          []row
		Going         bool
		Wrong         error
		Agent, Prompt string
		Agents        []host.Found
		Filter        filter
		Filtered      bool
		Statuses      []statusChoice
		More          string
	}{Tenant: t.Name, Login: !s.gate.open, Wrong: wrong, Agent: r.FormValue("agent"), Prompt: r.FormValue("task"), Agents: agents,
		Filter: f, Filtered: f.Words+f.Status+f.Before != "", Statuses: statusChoices}
	if more {
		data.More = "/?" + url.Values{"q": {f.Words}, "status": {f.Status}, "before": {all[len(all)-1].ID}}.Encode()
	}
	waiting := t.waiting()
	for _, rec := range all {
		waits := waiting(&rec)
		one := row{ID: rec.ID, Class: statusClass(rec.Status, waits), Word: statusWord(rec.Status, waits), Agent: rec.agent(), Task: rec.Task.Text, Schedule: rec.Schedule, Created: rec.Created,
			Took: rec.took(t.clock.Now()), Running: rec.Ended.IsZero()}
		if rec.Result != nil {
			one.Usage = rec.Result.Usage
		}
		data.Rows = append(data.Rows, one)
		data.Going = data.Going || one.Running
	}
	render(w, status, "runs.html", data)
}

// pageRows is how many runs a page of the list has.
const pageRows = 50

type statusChoice struct{ Value, Word string }

// statusChoices are what the list can be narrowed to.
var statusChoices = []statusChoice{{"", "any"}, {"waiting", wordWaits}, {statusRunning, "running"}, {"done", wordDone}, {"error", "failed"},
	{"bound", wordBound}, {"cancelled", "cancelled"}}

// startPage starts a run from the form.
func (s *Server) startPage(w http.ResponseWriter, r *http.Request) {
	started, err := s.begin(tenantIn(r.Context()), runRequest{Agent: strings.TrimSpace(r.PostFormValue("agent")), Task: r.PostFormValue("task")})
	if err != nil {
		s.showRuns(w, r, http.StatusUnprocessableEntity, err)
		return
	}
	http.Redirect(w, r, "/run/"+started.snapshot().ID, http.StatusSeeOther)
}

// shown is the run of a page, or nil after an answer.
func (s *Server) shown(w http.ResponseWriter, r *http.Request) *run {
	found, err := tenantIn(r.Context()).find(r.PathValue("id"))
	if errors.Is(err, os.ErrNotExist) {
		render(w, http.StatusNotFound, "missing.html", clip(r.PathValue("id"), 64))
		return nil
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return nil
	}
	return found
}

func (s *Server) runPage(w http.ResponseWriter, r *http.Request) {
	found := s.shown(w, r)
	if found == nil {
		return
	}
	frames, _, _ := found.since(0)
	rec := found.snapshot()
	_, usage, _ := found.progress()
	data := struct {
		record
		Agent       string
		Trail       []entry
		Last        int
		Running     bool
		Resumable   bool
		Class, Word string
		Usage       trace.Usage
		Took        time.Duration
		Text        string
		Reviews     []approval.Request
	}{record: rec, Agent: rec.agent(), Trail: trail(frames, rec.Created, ended(rec, found.tenant.clock.Now())), Last: len(frames), Running: rec.Ended.IsZero(), Usage: usage,
		Took: rec.took(found.tenant.clock.Now()), Reviews: found.reviews()}
	if rec.Result != nil {
		data.Text, data.Usage = rec.Result.Result, rec.Result.Usage
	}
	waits := data.Running && slices.ContainsFunc(data.Reviews, func(a approval.Request) bool { return a.Decision == approval.Pending })
	data.Class, data.Word = statusClass(rec.Status, waits), statusWord(rec.Status, waits)
	data.Resumable = !data.Running && data.Word != wordDone && len(rec.Runs) > 0
	render(w, http.StatusOK, "run.html", data)
}

// ended is when a run ended, or now.
func ended(r record, now time.Time) time.Time {
	if r.Ended.IsZero() {
		return now
	}
	return r.Ended
}

// resumePage goes on with a run that ended without being done, as a run of its own.
func (s *Server) resumePage(w http.ResponseWriter, r *http.Request) {
	found := s.shown(w, r)
	if found == nil {
		return
	}
	old := found.snapshot()
	if old.Ended.IsZero() || len(old.Runs) == 0 {
		http.Error(w, "the run is going", http.StatusConflict)
		return
	}
	next, err := found.tenant.startWith(record{Task: old.Task}, func(ctx context.Context, rt *host.Runtime) (*agent.Result, error) {
		return rt.Resume(ctx, rt.Furthest(old.Runs))
	})
	if err != nil {
		s.showRuns(w, r, http.StatusUnprocessableEntity, err)
		return
	}
	http.Redirect(w, r, "/run/"+next.snapshot().ID, http.StatusSeeOther)
}

func (s *Server) cancelPage(w http.ResponseWriter, r *http.Request) {
	if found := s.shown(w, r); found != nil {
		found.stop(errByCaller)
		http.Redirect(w, r, "/run/"+found.snapshot().ID, http.StatusSeeOther)
	}
}

func (s *Server) reviewPage(w http.ResponseWriter, r *http.Request) {
	found := s.shown(w, r)
	if found == nil {
		return
	}
	decision := r.PostFormValue("decision")
	if decision != "allow" && decision != "deny" {
		http.Error(w, "decision is allow or deny", http.StatusBadRequest)
		return
	}
	if _, err := found.decide(r.PostFormValue("id"), decision == "allow", "page"); err != nil {
		http.Error(w, err.Error(), http.StatusConflict)
		return
	}
	http.Redirect(w, r, "/run/"+found.snapshot().ID, http.StatusSeeOther)
}
