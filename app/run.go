package app

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"

	"wb/internal/diag"
	"wb/internal/identity"
	"wb/internal/sha"
	"wb/internal/trace"
	"wb/workbook"
)

// Ran is a run of a workbook that has ended.
type Ran struct {
	*workbook.Report
	// ID names the record, "" when nothing was recorded.
	ID string
	// Outcome is how it ended, as the record says it.
	Outcome trace.Outcome
}

// Exit is 0 for a run in which no component failed.
func (r *Ran) Exit() int { return *r.Outcome.Exit }

// Run runs one workbook, from whichever door: it lints, grants, chooses where
// programs run, opens the record, runs, and ends the record. The outcome is there
// also when the run has failed.
func (h *Home) Run(ctx context.Context, opts workbook.Options) (*Ran, error) {
	if opts.Source == nil {
		src, err := os.ReadFile(opts.File)
		if os.IsNotExist(err) {
			err = MissingFile(opts.File)
		}
		if err != nil {
			return nil, err
		}
		opts.Source = src
	}
	if opts.Lanes == nil {
		lanes, err := h.lanes(ctx)
		if err != nil {
			return nil, err
		}
		opts.Lanes = lanes
	}
	opts.Lint = func(p *workbook.Plan) []diag.Finding { return LintPlan(p, opts.Source, opts.Lanes) }
	if opts.Cache == nil {
		opts.Cache = workbook.CacheBeside(opts.File)
		if h.Cache != nil {
			opts.Cache = h.Cache(opts.File)
		}
	}
	finish := func(context.Context) error { return nil }
	if h.Prepare != nil {
		prepared, err := h.Prepare(ctx, &opts)
		if err != nil {
			return nil, err
		}
		finish = prepared
	}
	return h.recorded(ctx, opts, finish)
}

// recorded runs a workbook that was prepared, between the beginning and the end of
// its record.
func (h *Home) recorded(ctx context.Context, opts workbook.Options, finish func(context.Context) error) (ran *Ran, err error) {
	ran = &Ran{}
	over := func() { h.warn(finish(context.WithoutCancel(ctx))) }
	var record *trace.Run
	if h.Record != nil {
		if record, err = h.Record(opts.File, opts.Source); err != nil {
			over()
			return nil, err
		}
	}
	if record != nil {
		ran.ID, opts.Trace = record.ID(), record
	}
	if h.Hear != nil {
		opts.Trace = h.Hear(opts.Trace)
	}
	execute := workbook.Run
	if h.Execute != nil {
		execute = h.Execute
	}
	ran.Report, err = execute(ctx, opts)
	over()
	ran.Outcome = outcome(ctx, ran.Report, err)
	if record != nil {
		if failed := record.End(ran.Outcome); failed != nil && !record.Incomplete() {
			h.notef("wb: %v", failed)
		}
	}
	return ran, err
}

// outcome is the end of a run as its record says it.
func outcome(ctx context.Context, r *workbook.Report, err error) trace.Outcome {
	o := trace.Outcome{Status: "ok", Exit: trace.Exit(0)}
	switch {
	case ctx.Err() != nil:
		o.Status, o.Error, o.Exit = "cancelled", context.Cause(ctx).Error(), trace.Exit(diag.ExitInterrupted)
	case err != nil:
		o.Status, o.Error, o.Exit = "failed", err.Error(), trace.Exit(diag.ExitOf(err))
		if diag.ExitOf(err) == diag.ExitInterrupted {
			o.Status = "cancelled"
		}
	case r.Failed() != nil:
		o.Status, o.Error, o.Exit = "failed", r.Failed().Err.Error(), trace.Exit(failedCode(r))
	}
	if r == nil {
		return o
	}
	var lines []string
	for _, d := range r.Components {
		o.Fuel += d.Usage.Fuel
	}
	for _, e := range r.Exports {
		lines = append(lines, e.Name+" = "+e.Value.String())
	}
	o.Output = strings.Join(lines, "\n")
	return o
}

// failedCode is the exit code of a run in which components failed: that of a
// missing toolchain where nothing else went wrong.
func failedCode(r *workbook.Report) int {
	for _, d := range r.Components {
		if d.Status == workbook.StatusFailed && diag.ExitOf(d.Err) != diag.ExitUnavailable {
			return diag.ExitFailed
		}
	}
	return diag.ExitUnavailable
}

// Recorder opens the records of runs beside their workbooks.
type Recorder struct {
	// Events replaces events.org beside the workbook; "none" records nothing.
	Events string
	// Dir is where records lie; "" is beside each workbook.
	Dir string
	// State registers runs and keeps their blobs; Key signs their seals.
	State *trace.State
	Key   identity.Signer
	// Views hear the events besides.
	Views []trace.Sink
	// Warn hears what could not be recorded.
	Warn func(error)
	// Redact removes secrets from what is recorded; nil removes none.
	Redact func(string) string
}

// Begin opens the record of a run of a workbook.
func (r Recorder) Begin(file string, src []byte) (*trace.Run, error) {
	if r.Events == "none" {
		return nil, nil
	}
	dir := r.Dir
	if dir == "" {
		dir = filepath.Dir(file)
	}
	files := trace.FilesIn(dir)
	if r.Events != "" {
		files.Events = r.Events
	}
	return trace.Begin(trace.Config{Files: files, State: r.State, Key: r.Key, Sinks: r.Views, Warn: r.Warn, Redact: r.Redact},
		trace.RunInfo{Workbook: file, SourceSHA256: sha.Hex(src)})
}

// UserRecorder records runs for the user of this machine.
func UserRecorder(events string, warn func(error)) (Recorder, error) {
	r := Recorder{Events: events, Warn: warn}
	if events == "none" {
		return r, nil
	}
	const without = "--events none records nothing"
	if dir, err := trace.StateDir(os.Getenv); err == nil {
		r.State = trace.NewState(dir)
		if err := r.State.Ready(); err != nil {
			return r, advised(err, without)
		}
	}
	key, err := identity.Load("", identity.DefaultTenant)
	if err != nil {
		return r, advised(err, without)
	}
	r.Key = key
	return r, nil
}

// advised adds advice to that of an error.
func advised(err error, more string) error {
	return diag.Advise(err, strings.TrimPrefix(diag.HintOf(err)+"; "+more, "; "))
}

// Unwritten advises what to do where the workbook may not be changed.
func Unwritten(err error) error {
	if errors.Is(err, context.Canceled) || !diag.Forbidden(err) || diag.HintOf(err) != "" {
		return err
	}
	return diag.Advise(err, "wb run --no-write --events none runs a workbook where nothing may be written")
}
