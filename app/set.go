package app

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"wb/internal/trace"
	"wb/org/bulk"
	"wb/org/oql"
	"wb/org/orgfile"
)

// SetIn holds the arguments of wb set.
type SetIn struct {
	Args   []string `arg:"" complete:"files" help:"Files and directories, the query, then assignments such as state=DONE."`
	DryRun bool     `short:"n" help:"Print the changes as a diff, and change nothing."`
	Log    bool     `help:"Record changes of state as Emacs does: CLOSED, and a line in the log where the keyword asks for one."`
}

// SetOut lists the changes.
type SetOut struct {
	Matched int      `json:"matched"`
	Changed int      `json:"changed"`
	Files   []string `json:"files"`
	DryRun  bool     `json:"dry_run"`
	diff    []byte
}

var set = Verb[SetIn, *SetOut]{
	Name: "set", Help: "Change the headlines a query finds, in all files or none.",
	About: `Examples:
  wb set notes/ 'todo:NEXT tags:work' state=DONE --log
  wb set plan.org 'heading:report' prop.OWNER=ada tag+=urgent tag-=later --dry-run
  wb set plan.org '(and (todo) (not (scheduled)))' scheduled=+1w

Assignments: state=DONE, state= (none), priority=A, title=…, tag+=x, tag-=x,
tags=a,b, scheduled=2026-12-01, deadline=+3d, deadline= (none), prop.NAME=value,
prop.NAME-= (remove). All files are changed or none; a file that changes
underneath is a conflict (exit 6).`,
	Changes: true,
	Do: func(ctx context.Context, h *Home, in *SetIn) (*SetOut, error) {
		paths, query, changes, err := splitChanges(in.Args)
		if err != nil {
			return nil, err
		}
		q, err := oql.Parse(query)
		if err != nil {
			return nil, err
		}
		presets, err := h.presets()
		if err != nil {
			return nil, err
		}
		state, err := trace.StateDir(os.Getenv)
		if err != nil {
			return nil, err
		}
		journal := filepath.Join(state, "set")
		done, err := orgfile.Recover(journal) // of a process that died
		for _, name := range done {
			h.notef("%s: finished a change that was interrupted", name)
		}
		if err != nil {
			return nil, err
		}
		plan, err := bulk.Prepare(ctx, paths, q, changes, bulk.Options{Log: in.Log, Presets: presets.Of})
		if err != nil {
			return nil, err
		}
		for _, n := range plan.Notes {
			h.notef("%s", n)
		}
		out := &SetOut{Matched: plan.Matched, Changed: plan.Changed, Files: make([]string, len(plan.Files)), DryRun: in.DryRun}
		for i, f := range plan.Files {
			out.Files[i] = f.Path
		}
		if in.DryRun {
			out.diff = plan.Diff()
			return out, nil
		}
		if err := plan.Write(journal); err != nil {
			return nil, err
		}
		h.later(func() { h.notef("%d of %d headlines changed in %d files", out.Changed, out.Matched, len(out.Files)) })
		return out, nil
	},
	Text: func(p *Page, out *SetOut) error {
		if out.DryRun {
			_, err := p.Write(out.diff)
			return err
		}
		for _, f := range out.Files {
			fmt.Fprintln(p, f)
		}
		return nil
	},
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
	if paths, query, err = SplitPaths(rest); err != nil {
		return nil, "", nil, err
	}
	if strings.TrimSpace(query) == "" {
		return nil, "", nil, &bulk.UsageError{Text: "no query says which headlines to change", Tip: "write '(level >= 1)' if you mean all of them"}
	}
	if len(paths) == 0 {
		return nil, "", nil, &bulk.UsageError{Text: "no file", Tip: "name the files or directories to change; . is this one"}
	}
	return paths, query, changes, nil
}
