package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"wb/agent/schedule"
	"wb/app"
	"wb/internal/identity"
	"wb/serve/sites"
)

// Server serves tenants. Make one with [New], run it with [Server.Serve].
type Server struct {
	config  Config
	tenants []*tenant
	gate    *gate
	handler http.Handler
	stop    context.CancelCauseFunc // ends runs and schedules
	work    context.Context
	wait    sync.WaitGroup // of schedules
}

// New readies a server and goes on with runs that had not ended. Runs end when
// the server is closed; those that have not ended by then go on with the next.
func New(config Config) (*Server, error) {
	if config.Clock == nil {
		config.Clock = schedule.System{}
	}
	if config.Identity == nil {
		config.Identity = func(tenant string) (identity.Key, error) { return identity.Load("", tenant) }
	}
	if config.MaxRuns == 0 {
		config.MaxRuns = DefaultMaxRuns
	}
	if err := config.check(); err != nil {
		return nil, err
	}
	s := &Server{config: config}
	s.work, s.stop = context.WithCancelCause(context.Background())
	for _, t := range config.Tenants {
		opened, err := config.open(s.work, t)
		if err != nil {
			s.Close()
			return nil, err
		}
		s.tenants = append(s.tenants, opened)
	}
	s.gate = newGate(s.tenants, config.Clock.Now, config.Warn)
	s.handler = logged(config.AccessLog, config.Clock.Now, config.Warn, s.routes())
	for _, t := range s.tenants {
		if err := t.resume(); err != nil {
			s.Close()
			return nil, err
		}
		if config.Schedules {
			s.wait.Go(func() { newScheduler(t, config).run(s.work) })
		}
	}
	return s, nil
}

// Close interrupts what is going and waits for it to wind down.
func (s *Server) Close() {
	s.stop(errShutdown)
	done := make(chan struct{})
	go func() {
		s.wait.Wait()
		for _, t := range s.tenants {
			t.busy.Wait()
			t.close()
		}
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(shutdownGrace):
	}
}

// Serve answers requests until ctx ends, then ends streams, interrupts runs and
// returns when everything has wound down.
func (s *Server) Serve(ctx context.Context, listener net.Listener) error {
	server := &http.Server{
		Handler:           s.handler,
		ReadHeaderTimeout: HeaderTimeout,
		ReadTimeout:       time.Minute,
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          log.New(warnings(s.config.Warn), "", 0),
	}
	stopped := make(chan error, 1)
	go func() {
		<-ctx.Done()
		s.stop(errShutdown)
		grace, cancel := context.WithTimeout(context.Background(), shutdownGrace)
		defer cancel()
		err := server.Shutdown(grace)
		if errors.Is(err, context.DeadlineExceeded) {
			err = server.Close()
		}
		stopped <- err
	}()
	err := server.Serve(listener)
	if errors.Is(err, http.ErrServerClosed) {
		err = <-stopped
	}
	s.Close()
	return err
}

// warnings is where the HTTP server tells of broken connections.
type warnings func(error)

func (w warnings) Write(text []byte) (int, error) {
	if w != nil {
		w(fmt.Errorf("http: %s", text))
	}
	return len(text), nil
}

// Handler answers requests, for tests and other servers.
func (s *Server) Handler() http.Handler { return s.handler }

