package app

import (
	"context"
	"io"
	"strings"

	"wb/internal/diag"
	"wb/tangle"
)

// DetangleIn holds the arguments of wb detangle.
type DetangleIn struct {
	Files  []string `arg:"" help:"Tangled files, or documents to mean all their files."`
	Check  bool     `help:"Write nothing; fail when there are edits." xor:"mode"`
	DryRun bool     `help:"Write nothing; show what would change." xor:"mode"`
}

// DetangleOut lists the edits brought back into documents, and those that were not.
type DetangleOut struct {
	all []*tangle.Recovery
	in  *DetangleIn
}

// Data is the edits as programs read them.
func (out *DetangleOut) Data() any {
	data := make([]tangle.RecoveryJSON, len(out.all))
	for i, r := range out.all {
		data[i] = r.JSON()
	}
	return data
}

func (out *DetangleOut) count() (edits, conflicts int) {
	for _, r := range out.all {
		edits += len(r.Applied)
		conflicts += len(r.Conflicts)
	}
	return edits, conflicts
}

// Exit is 6 for conflicts, and 1 when a check finds edits.
func (out *DetangleOut) Exit() int {
	switch edits, conflicts := out.count(); {
	case conflicts > 0:
		return diag.ExitConflict
	case out.in.Check && edits > 0:
		return diag.ExitFailed
	}
	return 0
}

var detangle = Verb[DetangleIn, *DetangleOut]{
	Name: "detangle", Help: "Bring edits of tangled files back into their documents.", Changes: true,
	About: `Examples:
  wb detangle src/main.py
  wb detangle --dry-run notes.org

An edit comes back to the block it belongs to. Where both sides changed, or the text belongs to no block, both texts are shown and the file keeps its edit.`,
	Do: func(ctx context.Context, h *Home, in *DetangleIn) (*DetangleOut, error) {
		out := &DetangleOut{in: in}
		project := NewProject(false)
		err := WithBlocks(ctx, h, project, func() (err error) {
			out.all, err = project.Detangle(ctx, in.Files, !in.Check && !in.DryRun)
			return err
		})
		if err != nil {
			return nil, err
		}
		if edits, conflicts := out.count(); edits+conflicts == 0 {
			h.notef("nothing to detangle in %s", strings.Join(in.Files, ", "))
		}
		return out, nil
	},
	Text: func(p *Page, out *DetangleOut) error {
		for _, r := range out.all {
			if out.in.DryRun {
				if _, err := io.WriteString(p, r.Diff()); err != nil {
					return err
				}
			}
			p.Recovered(r)
		}
		return nil
	},
}

// Recovered shows what came back and what did not.
func (p *Page) Recovered(r *tangle.Recovery) {
	for _, back := range r.Applied {
		block := back.Block
		if block == "" {
			block = "unnamed block"
		}
		p.Printf("%s:%d: from %s:%d, %s\n", r.Doc, back.Doc, r.Rel(back.File), back.Line, block)
	}
	for _, conflict := range r.Conflicts {
		p.Printf("%s:%d: conflict: %s\n", r.Rel(conflict.File), conflict.Line, conflict.Reason)
		for _, line := range conflict.Doc {
			p.Printf("  document  %s\n", line)
		}
		for _, line := range conflict.Edit {
			p.Printf("  edited    %s\n", line)
		}
	}
}
