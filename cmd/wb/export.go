package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"wb/app"
	"wb/compile"
	"wb/internal/diag"
	"wb/org"
	"wb/org/goorg"
	"wb/publish/live"
	"wb/publish/pack"
	"wb/workbook"
	"wb/workbook/exchange"
)

// exportCmd turns org documents into Markdown, notebooks and HTML.
type exportCmd struct {
	File   string `arg:"" help:"An org document."`
	To     string `required:"" enum:"md,ipynb,html,org" help:"What to write: ${enum}."`
	Writer string `enum:"wb,go-org" default:"wb" help:"Who writes html: wb, or go-org's writer (${enum}). org is always go-org's."`
	Output string `short:"o" help:"The file to write; - prints it. By default it is named after the document, beside it." placeholder:"FILE"`
	Reader bool   `help:"Only what readers are to see: obey :exports, leave out drawers and keywords. Always so for html."`
	Live   bool   `help:"With html: let readers run components in their browsers."`
	Force  bool   `help:"Replace a file that is there."`
}

func (c *exportCmd) Help() string {
	return `Examples:
  wb export analysis.org --to html --live
  wb export analysis.org --to ipynb
  wb export notes.org --to md --reader -o -
  wb export notes.org --to html --writer go-org
  wb export notes.org --to org -o tidy.org

Results are those in the document: nothing runs. Markdown and notebooks carry everything along, so that wb import gives the document back; --reader shows only what :exports says. A page stands by itself: formulas, pictures and what is known about each result are in it, and it asks nobody for anything. With --live, components that need nothing but themselves run again in the reader's browser, on inputs of the reader's; #+PUBLISH_LIVE: no, yes or all chooses. Mistakes, such as links that lead nowhere, are named; the page is written nevertheless.`
}

func (c *exportCmd) Run(a *terminal) error {
	switch {
	case c.Writer == "go-org" && c.To != "html" && c.To != "org":
		return diag.Usagef("leave out --writer", "go-org writes html and org, not %s", c.To)
	case c.Writer == "go-org" && c.Live:
		return diag.Usagef("leave out --writer", "go-org's writer cannot make a page live")
	case c.To == "org" && c.Output == "":
		return diag.Usagef("say where to: -o FILE, or -o - to print it", "the document itself has that name")
	}
	src, err := os.ReadFile(c.File)
	if os.IsNotExist(err) {
		return app.MissingFile(c.File)
	}
	if err != nil {
		return err
	}
	if bad, is := workbook.NotText(c.File, src); is {
		return &workbook.PlanError{Findings: []diag.Finding{bad}}
	}
	out, err := c.translate(a, src)
	if err != nil {
		return err
	}
	output := c.Output
	switch output {
	case "-":
		_, err := a.std.Out.Write(out)
		return err
	case "":
		output = strings.TrimSuffix(c.File, filepath.Ext(c.File)) + "." + c.To
	}
	if err := writeNew(output, out, c.Force); err != nil {
		return err
	}
	if a.json {
		return a.answer("export", output, nil)
	}
	fmt.Fprintln(a.std.Out, output)
	return nil
}

func (c *exportCmd) translate(a *terminal, src []byte) ([]byte, error) {
	if c.To == "html" && c.Writer == "wb" {
		return c.page(a, src)
	}
	if c.Live && c.Writer == "wb" {
		return nil, diag.Usagef("", "--live is for --to html")
	}
	fidelity := exchange.Lossless
	if c.Reader {
		fidelity = exchange.Readable
		shown, err := workbook.Exported(a.ctx, c.File, src)
		if err != nil {
			return nil, err
		}
		src = shown
	}
	switch c.To {
	case "org", "html":
		return c.byGoOrg(src)
	case "ipynb":
		return exchange.ToNotebook(src, beside(c.File))
	}
	return exchange.ToMarkdown(src, fidelity), nil
}

// byGoOrg lets one of go-org's writers write the document.
func (c *exportCmd) byGoOrg(src []byte) ([]byte, error) {
	writer := goorg.NewOrgWriter()
	if c.To == "html" {
		writer = goorg.NewHTMLWriter()
	}
	out, err := goorg.Document(org.Parse(src), goorg.Options{Path: c.File, Readable: c.To == "html"}).Write(writer)
	return []byte(out), err
}

// page writes the page and says what in it readers would stumble over.
func (c *exportCmd) page(a *terminal, src []byte) (html []byte, err error) {
	shown := live.Config{Mode: live.ModeNo}
	if c.Live {
		shown.Mode = "" // what the document says
	}
	err = a.withLanes(func(_ *compile.Env, lanes *compile.Registry) error {
		var found []diag.Finding
		html, found, err = pack.Page(a.ctx, workbook.Options{File: c.File, Source: src, Lanes: lanes, Cache: workbook.CacheBeside(c.File)}, shown)
		a.advice(found)
		return err
	})
	return html, err
}

// beside reads files in the directory of a document and below it, and no
// others.
func beside(file string) func(string) ([]byte, error) {
	return func(name string) ([]byte, error) {
		root, err := os.OpenRoot(filepath.Dir(file))
		if err != nil {
			return nil, err
		}
		defer root.Close()
		return root.ReadFile(filepath.FromSlash(name))
	}
}
