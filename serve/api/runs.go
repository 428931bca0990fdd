package api

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"wb/agent"
	"wb/agent/approval"
	"wb/agent/host"
	"wb/app"
	"wb/internal/clip"
	"wb/internal/diag"
	"wb/internal/nearest"
	"wb/internal/trace"
)

// runRequest is the body of POST /api/run.
type runRequest struct {
	Agent  string `json:"agent"`  // FILE#ID in the tenant's directory; the default agent without one
	System string `json:"system"` // or the text of an agent that no document defines
	// Workbook is run in place of an agent, with values of imports and, of several, the
	// components in Only.
	Workbook  string          `json:"workbook"`
	Set       json.RawMessage `json:"set"`
	Only      []string        `json:"only"`
	Task      string          `json:"task"`
	Model     string          `json:"model"`
	MaxSteps  *int64          `json:"max_steps"`
	TimeoutMS int64           `json:"timeout_ms"`
	Session   string          `json:"session"`
	Exec      bool            `json:"exec"`
}

// decode reads the body of a request; what it cannot read it answers.
func decode(w http.ResponseWriter, r *http.Request, v any) bool {
	d := json.NewDecoder(r.Body)
	d.DisallowUnknownFields()
	err := told(d.Decode(v), v)
	if err == nil {
		if _, more := d.Token(); !errors.Is(more, io.EOF) {
			err = errors.New("there is more than one value")
		}
	}
	var large *http.MaxBytesError
	switch {
	case err == nil:
		return true
	case errors.As(err, &large):
		fail(w, http.StatusRequestEntityTooLarge, "too_large", fmt.Sprintf("a request has at most %d bytes", large.Limit))
	default:
		fail(w, http.StatusBadRequest, "bad_request", "the body does not fit: "+err.Error())
	}
	return false
}

// told is an error of a JSON body in the API's words: v is the expected value.
func told(err error, v any) error {
	var kind *json.UnmarshalTypeError
	var syntax *json.SyntaxError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &kind) && kind.Field != "":
		return fmt.Errorf("%s: expected a %s, got a JSON %s", kind.Field, jsonName(kind.Type), kind.Value)
	case errors.As(err, &kind):
		return fmt.Errorf("expected an object, got a JSON %s", kind.Value)
	case errors.As(err, &syntax):
		return fmt.Errorf("no JSON at byte %d: %w", syntax.Offset, err)
	case errors.Is(err, io.EOF):
		return errors.New("it is empty")
	}
	name, unknown := strings.CutPrefix(err.Error(), "json: unknown field ")
	if !unknown {
		return err
	}
	var known []string
	for f := range reflect.TypeOf(v).Elem().Fields() {
		word, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		known = append(known, word)
	}
	name = strings.Trim(name, `"`)
	if near := nearest.Word(name, known); near != "" {
		return fmt.Errorf("unknown member %s; did you mean %s?", clip.Chars(name, 64), near)
	}
	return fmt.Errorf("unknown member %s; expected one of %s", clip.Chars(name, 64), strings.Join(known, ", "))
}

// jsonName is JSON's name for a type.
func jsonName(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Int, reflect.Int64, reflect.Float64:
		return "number"
	case reflect.Bool:
		return "boolean"
	case reflect.String:
		return "string"
	case reflect.Slice:
		return "list"
	}
	return "object"
}

// task is the request as a task of the tenant, with what must be told about it.
func (s *Server) task(t *tenant, q runRequest) (host.Task, []string, error) {
	task := host.Task{Text: q.Task, Dir: t.Dir, Model: q.Model, Session: q.Session, Write: s.config.AllowWrite, System: q.System,
		Steps: defaultSteps, Limits: agent.Bounds{Wall: time.Duration(q.TimeoutMS) * time.Millisecond}}
	switch {
	case strings.TrimSpace(q.Task) == "":
		return task, nil, errors.New("task is missing")
	case len(q.Task) > maxTask || len(q.System) > maxTask:
		return task, nil, fmt.Errorf("task and system may have %d bytes at most", maxTask)
	case q.Agent != "" && q.System != "":
		return task, nil, errors.New("agent and system exclude each other")
	case q.TimeoutMS < 0 || q.MaxSteps != nil && *q.MaxSteps < 1:
		return task, nil, errors.New("max_steps and timeout_ms must be positive")
	}
	if q.MaxSteps != nil {
		task.Limits.Steps = *q.MaxSteps
	}
	var warnings []string
	if q.Exec {
		if task.Exec = s.config.AllowExec && t.Exec; !task.Exec {
			warnings = append(warnings, "this server does not grant exec: the run has no git, publish and image")
		}
	}
	if q.Agent == "" {
		return task, warnings, nil
	}
	var err error
	name, id, _ := strings.Cut(q.Agent, "#")
	task.ID = id
	task.File, err = t.file(name)
	return task, warnings, err
}

