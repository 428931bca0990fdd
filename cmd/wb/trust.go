package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"wb/workbook"
)

// trustCmd grants a document what it asks for, for good.
type trustCmd struct {
	File  string   `arg:"" help:"The document."`
	Grant []string `help:"Grant this instead of everything the document asks for; may be repeated." placeholder:"CAP"`
}

func (c *trustCmd) Help() string {
	return "Examples:\n  wb trust report.org\n  wb trust report.org --grant kv --grant net:api.example.com\n\nWhat is granted is remembered by the digest of the document's code, in your own\nconfiguration. When its code changes the trust is gone; prose and results may change.\nRead the document first: wb plan shows what asks for what."
}

func (c *trustCmd) Run(a *app) error {
	src, err := os.ReadFile(c.File)
	if os.IsNotExist(err) {
		return missingFile(c.File)
	}
	if err != nil {
		return err
	}
	plan := workbook.NewPlan(c.File, src)
	asks := workbook.Asks(plan)
	granted := asks
	if len(c.Grant) > 0 {
		granted = c.Grant
	}
	for _, g := range granted {
		if name := workbook.Capability(g); !slices.Contains(workbook.Capabilities(), name) {
			return &usageError{err: fmt.Errorf("there is no capability %s", name), hint: "capabilities are " + strings.Join(workbook.Capabilities(), ", ")}
		}
	}
	if len(granted) == 0 {
		return &codedError{text: c.File + " asks for nothing", code: exitNotFound, hint: "a block asks with :uses"}
	}
	host, err := capabilities()
	if err != nil {
		return err
	}
	defer host.Close()
	file, err := filepath.Abs(c.File)
	if err != nil {
		return err
	}
	trust, err := host.Grants.Trust(workbook.ProgramDigest(plan), file, granted)
	if err != nil {
		return err
	}
	return a.answer("trust", trust, func(w io.Writer) error {
		_, err := fmt.Fprintf(w, "%s is granted %s until its code changes\n", c.File, strings.Join(trust.Grants, " "))
		return err
	})
}
