package main

import (
	"io"
	"os"
	"slices"

	"wb/trace"
	"wb/trace/telemetry"
)

// telemetryCmd says what runs amounted to.
type telemetryCmd struct {
	Run_  string `arg:"" name:"run" optional:"" help:"An id or its beginning, last, last~1, an events.org or a directory; every run when not given."`
	Limit int    `default:"20" help:"Runs at most in the list."`
}

func (c *telemetryCmd) Help() string {
	return `Examples:
  wb telemetry              the last runs: calls, errors, time, tokens, cost
  wb telemetry last         one run: by component and tool, slowest, last errors
  wb telemetry events.org   the last run that a file records`
}

func (c *telemetryCmd) Run(a *app) error {
	state, err := openState()
	if err != nil {
		return err
	}
	if c.Run_ != "" {
		record, err := telemetry.Find(state, ".", c.Run_)
		if err != nil {
			return err
		}
		s := telemetry.Summarize(record)
		return a.answer("telemetry", s, s.Write)
	}
	records, err := telemetry.List(state, ".")
	if err != nil {
		return err
	}
	if len(records) == 0 {
		return &telemetry.NotFoundError{}
	}
	records = records[max(0, len(records)-max(c.Limit, 1)):]
	slices.Reverse(records)
	list := make([]*telemetry.Summary, len(records))
	for i := range records {
		if err := telemetry.Load(&records[i]); err != nil && a.verbose {
			a.note("wb: %v", err)
		}
		list[i] = telemetry.Summarize(&records[i])
	}
	return a.answer("telemetry", list, func(w io.Writer) error { return telemetry.WriteList(w, list) })
}

// openState is the user's state.
func openState() (*trace.State, error) {
	dir, err := trace.StateDir(os.Getenv)
	if err != nil {
		return nil, err
	}
	return trace.NewState(dir), nil
}
