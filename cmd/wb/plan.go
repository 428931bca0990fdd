package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"wb/workbook"
)

// planCmd shows a workbook's components and how values flow, running nothing.
type planCmd struct {
	File  string `arg:"" help:"Workbook, or - for standard input."`
	Dot   bool   `help:"Print Graphviz source." xor:"form"`
	SVG   bool   `name:"svg" help:"Print a picture." xor:"form"`
	Shape string `enum:"flat,nested" default:"flat" help:"Layout of the JSON: flat components and edges, or nested workflows (${enum})."`

	Grant     []string `help:"Say where programs would run if this were granted, as for wb run." placeholder:"CAP"`
	Profile   string   `enum:"compute,minimal,network,posix" default:"compute" help:"The same for a profile (${enum})."`
	TrustTier string   `name:"trust-tier" enum:"auto,instance,process,container,node" default:"auto" help:"The same for the tier of third-party documents (${enum})."`

	stdinFlag
}

func (c *planCmd) Help() string {
	return `Examples:
  wb plan analysis.org --svg > plan.svg
  wb plan analysis.org | jq .imports
  wb plan analysis.org --grant net:api.example.com | jq .placement

Placement says which programs wb run --workers or --nats would send to workers,
and why the others stay with the caller: they share a :session, were granted
something of the dock, or read the clock or random numbers.`
}

func (c *planCmd) Run(a *app) error {
	file, src, err := c.read(a, c.File)
	if err != nil {
		return err
	}
	p := workbook.NewPlan(file, src)
	switch {
	case c.Dot:
		_, err = io.WriteString(a.std.Out, p.DOT())
		return err
	case c.SVG:
		_, err = io.WriteString(a.std.Out, p.SVG())
		return err
	}
	placed, err := c.place(a, p, src)
	if err != nil {
		return err
	}
	data, err := p.JSON(workbook.PlanShape(c.Shape), placed...)
	if err != nil {
		return err
	}
	switch {
	case a.json:
		return a.answer("plan", data, nil)
	case isTerminal(a.std.Out):
		return c.text(a, a.std.Out, p, placed)
	}
	for _, problem := range p.Problems {
		a.note("%s", problem)
	}
	return a.bare(data)
}

// place says where the programs of a run with these flags would run.
func (c *planCmd) place(a *app, p *workbook.Plan, src []byte) ([]workbook.Placement, error) {
	opts := workbook.Options{File: p.File, Source: src, Grants: c.Grant, Profile: c.Profile}
	if c.TrustTier != "auto" {
		opts.TrustTier = c.TrustTier
	}
	if len(workbook.Asks(p)) > 0 { // what was granted for good matters only then
		finish, err := a.grant(a.ctx, &opts)
		if err != nil {
			return nil, err
		}
		defer finish()
	}
	return workbook.Placements(p, opts), nil
}

// text is the plan for a person: every component, what it takes and gives, and
// where it would run.
func (c *planCmd) text(a *app, w io.Writer, p *workbook.Plan, placed []workbook.Placement) error {
	at := map[string]workbook.Placement{}
	number := map[workbook.Where]int{}
	for _, one := range placed {
		at[one.Component] = one
		number[one.Where]++
	}
	for _, comp := range p.Order() {
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
	for _, i := range p.Imports {
		fmt.Fprintf(w, "import %s (give it with --set %s=…)\n", i.Name, i.Name)
	}
	if away, here := number[workbook.AtWorkers], number[workbook.AtCaller]; away+here > 0 {
		fmt.Fprintf(w, "with workers (wb run --workers N): %s there, %d here\n", count(away, "program"), here)
	}
	for _, problem := range p.Problems {
		a.note("%s", problem)
	}
	return nil
}

// loadPlan reads a workbook; a missing file names the nearest one.
func loadPlan(file string) (*workbook.Plan, error) {
	src, err := os.ReadFile(file)
	if os.IsNotExist(err) {
		return nil, missingFile(file)
	}
	if err != nil {
		return nil, err
	}
	return workbook.NewPlan(file, src), nil
}
