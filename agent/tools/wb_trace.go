package tools

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"

	"wb/agent"
	"wb/internal/trace/otlp"
	"wb/internal/trace/telemetry"
)

const traceUsage = "trace export --otlp-json [--content] [RUN…] | diff RUN [RUN]: runs recorded here for other tools, or what two did differently"

// records are the runs recorded in the tree, oldest first. What is recorded
// elsewhere is other runs' business.
func (p *Place) records() ([]telemetry.Record, error) {
	for _, name := range telemetry.Files {
		if _, err := p.root.Stat(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, errors.New("read blocked: path escapes your working dir")
		}
	}
	return telemetry.List(nil, p.Dir)
}

// runs are the records of the runs that references name.
func (p *Place) runs(refs ...string) (named []*telemetry.Record, all []telemetry.Record, err error) {
	if all, err = p.records(); err != nil {
		return nil, nil, err
	}
	if len(all) == 0 {
		return nil, nil, errors.New("no run is recorded here")
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

func verbTelemetry(_ context.Context, at *Place, args []string) (agent.Output, error) {
	_, refs, err := words(args)
	if err != nil {
		return agent.Output{}, err
	}
	switch len(refs) {
	case 0:
		refs = []string{"last"}
	case 1:
	default:
		return agent.Output{}, errors.New("telemetry takes one run")
	}
	named, _, err := at.runs(refs...)
	if err != nil {
		return agent.Output{}, err
	}
	var b bytes.Buffer
	err = telemetry.Summarize(named[0]).Write(&b)
	return agent.Output{Text: b.String()}, err
}

func verbTrace(_ context.Context, at *Place, args []string) (agent.Output, error) {
	if len(args) == 0 {
		return agent.Output{}, fmt.Errorf("wb %s", traceUsage)
	}
	switch args[0] {
	case "export":
		return traceExport(at, args[1:])
	case "diff":
		return traceDiff(at, args[1:])
	}
	return agent.Output{}, fmt.Errorf("trace %s not permitted to an agent; wb %s", args[0], traceUsage)
}

func traceExport(at *Place, args []string) (agent.Output, error) {
	given, refs, err := words(args, "otlp-json", "content")
	if err != nil {
		return agent.Output{}, err
	}
	if !given["otlp-json"] {
		return agent.Output{}, errors.New("export needs --otlp-json")
	}
	if len(refs) == 0 {
		refs = []string{"last"}
	}
	named, all, err := at.runs(refs...)
	if err != nil {
		return agent.Output{}, err
	}
	var b bytes.Buffer
	err = otlp.Export(named, otlp.Options{Content: given["content"], Root: telemetry.Roots(all, named)}).Write(&b)
	return agent.Output{Text: b.String()}, err
}

func traceDiff(at *Place, args []string) (agent.Output, error) {
	_, refs, err := words(args)
	if err != nil {
		return agent.Output{}, err
	}
	if len(refs) == 1 {
		refs = append(refs, "last")
	}
	if len(refs) != 2 {
		return agent.Output{}, errors.New("diff takes two runs")
	}
	named, _, err := at.runs(refs...)
	if err != nil {
		return agent.Output{}, err
	}
	diff, exit := telemetry.Compare(named[0], named[1]), 0
	if diff.Differs() {
		exit = 1
	}
	var b bytes.Buffer
	err = diff.Write(&b)
	return agent.Output{Text: b.String(), Exit: &exit}, err
}
