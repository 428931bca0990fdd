package app

import (
	"context"
	"fmt"
	"io"
	"strings"

	"wb/workbook"
)

// PlanIn holds the arguments of wb plan.
type PlanIn struct {
	File  string `arg:"" help:"Workbook, or - for standard input."`
	Dot   bool   `on:"terminal" help:"Print Graphviz source." xor:"form"`
	SVG   bool   `on:"terminal" name:"svg" help:"Print a picture." xor:"form"`
	Shape string `enum:"flat,nested" default:"flat" help:"Layout of the JSON: flat components and edges, or nested workflows (${enum})."`

	Grant     []string `on:"terminal" help:"Show where programs would run if this were granted, as for wb run." placeholder:"CAP"`
	Profile   string   `on:"terminal" enum:"compute,minimal,network,posix" default:"compute" help:"The same for a profile (${enum})."`
	TrustTier string   `on:"terminal" name:"trust-tier" enum:"auto,instance,process,container,node" default:"auto" help:"The same for the tier of third-party documents (${enum})."`

	Stdin
}

// PlanOut is the plan of a workbook.
type PlanOut struct {
	Plan   *workbook.Plan
	Placed []workbook.Placement
	in     *PlanIn
	data   any
}

// Data is the plan as programs read it.
func (out *PlanOut) Data() any { return out.data }

var plan = Verb[PlanIn, *PlanOut]{
	Name: "plan", Help: "Show the components of a workbook and how values flow.",
	Model: "The components of a workbook and how values flow between them, as JSON.",
	About: `Examples:
  wb plan analysis.org --svg > plan.svg
  wb plan analysis.org | jq .imports
  wb plan analysis.org --grant net:api.example.com | jq .placement

Placement says which programs wb run --workers or --nats would send to workers,
and why the others stay with the caller: they share a :session, were granted
something of the dock, or read the clock or random numbers.`,
	Doors: Tools | Agents | Editors,
	Do: func(ctx context.Context, h *Home, in *PlanIn) (*PlanOut, error) {
		name, _, src, err := in.at(h).Read(in.File)
		if err != nil {
			return nil, err
		}
		return PlanOf(ctx, h, in, workbook.NewPlan(name, src), src)
	},
	Text: func(p *Page, out *PlanOut) error {
		var err error
		switch {
		case out.in.Dot:
			_, err = io.WriteString(p, out.Plan.DOT())
		case out.in.SVG:
			_, err = io.WriteString(p, out.Plan.SVG())
		case p.Reader == Person:
			err = out.text(p)
		default:
			err = p.JSON(out.data)
		}
		return err
	},
}

// PlanOf answers for a workbook that was read.
func PlanOf(ctx context.Context, h *Home, in *PlanIn, p *workbook.Plan, src []byte) (*PlanOut, error) {
	out := &PlanOut{Plan: p, in: in}
	var err error
	if !in.Dot && !in.SVG {
		if out.Placed, err = in.place(ctx, h, p, src); err != nil {
			return nil, err
		}
		for _, problem := range p.Problems {
			h.notef("%s", problem)
		}
	}
	out.data, err = p.JSON(workbook.PlanShape(in.Shape), out.Placed...)
	return out, err
}

// place says where the programs of a run with these flags would run. What was
// granted for good matters only where something is asked for.
func (in *PlanIn) place(ctx context.Context, h *Home, p *workbook.Plan, src []byte) ([]workbook.Placement, error) {
	opts := workbook.Options{
		Book:      workbook.Book{File: p.File, Source: src},
		Authority: workbook.Authority{Grants: in.Grant, Profile: in.Profile},
	}
	if in.TrustTier != "auto" {
		opts.TrustTier = in.TrustTier
	}
	if h.Prepare != nil && len(workbook.Asks(p)) > 0 {
		finish, err := h.Prepare(ctx, &opts)
		if err != nil {
			return nil, err
		}
		defer func() { h.warn(finish(context.WithoutCancel(ctx))) }()
	}
	return workbook.Placements(p, opts.Authority, opts.Venue), nil
}

// text is the plan for a person: every component, what it takes and gives, and
// where it would run.
func (out *PlanOut) text(w io.Writer) error {
	at := map[string]workbook.Placement{}
	number := map[workbook.Where]int{}
	for _, one := range out.Placed {
		at[one.Component] = one
		number[one.Where]++
	}
	for _, comp := range out.Plan.Order() {
		fmt.Fprintf(w, "%-28s %-10s", comp.ID, comp.Lang)
		var in []string
		for _, i := range comp.In {
			source := i.Name
			if i.From.Component != "" {
				source = i.Name + "=" + i.From.Component
			}
			in = append(in, source)
		}
		if len(in) > 0 {
			fmt.Fprintf(w, " ← %s", strings.Join(in, ", "))
		}
		if one := at[comp.ID]; one.Where == workbook.AtCaller {
			fmt.Fprintf(w, "  (stays with the caller: %s)", one.Why)
		}
		fmt.Fprintln(w)
	}
	for _, i := range out.Plan.Imports {
		fmt.Fprintf(w, "import %s (give it with --set %s=…)\n", i.Name, i.Name)
	}
	if away, here := number[workbook.AtWorkers], number[workbook.AtCaller]; away+here > 0 {
		fmt.Fprintf(w, "with workers (wb run --workers N): %s there, %d here\n", Count(away, "program"), here)
	}
	return nil
}

// Count is a number of things in words.
func Count(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}
