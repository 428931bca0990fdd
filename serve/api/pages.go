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

	"wb/internal/clip"
	"wb/internal/trace"
)

// The pages are for people: everything on them works without a script, which
// only saves reloading.
//
//go:embed page
var pageFiles embed.FS

var pageTemplates = template.Must(template.New("").Funcs(template.FuncMap{
	"clip":    func(n int, text string) string { return clip.Chars(text, n) },
	"clock":   func(t time.Time) string { return t.Local().Format("2006-01-02 15:04:05") },
	"stamp":   func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
	"count":   grouped,
	"tokens":  tokens,
	"dollars": dollars,
	"millis":  millis,
	"literal": literalArguments,
}).ParseFS(pageFiles, "page/*.html"))

// grouped is a whole number with its thousands apart.
func grouped(number any) string {
	var n int64
	switch v := number.(type) {
	case int:
		n = int64(v)
	case int64:
		n = v
	}
	text := strconv.FormatInt(n, 10)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "\u202f" + text[i:]
	}
	return text
}

// usageOf reads what a template passes: a usage, or where one is.
func usageOf(of any) trace.Usage {
	switch u := of.(type) {
	case trace.Usage:
		return u
	case *trace.Usage:
		return *u
	}
	return trace.Usage{}
}

// tokens are those of a usage, in and out; "" for none.
func tokens(of any) string {
	u := usageOf(of)
	if u.TokensIn+u.TokensOut == 0 {
		return ""
	}
	return grouped(u.TokensIn) + " + " + grouped(u.TokensOut)
}

// dollars is the cost of a usage; "" when unknown.
func dollars(of any) string {
	u := usageOf(of)
	if u.CostUSD <= 0 {
		return ""
	}
	return "$" + strconv.FormatFloat(u.CostUSD, 'f', 4, 64)
}

// millis is a time as it is read best.
func millis(ms int64) string {
	switch {
	case ms < 1000:
		return strconv.FormatInt(ms, 10) + " ms"
	case ms < 60_000:
		return strconv.FormatFloat(float64(ms)/1000, 'f', 1, 64) + " s"
	}
	return (time.Duration(ms) * time.Millisecond).Round(time.Second).String()
}

// chrome is the frame of every page: title, navigation, tenant.
type chrome struct {
	Tenant string
	Login  bool // there is a session to leave
	At     string
	Pages  []link
}

type link struct{ Path, Name string }

// pageLinks are the pages that every page leads to.
var pageLinks = []link{{"/", "Runs"}, {"/new", "New run"}, {"/schedules", "Schedules"}, {"/tickets", "Tickets"}, {"/evals", "Evals"}}

// chrome is the frame of a request's page.
func (s *Server) chrome(r *http.Request) chrome {
	return chrome{Tenant: tenantIn(r.Context()).Name, Login: !s.gate.open, At: r.URL.Path, Pages: pageLinks}
}

func (s *Server) pages(mux *http.ServeMux) {
	for pattern, page := range map[string]http.HandlerFunc{
		"GET /{$}":                       s.runsPage,
		"GET /new":                       s.newPage,
		"POST /run":                      s.startPage,
		"POST /workbook":                 s.startWorkbook,
		"GET /run/{id}":                  s.runPage,
		"GET /run/{id}/step/{n}":         s.stepPage,
		"GET /run/{id}/turn/{n}":         s.turnPage,
		"GET /run/{id}/picture/{digest}": s.picture,
		"GET /run/{id}/files/{name...}":  s.file,
		"POST /run/{id}/resume":          s.resumePage,
		"POST /run/{id}/fork":            s.forkPage,
		"POST /run/{id}/replay":          s.replayPage,
		"POST /run/{id}/cancel":          s.cancelPage,
		"POST /run/{id}/review":          s.reviewPage,
		"GET /compare":                   s.comparePage,
		"GET /schedules":                 s.schedulesPage,
		"POST /schedules":                s.fireNow,
		"GET /tickets":                   s.ticketsPage,
		"POST /tickets/{id}":             s.workTicket,
		"GET /evals":                     s.evalsPage,
		"POST /evals":                    s.examine,
	} {
		mux.Handle(pattern, s.gate.people(page))
	}
	mux.HandleFunc("GET /login", func(w http.ResponseWriter, r *http.Request) { render(w, http.StatusOK, "login.html", nil) })
	mux.HandleFunc("POST /login", s.login)
	mux.HandleFunc("POST /logout", func(w http.ResponseWriter, r *http.Request) {
		s.gate.leave(w, r)
		http.Redirect(w, r, "/login", http.StatusSeeOther)
	})
	for name, kind := range map[string]string{"style.css": "text/css; charset=utf-8", "live.js": "text/javascript; charset=utf-8", "icon.svg": "image/svg+xml"} {
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
		render(w, http.StatusUnauthorized, "login.html", "This server does not know that token.")
		return
	}
	s.gate.enter(w, r, t)
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

// notFound says on a page that something is not there.
func (s *Server) notFound(w http.ResponseWriter, r *http.Request, title, text string) {
	renderMissing(w, s.chrome(r), title, text)
}

func renderMissing(w http.ResponseWriter, frame chrome, title, text string) {
	render(w, http.StatusNotFound, "missing.html", struct {
		chrome
		Title, Text string
	}{frame, title, text})
}

// noPage answers for an address that no page has. Whoever has not entered sees no
// name of a tenant there.
func (s *Server) noPage(w http.ResponseWriter, r *http.Request) {
	if t := s.gate.tenantOf(r); t != nil {
		s.notFound(w, r.WithContext(known(r.Context(), t)), "There is no page here", clip.Chars(r.URL.Path, 200))
		return
	}
	renderMissing(w, chrome{}, "There is no page here", clip.Chars(r.URL.Path, 200))
}

// shown is the run of a page, or nil after an answer.
func (s *Server) shown(w http.ResponseWriter, r *http.Request) *run {
	found, err := tenantIn(r.Context()).find(r.PathValue("id"))
	if errors.Is(err, os.ErrNotExist) {
		s.notFound(w, r, "There is no run "+clip.Chars(r.PathValue("id"), 64), "")
		return nil
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return nil
	}
	return found
}
