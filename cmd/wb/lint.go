package main

import (
	"wb/agent/host"
	"wb/compile"
	"wb/internal/diag"
	"wb/workbook"
)

// lintCmd reports mistakes without running anything.
type lintCmd struct {
	Files   []string `arg:"" help:"Workbooks, or - for standard input; with --upgrade the old and the new version."`
	Upgrade bool     `help:"Compare the outside of two versions: OLD NEW."`

	stdinFlag
}

func (c *lintCmd) Help() string {
	return "Examples:\n  wb lint notes/*.org\n  wb lint --upgrade analysis-v1.org analysis.org"
}

func (c *lintCmd) Run(a *app) error {
	return a.withLanes(func(_ *compile.Env, languages *compile.Registry) error {
		found, err := c.findings(a, languages)
		if err != nil {
			return err
		}
		return c.report(a, found)
	})
}

func (c *lintCmd) report(a *app, found []diag.Finding) error {
	if a.json {
		if found == nil {
			found = []diag.Finding{}
		}
		if err := a.answer("lint", found, nil); err != nil {
			return err
		}
	} else {
		for _, d := range found {
			a.diagnostic(d)
		}
	}
	if workbook.HasErrors(found) {
		return alreadyReported(diag.ExitFailed)
	}
	return nil
}

func (c *lintCmd) findings(a *app, languages *compile.Registry) ([]diag.Finding, error) {
	if c.Upgrade {
		if len(c.Files) != 2 {
			return nil, &codedError{text: "--upgrade takes the old and the new version", code: diag.ExitUsage, hint: "wb lint --upgrade OLD NEW"}
		}
		old, err := loadPlan(c.Files[0])
		if err != nil {
			return nil, err
		}
		next, err := loadPlan(c.Files[1])
		if err != nil {
			return nil, err
		}
		return workbook.CheckUpgrade(old, next), nil
	}
	var found []diag.Finding
	for _, file := range c.Files {
		name, src, err := c.read(a, file)
		if err != nil {
			return nil, err
		}
		found = append(found, workbook.Lint(name, src, workbook.LintOptions{Languages: languages})...)
		found = append(found, host.Lint(name, src)...)
	}
	return found, nil
}
