package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"wb/internal/trace"
	"wb/org/bulk"
	"wb/org/oql"
	"wb/org/orgfile"
)

// setCmd changes the headlines that a query finds.
type setCmd struct {
	Args   []string `arg:"" help:"Files and directories, the query, then assignments such as state=DONE."`
	DryRun bool     `short:"n" help:"Print the changes as a diff and make none."`
	Log    bool     `help:"Record changes of state as Emacs does: CLOSED, and a line in the log where the keyword asks for one."`
}

func (c *setCmd) Help() string {
	return `Examples:
  wb set notes/ 'todo:NEXT tags:work' state=DONE --log
  wb set plan.org 'heading:report' prop.OWNER=ada tag+=urgent tag-=later --dry-run
  wb set plan.org '(and (todo) (not (scheduled)))' scheduled=+1w

Assignments: state=DONE, state= (none), priority=A, title=…, tag+=x, tag-=x,
tags=a,b, scheduled=2026-12-01, deadline=+3d, deadline= (none), prop.NAME=value,
prop.NAME-= (remove). All files are changed or none; a file that changes
underneath is a conflict (exit 6).`
}

func (c *setCmd) Run(a *app) error {
	paths, query, changes, err := splitChanges(c.Args)
	if err != nil {
		return err
	}
	q, err := oql.Parse(query)
	if err != nil {
		return err
	}
	state, err := trace.StateDir(os.Getenv)
	if err != nil {
		return err
	}
	journal := filepath.Join(state, "set")
	if err := c.finish(a, journal); err != nil {
		return err
	}
	plan, err := bulk.Prepare(a.ctx, paths, q, changes, bulk.Options{Log: c.Log})
	if err != nil {
		return err
	}
	for _, n := range plan.Notes {
		a.note("%s", n)
	}
	if c.DryRun {
		return c.show(a, plan)
	}
	if err := plan.Write(journal); err != nil {
		return err
	}
	return c.report(a, plan)
}

// finish completes what a process that died left unfinished.
func (c *setCmd) finish(a *app, journal string) error {
	done, err := orgfile.Recover(journal)
	for _, name := range done {
		a.note("%s: finished a change that was interrupted", name)
	}
	return err
}

func (c *setCmd) show(a *app, plan *bulk.Plan) error {
	if a.json {
		return a.answer("set", setAnswer(plan, true), nil)
	}
	_, err := a.std.Out.Write(plan.Diff())
	return err
}

func (c *setCmd) report(a *app, plan *bulk.Plan) error {
	if a.json {
		return a.answer("set", setAnswer(plan, false), nil)
	}
	for _, f := range plan.Files {
		fmt.Fprintln(a.std.Out, f.Path)
	}
	a.note("%d of %d headlines changed in %d files", plan.Changed, plan.Matched, len(plan.Files))
	return nil
}

func setAnswer(plan *bulk.Plan, dry bool) any {
	files := make([]string, len(plan.Files))
	for i, f := range plan.Files {
		files[i] = f.Path
	}
	return map[string]any{"matched": plan.Matched, "changed": plan.Changed, "files": files, "dry_run": dry}
}

// splitChanges tells paths, query and assignments apart.
func splitChanges(args []string) (paths []string, query string, changes []bulk.Change, err error) {
	var rest, words []string
	for _, arg := range args {
		if _, err := os.Stat(arg); err != nil && bulk.IsChange(arg) {
			words = append(words, arg)
		} else {
			rest = append(rest, arg)
		}
	}
	if changes, err = bulk.ParseChanges(words); err != nil {
		return nil, "", nil, err
	}
	if paths, query, err = splitPaths(rest); err != nil {
		return nil, "", nil, err
	}
	if strings.TrimSpace(query) == "" {
		return nil, "", nil, &bulk.UsageError{Text: "no query: which headlines should change?", Tip: "write '(level >= 1)' if you mean all of them"}
	}
	if len(paths) == 0 {
		return nil, "", nil, &bulk.UsageError{Text: "no file", Tip: "name the files or directories to change; . is this one"}
	}
	return paths, query, changes, nil
}
