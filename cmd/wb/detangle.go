package main

import (
	"fmt"
	"io"
	"strings"

	"wb/app"
	"wb/internal/diag"
	"wb/tangle"
)

// detangleCmd brings edits of tangled files back into their documents.
type detangleCmd struct {
	Files  []string `arg:"" help:"Tangled files, or documents to mean all their files."`
	Check  bool     `help:"Write nothing; fail when there are edits." xor:"mode"`
	DryRun bool     `help:"Write nothing; show what would change." xor:"mode"`
}

func (c *detangleCmd) Help() string {
	return `Examples:
  wb detangle src/main.py
  wb detangle --dry-run notes.org

An edit comes back to the block it belongs to. Where both sides changed, or the text belongs to no block, both texts are shown and the file keeps its edit.`
}

func (c *detangleCmd) Run(a *terminal) error {
	project := app.NewProject(false)
	return app.WithBlocks(a.ctx, a.home(), project, func() error { return c.detangle(a, project) })
}

func (c *detangleCmd) detangle(a *terminal, project *tangle.Project) error {
	all, err := project.Detangle(a.ctx, c.Files, !c.Check && !c.DryRun)
	if err != nil {
		return err
	}
	data := make([]tangle.RecoveryJSON, len(all))
	edits, conflicts := 0, 0
	for i, r := range all {
		data[i] = r.JSON()
		edits += len(r.Applied)
		conflicts += len(r.Conflicts)
	}
	if edits+conflicts == 0 {
		a.note("nothing to detangle in %s", strings.Join(c.Files, ", "))
	}
	err = a.answer("detangle", data, func(w io.Writer) error {
		for _, r := range all {
			if c.DryRun {
				if _, err := io.WriteString(w, r.Diff()); err != nil {
					return err
				}
			}
			a.recovered(w, r)
		}
		return nil
	})
	switch {
	case err != nil:
		return err
	case conflicts > 0:
		return diag.Told(diag.ExitConflict)
	case c.Check && edits > 0:
		return diag.Told(diag.ExitFailed)
	}
	return nil
}

// recovered shows what came back and what did not.
func (a *terminal) recovered(w io.Writer, r *tangle.Recovery) {
	for _, back := range r.Applied {
		block := back.Block
		if block == "" {
			block = "unnamed block"
		}
		fmt.Fprintf(w, "%s:%d: from %s:%d, %s\n", r.Doc, back.Doc, r.Rel(back.File), back.Line, block)
	}
	for _, conflict := range r.Conflicts {
		fmt.Fprintf(w, "%s:%d: conflict: %s\n", r.Rel(conflict.File), conflict.Line, conflict.Reason)
		for _, line := range conflict.Doc {
			fmt.Fprintf(w, "  document  %s\n", line)
		}
		for _, line := range conflict.Edit {
			fmt.Fprintf(w, "  edited    %s\n", line)
		}
	}
}
