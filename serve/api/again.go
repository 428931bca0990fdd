package api

import (
	"errors"
	"net/http"

	"wb/internal/diag"
)

// forkRequest is the body of POST /api/run/ID/fork.
type forkRequest struct {
	Turn int `json:"turn"` // the first to do anew, from 1
}

// forkRun runs again from a turn of a run.
func (s *Server) forkRun(w http.ResponseWriter, r *http.Request) {
	found := s.named(w, r)
	var q forkRequest
	if found == nil || !decode(w, r, &q) {
		return
	}
	next, err := found.fork(q.Turn)
	s.follows(w, r, next, err)
}

// resumeRun goes on with a run that ended undone.
func (s *Server) resumeRun(w http.ResponseWriter, r *http.Request) {
	if found := s.named(w, r); found != nil {
		next, err := found.resume()
		s.follows(w, r, next, err)
	}
}

// follows answers with a run that came from another.
func (s *Server) follows(w http.ResponseWriter, r *http.Request, next *run, err error) {
	switch {
	case errors.Is(err, errGoing):
		fail(w, http.StatusConflict, "going", err.Error())
	case err != nil:
		failStart(w, tenantIn(r.Context()), err)
	default:
		rec := next.snapshot()
		w.Header().Set("Location", "/api/run/"+rec.ID)
		answer(w, http.StatusAccepted, map[string]any{"id": rec.ID, "status": statusRunning, "from": rec.From})
	}
}

// replayRun repeats a run from its journal and tells whether it led to the same.
func (s *Server) replayRun(w http.ResponseWriter, r *http.Request) {
	found := s.named(w, r)
	if found == nil {
		return
	}
	played, err := found.replay(r.Context())
	switch {
	case errors.Is(err, errGoing):
		fail(w, http.StatusConflict, "going", err.Error())
	case err != nil:
		failStart(w, found.tenant, err)
	default:
		answer(w, http.StatusOK, played)
	}
}

// runMessages tells each turn of a run as its model saw it.
func (s *Server) runMessages(w http.ResponseWriter, r *http.Request) {
	found := s.named(w, r)
	if found == nil {
		return
	}
	said, err := found.tenant.runtime().Messages(r.Context(), found.latestRun())
	if err != nil {
		status := http.StatusInternalServerError
		if diag.ExitOf(err) == diag.ExitNotFound {
			status = http.StatusNotFound
		}
		fail(w, status, "not_found", found.tenant.inside(err.Error()))
		return
	}
	answer(w, http.StatusOK, said)
}
