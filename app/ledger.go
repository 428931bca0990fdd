package app

import (
	"context"
	"os"
	"path/filepath"

	"wb/internal/diag"
	"wb/internal/trace"
)

// LedgerVerifyIn holds the arguments of wb ledger verify.
type LedgerVerifyIn struct {
	File string `arg:"" help:"A _ledger.json, a _steps.jsonl, an events.org, a workbook, or the directory that holds them."`
}

// LedgerOut is the result of checking the signed record of runs.
type LedgerOut struct{ *trace.LedgerReport }

// Exit is 5 when a sealed line is not as it was.
func (out LedgerOut) Exit() int {
	if out.TamperEvident {
		return 0
	}
	return diag.ExitVerify
}

var ledgerVerify = Verb[LedgerVerifyIn, LedgerOut]{
	Name: "ledger verify", Help: "Check that no recorded line was changed since its run was sealed.",
	About: "Example:\n  wb ledger verify analysis.org\n\nExits with 5 when a sealed line is not as it was and names the first such line.",
	Do: func(_ context.Context, _ *Home, in *LedgerVerifyIn) (LedgerOut, error) {
		info, err := os.Stat(in.File)
		if err != nil {
			return LedgerOut{}, missing(in.File, err)
		}
		dir := in.File
		if !info.IsDir() {
			dir = filepath.Dir(in.File)
		}
		report, err := trace.VerifyFiles(trace.FilesIn(dir))
		if os.IsNotExist(err) {
			err = diag.NotFoundf("wb run writes a ledger at the end of every run", "no ledger in %s", dir)
		}
		return LedgerOut{report}, err
	},
	Text: func(p *Page, out LedgerOut) error { p.Printf("%s\n", out.Summary()); return nil },
}
