package host

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"wb/agent"
	"wb/agent/approval"
	"wb/agent/tools"
)

// consent asks people as the user's policy says.
type consent struct {
	rt   *Runtime
	task Task
	run  string
	root string
}

// Needed also knows a tool by its other name: wb run is run.
func (c *consent) Needed(r agent.Reviewed) string {
	policy := c.rt.Settings.Approvals()
	call := approval.Call{Tool: r.Call.Name, Reads: r.Reads, Taint: r.Taint, Composed: composed(r)}
	if why := policy.Needed(call); why != "" || call.Tool != "wb" || tools.WBVerb(r.Call.Args) != "run" {
		return why
	}
	call.Tool = "run"
	return policy.Needed(call)
}

// composed reports whether a call fetches an address that the agent made up: what
// it follows stands in what it was told or has read, to the letter.
func composed(r agent.Reviewed) bool {
	var args struct{ URL string }
	_ = json.Unmarshal([]byte(r.Call.Args), &args) // without an address nothing is fetched
	return args.URL != "" && !r.Seen(args.URL)
}

func (c *consent) Ask(ctx context.Context, q agent.Question) (bool, error) {
	store := c.rt.Approvals()
	args := json.RawMessage(q.Call.Args)
	if !json.Valid(args) {
		args, _ = json.Marshal(q.Call.Args)
	}
	_, unknown := store.Get(approval.ID(q.Key))
	r, err := store.Ask(approval.Request{ID: approval.ID(q.Key), Run: c.run, Root: c.root, Agent: q.Agent, Tool: q.Call.Name, Args: args,
		Why: q.Why, Dir: c.task.Dir, Asked: time.Now()})
	if err != nil {
		return false, fmt.Errorf("%s needs approval, but no person can be asked here: %w", q.Call.Name, err)
	}
	if unknown == nil { // an earlier process asked, and somebody may have answered since
		if r, err = store.Look(r.ID); err != nil || r.Decision != approval.Pending {
			return r.Decision == approval.Allowed, err
		}
	}
	q.Waits()
	if c.task.NoWait {
		return false, &agent.PendingError{Tool: q.Call.Name, ID: r.ID}
	}
	r, err = store.Wait(ctx, r.ID)
	return r.Decision == approval.Allowed, err
}
