package main

import (
	"context"

	"wb/agent"
	"wb/agent/host"
)

type agentResumeCmd struct {
	ID string `arg:"" name:"run" help:"Id of the run."`
}

func (c *agentResumeCmd) Help() string {
	return "Example:\n  wb agent resume 01KA7R2M8T\n\nTakes recorded turns and effects from the journal and continues after them in a new run,\nwhose parent is the old one. If the run was resumed before, continues the newest of\nthose; if it had answered, prints the answer again."
}

func (c *agentResumeCmd) Run(a *terminal) error {
	return a.withAgents(false, func(ctx context.Context, rt *host.Runtime) (*agent.Result, error) {
		latest, err := rt.Latest(c.ID)
		if err != nil {
			return nil, err
		}
		if agent.ExitCode(latest.Status) == 0 { // it gave its answer
			a.note("wb: run %s ended as %s: nothing is left to do", latest.Run, latest.Status)
			return rt.Replay(ctx, latest.Run)
		}
		return rt.Resume(ctx, c.ID)
	})
}

type agentForkCmd struct {
	ID   string `arg:"" name:"run" help:"Id of the run."`
	Step int    `required:"" help:"First step to repeat, from 1."`
}

func (c *agentForkCmd) Help() string {
	return "Example:\n  wb agent fork 01KA7R2M8T --step 3\n\nKeeps the turns before the step and runs everything from that step on again."
}

func (c *agentForkCmd) Run(a *terminal) error {
	return a.withAgents(false, func(ctx context.Context, rt *host.Runtime) (*agent.Result, error) {
		return rt.Fork(ctx, c.ID, c.Step)
	})
}

type agentReplayCmd struct {
	ID string `arg:"" name:"run" help:"Id of the run."`
}

func (c *agentReplayCmd) Help() string {
	return "Example:\n  wb agent replay 01KA7R2M8T\n\nAsks no model and runs no tool. If the document now leads elsewhere, exits with 1, names\nthe entry and shows the difference."
}

func (c *agentReplayCmd) Run(a *terminal) error {
	return a.withAgents(false, func(ctx context.Context, rt *host.Runtime) (*agent.Result, error) { return rt.Replay(ctx, c.ID) })
}
