package main

import (
	"os"
	"path/filepath"

	"wb/app"
	"wb/internal/diag"
	"wb/internal/trace"
)

// ledgerCmd checks the signed record of what runs did.
type ledgerCmd struct {
	Verify ledgerVerifyCmd `cmd:"" help:"Check that no recorded line was changed since its run was sealed."`
}

type ledgerVerifyCmd struct {
	File string `arg:"" help:"A _ledger.json, a _steps.jsonl, an events.org, a workbook, or the directory they lie in."`
}

func (c *ledgerVerifyCmd) Help() string {
	return "Example:\n  wb ledger verify analysis.org\n\nExits with 5 when a sealed line is not as it was and names the first such line."
}

func (c *ledgerVerifyCmd) Run(a *terminal) error {
	info, err := os.Stat(c.File)
	if os.IsNotExist(err) {
		return app.MissingFile(c.File)
	}
	if err != nil {
		return err
	}
	dir := c.File
	if !info.IsDir() {
		dir = filepath.Dir(c.File)
	}
	files := trace.FilesIn(dir)
	report, err := trace.VerifyFiles(files)
	if os.IsNotExist(err) {
		return diag.NotFoundf("wb run writes one at the end of every run", "no ledger in %s", dir)
	}
	if err != nil {
		return err
	}
	if err := a.answerText("ledger", report, report.Summary()); err != nil {
		return err
	}
	if !report.TamperEvident {
		return diag.Told(diag.ExitVerify)
	}
	return nil
}