// postRun starts a run.
func (s *Server) postRun(w http.ResponseWriter, r *http.Request) {
	var q runRequest
	if !decode(w, r, &q) {
		return
	}
	t := tenantIn(r.Context())
	started, err := s.begin(t, q)
	if err != nil {
		failStart(w, t, err)
		return
	}
	rec := started.snapshot()
	w.Header().Set("Location", "/api/run/"+rec.ID)
	body := map[string]any{"id": rec.ID, "status": statusRunning, "exec": rec.Task.Exec}
	if len(rec.Warnings) > 0 {
		body["warnings"] = rec.Warnings
	}
	answer(w, http.StatusAccepted, body)
}

func (s *Server) begin(t *tenant, q runRequest) (*run, error) {
	if q.Workbook != "" {
		if q.Task+q.Agent+q.System != "" {
			return nil, &requestError{errors.New("workbook and agent, system and task exclude each other")}
		}
		return t.startBook(&book{File: q.Workbook, Set: q.Set, Only: q.Only}, record{})
	}
	task, warnings, err := s.task(t, q)
	if err != nil {
		if _, ok := errors.AsType[*outsideError](err); ok {
			return nil, err
		}
		return nil, &requestError{err}
	}
	return t.start(record{Task: task, Warnings: warnings})
}

// requestError is a request that cannot be meant.
type requestError struct{ error }

// problem says why a request was not done.
type problem struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
}

// failStart answers a run or workflow that cannot be begun.
func failStart(w http.ResponseWriter, t *tenant, err error) {
	status, p := startProblem(t, err)
	if p.Code == "too_many" || p.Code == "stopping" {
		w.Header().Set("Retry-After", "5")
	}
	failWith(w, status, p.Code, p.Message, p.Hint)
}

// startProblem is an error as the tenant reads it, and its status.
func startProblem(t *tenant, err error) (int, problem) {
	status, code := http.StatusUnprocessableEntity, "failed"
	var wrong *requestError
	var outside *outsideError
	var coded interface{ ExitCode() int }
	switch {
	case errors.As(err, &wrong):
		status, code = http.StatusBadRequest, "bad_request"
	case errors.As(err, &outside):
		status, code = http.StatusNotFound, "not_found"
	case errors.Is(err, errFull):
		status, code = http.StatusTooManyRequests, "too_many"
	case errors.Is(err, errShutdown):
		status, code = http.StatusServiceUnavailable, "stopping"
	case errors.As(err, &coded) && coded.ExitCode() == 2:
		status, code = http.StatusBadRequest, "bad_request"
	case errors.As(err, &coded) && coded.ExitCode() == 4:
		status, code = http.StatusNotFound, "not_found"
	case errors.As(err, &coded) && coded.ExitCode() == 3:
		status, code = http.StatusServiceUnavailable, "unavailable"
	}
	return status, problem{code, t.inside(err.Error()), t.inside(diag.HintOf(err))}
}

// named is the run of a request, or nil after a 404. Runs of other tenants are
// not there.
func (s *Server) named(w http.ResponseWriter, r *http.Request) *run {
	found, err := tenantIn(r.Context()).find(r.PathValue("id"))
	switch {
	case errors.Is(err, os.ErrNotExist):
		fail(w, http.StatusNotFound, "not_found", "no such run: "+clip.Chars(r.PathValue("id"), 64))
	case err != nil:
		fail(w, http.StatusInternalServerError, "failed", err.Error())
	default:
		return found
	}
	return nil
}

// listAgents tells the agents that the tenant's documents define.
func (s *Server) listAgents(w http.ResponseWriter, r *http.Request) {
	all, err := host.AgentsIn(tenantIn(r.Context()).root.FS())
	if err != nil {
		fail(w, http.StatusInternalServerError, "failed", err.Error())
		return
	}
	answer(w, http.StatusOK, map[string]any{"agents": all})
}

