package main

import (
	"bytes"
	"fmt"
	"io"

	"wb/internal/textdiff"
	"wb/org"
	"wb/org/orgfile"
	"wb/workbook/format"
)

// fmtCmd tidies org files as Emacs does, and changes nothing else.
type fmtCmd struct {
	Files        []string `arg:"" help:"Org files, or - to tidy standard input to standard output."`
	Check        bool     `help:"Change nothing; list the files that are not tidy and exit with 1." xor:"mode"`
	DryRun       bool     `help:"Change nothing; show what would change." xor:"mode"`
	KeepFormulas bool     `help:"Do not recompute #+TBLFM: formulas."`
}

func (c *fmtCmd) Help() string {
	return "Examples:\n  wb fmt notes.org\n  wb fmt --check *.org\n\nAligns tables, tags and properties and recomputes simple table formulas; blocks\nand results are left alone."
}

func (c *fmtCmd) Run(a *app) error {
	if len(c.Files) == 1 && c.Files[0] == "-" {
		return c.filter(a)
	}
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
		if c.DryRun {
			tidy, err := org.Apply(f.Doc.Bytes(), edits)
			if err != nil {
				return err
			}
			fmt.Fprint(a.std.Out, textdiff.Unified(name, name, f.Doc.Source(), string(tidy)))
		}
		if c.Check || c.DryRun {
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
	} else if !c.DryRun {
		for _, name := range changed {
			fmt.Fprintln(a.std.Out, name)
		}
	}
	if c.Check && len(changed) > 0 {
		return alreadyReported(exitFailed)
	}
	return nil
}

// filter tidies standard input to standard output.
func (c *fmtCmd) filter(a *app) error {
	src, err := io.ReadAll(a.std.In)
	if err != nil {
		return err
	}
	tidy, notes := format.Format(src, format.Options{KeepFormulas: c.KeepFormulas})
	for _, n := range notes {
		a.note("-:%s", n)
	}
	if c.Check {
		if !bytes.Equal(src, tidy) {
			return alreadyReported(exitFailed)
		}
		return nil
	}
	_, err = a.std.Out.Write(tidy)
	return err
}
