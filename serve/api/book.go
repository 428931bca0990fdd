package api

import (
	"context"
	"encoding/json"
	"slices"

	"wb/agent"
	"wb/agent/host"
	"wb/workbook"
)

// book is a workbook that was run, with what it was given.
type book struct {
	File string          `json:"file"`          // in the tenant's directory
	Set  json.RawMessage `json:"set,omitempty"` // values of imports, an object
	// Workflow is one of several that was run, of the components in Only.
	Workflow string   `json:"workflow,omitempty"`
	Only     []string `json:"only,omitempty"`
}

// startBook begins a run of a workbook that is followed as runs of agents are.
func (t *tenant) startBook(b *book, rec record) (*run, error) {
	rec.Book, rec.Task = b, host.Task{Dir: t.Dir}
	return t.startWith(rec, t.bookRun(b))
}

// bookRun runs a workbook. What it exports is the result.
func (t *tenant) bookRun(b *book) func(context.Context, *host.Runtime) (*agent.Result, error) {
	return func(ctx context.Context, rt *host.Runtime) (*agent.Result, error) {
		opts, err := t.workflow(workflowRequest{Workbook: b.File, Set: b.Set, Only: b.Only})
		if err != nil {
			return nil, err
		}
		opts.Output = func(p workbook.Printed) { rt.Delta(p.Text) }
		ctx, cancel := context.WithTimeout(ctx, workflowTimeout)
		defer cancel()
		home := t.homeHeard(append(slices.Clone(t.views), rt.Sink))
		ran, err := home.Run(ctx, opts)
		if err != nil && (ran == nil || ran.ID == "") {
			return nil, err
		}
		result := &agent.Result{RunID: ran.ID, Result: ran.Outcome.Output, Error: t.inside(ran.Outcome.Error), Usage: ran.Outcome.Usage}
		switch ran.Outcome.Status {
		case "ok":
			result.Status = agent.StatusDone
		case "cancelled":
			result.Status, result.Result = agent.StatusCancelled, "cancelled: "+ran.Outcome.Error
		default:
			result.Status = agent.StatusError
		}
		if ran.Report != nil && result.Status == agent.StatusDone {
			exports := map[string]json.RawMessage{}
			for _, e := range ran.Exports {
				exports[e.Name] = e.Value.AppendJSON(nil)
			}
			result.Data, err = json.Marshal(exports)
			return result, err
		}
		return result, nil
	}
}

// title is the name of a run in lists.
func (r *record) title() string {
	if r.Book == nil {
		return r.Task.Text
	}
	name := r.Book.File
	if r.Book.Workflow != "" {
		name += ", " + r.Book.Workflow
	}
	if g := gist(r.Book.Set); g != "" {
		name += ": " + g
	}
	return name
}

// who is the agent or workbook of a run.
func (r *record) who() string {
	if r.Book != nil {
		return r.Book.File
	}
	return r.agent()
}
