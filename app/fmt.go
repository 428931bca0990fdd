package app

import (
	"context"
	"fmt"
	"io"

	"wb/internal/diag"
	"wb/internal/textdiff"
	"wb/org/orgfile"
	"wb/workbook"
	"wb/workbook/format"
)

// FmtIn is what wb fmt takes.
type FmtIn struct {
	Files        []string `arg:"" json:"file" help:"Org files, or - to tidy standard input to standard output."`
	Check        bool     `help:"Change nothing; list the files that are not tidy and exit with 1." xor:"mode"`
	DryRun       bool     `help:"Change nothing; show what would change." xor:"mode"`
	KeepQueries  bool     `help:"Do not answer wb-query blocks."`
	KeepFormulas bool     `help:"Do not recompute #+TBLFM: formulas."`
}

// FmtOut is the files that are not tidy, or were not.
type FmtOut struct {
	Changed []string
	shown   []byte // a diff, or the tidy text
	untidy  bool   // the check fails
	text    bool   // shown is the answer
}

// Data is the files as programs read them.
func (out *FmtOut) Data() any { return out.Changed }

// Exit is 1 when a check fails.
func (out *FmtOut) Exit() int {
	if out.untidy {
		return diag.ExitFailed
	}
	return 0
}

var tidy = Verb[FmtIn, *FmtOut]{
	Name: "fmt", Help: "Tidy tables, tags and properties as Emacs does.",
	Model: "The file as it would be tidied: tables, tags and properties as Emacs has them.",
	About: `Examples:
  wb fmt notes.org
  wb fmt --check *.org

Aligns tables, tags and properties, recomputes simple table formulas and answers
wb-query blocks; other blocks and results are left alone.`,
	Doors: Agents,
	Do: func(ctx context.Context, h *Home, in *FmtIn) (*FmtOut, error) {
		if len(in.Files) == 1 && in.Files[0] == "-" && h.Stdin != nil {
			return in.filter(h)
		}
		out := &FmtOut{text: in.DryRun}
		for _, name := range in.Files {
			if err := in.file(ctx, h, name, out); err != nil {
				return nil, err
			}
		}
		out.untidy = in.Check && len(out.Changed) > 0
		return out, nil
	},
	Text: func(p *Page, out *FmtOut) error {
		if out.text {
			_, err := p.Write(out.shown)
			return err
		}
		for _, name := range out.Changed {
			fmt.Fprintln(p, name)
		}
		return nil
	},
}

// file tidies one file.
func (in *FmtIn) file(ctx context.Context, h *Home, file string, out *FmtOut) error {
	name, path, src, err := h.Read(file)
	if err != nil {
		return err
	}
	neat, notes, err := in.tidy(ctx, h, path, src)
	if err != nil {
		return err
	}
	for _, n := range notes {
		h.notef("%s:%s", name, n)
	}
	if h.Root != nil && !in.Check && !in.DryRun { // who only looks is shown the text
		out.text, out.shown = true, append(out.shown, neat...)
		return nil
	}
	if string(neat) == string(src) {
		return nil
	}
	out.Changed = append(out.Changed, name)
	if in.DryRun {
		out.shown = append(out.shown, textdiff.Unified(name, name, string(src), string(neat))...)
	}
	if in.Check || in.DryRun {
		return nil
	}
	return replace(path, src, neat)
}

// replace writes a file that was read, unless somebody else has changed it.
func replace(path string, old, neat []byte) error {
	f, err := orgfile.Read(path)
	if err != nil {
		return err
	}
	if f.Doc.Source() != string(old) {
		return diag.Busyf("run it again", "%s: it changed underneath", path)
	}
	_, err = f.Write(neat)
	return err
}

// tidy answers the query blocks of a file, then formats it.
func (in *FmtIn) tidy(ctx context.Context, h *Home, path string, src []byte) ([]byte, []format.Note, error) {
	var notes []format.Note
	if !in.KeepQueries && h.Root == nil { // a query block may name files anywhere
		var err error
		if src, notes, err = workbook.RefreshQueries(ctx, path, src, workbook.QueryOptions{}); err != nil {
			return nil, nil, err
		}
	}
	out, more := format.Format(src, format.Options{KeepFormulas: in.KeepFormulas})
	return out, append(notes, more...), nil
}

// filter tidies standard input to standard output.
func (in *FmtIn) filter(h *Home) (*FmtOut, error) {
	src, err := io.ReadAll(h.Stdin)
	if err != nil {
		return nil, err
	}
	neat, notes := format.Format(src, format.Options{KeepFormulas: in.KeepFormulas})
	for _, n := range notes {
		h.notef("-:%s", n)
	}
	if in.Check {
		return &FmtOut{untidy: string(neat) != string(src)}, nil
	}
	return &FmtOut{shown: neat, text: true}, nil
}
