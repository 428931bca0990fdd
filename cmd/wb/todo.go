package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"wb/agent/host"
	"wb/agent/todo"
	"wb/app"
	"wb/internal/diag"
)

// todoCmd carries out the tasks of a file.
type todoCmd struct {
	File string `arg:"" help:"Document whose TODO headings are the tasks."`
	agentLimits
}

// todoSteps bounds one task that says nothing else.
const todoSteps = 60

func (c *todoCmd) Help() string {
	return "Example:\n  wb todo plan.org --write\n\nEach TODO heading without tasks below it is given to an agent: :AGENT: of the file, or\nthe default one. A parent with :ORDERED: t has its children done in order, :BLOCKER:\nnames tasks that come first, :DONE-WHEN: is a check in the sandbox's shell. At most\neight run at once; states are written back as they change."
}

func (c *todoCmd) Run(a *terminal) error {
	if _, err := os.Stat(c.File); os.IsNotExist(err) {
		return app.MissingFile(c.File)
	}
	if c.Dir == "" {
		c.Dir = filepath.Dir(c.File)
	}
	return a.withRuntime(c.Stream, func(rt *host.Runtime) error {
		given := func(t *todo.Task) host.Task {
			task := c.task(strings.TrimSpace(t.Title + "\n\n" + t.Text))
			task.Steps = todoSteps
			if t.Agent != "" {
				task.File, task.ID = c.File, t.Agent
			}
			return task
		}
		r := &todo.Executor{File: c.File,
			Ready: func(t *todo.Task) error {
				_, err := rt.Ready(given(t))
				return err
			},
			Do: func(ctx context.Context, t *todo.Task) error {
				result, err := rt.Run(ctx, given(t))
				if err == nil && result.ExitCode() != 0 {
					err = errors.New(result.Result)
				}
				return err
			},
			Check: func(ctx context.Context, script string) error {
				err := rt.CheckIn(ctx, c.Dir, script)
				if err != nil && !c.Write && !c.Exec {
					err = fmt.Errorf("%w (the check sees the directory, but the agent's writes stayed with its run: --write puts them into the directory)", err)
				}
				return err
			},
			Note: func(r todo.Result) { a.note("%s", strings.TrimSpace(fmt.Sprint(r.ID, " ", r.Status, " ", r.Why))) }}
		results, err := r.Run(a.ctx)
		if err != nil {
			return err
		}
		if len(results) == 0 {
			a.note("wb: %s has no TODO heading that is not done", c.File)
		}
		ok := true
		for _, r := range results {
			ok = ok && r.Status == todo.Done
		}
		err = a.answer("todo", results, func(w io.Writer) error {
			for _, r := range results {
				fmt.Fprintf(w, "%-8s %s\n", r.Status, r.Title)
			}
			return nil
		})
		if err == nil && !ok {
			return diag.Told(diag.ExitFailed)
		}
		return err
	})
}
