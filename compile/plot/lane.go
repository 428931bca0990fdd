package plot

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"wb/compile"
	"wb/internal/diag"
	"wb/internal/value"
	"wb/sandbox"
)

// version changes when equal descriptions and data make another picture.
const version = "plot lane 1"

type lane struct{}

// New makes the lane. It needs no toolchain.
func New() compile.Lane { return lane{} }

// Info describes the lane.
func (lane) Info() compile.Info {
	return compile.Info{Name: "plot", Shapes: []compile.Shape{compile.ShapeBabel, compile.ShapeComponent, compile.ShapeCommand}, Stdin: compile.StdinJSON, Draws: true,
		Summary: "pictures of tables as SVG: line, area, bar, scatter, histogram"}
}

// Fingerprint identifies the lane.
func (lane) Fingerprint() string { return version }

// program is the content of an artifact's script, as JSON. A babel block has its
// data with it, as other languages have their variables.
type program struct {
	Text   string   `json:"text"`
	Data   string   `json:"data,omitempty"`
	Header []string `json:"header,omitempty"`
}

// Build reads the description, and the table of a babel block.
func (l lane) Build(_ context.Context, src *compile.Source) (*compile.Artifact, error) {
	if len(src.Deps) > 0 {
		return nil, diag.Errorf(src.At(1, 1), "plot has no packages")
	}
	if src.Shape == compile.ShapeKernel {
		return nil, diag.Errorf(src.At(1, 1), "plot blocks do not run as %q", src.Shape)
	}
	p := program{Text: src.Body}
	for _, v := range src.Vars {
		if v.Value.Kind() != value.List {
			p.Text = substitute(p.Text, v.Name, value.CellText(v.Value))
			continue
		}
		if p.Data != "" {
			return nil, diag.Errorf(src.At(1, 1), "a plot takes one table; %s is a second one", v.Name)
		}
		p.Data, p.Header = v.Value.String(), v.ColNames
	}
	if _, err := ParseSpec(p.Text); err != nil {
		return nil, placed(src, err)
	}
	script, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	return &compile.Artifact{Lane: "plot", Shape: src.Shape, Digest: src.Key(version), Script: string(script)}, nil
}

// substitute puts the value of a variable where the text says $name, as ob-dot
// does.
func substitute(text, name, with string) string {
	return regexp.MustCompile(`\$`+regexp.QuoteMeta(name)+`\b`).ReplaceAllLiteralString(text, strings.ReplaceAll(with, "\n", " "))
}

// placed puts a mistake where it stands in the org file.
func placed(src *compile.Source, err error) error {
	var spec *SpecError
	var column *ColumnError
	switch {
	case errors.As(err, &spec):
		return diag.Errorf(src.At(spec.Line, spec.Col), "%s", spec.Message).WithHint(spec.Hint)
	case errors.As(err, &column):
		for i, line := range strings.Split(src.Body, "\n") {
			if at := strings.Index(line, column.Name); at >= 0 && strings.Contains(line[:at], ":") {
				return diag.Errorf(src.At(i+1, at+1), "%v", err).WithHint(column.Hint)
			}
		}
		return diag.Errorf(src.At(1, 1), "%v", err).WithHint(column.Hint)
	}
	return diag.Errorf(src.At(1, 1), "%v", err)
}

// Run draws the picture. Its fuel is one unit a byte drawn.
func (l lane) Run(_ context.Context, art *compile.Artifact, job *compile.Job) (*compile.Outcome, error) {
	start := time.Now()
	var p program
	if err := json.Unmarshal([]byte(art.Script), &p); err != nil {
		return nil, fmt.Errorf("plot artifact: %w", err)
	}
	src := job.Source
	if src == nil {
		src = &compile.Source{Body: p.Text}
	}
	spec, err := ParseSpec(p.Text)
	if err != nil {
		return nil, placed(src, err)
	}
	data, err := p.data(job)
	if err != nil {
		return nil, placed(src, err)
	}
	picture, err := Draw(spec, data, p.Header)
	if err != nil {
		return nil, placed(src, err)
	}
	if limit := job.Limits.Output; limit > 0 && int64(len(picture)) > limit {
		return nil, &sandbox.LimitError{Kind: sandbox.LimitOutput, Limit: limit}
	}
	out := &compile.Outcome{Value: value.OfString(picture), Stdout: []byte(picture)}
	out.Usage = sandbox.Usage{Fuel: int64(len(picture)), Wall: time.Since(start)}
	return out, nil
}

// data is the table: a variable's, an input's or standard input's.
func (p *program) data(job *compile.Job) (value.Value, error) {
	switch {
	case p.Data != "":
		return value.ParseJSON([]byte(p.Data))
	case len(job.Inputs) == 1:
		return job.Inputs[0].Value, nil
	case len(job.Inputs) > 1:
		return value.Nil(), fmt.Errorf("a plot takes one table, not %d inputs", len(job.Inputs))
	case len(job.Stdin) > 0:
		if v, err := value.ParseJSON(job.Stdin); err == nil {
			return v, nil
		}
		return compile.ImportTable(string(job.Stdin)), nil
	}
	return value.Nil(), errors.New("a plot needs a table: give it one with :var data=NAME")
}
