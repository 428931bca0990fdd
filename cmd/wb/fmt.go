package main

import (
	"bytes"
	"fmt"
	"io"

	"wb/internal/diag"
	"wb/internal/textdiff"
	"wb/org/orgfile"
	"wb/workbook"
	"wb/workbook/format"
)

// fmtCmd tidies org files as Emacs does, and changes nothing else.
type fmtCmd struct {
	Files        []string `arg:"" help:"Org files, or - to tidy standard input to standard output."`
	Check        bool     `help:"Change nothing; list the files that are not tidy and exit with 1." xor:"mode"`
	DryRun       bool     `help:"Change nothing; show what would change." xor:"mode"`
	KeepQueries  bool     `help:"Do not answer wb-query blocks."`
	KeepFormulas bool     `help:"Do not recompute #+TBLFM: formulas."`
}

func (c *fmtCmd) Help() string {
	return "Examples:\n  wb fmt notes.org\n  wb fmt --check *.org\n\nAligns tables, tags and properties, recomputes simple table formulas and answers\nwb-query blocks; other blocks and results are left alone."
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
		tidy, notes, err := c.tidy(a, name, []byte(f.Doc.Source()))
		if err != nil {
			return err
		}
		for _, n := range notes {
			a.note("%s:%s", name, n)
		}
		if string(tidy) == f.Doc.Source() {
			continue
		}
		changed = append(changed, name)
		if c.DryRun {
			fmt.Fprint(a.std.Out, textdiff.Unified(name, name, f.Doc.Source(), string(tidy)))
		}
		if c.Check || c.DryRun {
			continue
		}
		if _, err := f.Write(tidy); err != nil {
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
		return alreadyReported(diag.ExitFailed)
	}
	return nil
}

// tidy answers the query blocks of a file, then formats it.
func (c *fmtCmd) tidy(a *app, name string, src []byte) ([]byte, []format.Note, error) {
	var notes []format.Note
	if !c.KeepQueries {
		var err error
		if src, notes, err = workbook.RefreshQueries(a.ctx, name, src, workbook.QueryOptions{}); err != nil {
			return nil, nil, err
		}
	}
	out, more := format.Format(src, format.Options{KeepFormulas: c.KeepFormulas})
	return out, append(notes, more...), nil
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
			return alreadyReported(diag.ExitFailed)
		}
		return nil
	}
	_, err = a.std.Out.Write(tidy)
	return err
}