func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	api := func(pattern string, h http.HandlerFunc) { mux.Handle(pattern, s.gate.callers(h)) }
	api("POST /api/run", s.postRun)
	api("GET /api/run", s.listRuns)
	api("GET /api/run/{id}", s.getRun)
	api("DELETE /api/run/{id}", s.cancelRun)
	api("POST /api/run/{id}/cancel", s.cancelRun)
	api("POST /api/run/{id}/review", s.reviewRun)
	api("POST /api/run/{id}/fork", s.forkRun)
	api("POST /api/run/{id}/resume", s.resumeRun)
	api("POST /api/run/{id}/replay", s.replayRun)
	api("GET /api/run/{id}/messages", s.runMessages)
	api("GET /api/run/{id}/stream", s.stream)
	api("GET /api/activity", s.activity)
	api("POST /api/workflow", s.postWorkflow)
	api("GET /api/verbs", s.listVerbs)
	for _, row := range app.At(app.Tools) {
		api("POST /api/verbs/"+strings.ReplaceAll(row.Name, " ", "/"), s.verb(row))
	}
	mux.HandleFunc("GET /healthz", s.health)
	mux.HandleFunc("GET /.well-known/wb.json", s.wellKnown)
	mux.HandleFunc("GET /.well-known/did.json", s.didDocument)
	mux.HandleFunc("GET /t/{tenant}/did.json", s.didDocument)
	api("GET /api/agents", s.listAgents)
	s.pages(mux)
	if s.config.Sites != nil {
		s.config.Sites.Register(mux, s.noPage)
	}
	mux.HandleFunc(nowhere, s.unknown(mux, func(w http.ResponseWriter, r *http.Request) {
		fail(w, http.StatusNotFound, "not_found", "no such address: "+r.URL.Path)
	}))
	mux.HandleFunc(elsewhere, s.unknown(mux, s.noPage))
	protection := http.NewCrossOriginProtection()
	protection.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fail(w, http.StatusForbidden, "forbidden", "pages of other origins may not use this server")
	}))
	guarded := protection.Handler(mux)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Content-Security-Policy", policy)
		h.Set("Cache-Control", "no-store")
		if s.config.Sites == nil || !sites.Owns(r.URL.Path) { // which has bounds of its own
			r.Body = http.MaxBytesReader(w, r.Body, maxBody)
		}
		guarded.ServeHTTP(w, r)
	})
}

// nowhere is the pattern that catches unknown addresses of the API, elsewhere all others.
const nowhere, elsewhere = "/api/", "/"

// unknown answers what no pattern takes: with the methods that the address does take, or
// as missing does.
func (s *Server) unknown(mux *http.ServeMux, missing http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if allowed := methods(mux, r); len(allowed) > 0 {
			w.Header().Set("Allow", strings.Join(allowed, ", "))
			fail(w, http.StatusMethodNotAllowed, "method", fmt.Sprintf("%s does not take %s; it takes %s", r.URL.Path, r.Method, strings.Join(allowed, ", ")))
			return
		}
		missing(w, r)
	}
}

// methods are those that an address takes.
func methods(mux *http.ServeMux, r *http.Request) []string {
	var all []string
	for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodDelete} {
		other := &http.Request{Method: method, URL: r.URL, Host: r.Host}
		if _, pattern := mux.Handler(other); pattern != nowhere && pattern != elsewhere && pattern != "" {
			all = append(all, method)
		}
	}
	return all
}

// policy limits what pages of the server may load: the server's own style, pictures and
// script, and nothing else from anywhere.
const policy = "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

func (s *Server) health(w http.ResponseWriter, _ *http.Request) {
	if s.work.Err() != nil {
		answer(w, http.StatusServiceUnavailable, map[string]string{"status": "stopping"})
		return
	}
	answer(w, http.StatusOK, map[string]string{"status": "ok"})
}

// wellKnown says what this server is and where its parts are.
func (s *Server) wellKnown(w http.ResponseWriter, _ *http.Request) {
	auth := "bearer"
	if s.gate.open {
		auth = "none"
	}
	answer(w, http.StatusOK, map[string]any{
		"name": "wb", "version": s.config.Version, "auth": auth, "exec": s.config.AllowExec,
		"endpoints": map[string]string{
			"run": "/api/run", "status": "/api/run/{id}", "stream": "/api/run/{id}/stream", "cancel": "/api/run/{id}/cancel",
			"review": "/api/run/{id}/review", "activity": "/api/activity", "workflow": "/api/workflow", "verbs": "/api/verbs", "health": "/healthz", "did": "/.well-known/did.json"},
		"streams": []string{"sse", "websocket"},
	})
}

// answer writes a value as JSON.
func answer(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v)
}

// fail writes an error as JSON.
func fail(w http.ResponseWriter, status int, code, message string) {
	failWith(w, status, code, message, "")
}

// failWith also says what to do.
func failWith(w http.ResponseWriter, status int, code, message, hint string) {
	answer(w, status, map[string]any{"error": problem{code, message, hint}})
}
