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
	Target string `arg:"" complete:"files" help:"The document, and which of its agents: FILE#ID."`
	Once   bool   `help:"Do what is due by now, with what was missed, and end; for a scheduler of your own." xor:"when"`
	Now    bool   `help:"Wake it now, whatever its schedule says, and end." xor:"when"`
	Status bool   `help:"Say how it is kept: the last wake, the one that is going, what it has spent." xor:"when"`
	agentLimits
}

func (c *agentKeepCmd) Help() string {
	return "Examples:\n  wb agent keep team.org#waldo\n  wb agent keep team.org#waldo --status\n\nThe schedule is :SCHEDULE: (cron, @daily, @every 6h) or an active SCHEDULED timestamp.\nEvery wake has the tool memory, which keeps files from one to the next. Ctrl-C or\nSIGTERM ends it cleanly; whoever keeps the agent next goes on with a wake that was\nnot over, after kill -9 too. Times that nobody was there for are one wake, with\n:MISSED: skip none. :BUDGET_DAY_USD: and the like bound all of them together."
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
	Target string `arg:"" complete:"files" help:"The document, and which of its agents: FILE#ID."`
	agentLimits
}

func (c *agentDreamCmd) Help() string {
	return "Example:\n  wb agent dream team.org#waldo\n\nOne question to the agent's model, without tools: what of its latest events and\nconversations (at most 24 KiB) shall be remembered. The answer, at most 16 KiB, takes\nthe place of digest.org in its memory; wakes begin with it. Does nothing when nothing\nhas happened since the last dream. Counts in the agent's budgets."
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
