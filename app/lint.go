package app

import (
	"cmp"
	"context"
	"slices"

	"wb/agent/host"
	"wb/compile"
	"wb/internal/diag"
	"wb/workbook"
)

// Lint finds the mistakes of a document, of its agents too.
func Lint(file string, src []byte, lanes *compile.Registry) []diag.Finding {
	return LintPlan(workbook.NewPlan(file, src), src, lanes)
}

// LintPlan is Lint for a document that has been planned.
func LintPlan(p *workbook.Plan, src []byte, lanes *compile.Registry) []diag.Finding {
	found := workbook.LintPlan(p, workbook.LintOptions{Languages: lanes, Called: host.Called(p.File, src)})
	found = append(found, host.Lint(p.File, src)...)
	slices.SortStableFunc(found, func(a, b diag.Finding) int {
		return cmp.Or(cmp.Compare(a.Pos.Line, b.Pos.Line), cmp.Compare(a.Pos.Col, b.Pos.Col))
	})
	return slices.Compact(found)
}

// LintIn holds the arguments of wb lint.
type LintIn struct {
	Files   []string `arg:"" json:"file" help:"Workbooks, or - for standard input; with --upgrade the old and the new version."`
	Upgrade bool     `help:"Compare the interfaces of two versions: OLD NEW."`

	Stdin
}

// LintOut lists the mistakes in documents.
type LintOut []diag.Finding

// Exit is 1 when a finding is an error.
func (found LintOut) Exit() int {
	if diag.HasErrors(found) {
		return diag.ExitFailed
	}
	return 0
}

var lint = Verb[LintIn, LintOut]{
	Name: "lint", Help: "Report mistakes, with places and hints.",
	Model: "The mistakes in a workbook, with places and hints.",
	About: `Examples:
  wb lint notes/*.org
  wb lint --upgrade analysis-v1.org analysis.org`,
	List:  "diagnostics",
	Doors: Tools | Agents,
	Do: func(ctx context.Context, h *Home, in *LintIn) (LintOut, error) {
		if in.Upgrade {
			return in.upgrade(in.at(h))
		}
		lanes, err := h.lanes(ctx)
		if err != nil {
			return nil, err
		}
		found := LintOut{}
		for _, file := range in.Files {
			name, path, src, err := in.at(h).Read(file)
			if err != nil {
				return nil, err
			}
			found = append(found, Lint(name, src, lanes)...)
			found = append(found, h.missingPictures(name, path, src)...)
		}
		return found, nil
	},
	Text: func(p *Page, found LintOut) error {
		diag.Printer{W: p, Colour: p.Colour}.Findings(found)
		if len(found) == 0 && p.Reader == Model {
			_, err := p.Write([]byte("no mistakes found"))
			return err
		}
		return nil
	},
}

// upgrade compares what two versions of a workbook show of themselves.
func (in *LintIn) upgrade(h *Home) (LintOut, error) {
	if len(in.Files) != 2 {
		return nil, diag.Usagef("wb lint --upgrade OLD NEW", "--upgrade takes the old and the new version")
	}
	var plans [2]*workbook.Plan
	for i, file := range in.Files {
		name, _, src, err := h.Read(file)
		if err != nil {
			return nil, err
		}
		plans[i] = workbook.NewPlan(name, src)
	}
	found := workbook.CheckUpgrade(plans[0], plans[1])
	if found == nil {
		found = LintOut{}
	}
	return found, nil
}
