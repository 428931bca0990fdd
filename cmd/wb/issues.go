package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"wb/agent/host"
	"wb/agent/issues"
	"wb/internal/diag"
)

// issuesWorkCmd has an agent work on tickets.
type issuesWorkCmd struct {
	ID    string `arg:"" optional:"" help:"Id of the ticket, or its beginning; the oldest open ones without it."`
	Agent string `help:"The agent that works on the tickets: FILE#ID; the default agent without it." placeholder:"FILE#ID"`
	Max   int    `default:"1" help:"How many tickets to work on at most."`
	agentLimits
}

func (c *issuesWorkCmd) Help() string {
	return "Examples:\n  wb issues work\n  wb issues work issue-3f2a --agent team.org#smith --write\n\nThe ticket is the agent's task. The answer is noted below the ticket, which becomes\nDONE; an answer that begins with \"cannot\", or a failed run, leaves it open. After three\nattempts only wb issues work ID tries a ticket again. Two workers never work on the same\nticket, and the next worker continues the ticket of one that died."
}

func (c *issuesWorkCmd) Run(a *terminal) error {
	if c.Dir == "" {
		c.Dir = "."
	}
	task := c.task("")
	if c.Agent != "" {
		if err := taskTarget(&task, c.Agent); err != nil {
			return err
		}
	}
	task.Dir = c.Dir
	machine, _ := os.Hostname()
	return a.withRuntime(c.Stream, func(rt *host.Runtime) error {
		w := &issues.Worker{Runtime: rt, Task: task, Path: issues.File(c.Dir), Name: fmt.Sprintf("%s/%d", machine, os.Getpid()), Now: time.Now}
		outcomes, err := c.work(a, w)
		if err != nil {
			return err
		}
		failed := len(outcomes) == 0 && c.ID != ""
		err = a.answer("issues", outcomes, func(out io.Writer) error {
			for _, o := range outcomes {
				word := "resolved"
				if !o.Resolved {
					word = "open"
				}
				fmt.Fprintf(out, "%-8s  %s  %s\n%s\n", word, o.ID, o.Title, o.Text)
			}
			return nil
		})
		for _, o := range outcomes {
			failed = failed || !o.Resolved
		}
		if err == nil && failed {
			return diag.Told(diag.ExitFailed)
		}
		return err
	})
}

// work works the ticket that was named, or the next ones.
func (c *issuesWorkCmd) work(a *terminal, w *issues.Worker) ([]*issues.Outcome, error) {
	if c.ID != "" {
		o, err := w.Work(a.ctx, c.ID)
		if err == nil && o == nil {
			return nil, diag.Busyf("wb issues show "+c.ID, "%s", c.ID+" is done")
		}
		return []*issues.Outcome{o}, err
	}
	var all []*issues.Outcome
	seen := map[string]bool{}
	for len(all) < max(c.Max, 1) {
		o, err := w.Next(a.ctx, seen)
		if err != nil {
			return nil, err
		}
		if o == nil {
			if len(all) == 0 {
				a.note("wb: there is no ticket to work on")
			}
			break
		}
		all = append(all, o)
	}
	return all, nil
}
