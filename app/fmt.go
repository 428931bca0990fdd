package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"

	"wb/compile"
	"wb/internal/diag"
	"wb/internal/textdiff"
	"wb/internal/value"
	"wb/org"
	"wb/org/orgfile"
	"wb/workbook"
	"wb/workbook/format"
)

// FmtIn holds the arguments of wb fmt.
type FmtIn struct {
	Files        []string `arg:"" json:"file" help:"Org files, or - to tidy standard input to standard output."`
	Check        bool     `help:"Change nothing; list the files that are not tidy and exit with 1." xor:"mode"`
	DryRun       bool     `help:"Change nothing; show what would change." xor:"mode"`
	KeepQueries  bool     `help:"Do not answer wb-query blocks."`
	KeepFormulas bool     `help:"Do not recompute #+TBLFM: formulas."`
	Recalc       bool     `help:"Let Org itself recompute #+TBLFM: formulas, in the sandbox, and tidy nothing else."`
}

// FmtOut is the files that are not tidy, or were not.
type FmtOut struct {
	Changed []string
	shown   []byte // a diff, or the tidy text
	failed  error  // about tables that cannot be recalculated
	untidy  bool   // the check fails
	text    bool   // shown is the answer
}

// Data is the files as programs read them.
func (out *FmtOut) Data() any { return out.Changed }

// Err is about tables that cannot be recalculated; the others were.
func (out *FmtOut) Err() error { return out.failed }

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
  wb fmt --recalc budget.org

Aligns tables, tags and properties, recomputes simple table formulas and answers
wb-query blocks; other blocks and results are left alone. With --recalc, the
toolchain emacs recomputes all formulas, those of Calc and Emacs Lisp too, once, as
C-c * does in each table.`,
	Doors: Agents,
	Do: func(ctx context.Context, h *Home, in *FmtIn) (*FmtOut, error) {
		if len(in.Files) == 1 && in.Files[0] == "-" && h.Stdin != nil {
			return in.filter(ctx, h)
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
	neat, err := in.tidy(ctx, h, name, path, src, out)
	if err != nil {
		return err
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
		return diag.Busyf("run it again", "%s: another program changed it meanwhile", path)
	}
	_, err = f.Write(neat)
	return err
}

// tidy answers the query blocks of a file, then formats it; or it only recalculates
// the file's tables.
func (in *FmtIn) tidy(ctx context.Context, h *Home, name, file string, src []byte, out *FmtOut) ([]byte, error) {
	if in.Recalc {
		return recalc(ctx, h, name, file, src, out)
	}
	var notes []format.Note
	if !in.KeepQueries && h.Root == nil && file != "-" { // a query block may name files anywhere
		var err error
		if src, notes, err = workbook.RefreshQueries(ctx, file, src, workbook.QueryOptions{}); err != nil {
			return nil, err
		}
	}
	neat, more := format.Format(src, format.Options{KeepFormulas: in.KeepFormulas})
	for _, n := range append(notes, more...) {
		h.notef("%s:%s", name, n)
	}
	return neat, nil
}

// recalc lets Org recalculate the tables of a file.
func recalc(ctx context.Context, h *Home, name, file string, src []byte, out *FmtOut) ([]byte, error) {
	if workbook.ThirdParty(org.Parse(src)) {
		return nil, diag.Failedf("remove #+TRUST: if the document is yours", "%s: the formulas of a third-party document are not evaluated", name)
	}
	lanes, err := h.lanes(ctx)
	if err != nil {
		return nil, err
	}
	emacs := lanes.Lisp()
	if emacs == nil {
		return nil, errors.New("recalculating tables needs the toolchain emacs, which is not installed")
	}
	doc := &compile.Document{Name: path.Base(filepath.ToSlash(name)), Call: blocksOf(h, file, lanes)}
	neat, found, err := format.Recalc(ctx, emacs, name, doc, src)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	var failed []diag.Finding
	for _, f := range found {
		if f.Severity == diag.Error {
			failed = append(failed, f)
		} else {
			h.notef("%s", f)
		}
	}
	if failed != nil {
		out.failed = errors.Join(out.failed, &diag.FindingsError{Findings: failed})
	}
	return neat, nil
}

// blocksOf runs blocks of a file that its formulas call (org-sbe), as a run of them
// would, with what was granted to the file.
func blocksOf(h *Home, file string, lanes *compile.Registry) compile.Caller {
	return func(ctx context.Context, text, call string) (v value.Value, err error) {
		src := []byte(text)
		opts := workbook.Options{Book: workbook.Book{File: file, Source: src, Lanes: lanes},
			Checks: workbook.Checks{Lint: func(*workbook.Plan) []diag.Finding { return nil }}}
		if h.Prepare != nil && len(workbook.Asks(workbook.NewPlan(file, src))) > 0 {
			finish, err := h.Prepare(ctx, &opts)
			if err != nil {
				return v, err
			}
			defer func() { h.warn(finish(context.WithoutCancel(ctx))) }()
		}
		return workbook.Resolve(ctx, opts, call)
	}
}

// filter tidies standard input to standard output.
func (in *FmtIn) filter(ctx context.Context, h *Home) (*FmtOut, error) {
	src, err := io.ReadAll(h.Stdin)
	if err != nil {
		return nil, err
	}
	out := &FmtOut{}
	neat, err := in.tidy(ctx, h, "-", "-", src, out)
	if err != nil {
		return nil, err
	}
	if in.Check {
		out.untidy = string(neat) != string(src)
		return out, nil
	}
	out.shown, out.text = neat, true
	return out, nil
}
