package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"wb/agent"
	"wb/agent/host"
	"wb/app"
	"wb/compile"
	"wb/internal/diag"
	"wb/internal/trace"
	"wb/org"
	"wb/workbook"
)

// runCmd compiles and runs what changed and writes the results into the file.
type runCmd struct {
	Files []string `arg:"" help:"Workbooks, or - for the text on standard input; with --map one workbook and a component."`
	app.RunFlags
	app.Stdin
	ExplainLimits bool `name:"explain-limits" help:"Show each component's limits and where they come from, and run nothing."`

	Map    string `help:"Run one component over every input of this JSON list: --map inputs.json FILE ID." placeholder:"FILE" type:"existingfile"`
	Events string `help:"Events file in place of events.org beside the workbook; with none, record nothing."`
	Watch  bool   `help:"Run again whenever a file changes."`

	app.FreezeFlags

	agentChoice
	Exec bool `help:"With a sentence: grant the default agent git, publish and image." env:"WB_AGENT_EXEC"`

	runFabric
	Progress bool `help:"Report on stderr, in lines of JSON, what components print and how they end."`
}

func (c *runCmd) Help() string {
	return `Examples:
  wb run analysis.org
  wb run analysis.org --set threshold=0.8 --set data=@data.json
  wb run analysis.org --only totals --no-write
  wb run "how many headings in notes/ are still TODO?"
  wb run - --stdin-name analysis.org --lines 12 < analysis.org

Results appear in the file; outputs that nothing consumes are printed. A mistake
stops the components it concerns and those that need them; --strict runs nothing
then. A block whose language wb does not run is skipped and keeps its result. Of a text
on standard input, the text with its results is printed; with --json the edits
that put them there.`
}

func (c *runCmd) Run(a *terminal) error {
	if len(c.Files) == 1 && isSentence(c.Files[0]) {
		task := host.Task{Text: c.Files[0], Exec: c.Exec, Grants: c.Grant, Model: c.Model, Limits: agent.Bounds{Steps: c.MaxSteps}}
		return a.withAgents(false, func(ctx context.Context, rt *host.Runtime) (*agent.Result, error) { return rt.Run(ctx, task) })
	}
	if err := errors.Join(c.check(), c.FreezeFlags.Check(c.Files)); err != nil {
		return err
	}
	if app.IsPublished(c.Files[0]) {
		return c.runPublished(a)
	}
	if err := c.allThere(); err != nil {
		return err
	}
	return a.withLanes(func(env *compile.Env, _ *compile.Registry) error {
		home, err := c.home(a)
		if err != nil {
			return err
		}
		leave, err := c.spread(a, env, c.RunFlags)
		if err != nil {
			return err
		}
		defer leave()
		if c.ExplainLimits {
			return c.explainLimits(a, home)
		}
		if c.Map != "" {
			return c.fanOut(a, home)
		}
		if c.Watch {
			return c.watch(a, home)
		}
		for _, file := range c.Files {
			if err := c.runFile(a, home, file); err != nil {
				return err
			}
		}
		return nil
	})
}

// allThere finds the files that do not exist before the first one runs.
func (c *runCmd) allThere() error {
	if c.Map != "" {
		return nil
	}
	for _, file := range c.Files {
		if _, err := os.Stat(file); file != "-" && errors.Is(err, fs.ErrNotExist) {
			err := app.MissingFile(file)
			if diag.HintOf(err) == "" {
				err = diag.Advise(err, workbooksIn(filepath.Dir(file)))
			}
			return err
		}
	}
	return nil
}

// workbooksIn names what a directory has to run, to a person who named something else.
func workbooksIn(dir string) string {
	const most = 5
	found, _ := filepath.Glob(filepath.Join(dir, "*.org"))
	switch more := len(found) - most; {
	case len(found) == 0:
		return "no file in " + dir + " ends in .org"
	case more > 0:
		return fmt.Sprintf("there are %s and %d more", strings.Join(found[:most], ", "), more)
	}
	return "there are " + strings.Join(found, ", ")
}

// isSentence tells a task for the default agent from the name of a workbook.
func isSentence(arg string) bool {
	return strings.ContainsAny(strings.TrimSpace(arg), " \t\n") && !strings.HasSuffix(arg, ".org")
}

// home is the user's, with what the flags say of records, workers and sessions.
func (c *runCmd) home(a *terminal) (*app.Home, error) {
	home := a.home()
	home.StdinName = c.StdinName
	home.Prepare = a.grant
	home.Record = func(file string, src []byte) (*trace.Run, error) {
		records, err := a.recorder(c.Events)
		if err != nil {
			return nil, err
		}
		return records.Begin(file, src)
	}
	home.Hear = func(record trace.Sink) trace.Sink {
		c.teller.record(record)
		return record
	}
	live := a.liveOutput()
	home.Execute = func(ctx context.Context, opts workbook.Options) (*workbook.Report, error) {
		defer c.teller.record(nil)
		defer live.follow()()
		return c.FreezeFlags.Run(ctx, opts)
	}
	home.Options = func(opts *workbook.Options) {
		c.place(opts)
		if c.fromStdin() && opts.Write == workbook.WriteAll {
			opts.Write = workbook.WriteFiles
		}
		live = a.liveOutput()
		opts.Listeners = workbook.Listeners{Begun: live.began, Progress: live.ended, Output: live.printed}
		if c.Progress {
			opts.Listeners = workbook.Listeners{Progress: a.progressJSON, Output: a.printedJSON}
		}
	}
	return home, nil
}

