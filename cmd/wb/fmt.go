package main

import (
	"fmt"

	"wb/org/orgfile"
	"wb/workbook/format"
)

// fmtCmd tidies org files as Emacs does, and changes nothing else.
type fmtCmd struct {
	Files        []string `arg:"" help:"Org files."`
	Check        bool     `help:"Change nothing; list the files that are not tidy and exit with 1."`
	KeepFormulas bool     `help:"Do not recompute #+TBLFM: formulas."`
}

func (c *fmtCmd) Help() string {
	return "Examples:\n  wb fmt notes.org\n  wb fmt --check *.org\n\nAligns tables, tags and properties and recomputes simple table formulas; blocks\nand results are left alone."
}

func (c *fmtCmd) Run(a *app) error {
	var changed []string
	for _, name := range c.Files {
		f, err := orgfile.Read(name)
		if err != nil {
			return err
		}
		edits, notes := format.Edits(f.Doc, format.Options{KeepFormulas: c.KeepFormulas})
		for _, n := range notes {
			a.note("%s:%s", name, n)
		}
		if len(edits) == 0 {
			continue
		}
		changed = append(changed, name)
		if c.Check {
			continue
		}
		if _, err := f.Apply(edits); err != nil {
			return err
		}
	}
	if a.json {
		if err := a.answer("fmt", changed, nil); err != nil {
			return err
		}
	} else {
		for _, name := range changed {
			fmt.Fprintln(a.std.Out, name)
		}
	}
	if c.Check && len(changed) > 0 {
		return alreadyReported(exitFailed)
	}
	return nil
}
