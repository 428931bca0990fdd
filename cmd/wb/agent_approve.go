package main

import (
	"fmt"
	"io"
	"time"

	"wb/agent/approval"
)

// agentApproveCmd answers what runs ask people.
type agentApproveCmd struct {
	ID   string `arg:"" name:"run" optional:"" help:"Id of a run, for everything it waits for, or of one request."`
	Deny bool   `help:"Refuse instead of allowing."`
}

func (c *agentApproveCmd) Help() string {
	return "Examples:\n  wb agent approve                 what waits for a person\n  wb agent approve 01KA7R2M8T\n  wb agent approve approval-1f2e3d4c5b6a --deny\n\nThe same can be written into approvals.org beside what the agent works on: DONE\nallows, DENIED refuses. A run that waits goes on at once; one that ended goes on\nwith wb agent resume."
}

func (c *agentApproveCmd) Run(a *terminal) error {
	state, err := userState()
	if err != nil {
		return err
	}
	store := approval.NewStore(state.Dir())
	if c.ID == "" {
		return c.list(a, store)
	}
	waiting, err := store.Of(c.ID)
	if err != nil {
		return err
	}
	decision := approval.Allowed
	if c.Deny {
		decision = approval.Denied
	}
	for i, r := range waiting {
		if waiting[i], err = store.Decide(r.ID, decision, "wb agent approve", time.Now()); err != nil {
			return err
		}
	}
	return a.answer("agent", waiting, func(w io.Writer) error { return writeApprovals(w, waiting) })
}

func (c *agentApproveCmd) list(a *terminal, store *approval.Store) error {
	all, err := store.List()
	if err != nil {
		return err
	}
	waiting := []approval.Request{}
	for _, r := range all {
		if r, err = store.Look(r.ID); err != nil { // somebody may have answered in approvals.org
			return err
		}
		if r.Decision == approval.Pending {
			waiting = append(waiting, r)
		}
	}
	return a.answer("agent", waiting, func(w io.Writer) error { return writeApprovals(w, waiting) })
}

func writeApprovals(w io.Writer, all []approval.Request) error {
	for _, r := range all {
		status := string(r.Decision)
		if status == "" {
			status = "waiting"
		}
		if _, err := fmt.Fprintf(w, "%s  %-8s  run %s  %s %s  (%s)\n", r.ID, status, r.Run, r.Tool, r.Args, r.Why); err != nil {
			return err
		}
	}
	return nil
}
