package api

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"wb/agent"
	"wb/agent/host"
	"wb/internal/diag"
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
// caller leaves.
func (s *Server) postWorkflow(w http.ResponseWriter, r *http.Request) {
	var q workflowRequest
	if !decode(w, r, &q) {
		return
	}
	t := tenantIn(r.Context())
	opts, err := s.workflow(t, q)
	if err != nil {
		failStart(w, t, err)
		return
	}
	if r.URL.Query().Get("plan") == "1" {
		data, err := workbook.NewPlan(opts.File, opts.Source).JSON(workbook.PlanShape(r.URL.Query().Get("shape")))
		if err != nil {
			failStart(w, t, &requestError{err})
			return
		}
		answer(w, http.StatusOK, data)
		return
	}
	if err := t.hold(); err != nil {
		failStart(w, t, err)
		return
	}
	defer func() {
		t.mu.Lock()
		t.held--
		t.mu.Unlock()
		t.busy.Done()
	}()
	ctx, cancel := context.WithTimeout(r.Context(), workflowTimeout)
	defer cancel()
	defer context.AfterFunc(t.work, cancel)()
	run, report, err := t.runWorkbook(ctx, opts)
	if err != nil {
		failStart(w, t, err)
		return
	}
	answer(w, http.StatusOK, t.reported(run, report))
}

// workflow is a request as options of a run.
func (s *Server) workflow(t *tenant, q workflowRequest) (workbook.Options, error) {
	opts := workbook.Options{Lanes: s.config.Lanes, Only: q.Only, NoWrite: true}
	switch {
	case (q.Workbook == "") == (q.Org == ""):
		return opts, &requestError{errors.New("one of workbook and org is needed")}
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
		opts.File, opts.Source = file, src
		opts.NoWrite, opts.Cache = !s.config.AllowWrite, workbook.CacheBeside(file)
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

// runWorkbook runs a workbook and records it.
func (t *tenant) runWorkbook(ctx context.Context, opts workbook.Options) (string, *workbook.Report, error) {
	sum := sha256.Sum256(opts.Source)
	run, err := trace.Begin(trace.Config{Files: trace.FilesIn(t.Dir), State: t.state, Key: t.key, Sinks: t.views, Warn: t.warn},
		trace.RunInfo{Workbook: opts.File, SourceSHA256: hex.EncodeToString(sum[:])})
	if err != nil {
		return "", nil, err
	}
	opts.Trace = run
	opts.Lint = func(p *workbook.Plan) []diag.Finding {
		return workbook.LintPlan(p, workbook.LintOptions{Languages: opts.Lanes})
	}
	finish := func(context.Context) error { return nil }
	if t.host != nil {
		opts.Agents = t.runtime().Agents(agent.Options{Ledger: host.NewComponentLedger()}, 0)
		finish = t.host.PrepareFor(&opts, capability.Starter{File: opts.File, Dir: t.Dir, Grants: t.granted, Granted: t.opened})
	}
	report, err := workbook.Run(ctx, opts)
	t.warn(finish(context.WithoutCancel(ctx)))
	end := trace.Outcome{Status: "ok", Exit: trace.Exit(0)}
	switch {
	case ctx.Err() != nil:
		end = trace.Outcome{Status: "cancelled", Error: context.Cause(ctx).Error(), Exit: trace.Exit(130)}
	case err != nil:
		end = trace.Outcome{Status: "failed", Error: err.Error(), Exit: trace.Exit(1)}
	case report.Failed() != nil:
		end = trace.Outcome{Status: "failed", Error: report.Failed().Err.Error(), Exit: trace.Exit(1)}
	}
	t.warn(run.End(end))
	return run.ID(), report, err
}

// inside is text without the tenant's directory.
func (t *tenant) inside(text string) string {
	return strings.ReplaceAll(text, t.Dir+string(filepath.Separator), "")
}

// reported is a run of a workbook as its caller reads it.
func (t *tenant) reported(run string, report *workbook.Report) map[string]any {
	type component struct {
		ID     string `json:"id"`
		Status string `json:"status"`
		Error  string `json:"error,omitempty"`
	}
	status, all := "ok", []component{}
	for _, d := range report.Components {
		c := component{ID: d.ID, Status: string(d.Status)}
		if d.Err != nil {
			c.Error, status = t.inside(d.Err.Error()), "failed"
		}
		all = append(all, c)
	}
	return map[string]any{"run": run, "status": status, "components": all, "exports": json.RawMessage(value.OfObject(report.Exports...).String())}
}
