package api

import (
	"embed"
	"errors"
	"html/template"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"wb/agent/approval"
	"wb/internal/trace"
)

// The pages are for people: everything on them works without a script, which
// only saves reloading.
//
//go:embed page
var pageFiles embed.FS

var pageTemplates = template.Must(template.New("").Funcs(template.FuncMap{
	"clip":  func(n int, text string) string { return clip(text, n) },
	"clock": func(t time.Time) string { return t.Local().Format("2006-01-02 15:04:05") },
	"cost":  cost,
	"raw":   func(text []byte) string { return string(text) },
}).ParseFS(pageFiles, "page/*.html"))

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
	t := s.gate.byToken(strings.TrimSpace(r.PostFormValue("token")))
	if t == nil {
		render(w, http.StatusUnauthorized, "login.html", "That is no token of this server.")
		return
	}
	s.gate.enter(w, r, t)
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

// row is a run in the list.
type row struct {
	ID, Status, Agent, Task, Schedule string
	Created                           time.Time
	Took                              time.Duration
	Usage                             trace.Usage
	Running                           bool
}

func (s *Server) runsPage(w http.ResponseWriter, r *http.Request) {
	s.showRuns(w, r, http.StatusOK, nil)
}

// showRuns lists the runs, with what was wrong with a request for another.
func (s *Server) showRuns(w http.ResponseWriter, r *http.Request, status int, wrong error) {
	t := tenantIn(r.Context())
	all, err := t.latest(maxListed)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	data := struct {
		Tenant        string
		Login         bool
		Rows          []row
		Going         bool
		Wrong         error
		Agent, Prompt string
	}{Tenant: t.Name, Login: !s.gate.open, Wrong: wrong, Agent: r.PostFormValue("agent"), Prompt: r.PostFormValue("task")}
	for _, rec := range all {
		one := row{ID: rec.ID, Status: rec.Status, Agent: rec.agent(), Task: rec.Task.Text, Schedule: rec.Schedule, Created: rec.Created,
			Took: rec.took(t.clock.Now()), Running: rec.Ended.IsZero()}
		if rec.Result != nil {
			one.Usage = rec.Result.Usage
		}
		data.Rows = append(data.Rows, one)
		data.Going = data.Going || one.Running
	}
	render(w, status, "runs.html", data)
}

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
		Agent   string
		Frames  []Frame
		Last    int
		Running bool
		Usage   trace.Usage
		Took    time.Duration
		Text    string
		Reviews []approval.Request
	}{record: rec, Agent: rec.agent(), Frames: frames, Last: len(frames), Running: rec.Ended.IsZero(), Usage: usage,
		Took: rec.took(found.tenant.clock.Now()), Reviews: found.reviews()}
	if rec.Result != nil {
		data.Text, data.Usage = rec.Result.Result, rec.Result.Usage
	}
	render(w, http.StatusOK, "run.html", data)
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
