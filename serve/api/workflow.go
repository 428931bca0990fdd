package api

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"wb/agent"
	"wb/agent/host"
	"wb/app"
	"wb/internal/trace"
	"wb/internal/value"
	"wb/workbook"
	"wb/workbook/capability"
)

// workflowRequest is the body of POST /api/workflow: a workbook of the tenant's
// directory, or org text.
type workflowRequest struct {
	Workbook string          `json:"workbook"`
	Org      string          `json:"org"`
	Set      json.RawMessage `json:"set"`   // values of imports, an object
	Input    json.RawMessage `json:"input"` // of a workflow's first components
	Only     []string        `json:"only"`
}

// postWorkflow runs a workbook and answers with its exports; with ?plan=1 it
// answers with the plan and runs nothing. Components have, of the
// capabilities they ask for, those the tenant was granted. The run ends when its
// caller leaves. One who accepts text/event-stream hears what components print.
func (s *Server) postWorkflow(w http.ResponseWriter, r *http.Request) {
	var q workflowRequest
	if !decode(w, r, &q) {
		return
	}
	t := tenantIn(r.Context())
	opts, err := t.workflow(q)
	if err != nil {
		failStart(w, t, err)
		return
	}
	if r.URL.Query().Get("plan") == "1" {
		out, err := app.PlanOf(r.Context(), t.home(), &app.PlanIn{Shape: r.URL.Query().Get("shape")}, workbook.NewPlan(opts.File, opts.Source), opts.Source)
		if err != nil {
			failStart(w, t, &requestError{err})
			return
		}
		answer(w, http.StatusOK, out.Data())
		return
	}
	if err := t.hold(); err != nil {
		failStart(w, t, err)
		return
	}
	defer t.release()
	ctx, cancel := context.WithTimeout(r.Context(), workflowTimeout)
	defer cancel()
	defer context.AfterFunc(t.work, cancel)()
	home := t.home()
	if wantsEvents(r) {
		caller := s.followWorkflow(w, home, &opts, cancel)
		ran, err := home.Run(ctx, opts)
		caller.end(t, ran, err)
		return
	}
	ran, err := home.Run(ctx, opts)
	if err != nil {
		failStart(w, t, err)
		return
	}
	data, err := home.InsideJSON(app.NewRunOut(ran))
	if err != nil {
		failStart(w, t, err)
		return
	}
	answer(w, http.StatusOK, data)
}

// workflow is a request as options of a run.
func (t *tenant) workflow(q workflowRequest) (workbook.Options, error) {
	opts := workbook.Options{
		Book:      workbook.Book{Lanes: t.lanes},
		Selection: workbook.Selection{Only: q.Only},
		Write:     workbook.WriteNothing,
	}
	switch {
	case (q.Workbook == "") == (q.Org == ""):
		return opts, &requestError{errors.New("give one of workbook and org")}
	case q.Org != "":
		opts.File, opts.Source = filepath.Join(t.Dir, "text.org"), []byte(q.Org)
	default:
		file, err := t.file(q.Workbook)
		if err != nil {
			return opts, err
		}
		src, err := os.ReadFile(file)
		if err != nil {
			return opts, err
		}
		opts.Book, opts.Write = workbook.BookAt(file, src, t.lanes), workbook.WriteIf(t.write)
	}
	if len(q.Input) > 0 {
		v, err := value.ParseJSON(q.Input)
		if err != nil {
			return opts, &requestError{err}
		}
		opts.Input = &v
	}
	if len(q.Set) > 0 {
		v, err := value.ParseJSON(q.Set)
		if err != nil {
			return opts, &requestError{err}
		}
		opts.Set = map[string]value.Value{}
		for _, f := range v.Fields() {
			opts.Set[f.Name] = f.Value
		}
	}
	return opts, nil
}

// home is where the workbooks of a tenant run: in its directory, with what it was
// granted.
func (t *tenant) home() *app.Home { return t.homeHeard(t.views) }

// homeHeard is a home whose runs are heard by somebody besides their records.
func (t *tenant) homeHeard(views []trace.Sink) *app.Home {
	records := app.Recorder{Dir: t.Dir, State: t.state, Key: t.key, Views: views, Warn: t.warn}
	return &app.Home{Root: t.root, Dir: t.Dir, Record: records.Begin, Note: func(text string) { t.warn(errors.New(text)) },
		Prepare: func(_ context.Context, opts *workbook.Options) (func(context.Context) error, error) {
			if t.host == nil {
				return func(context.Context) error { return nil }, nil
			}
			opts.Agents = t.runtime().Agents(agent.Options{Ledger: host.NewComponentLedger()}, 0)
			return t.host.PrepareFor(opts, capability.Starter{File: opts.File, Dir: t.Dir, Grants: t.granted, Granted: t.opened}), nil
		}}
}

// inside is text without the tenant's directory.
func (t *tenant) inside(text string) string {
	return strings.ReplaceAll(text, t.Dir+string(filepath.Separator), "")
}
