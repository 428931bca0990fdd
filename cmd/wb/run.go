package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"wb/agent"
	"wb/agent/host"
	"wb/compile"
	"wb/internal/diag"
	"wb/internal/trace"
	"wb/internal/value"
	"wb/proof/identity"
	"wb/sandbox"
	"wb/workbook"
)

// runCmd compiles and runs what changed and writes the results into the file.
type runCmd struct {
	Files         []string          `arg:"" help:"Workbooks, or - for the text on standard input; with --map one workbook and a component."`
	Only          []string          `help:"Run only these components and what they need." placeholder:"ID"`
	Lines         string            `help:"Run only what stands in these lines, 12 or 12:40, and what that needs." placeholder:"LINES"`
	Set           map[string]string `help:"Give an input: name=value (JSON or text) or name=@file." placeholder:"NAME=VALUE" mapsep:"none"`
	Input         string            `help:"Input of a workflow's first components: text, @file, or - for standard input."`
	NoWrite       bool              `help:"Leave the files as they are."`
	Force         bool              `help:"Run components although nothing changed."`
	Jobs          int               `short:"j" help:"Components that run at once; one per processor by default."`
	Grant         []string          `help:"Grant a capability, such as clock or net:api.example.com." placeholder:"CAP"`
	Profile       string            `enum:"compute,minimal,network,posix" default:"compute" help:"Profile of the components (${enum})."`
	Limits        string            `help:"Most a component may ask for: timeout=60s,memory=512MiB,fuel=1e11,output=64MiB." placeholder:"LIMITS"`
	ExplainLimits bool              `name:"explain-limits" help:"Say what each component may use, and why, and run nothing."`
	Map           string            `help:"Run one component over every input of this JSON list: --map inputs.json FILE ID." placeholder:"FILE" type:"existingfile"`
	Events        string            `help:"Events file in place of events.org beside the workbook; none records nothing."`
	Expect        bool              `help:"Fail when a #+EXPECT: line of the workbook does not hold."`
	Watch         bool              `help:"Run again whenever a file changes."`
	Strict        bool              `help:"Run nothing when lint finds an error anywhere in the workbook."`

	tierFlags
	freezeFlags

	Exec bool `help:"With a sentence: grant the default agent git, publish and image." env:"WB_AGENT_EXEC"`

	runFabric
	stdinFlag
	Progress bool `help:"Tell the end of each component on stderr, as a line of JSON."`
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

func (c *runCmd) Run(a *app) error {
	if len(c.Files) == 1 && isSentence(c.Files[0]) {
		task := host.Task{Text: c.Files[0], Exec: c.Exec, Grants: c.Grant}
		return a.withAgents(false, func(ctx context.Context, rt *host.Runtime) (*agent.Result, error) { return rt.Run(ctx, task) })
	}
	if err := errors.Join(c.check(), c.freezeFlags.check(c.Files)); err != nil {
		return err
	}
	opts, err := c.options()
	if err != nil {
		return err
	}
	if isPublished(c.Files[0]) {
		return c.runPublished(a, opts)
	}
	return a.withLanes(func(env *compile.Env, lanes *compile.Registry) error {
		opts.Lanes = lanes
		leave, err := c.spread(a, env, &opts)
		if err != nil {
			return err
		}
		defer leave()
		if c.ExplainLimits {
			return c.explainLimits(a, opts)
		}
		if c.Map != "" {
			return c.fanOut(a, opts)
		}
		if c.Watch {
			return c.watch(a, opts)
		}
		for _, file := range c.Files {
			if err := c.runFile(a, opts, file); err != nil {
				return err
			}
		}
		return nil
	})
}

// isSentence tells a task for the default agent from the name of a workbook.
func isSentence(arg string) bool {
	return strings.ContainsAny(strings.TrimSpace(arg), " \t\n") && !strings.HasSuffix(arg, ".org")
}

// options are what the flags say, the same for every file.
func (c *runCmd) options() (workbook.Options, error) {
	opts := workbook.Options{Only: c.Only, NoWrite: c.NoWrite, Force: c.Force, Jobs: c.Jobs, Grants: c.Grant, Profile: c.Profile, Strict: c.Strict,
		Set: map[string]value.Value{}}
	for name, text := range c.Set {
		v, err := readValue(text)
		if err != nil {
			return opts, &usageError{err: fmt.Errorf("--set %s: %w", name, err)}
		}
		opts.Set[name] = v
	}
	if c.Input != "" {
		v, err := readInput(c.Input)
		if err != nil {
			return opts, fmt.Errorf("--input: %w", err)
		}
		opts.Input = &v
	}
	limits, err := parseLimits(c.Limits)
	if err != nil {
		return opts, &usageError{err: err, hint: "--limits timeout=60s,memory=512MiB,fuel=1e11"}
	}
	opts.Limits = limits
	c.choose(&opts)
	return opts, nil
}

// readValue reads JSON, else text; @file reads a file the same way.
func readValue(text string) (value.Value, error) {
	if name, ok := strings.CutPrefix(text, "@"); ok {
		data, err := os.ReadFile(name)
		if err != nil {
			return value.Nil(), err
		}
		if v, err := value.ParseJSON(data); err == nil {
			return v, nil
		} else if strings.HasSuffix(name, ".json") {
			return value.Nil(), fmt.Errorf("%s: %w", name, err)
		}
		return value.OfString(string(data)), nil
	}
	if v, err := value.ParseJSON([]byte(text)); err == nil {
		return v, nil
	}
	return value.OfString(text), nil
}

func readInput(text string) (value.Value, error) {
	if text != "-" {
		return readValue(text)
	}
	data, err := io.ReadAll(os.Stdin)
	return value.OfString(string(data)), err
}

// parseLimits reads the limits of a flag.
func parseLimits(text string) (sandbox.Limits, error) {
	l, err := workbook.ParseLimits(text)
	if err != nil {
		err = fmt.Errorf("--limits %w", err)
	}
	return l, err
}

func parseBytes(text string) (int64, error) {
	for unit, size := range map[string]int64{"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30} {
		if number, ok := strings.CutSuffix(text, unit); ok {
			n, err := strconv.ParseInt(number, 10, 64)
			return n * size, err
		}
	}
	return strconv.ParseInt(text, 10, 64)
}

// runFile runs one workbook and reports it.
func (c *runCmd) runFile(a *app, opts workbook.Options, file string) error {
	file, src, err := c.stdinFlag.read(a, file)
	if err != nil {
		return err
	}
	opts.File, opts.Source, opts.KeepText = file, src, c.fromStdin()
	if c.Lines != "" {
		if opts.Only, err = componentsIn(file, src, c.Lines); err != nil {
			return err
		}
	}
	opts.Progress = a.componentLine
	if c.Progress {
		opts.Progress = a.progressJSON
	}
	report, err := c.execute(a.ctx, a, opts)
	if err != nil && a.json && report != nil && exitCode(err) == diag.ExitInterrupted {
		if err := a.answer("run", runData(report), nil); err != nil {
			return err
		}
		return alreadyReported(diag.ExitInterrupted)
	}
	if err != nil {
		a.findings(report)
		if report != nil && errors.Is(err, context.Canceled) {
			return interrupted(report)
		}
		return unwritten(err)
	}
	if err := c.report(a, src, report); err != nil || !c.Expect {
		return err
	}
	unmet := report.CheckExpectations()
	for _, u := range unmet {
		a.complain("%v", u)
	}
	if len(unmet) > 0 {
		return &codedError{text: file + ": " + unmetCount(len(unmet)), code: diag.ExitFailed}
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
	return &codedError{text: fmt.Sprintf("interrupted: %d done and kept, %d not run", kept, r.Count(workbook.StatusCancelled)),
		hint: "the next run goes on from there", code: diag.ExitInterrupted}
}

// unwritten advises what to do where the workbook may not be changed.
func unwritten(err error) error {
	if forbidden(err) && hintOf(err) == "" {
		return &advised{err, "wb run --no-write --events none runs a workbook where nothing may be written"}
	}
	return err
}

// execute lints, runs and records one workbook, whose text opts hold.
func (c *runCmd) execute(ctx context.Context, a *app, opts workbook.Options) (*workbook.Report, error) {
	opts.Lint = func(p *workbook.Plan) []diag.Finding {
		return workbook.LintPlan(p, workbook.LintOptions{Languages: opts.Lanes})
	}
	opts.Cache = workbook.CacheBeside(opts.File)
	finish, err := a.grant(ctx, &opts)
	if err != nil {
		return nil, err
	}
	defer finish()
	record, err := c.record(a, opts.File, opts.Source)
	if err != nil {
		return nil, err
	}
	if record == nil {
		return c.freezeFlags.run(ctx, opts)
	}
	opts.Trace = record
	c.teller.record(record)
	defer c.teller.record(nil)
	report, err := c.freezeFlags.run(ctx, opts)
	if endErr := record.End(outcome(report, err)); endErr != nil && !record.Incomplete() {
		a.note("wb: %v", endErr)
	}
	return report, err
}

// report answers with what the run did.
func (c *runCmd) report(a *app, src []byte, r *workbook.Report) error {
	if !c.fromStdin() {
		return a.reportRun(r)
	}
	if !a.json {
		return a.reportText(src, r)
	}
	data := runData(r)
	data.Edits = editsData(r.Edits)
	return a.reportData(r, data)
}

// record opens the run's records; nil when the user wants none.
func (c *runCmd) record(a *app, file string, src []byte) (*trace.Run, error) {
	if c.Events == "none" {
		return nil, nil
	}
	files := trace.FilesIn(filepath.Dir(file))
	if c.Events != "" {
		files.Events = c.Events
	}
	config := trace.Config{Files: files, Sinks: a.views(), Warn: func(err error) { a.note("wb: warning: %v", err) }}
	if dir, err := trace.StateDir(os.Getenv); err == nil {
		config.State = trace.NewState(dir)
		if err := config.State.Ready(); err != nil {
			return nil, &advised{err, hintOf(err) + "; --events none records nothing"}
		}
	}
	key, err := identity.Load("", identity.DefaultTenant)
	if err != nil {
		return nil, &advised{err, hintOf(err) + "; --events none records nothing"}
	}
	config.Key = key
	sum := sha256.Sum256(src)
	return trace.Begin(config, trace.RunInfo{Workbook: file, SourceSHA256: hex.EncodeToString(sum[:])})
}

// outcome is the end of the run as its records say it.
func outcome(r *workbook.Report, err error) trace.Outcome {
	o := trace.Outcome{Status: "ok", Exit: trace.Exit(0)}
	switch {
	case err != nil:
		o.Status, o.Error, o.Exit = "failed", err.Error(), trace.Exit(exitCode(err))
		if exitCode(err) == diag.ExitInterrupted {
			o.Status = "cancelled"
		}
	case r.Failed() != nil:
		o.Status, o.Error, o.Exit = "failed", r.Failed().Err.Error(), trace.Exit(failedCode(r))
	}
	if r == nil {
		return o
	}
	for _, d := range r.Components {
		o.Fuel += d.Usage.Fuel
	}
	var lines []string
	for _, e := range r.Exports {
		lines = append(lines, e.Name+" = "+e.Value.String())
	}
	o.Output = strings.Join(lines, "\n")
	return o
}
