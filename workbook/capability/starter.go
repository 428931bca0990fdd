package capability

import (
	"context"
	"slices"
	"time"

	"wb/compile"
	"wb/sandbox/dock"
	"wb/sandbox/dock/broker"
	"wb/workbook"
)

// Starter is who starts a workbook or a command for somebody else: a run of an
// agent, a server. What it starts holds no more than it does itself, whatever
// the document was trusted with.
type Starter struct {
	// Name is an agent's, whose grants can be taken back by it; "" for none.
	Name string
	// File is the workbook or manifest as its user knows it, an absolute path.
	File string
	// Dir is the directory whose keys, queues and volumes are used.
	Dir string
	// Grants are the capabilities it holds and passes on.
	Grants []string
	// Granted is when it was granted them: what is taken back later is gone. The
	// zero time is now.
	Granted time.Time
	// Call is the idempotency key of the call that starts it, "" for none. What is
	// started again under the same key, because a process died, finds what it has
	// already done to keys, queues and files done, and reads what it read then.
	Call string
	// Complete asks a model on the starter's account; nil is the host's.
	Complete broker.Completer
}

// PrepareFor gives a run what its starter holds, and its docks: a component has
// what it asks for and its starter was granted. Call finish when the run is
// over.
func (h *Host) PrepareFor(opts *workbook.Options, s Starter) (finish func(context.Context) error) {
	opts.Profile, opts.Grants = "", slices.Clone(s.Grants)
	if opts.Tiers == nil {
		opts.Tiers = h.Tiers
	}
	opts.Docks, finish = h.DocksFor(s, opts.Lanes, opts.Jobs)
	return finish
}

// DocksFor makes the docks of what a starter starts. Jobs bounds how many
// commands go at the same time, 0 by the machine. Call finish when all is over.
func (h *Host) DocksFor(s Starter, lanes *compile.Registry, jobs int) (docks workbook.Docks, finish func(context.Context) error) {
	if s.Granted.IsZero() {
		s.Granted = time.Now()
	}
	complete := h.Complete
	if s.Complete != nil {
		complete = s.Complete
	}
	run := &run{live: broker.NewCounter(broker.MaxLive), running: broker.NewCounter(broker.MaxRunning), host: h, complete: complete, started: s.Granted, lanes: lanes, jobs: jobs, starter: s.Name, call: s.Call,
		principal: dock.Principal{Tenant: h.Tenant, Project: s.Dir, Name: s.File}}
	return run.dock, run.finish
}
