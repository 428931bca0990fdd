package main

import (
	"wb/internal/diag"
	"wb/internal/trace/otlp"
	"wb/internal/trace/telemetry"
)

// traceCmd exports and compares the records of runs.
type traceCmd struct {
	Export traceExportCmd `cmd:"" help:"Write runs in a form that other tools read."`
	Diff   traceDiffCmd   `cmd:"" help:"Show what two runs did differently."`
}

type traceExportCmd struct {
	Runs     []string `arg:"" optional:"" name:"run" help:"Ids or their beginnings, last, last~1, events.org files; the last run when not given."`
	OTLPJSON bool     `name:"otlp-json" required:"" help:"OpenTelemetry traces in OTLP's JSON encoding, with the names of the GenAI conventions."`
	Content  bool     `help:"Also export arguments of tools and excerpts of outputs."`
}

func (c *traceExportCmd) Help() string {
	return `Example:
  wb trace export --otlp-json last > trace.json
  curl -H 'Content-Type: application/json' -d @trace.json http://localhost:4318/v1/traces`
}

func (c *traceExportCmd) Run(a *app) error {
	state, err := openState()
	if err != nil {
		return err
	}
	if len(c.Runs) == 0 {
		c.Runs = []string{"last"}
	}
	var records []*telemetry.Record
	for _, ref := range c.Runs {
		r, err := telemetry.Find(state, ".", ref)
		if err != nil {
			return err
		}
		records = append(records, r)
	}
	all, err := telemetry.List(state, ".")
	if err != nil {
		return err
	}
	traces := otlp.Export(records, otlp.Options{Version: version(), Content: c.Content, Root: telemetry.Roots(all, records)})
	if a.json {
		return a.answer("trace", traces, nil)
	}
	return traces.Write(a.std.Out)
}

type traceDiffCmd struct {
	Before string `arg:"" help:"A run, as for wb telemetry."`
	After  string `arg:"" optional:"" default:"last" help:"Another one; the last run when not given."`
}

func (c *traceDiffCmd) Help() string {
	return "Example:\n  wb trace diff last~1 last\n\nExits with 1 when components or tools were added, removed or ended differently."
}

func (c *traceDiffCmd) Run(a *app) error {
	state, err := openState()
	if err != nil {
		return err
	}
	before, err := telemetry.Find(state, ".", c.Before)
	if err != nil {
		return err
	}
	after, err := telemetry.Find(state, ".", c.After)
	if err != nil {
		return err
	}
	diff := telemetry.Compare(before, after)
	if err := a.answer("trace", diff, diff.Write); err != nil {
		return err
	}
	if diff.Differs() {
		return alreadyReported(diag.ExitFailed)
	}
	return nil
}