// recorder records runs for the user of this machine.
func (a *terminal) recorder(events string) (app.Recorder, error) {
	records, err := app.UserRecorder(events, func(err error) { a.note("wb: warning: %v", err) })
	records.Views = a.views()
	return records, err
}

// runFile runs one workbook and reports it.
func (c *runCmd) runFile(a *terminal, home *app.Home, file string) error {
	var src []byte
	if c.fromStdin() { // read once: its text is answered with the results in it
		text, err := io.ReadAll(a.std.In)
		if err != nil {
			return err
		}
		src, home.Stdin = text, bytes.NewReader(text)
	}
	out, err := (&app.RunIn{File: file, RunFlags: c.RunFlags}).Run(a.ctx, home)
	if err != nil && a.json && out != nil && diag.ExitOf(err) == diag.ExitInterrupted {
		if err := a.answer("run", out, nil); err != nil {
			return err
		}
		return diag.Told(diag.ExitInterrupted)
	}
	if err != nil {
		a.findings(out)
		if out != nil && errors.Is(err, context.Canceled) {
			return interrupted(out.Ran.Report)
		}
		return app.Unwritten(err)
	}
	if err := c.report(a, src, out); err != nil {
		return err
	}
	for _, u := range out.Unmet {
		a.complain("%s", u)
	}
	if len(out.Unmet) > 0 {
		return diag.Failedf("", "%s: %s", out.File, unmetCount(len(out.Unmet)))
	}
	return nil
}

func unmetCount(n int) string {
	if n == 1 {
		return "1 expectation does not hold"
	}
	return fmt.Sprintf("%d expectations do not hold", n)
}

// interrupted is the end of a run that the user stopped, in one line.
func interrupted(r *workbook.Report) error {
	kept := r.Count(workbook.StatusOK) + r.Count(workbook.StatusCached)
	return &diag.CodedError{Err: fmt.Errorf("interrupted: %d done and kept, %d not run", kept, r.Count(workbook.StatusCancelled)),
		Help: "the next run goes on from there", Code: diag.ExitInterrupted}
}

// report answers with what the run did.
func (c *runCmd) report(a *terminal, src []byte, out *app.RunOut) error {
	switch {
	case a.json:
		if c.fromStdin() {
			out.Edits = app.EditsOut(out.Ran.Edits)
		}
		if err := a.answer("run", out, nil); err != nil {
			return err
		}
	case c.fromStdin():
		text, err := org.Apply(src, out.Ran.Edits)
		if err != nil {
			return err
		}
		if _, err := a.std.Out.Write(text); err != nil {
			return err
		}
		a.ending(out.Ran.Report)
	default:
		if err := a.reportRun(out); err != nil {
			return err
		}
	}
	if out.Ran.Failed() != nil {
		return diag.Told(out.Ran.Exit())
	}
	return nil
}

// fromStdin reports whether the workbook is the text on standard input, as
// editors give it: its file is then not written.
func (c *runCmd) fromStdin() bool { return len(c.Files) == 1 && c.Files[0] == "-" }

// check refuses flags that contradict each other.
func (c *runCmd) check() error {
	switch {
	case c.StdinName != "" && !c.fromStdin():
		return diag.Usagef("wb run - --stdin-name FILE.org < FILE.org", "--stdin-name names the text on standard input")
	case c.fromStdin() && (c.Watch || c.Map != "" || c.Input.Text() == "-"):
		return diag.Usagef("", "- cannot be watched, mapped over, or read twice")
	case c.Model != "" || c.MaxSteps != 0:
		return diag.Usagef("as in wb run --max-steps 5 \"how many headings are TODO?\"", "--model and --max-steps are for the default agent, which a sentence asks")
	case c.Lines != "" && len(c.Only) > 0:
		return diag.Usagef("", "give --only or --lines, not both")
	}
	return nil
}

// runPublished runs the workbook in a page or bundle. Its author is a third
// party: it runs one tier further away, and gets no grants.
func (c *runCmd) runPublished(a *terminal) error {
	if len(c.Files) != 1 || c.Watch || c.Map != "" || c.Lines != "" {
		return diag.Usagef("wb unbundle turns it into files", "--watch, --map and --lines do not work with a page or bundle")
	}
	sources, done, err := app.SourcesOf(c.Files)
	if err != nil {
		return err
	}
	defer done()
	c.Events, c.Profile, c.Grant = "none", "compute", nil
	home, err := c.home(a)
	if err != nil {
		return err
	}
	usual := home.Options
	home.Options = func(opts *workbook.Options) {
		usual(opts)
		opts.ThirdParty, opts.Principal = true, c.Files[0]
	}
	for _, file := range sources {
		if err := c.runFile(a, home, file); err != nil {
			return err
		}
	}
	return nil
}
