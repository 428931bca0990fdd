package api

import (
	"context"
	"errors"
	"html/template"
	"net/http"
	"strconv"

	"wb/agent"
	"wb/agent/host"
)

// origin is the run that another came from.
type origin struct {
	Run  string `json:"run"`
	How  string `json:"how"`            // howResumed or howForked
	Turn int    `json:"turn,omitempty"` // of a fork, from 1
}

// The ways to come from another run.
const (
	howResumed = "resumed"
	howForked  = "forked"
)

// errGoing is a run that must end before something can be done with it.
var errGoing = errors.New("the run is still running, or never began")

// resume goes on with a run that ended without being done, as a run of its own.
func (r *run) resume() (*run, error) {
	return r.again(howResumed, 0, func(ctx context.Context, rt *host.Runtime, runs []string) (*agent.Result, error) {
		return rt.Resume(ctx, rt.Furthest(runs))
	})
}

// fork runs again from a turn of a run: those before it are kept.
func (r *run) fork(turn int) (*run, error) {
	return r.again(howForked, turn, func(ctx context.Context, rt *host.Runtime, runs []string) (*agent.Result, error) {
		return rt.Fork(ctx, rt.Furthest(runs), turn)
	})
}

func (r *run) again(how string, turn int, do func(context.Context, *host.Runtime, []string) (*agent.Result, error)) (*run, error) {
	old := r.snapshot()
	if old.Ended.IsZero() || len(old.Runs) == 0 || old.Book != nil {
		return nil, errGoing
	}
	return r.tenant.startWith(record{Task: old.Task, From: &origin{old.ID, how, turn}}, func(ctx context.Context, rt *host.Runtime) (*agent.Result, error) {
		return do(ctx, rt, old.Runs)
	})
}

// lead shows a run that was started, or why it was not.
func (s *Server) lead(w http.ResponseWriter, r *http.Request, next *run, err error) {
	switch {
	case errors.Is(err, errGoing):
		s.showRuns(w, r, http.StatusConflict, err)
	case err != nil:
		s.showRuns(w, r, http.StatusUnprocessableEntity, errors.New(tenantIn(r.Context()).inside(err.Error())))
	default:
		http.Redirect(w, r, "/run/"+next.snapshot().ID, http.StatusSeeOther)
	}
}

func (s *Server) resumePage(w http.ResponseWriter, r *http.Request) {
	if found := s.shown(w, r); found != nil {
		next, err := found.resume()
		s.lead(w, r, next, err)
	}
}

func (s *Server) forkPage(w http.ResponseWriter, r *http.Request) {
	found := s.shown(w, r)
	if found == nil {
		return
	}
	turn, err := strconv.Atoi(r.PostFormValue("turn"))
	var next *run
	if err == nil {
		next, err = found.fork(turn)
	}
	s.lead(w, r, next, err)
}

// replayed is the result of repeating a run from its journal.
type replayed struct {
	Same   bool   `json:"same"`
	Status string `json:"status"`
	Result string `json:"result"`
	Error  string `json:"error,omitempty"`
	Diff   string `json:"diff,omitempty"` // of what the model would be asked
}

// replay repeats a run from its journal and says whether it led to the same.
func (r *run) replay(ctx context.Context) (*replayed, error) {
	rec := r.snapshot()
	if rec.Ended.IsZero() || len(rec.Runs) == 0 || rec.Book != nil {
		return nil, errGoing
	}
	got, err := r.tenant.runtime().Replay(ctx, r.latestRun())
	if err != nil {
		return nil, err
	}
	same := rec.Result != nil && got.Status == rec.Result.Status && got.Result == rec.Result.Result
	return &replayed{same, got.Status, got.Result, r.tenant.inside(got.Error), r.tenant.inside(got.Diff)}, nil
}

func (s *Server) replayPage(w http.ResponseWriter, r *http.Request) {
	found := s.shown(w, r)
	if found == nil {
		return
	}
	rec := found.snapshot()
	data := struct {
		chrome
		ID, Title, Why string
		Same           bool
		Diff           template.HTML
		Result         *shown
	}{chrome: s.chrome(r), ID: rec.ID, Title: rec.title()}
	played, err := found.replay(r.Context())
	switch {
	case errors.Is(err, errGoing):
		s.lead(w, r, nil, err)
		return
	case err != nil:
		data.Why = found.tenant.inside(err.Error())
	default:
		set := showProse(played.Result)
		data.Same, data.Result, data.Why = played.Same, &set, played.Error
		if played.Diff != "" {
			data.Diff, data.Result = diffHTML(played.Diff), nil
		}
	}
	render(w, http.StatusOK, "replay.html", data)
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
		http.Error(w, "decision must be allow or deny", http.StatusBadRequest)
		return
	}
	if _, err := found.decide(r.PostFormValue("id"), decision == "allow", "page"); err != nil {
		http.Error(w, err.Error(), http.StatusConflict)
		return
	}
	http.Redirect(w, r, "/run/"+found.snapshot().ID, http.StatusSeeOther)
}
