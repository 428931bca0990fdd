package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/user"
	"path/filepath"
	"runtime"
	"time"

	"wb/compile"
	"wb/internal/diag"
	"wb/internal/trace"
	"wb/internal/value"
	"wb/tangle"
	"wb/workbook"
)

// tangleCmd writes the source files that documents describe.
type tangleCmd struct {
	Files        []string `arg:"" help:"Org documents."`
	Check        bool     `help:"Write nothing; fail when a file is not as the document says." xor:"mode"`
	DryRun       bool     `help:"Write nothing; show what would change." xor:"mode"`
	Plan         bool     `help:"Write nothing; print the plan as JSON." xor:"mode"`
	Watch        bool     `help:"Keep files and documents together, both ways, until interrupted." xor:"mode"`
	AllowOutside bool     `help:"Let documents write outside their own directory."`
}

func (c *tangleCmd) Help() string {
	return `Examples:
  wb tangle notes.org
  wb tangle --check *.org
  wb tangle --dry-run notes.org
  wb tangle --watch notes.org

Files are what Emacs would write, byte for byte. Blocks that others refer to run in the sandbox.`
}

func (c *tangleCmd) Run(a *app) error {
	project := newTangleProject(c.AllowOutside)
	err := c.tangle(a, project)
	if !errors.Is(err, tangle.ErrRun) {
		return err
	}
	// Only now is it worth starting the languages.
	return a.withLanes(func(_ *compile.Env, languages *compile.Registry) error {
		project.Options.Run = blockRunner(languages)
		return c.tangle(a, project)
	})
}

func (c *tangleCmd) tangle(a *app, project *tangle.Project) error {
	if c.Watch {
		return c.watch(a, project)
	}
	act := project.Tangle
	if c.Check || c.DryRun || c.Plan {
		act = project.Compare
	}
	var reports []*tangle.Report
	var missing error // files that have no directory; the others are written
	for _, file := range c.Files {
		report, err := act(a.ctx, file)
		if report == nil {
			return err
		}
		missing = errors.Join(missing, err)
		a.tangleNotes(file, report)
		reports = append(reports, report)
	}
	if missing != nil && a.json {
		return missing
	}
	return cmp.Or(missing, c.report(a, reports))
}

func (c *tangleCmd) report(a *app, reports []*tangle.Report) error {
	data := make([]tangle.OutputJSON, len(reports))
	different := 0
	for i, r := range reports {
		data[i] = r.JSON()
		if r.Differs() {
			different++
		}
	}
	if c.Plan && !a.json {
		if len(data) == 1 {
			return a.bare(data[0])
		}
		return a.bare(data)
	}
	err := a.answer("tangle", data, func(w io.Writer) error {
		for _, r := range reports {
			if err := c.print(a, w, r); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil && c.Check && different > 0 {
		return alreadyReported(diag.ExitFailed)
	}
	return err
}

// print shows one report: a diff, or a line for each file that is not as it was.
func (c *tangleCmd) print(a *app, w io.Writer, r *tangle.Report) error {
	if c.DryRun {
		_, err := io.WriteString(w, r.Diff())
		return err
	}
	for _, change := range r.Changes {
		if change.Action == tangle.Unchanged && !a.verbose {
			continue
		}
		if _, err := fmt.Fprintf(w, "%-9s %s\n", change.Action, change.Rel); err != nil {
			return err
		}
	}
	return nil
}

// tangleNotes tells a person what to know beside the files.
func (a *app) tangleNotes(file string, r *tangle.Report) {
	for _, w := range r.Output.Warnings {
		a.note("%s:%d:%d: warning: %s", file, w.Line, w.Col, w.Msg)
	}
	for _, k := range r.Kept {
		a.note("%s had been edited since it was tangled; the edited text is kept in %s", k.File, k.Copy)
		a.note("hint: wb detangle %s brings edits back, before tangling", k.File)
	}
}

// watch syncs each document now and whenever it or one of its files changes.
func (c *tangleCmd) watch(a *app, project *tangle.Project) error {
	seen := map[string][32]byte{}
	for {
		for _, file := range c.Files {
			names, err := project.Watched(a.ctx, file)
			if errors.Is(err, tangle.ErrRun) && project.Options.Run == nil {
				return err
			}
			if !anyChanged(names, seen) {
				continue
			}
			if err := c.sync(a, project, file); err != nil && a.ctx.Err() == nil {
				a.fail("tangle", err)
			}
			for _, name := range names {
				seen[name], _ = contentSum(name)
			}
		}
		select {
		case <-a.ctx.Done():
			return nil
		case <-time.After(watchInterval):
		}
	}
}

func anyChanged(names []string, seen map[string][32]byte) bool {
	for _, name := range names {
		sum, ok := contentSum(name)
		if last, known := seen[name]; ok && (!known || sum != last) {
			return true
		}
	}
	return false
}

func (c *tangleCmd) sync(a *app, project *tangle.Project, file string) error {
	synced, err := project.Sync(a.ctx, file)
	if err != nil {
		return err
	}
	if synced.Recovery != nil {
		a.recovered(a.std.Out, synced.Recovery)
	}
	a.tangleNotes(file, synced.Report)
	return c.print(a, a.std.Out, synced.Report)
}

// newTangleProject knows this machine and this user's records.
func newTangleProject(allowOutside bool) *tangle.Project {
	project := &tangle.Project{Write: tangle.WriteOptions{AllowOutside: allowOutside}}
	machine := &project.Options.Machine
	machine.OS = runtime.GOOS
	machine.Home, _ = os.UserHomeDir()
	machine.Home = filepath.ToSlash(machine.Home)
	machine.Host, _ = os.Hostname()
	if u, err := user.Current(); err == nil {
		machine.User = u.Username
	}
	if state, err := trace.StateDir(os.Getenv); err == nil {
		project.Records.State = state
	}
	return project
}

// blockRunner runs the blocks that a document refers to in the sandbox. What
// lint has to say does not concern tangling, and a cache would leave a directory
// behind.
func blockRunner(languages *compile.Registry) func(context.Context, tangle.Call) (value.Value, error) {
	return func(ctx context.Context, call tangle.Call) (value.Value, error) {
		return workbook.Resolve(ctx, workbook.Options{
			File: call.File, Source: call.Doc.Bytes(), Lanes: languages,
			Lint: func(*workbook.Plan) []diag.Finding { return nil },
		}, call.String())
	}
}
