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

	stdinFlag
}

func (c *planCmd) Help() string {
	return "Example:\n  wb plan analysis.org --svg > plan.svg\n  wb plan analysis.org | jq .imports"
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
	data, err := p.JSON(workbook.PlanShape(c.Shape))
	if err != nil {
		return err
	}
	switch {
	case a.json:
		return a.answer("plan", data, nil)
	case isTerminal(a.std.Out):
		return c.text(a, p)
	}
	for _, problem := range p.Problems {
		a.note("%s", problem)
	}
	return a.bare(data)
}

// text is the plan for a person: every component, what it takes and gives.
func (c *planCmd) text(a *app, p *workbook.Plan) error {
	for _, comp := range p.Order() {
		fmt.Fprintf(a.std.Out, "%-28s %-10s", comp.ID, comp.Lang)
		var in []string
		for _, i := range comp.In {
			source := i.Name
			if i.From.Component != "" {
				source = i.Name + "=" + i.From.Component
			}
			in = append(in, source)
		}
		if len(in) > 0 {
			fmt.Fprintf(a.std.Out, " ← %s", strings.Join(in, ", "))
		}
		fmt.Fprintln(a.std.Out)
	}
	for _, i := range p.Imports {
		fmt.Fprintf(a.std.Out, "import %s (give it with --set %s=…)\n", i.Name, i.Name)
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
