package app

import (
	"context"
	"slices"

	"wb/internal/diag"
	"wb/internal/trace/otlp"
	"wb/internal/trace/telemetry"
)

// record finds the records of runs. A bounded home knows those that are recorded in
// its directory and no others.
func (h *Home) record(refs ...string) (named []*telemetry.Record, all []telemetry.Record, err error) {
	if h.Root != nil {
		for _, name := range telemetry.Files {
			if _, err := h.Path(name); err != nil && diag.ExitOf(err) != diag.ExitNotFound {
				return nil, nil, err
			}
		}
		if all, err = telemetry.List(nil, h.Dir); err != nil {
			return nil, nil, err
		}
		if len(all) == 0 {
			return nil, nil, diag.NotFoundf("", "no run is recorded here")
		}
		for _, ref := range refs {
			r, err := telemetry.Choose(all, ref)
			if err != nil {
				return nil, nil, err
			}
			named = append(named, r)
		}
		return named, all, nil
	}
	dir := h.Dir
	if dir == "" {
		dir = "."
	}
	for _, ref := range refs {
		r, err := telemetry.Find(h.State, dir, ref)
		if err != nil {
			return nil, nil, err
		}
		named = append(named, r)
	}
	all, err = telemetry.List(h.State, dir)
	return named, all, err
}

// TelemetryIn holds the arguments of wb telemetry.
type TelemetryIn struct {
	Run_  string `arg:"" name:"run" json:"run" optional:"" help:"An id or its beginning, last, last~1, an events.org or a directory; every run when not given."`
	Limit int    `on:"terminal" default:"20" help:"The most runs to list."`
}

// TelemetryOut summarises one run, or several.
type TelemetryOut struct {
	one  *telemetry.Summary
	list []*telemetry.Summary
}

// Data is the summary, or the list of them, as programs read it.
func (out *TelemetryOut) Data() any {
	if out.one != nil {
		return out.one
	}
	return out.list
}

var telemetryOf = Verb[TelemetryIn, *TelemetryOut]{
	Name: "telemetry", Help: "Summarise runs: calls, errors, time, tokens, cost.",
	About: `Examples:
  wb telemetry              the last runs: calls, errors, time, tokens, cost
  wb telemetry last         one run: by component and tool, slowest, last errors
  wb telemetry events.org   the last run that a file records
  wb telemetry --follow     what all runs do, as it happens`,
	Doors: Agents,
	Do: func(_ context.Context, h *Home, in *TelemetryIn) (*TelemetryOut, error) {
		if in.Run_ == "" && h.Root != nil {
			in.Run_ = "last"
		}
		if in.Run_ != "" {
			named, _, err := h.record(in.Run_)
			if err != nil {
				return nil, err
			}
			return &TelemetryOut{one: telemetry.Summarize(named[0])}, nil
		}
		_, records, err := h.record()
		if err != nil {
			return nil, err
		}
		if len(records) == 0 {
			return nil, telemetry.NotFound("")
		}
		records = records[max(0, len(records)-max(in.Limit, 1)):]
		slices.Reverse(records)
		list := make([]*telemetry.Summary, len(records))
		for i := range records {
			if err := telemetry.Load(&records[i]); err != nil && h.Verbose {
				h.notef("wb: %v", err)
			}
			list[i] = telemetry.Summarize(&records[i])
		}
		return &TelemetryOut{list: list}, nil
	},
	Text: func(p *Page, out *TelemetryOut) error {
		if out.one != nil {
			return out.one.Write(p)
		}
		return telemetry.WriteList(p, out.list)
	},
}

// TraceExportIn holds the arguments of wb trace export.
type TraceExportIn struct {
	Runs     []string `arg:"" optional:"" name:"run" json:"run" help:"Ids or their beginnings, last, last~1, events.org files; the last run when not given."`
	OTLPJSON bool     `name:"otlp-json" required:"" help:"OpenTelemetry traces in OTLP's JSON encoding, with the names of the GenAI conventions."`
	Content  bool     `help:"Also export arguments of tools and excerpts of outputs."`
}

var traceExport = Verb[TraceExportIn, *otlp.Traces]{
	Name: "trace export", Help: "Export runs for other tools.",
	About: `Example:
  wb trace export --otlp-json last > trace.json
  curl -H 'Content-Type: application/json' -d @trace.json http://localhost:4318/v1/traces`,
	Doors: Agents,
	Do: func(_ context.Context, h *Home, in *TraceExportIn) (*otlp.Traces, error) {
		if len(in.Runs) == 0 {
			in.Runs = []string{"last"}
		}
		named, all, err := h.record(in.Runs...)
		if err != nil {
			return nil, err
		}
		return otlp.Export(named, otlp.Options{Version: h.Version, Content: in.Content, Root: telemetry.Roots(all, named)}), nil
	},
	Text: func(p *Page, out *otlp.Traces) error { return out.Write(p) },
}

// TraceDiffIn holds the arguments of wb trace diff.
type TraceDiffIn struct {
	Before string `arg:"" help:"A run, as for wb telemetry."`
	After  string `arg:"" optional:"" default:"last" help:"Another one; the last run when not given."`
}

// TraceDiffOut lists the differences between two runs.
type TraceDiffOut struct{ *telemetry.Comparison }

// Exit is 1 when they differ.
func (out TraceDiffOut) Exit() int {
	if out.Differs() {
		return diag.ExitFailed
	}
	return 0
}

var traceDiff = Verb[TraceDiffIn, TraceDiffOut]{
	Name: "trace diff", Help: "Show what two runs did differently.",
	About: "Example:\n  wb trace diff last~1 last\n\nExits with 1 when components or tools were added, removed or ended differently.",
	Doors: Agents,
	Do: func(_ context.Context, h *Home, in *TraceDiffIn) (TraceDiffOut, error) {
		named, _, err := h.record(in.Before, in.After)
		if err != nil {
			return TraceDiffOut{}, err
		}
		return TraceDiffOut{telemetry.Compare(named[0], named[1])}, nil
	},
	Text: func(p *Page, out TraceDiffOut) error { return out.Write(p) },
}
