package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"wb/app"
	"wb/internal/diag"
	"wb/workbook/exchange"
)

// importCmd turns notebooks and Markdown into org documents.
type importCmd struct {
	Files  []string `arg:"" help:"Notebooks (.ipynb) and Markdown files (.md)."`
	Output string   `short:"o" help:"The org file to write; - prints it. By default it is named after the file, beside it." placeholder:"FILE"`
	Force  bool     `help:"Replace an org file that is there."`
}

func (c *importCmd) Help() string {
	return `Examples:
  wb import analysis.ipynb
  wb import README.md -o -

Prose, code, outputs, pictures and metadata come along; what org has no form for is kept word for word, so that wb export gives it back.`
}

func (c *importCmd) Run(a *terminal) error {
	if c.Output != "" && len(c.Files) > 1 {
		return diag.Usagef("", "-o names one file, and there are %d", len(c.Files))
	}
	var made []string
	for _, file := range c.Files {
		names, err := c.one(a, file)
		if err != nil {
			return err
		}
		made = append(made, names...)
	}
	if a.json {
		return a.answer("import", made, nil)
	}
	for _, name := range made {
		fmt.Fprintln(a.std.Out, name)
	}
	return nil
}

// one imports a file and returns the names of what it wrote.
func (c *importCmd) one(a *terminal, file string) ([]string, error) {
	data, err := os.ReadFile(file)
	if os.IsNotExist(err) {
		return nil, app.MissingFile(file)
	}
	if err != nil {
		return nil, err
	}
	base := strings.TrimSuffix(file, filepath.Ext(file))
	var in *exchange.Imported
	switch strings.ToLower(filepath.Ext(file)) {
	case ".ipynb":
		if in, err = exchange.FromNotebook(data, filepath.Base(base)); err != nil {
			err = fmt.Errorf("%s: %w", file, err)
		}
	case ".md", ".markdown":
		in = &exchange.Imported{Org: exchange.FromMarkdown(data)}
	default:
		err = diag.Usagef("wb import takes .ipynb and .md", "%s is neither a notebook nor Markdown", filepath.Ext(file))
	}
	if err != nil {
		return nil, err
	}
	output := c.Output
	switch output {
	case "-":
		_, err := a.std.Out.Write(in.Org)
		return nil, err
	case "":
		output = base + ".org"
	}
	made := []string{output}
	if err := writeNew(output, in.Org, c.Force); err != nil {
		return nil, err
	}
	for name, content := range in.Files {
		name = filepath.Join(filepath.Dir(output), filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return nil, err
		}
		if err := os.WriteFile(name, content, 0o644); err != nil {
			return nil, err
		}
		made = append(made, name)
	}
	slices.Sort(made[1:])
	return made, nil
}

// writeNew writes a file that must not be there yet, unless it is to be
// replaced.
func writeNew(name string, data []byte, replace bool) error {
	flags := os.O_WRONLY | os.O_CREATE | os.O_EXCL
	if replace {
		flags = os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	}
	f, err := os.OpenFile(name, flags, 0o644)
	if os.IsExist(err) {
		return diag.Busyf("--force replaces it, -o writes elsewhere", "%s", name+" is there already")
	}
	if err != nil {
		return elsewhere(name, err)
	}
	if _, err := f.Write(data); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
