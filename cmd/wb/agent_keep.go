package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"wb/agent"
	"wb/agent/host"
	"wb/agent/keeper"
	"wb/app"
	"wb/internal/diag"
)

// agentKeepCmd keeps an agent.
type agentKeepCmd struct {
	Target string `arg:"" complete:"files" help:"The agent: FILE#ID."`
	Once   bool   `help:"Run what is due or was missed, and end; for use from your own scheduler." xor:"when"`
	Now    bool   `help:"Wake the agent now, whatever its schedule says, and end." xor:"when"`
	Status bool   `help:"Show the last wake, the current one, and what was spent." xor:"when"`
	agentLimits
}

func (c *agentKeepCmd) Help() string {
	return "Examples:\n  wb agent keep team.org#waldo\n  wb agent keep team.org#waldo --status\n\nThe schedule is :SCHEDULE: (cron, @daily, @every 6h) or an active SCHEDULED timestamp.\nEvery wake has the tool memory, which keeps files for the next one. Ctrl-C or\nSIGTERM ends it cleanly; the next wb agent keep continues an unfinished wake, also\nafter kill -9. All missed times together cause one wake, or none with :MISSED: skip.\n:BUDGET_DAY_USD: and the like bound all wakes together."
}

func (c *agentKeepCmd) Run(a *terminal) error {
	task := c.task("")
	if err := taskTarget(&task, c.Target); err != nil {
		return err
	}
	mode := keeper.Forever
	switch {
	case c.Once:
		mode = keeper.Once
	case c.Now:
		mode = keeper.Now
	}
	return a.withRuntime(c.Stream, func(rt *host.Runtime) error {
		if c.Status {
			return c.status(a, rt, task)
		}
		failed := false
		k := &keeper.Keeper{Runtime: rt, Task: task, Note: func(text string) { a.note("wb: %s", text) }, Woke: func(w keeper.Wake) {
			failed = failed || agent.ExitCode(w.Status) != 0
			_ = a.answer("agent", w, func(out io.Writer) error {
				_, err := fmt.Fprintln(out, w)
				return err
			})
		}}
		if err := k.Keep(a.ctx, mode); err != nil {
			return err
		}
		if mode != keeper.Forever && failed {
			return diag.Told(diag.ExitFailed)
		}
		return nil
	})
}

// status tells how an agent is kept.
func (c *agentKeepCmd) status(a *terminal, rt *host.Runtime, task host.Task) error {
	status, err := keeper.StatusOf(rt, task)
	if err != nil {
		return err
	}
	return a.answer("agent", status, status.Write)
}

// taskTarget reads FILE#ID.
func taskTarget(task *host.Task, target string) error {
	task.File, task.ID, _ = strings.Cut(target, "#")
	info, err := os.Stat(task.File)
	switch {
	case os.IsNotExist(err):
		return app.MissingFile(task.File)
	case err == nil && info.IsDir():
		return diag.Usagef("name the document: FILE.org#ID", "%s", task.File+" is a directory")
	}
	return nil
}

// agentDreamCmd makes a digest.
type agentDreamCmd struct {
	Target string `arg:"" complete:"files" help:"The agent: FILE#ID."`
	agentLimits
}

func (c *agentDreamCmd) Help() string {
	return "Example:\n  wb agent dream team.org#waldo\n\nAsks the agent's model once, without tools, what to remember of its latest events and\nconversations (at most 24 KiB). The answer, at most 16 KiB, replaces digest.org in its\nmemory; wakes begin with it. Does nothing if nothing has happened since the last dream.\nThe question counts against the agent's budgets."
}

func (c *agentDreamCmd) Run(a *terminal) error {
	task := c.task("")
	if err := taskTarget(&task, c.Target); err != nil {
		return err
	}
	return a.withRuntime(c.Stream, func(rt *host.Runtime) error {
		result, err := rt.Dream(a.ctx, task)
		if err != nil {
			return err
		}
		if result == nil {
			a.note("wb: nothing has happened since the last dream")
			return a.answer("agent", nil, func(io.Writer) error { return nil })
		}
		return a.agentResult(result)
	})
}
