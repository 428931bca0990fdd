package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"wb/agent"
	"wb/agent/eval"
	"wb/agent/host"
	"wb/app"
	"wb/internal/diag"
	"wb/org"
)

// evalCmd tries agents out.
type evalCmd struct {
	File   string `arg:"" help:"Document whose :eval: headings are the cases."`
	Scores bool   `help:"Run nothing; list the earlier scores."`
	agentLimits
}

func (c *evalCmd) Help() string {
	return "Example:\n  wb eval team.org\n\nA heading :eval: is a case: its :TASK: goes to :AGENT: of the file or the default agent.\nThe result must have the text of every #+EXPECT: line; :RUBRIC: is judged by the model.\nExits with 1 when a case fails. Scores are kept: --scores lists them, as the page of wb serve does."
}

func (c *evalCmd) Run(a *terminal) error {
	src, err := os.ReadFile(c.File)
	if os.IsNotExist(err) {
		return app.MissingFile(c.File)
	}
	if err != nil {
		return err
	}
	cases, err := eval.Read(org.Parse(src), c.File)
	if err != nil {
		return err
	}
	file, err := filepath.Abs(c.File)
	if err != nil {
		return err
	}
	if c.Scores {
		return listScores(a, file)
	}
	return a.withRuntime(c.Stream, func(rt *host.Runtime) error {
		given := func(ec eval.Case) host.Task {
			task := c.task(ec.Task)
			if ec.Agent != "" {
				task.File, task.ID = c.File, ec.Agent
			}
			if ec.Steps > 0 && task.Limits.Steps == 0 {
				task.Limits.Steps = ec.Steps
			}
			return task
		}
		for _, ec := range cases {
			if _, err := rt.Ready(given(ec)); err != nil {
				return fmt.Errorf("eval %q: %w", ec.Title, err)
			}
		}
		if len(cases) == 0 {
			return diag.NotFoundf("wb help eval", "%s has no heading :eval:", c.File)
		}
		r := &eval.Examiner{Ask: rt.Ask, Do: func(ctx context.Context, ec eval.Case) (*agent.Result, error) { return rt.Run(ctx, given(ec)) }}
		results, failed := []eval.Result{}, false
		for _, ec := range cases {
			result := r.Run(a.ctx, ec)
			if a.ctx.Err() != nil {
				return a.ctx.Err()
			}
			results, failed = append(results, result), failed || !result.OK
		}
		if len(results) > 0 {
			if err := (eval.Score{File: file, At: time.Now(), Results: results}).Keep(rt.State); err != nil {
				a.note("wb: warning: %v", err)
			}
		}
		err := a.answer("eval", results, func(w io.Writer) error {
			for _, r := range results {
				mark := "✓"
				if !r.OK {
					mark = "✗"
				}
				line := mark + " " + r.Title
				if r.Why != "" {
					line += ": " + r.Why
				}
				fmt.Fprintln(w, line)
			}
			return nil
		})
		if err == nil && failed {
			return diag.Told(diag.ExitFailed)
		}
		return err
	})
}

// listScores tells how the cases of a document went, the latest time first.
func listScores(a *terminal, file string) error {
	state, err := app.UserState()
	if err != nil {
		return err
	}
	all, err := eval.Scores(state, file)
	if err != nil {
		return err
	}
	return a.answer("eval", all, func(w io.Writer) error {
		for _, s := range all {
			fmt.Fprintf(w, "%s  %d of %d\n", s.At.Local().Format(time.DateTime), s.Passed(), len(s.Results))
			for _, r := range s.Results {
				if !r.OK {
					fmt.Fprintf(w, "  ✗ %s: %s\n", r.Title, r.Why)
				}
			}
		}
		return nil
	})
}