// filter says which runs are wanted: those whose id, agent, task or result has the
// words, in a status, before a run in the list.
type filter struct {
	Words, Status, Before string
	Limit                 int
	Within                int // of so many of the latest; 0 is maxSearched
}

// filterOf is what a request asks for; the error has the words for a status when it has
// another.
func filterOf(r *http.Request) (filter, error) {
	f := filter{Words: strings.TrimSpace(r.FormValue("q")), Status: r.FormValue("status"), Before: r.FormValue("before"), Limit: maxListed}
	if n, err := strconv.Atoi(r.FormValue("limit")); err == nil && n > 0 {
		f.Limit = min(n, maxListed)
	}
	words := ""
	for _, s := range statusChoices {
		if s.Value == f.Status {
			return f, nil
		}
		words += " " + s.Value
	}
	if slices.Contains(agent.Statuses, f.Status) {
		return f, nil
	}
	return f, diag.Usagef("status is one of"+strings.TrimPrefix(words, " "), "there is no status %q", f.Status)
}

// takes reports whether a run is wanted.
func (f filter) takes(r *record, waits bool) bool {
	if f.Before != "" && r.ID >= f.Before || f.Status != "" && f.Status != r.Status && f.Status != statusClass(r.Status, waits) {
		return false
	}
	text := strings.ToLower(r.ID + " " + r.who() + " " + r.title())
	if r.Result != nil {
		text += " " + strings.ToLower(r.Result.Result)
	}
	for word := range strings.FieldsSeq(strings.ToLower(f.Words)) {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}

// maxSearched is how many of the latest runs are searched.
const maxSearched = 5000

// selected are the latest runs that a filter takes, and whether there are more.
func (t *tenant) selected(f filter) (found []record, more bool, err error) {
	ids, err := t.store.ids()
	if err != nil {
		return nil, false, err
	}
	waiting := t.waiting()
	for _, id := range ids[:min(len(ids), cmp.Or(f.Within, maxSearched))] {
		if f.Before != "" && id >= f.Before {
			continue
		}
		rec, err := t.store.get(id)
		if err != nil {
			t.warn(err)
			continue
		}
		if !f.takes(rec, waiting(rec)) {
			continue
		}
		if len(found) == f.Limit {
			return found, true, nil
		}
		found = append(found, *rec)
	}
	return found, false, nil
}

// waiting tells of runs whether they wait for a person.
func (t *tenant) waiting() func(*record) bool {
	open, err := t.approvals().List()
	t.warn(err)
	open = slices.DeleteFunc(open, func(a approval.Request) bool { return a.Decision != approval.Pending })
	return func(r *record) bool {
		return r.Ended.IsZero() && slices.ContainsFunc(open, func(a approval.Request) bool {
			return slices.Contains(r.Runs, a.Run) || slices.Contains(r.Runs, a.Root)
		})
	}
}

// listRuns tells the latest runs.
func (s *Server) listRuns(w http.ResponseWriter, r *http.Request) {
	f, err := filterOf(r)
	if err != nil {
		failWith(w, http.StatusBadRequest, "bad_request", err.Error(), diag.HintOf(err))
		return
	}
	all, more, err := tenantIn(r.Context()).selected(f)
	if err != nil {
		fail(w, http.StatusInternalServerError, "failed", err.Error())
		return
	}
	rows := []map[string]any{}
	for _, rec := range all {
		row := map[string]any{"id": rec.ID, "status": rec.Status, "agent": rec.agent(), "task": clip.Chars(rec.Task.Text, 200), "created": rec.Created}
		if rec.Book != nil {
			row["workbook"] = rec.Book.File
		}
		if rec.From != nil {
			row["from"] = rec.From
		}
		if rec.Schedule != "" {
			row["schedule"] = rec.Schedule
		}
		if !rec.Ended.IsZero() {
			row["ended"] = rec.Ended
		}
		rows = append(rows, row)
	}
	answer(w, http.StatusOK, map[string]any{"runs": rows, "more": more})
}

// agent is the agent of a run, as a request names it.
func (r *record) agent() string {
	if r.Task.File == "" {
		return ""
	}
	name := strings.TrimPrefix(strings.TrimPrefix(r.Task.File, r.Task.Dir), string(os.PathSeparator))
	if r.Task.ID != "" {
		name += "#" + r.Task.ID
	}
	return name
}

// getRun tells how a run stands, and when it has ended what it did.
func (s *Server) getRun(w http.ResponseWriter, r *http.Request) {
	found := s.named(w, r)
	if found == nil {
		return
	}
	rec := found.snapshot()
	steps, usage, tools := found.progress()
	body := map[string]any{"id": rec.ID, "status": rec.Status, "steps": steps, "result": nil, "tools": tools, "usage": usage, "exec": rec.Task.Exec,
		"agent": rec.agent(), "task": rec.Task.Text, "runs": rec.Runs, "created": rec.Created, "reviews": found.reviews()}
	if rec.Book != nil {
		body["workbook"] = rec.Book
	}
	if rec.From != nil {
		body["from"] = rec.From
	}
	if len(rec.Warnings) > 0 {
		body["warnings"] = rec.Warnings
	}
	if rec.Error != "" {
		body["error"] = rec.Error
	}
	if !rec.Ended.IsZero() {
		body["ended"] = rec.Ended
		body["events_org"] = found.tenant.eventsOf(rec.Runs)
	}
	if rec.Result != nil {
		body["result"], body["steps"], body["usage"] = rec.Result.Result, rec.Result.Steps, rec.Result.Usage
		if rec.Result.Data != nil {
			body["data"] = rec.Result.Data
		}
	}
	answer(w, http.StatusOK, body)
}

// eventsOf are the records of runs, as events.org has them, with files named as callers
// name them.
func (t *tenant) eventsOf(runs []string) string {
	text, err := os.ReadFile(trace.FilesIn(t.Dir).Events)
	if err != nil {
		return ""
	}
	var b []byte
	for e := range trace.Events(text) {
		if slices.Contains(runs, e.Run) {
			b = trace.AppendOrg(b, &e)
		}
	}
	return app.Inside(string(b), t.Dir)
}

// reviews are the run's pending and answered requests for approval.
func (r *run) reviews() []approval.Request {
	rec := r.snapshot()
	all, err := r.tenant.approvals().List()
	r.tenant.warn(err)
	found := []approval.Request{}
	for _, a := range all {
		if slices.Contains(rec.Runs, a.Run) || slices.Contains(rec.Runs, a.Root) {
			found = append(found, a)
		}
	}
	return found
}

func (t *tenant) approvals() *approval.Inbox { return approval.NewInbox(t.state.Dir()) }

// cancelRun ends a run before its time.
func (s *Server) cancelRun(w http.ResponseWriter, r *http.Request) {
	found := s.named(w, r)
	if found == nil {
		return
	}
	if !found.stop(errByCaller) {
		fail(w, http.StatusConflict, "ended", "the run has ended: "+found.snapshot().Status)
		return
	}
	answer(w, http.StatusAccepted, map[string]string{"id": found.snapshot().ID, "status": "cancelling"})
}

// reviewRequest is the body of POST /api/run/ID/review.
type reviewRequest struct {
	ID    string `json:"id"`
	Allow *bool  `json:"allow"`
}

// reviewRun answers what a run asks.
func (s *Server) reviewRun(w http.ResponseWriter, r *http.Request) {
	found := s.named(w, r)
	if found == nil {
		return
	}
	var q reviewRequest
	if !decode(w, r, &q) {
		return
	}
	if q.Allow == nil {
		fail(w, http.StatusBadRequest, "bad_request", "allow must be true or false")
		return
	}
	decided, err := found.decide(q.ID, *q.Allow, "http")
	if err != nil {
		failReview(w, err)
		return
	}
	answer(w, http.StatusOK, decided)
}

func failReview(w http.ResponseWriter, err error) {
	if _, ok := errors.AsType[*diag.NotFoundError](err); ok {
		fail(w, http.StatusNotFound, "not_found", err.Error())
		return
	}
	fail(w, http.StatusConflict, "decided", err.Error())
}

// decide answers a question of this run.
func (r *run) decide(id string, allow bool, by string) (approval.Request, error) {
	if !slices.ContainsFunc(r.reviews(), func(a approval.Request) bool { return a.ID == id }) {
		return approval.Request{}, approval.NotFound(fmt.Sprintf("%q of this run", clip.Chars(id, 64)))
	}
	decision := approval.Denied
	if allow {
		decision = approval.Allowed
	}
	return r.tenant.approvals().Decide(id, decision, by, r.tenant.clock.Now())
}
