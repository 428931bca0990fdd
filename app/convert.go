package app

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"wb/internal/diag"
	"wb/org"
	"wb/org/goorg"
	"wb/publish/live"
	"wb/publish/pack"
	"wb/workbook"
	"wb/workbook/exchange"
)

// Converted is a document in another form: the files that were written, or its
// text where it is printed.
type Converted struct {
	Files []string
	Shown []byte
}

// Data is the names of the files, or the text.
func (out *Converted) Data() any {
	switch {
	case out.Shown != nil:
		return string(out.Shown)
	case len(out.Files) == 1:
		return out.Files[0]
	}
	return out.Files
}

// text writes the text, or the names of the files.
func (out *Converted) text(p *Page) error {
	for _, name := range out.Files {
		p.Printf("%s\n", name)
	}
	return text(p, string(out.Shown))
}

// put writes a document beside the one it was made of, to a file of its own, or
// with - to the answer.
func (out *Converted) put(from, to, ext string, data []byte, replace bool) (written string, err error) {
	switch to {
	case "-":
		out.Shown = append(out.Shown, data...)
		return "", nil
	case "":
		to = strings.TrimSuffix(from, filepath.Ext(from)) + ext
	}
	if err := writeNew(to, data, replace); err != nil {
		return "", err
	}
	out.Files = append(out.Files, to)
	return to, nil
}

// ImportIn holds the arguments of wb import.
type ImportIn struct {
	Files  []string `arg:"" help:"Notebooks (.ipynb) and Markdown files (.md)."`
	Output string   `short:"o" help:"The org file to write; - prints it. By default it is named after the file, beside it." placeholder:"FILE"`
	Force  bool     `help:"Replace an existing org file."`
}

// Imported is the org files of notebooks and Markdown.
type Imported struct{ Converted }

// Data is the names of the files, or the text.
func (out *Imported) Data() any {
	if out.Shown != nil {
		return string(out.Shown)
	}
	return out.Files
}

var importFiles = Verb[ImportIn, *Imported]{
	Name: "import", Help: "Turn notebooks and Markdown into org documents.", Changes: true,
	About: `Examples:
  wb import analysis.ipynb
  wb import README.md -o -

Prose, code, outputs, pictures and metadata come along; what org has no form for is kept word for word, so that wb export gives it back.`,
	Do: func(_ context.Context, _ *Home, in *ImportIn) (*Imported, error) {
		if in.Output != "" && len(in.Files) > 1 {
			return nil, diag.Usagef("", "-o names one output, but there are %d inputs", len(in.Files))
		}
		out := &Imported{}
		for _, file := range in.Files {
			if err := in.one(file, out); err != nil {
				return nil, err
			}
		}
		return out, nil
	},
	Text: func(p *Page, out *Imported) error { return out.text(p) },
}

// one imports a file, and writes what comes with it.
func (in *ImportIn) one(file string, out *Imported) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return missing(file, err)
	}
	ext := filepath.Ext(file)
	var found *exchange.Imported
	switch strings.ToLower(ext) {
	case ".ipynb":
		if found, err = exchange.FromNotebook(data, strings.TrimSuffix(filepath.Base(file), ext)); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	case ".md", ".markdown":
		found = &exchange.Imported{Org: exchange.FromMarkdown(data)}
	default:
		return diag.Usagef("wb import takes .ipynb and .md", "%s is neither a notebook nor Markdown", ext)
	}
	output, err := out.put(file, in.Output, ".org", found.Org, in.Force)
	if err != nil || output == "" {
		return err
	}
	var beside []string
	for name, content := range found.Files {
		name = filepath.Join(filepath.Dir(output), filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(name, content, 0o644); err != nil {
			return err
		}
		beside = append(beside, name)
	}
	slices.Sort(beside)
	out.Files = append(out.Files, beside...)
	return nil
}

// ExportIn holds the arguments of wb export.
type ExportIn struct {
	File   string `arg:"" help:"An org document."`
	To     string `required:"" enum:"md,ipynb,html,org,epub,slides,latex,beamer,odt,texinfo,man,ascii,icalendar" help:"What to write: ${enum}."`
	Writer string `enum:"wb,go-org" default:"wb" help:"The writer of html: wb's or go-org's (${enum}). org always uses go-org's."`
	Output string `short:"o" help:"The file to write; - prints it. By default it is named after the document, beside it." placeholder:"FILE"`
	Reader bool   `help:"Export only what readers shall see: obey :exports, leave out drawers and keywords. html always does."`
	Live   bool   `help:"With html: let readers run components in their browsers."`
	Force  bool   `help:"Replace an existing file."`
}

var export = Verb[ExportIn, *Converted]{
	Name: "export", Help: "Turn an org document into Markdown, a notebook, a page, a book or what Org exports to.", Changes: true,
	About: `Examples:
  wb export analysis.org --to html --live
  wb export analysis.org --to ipynb
  wb export notes.org --to md --reader -o -
  wb export notes.org --to html --writer go-org
  wb export notes.org --to org -o tidy.org
  wb export notes.org --to epub
  wb export talk.org --to slides
  wb export paper.org --to latex

Results are those in the document: nothing runs. Markdown and notebooks carry everything along, so that wb import gives the document back; --reader shows only what :exports says. A page stands by itself: formulas, pictures and what is known about each result are in it, and it asks nobody for anything. With --live, components that need nothing but themselves run again in the reader's browser, on inputs of the reader's; #+PUBLISH_LIVE: no, yes or all chooses. Mistakes, such as links that lead nowhere, are named; the page is written nevertheless.

latex, beamer, odt, texinfo, man, ascii and icalendar are written by Org's own exporters, in the sandboxed Emacs that wb toolchain install emacs builds. It evaluates no block, sees no files (for odt the pictures beside the document), and is not started for a third party's document. An epub is a book for readers of those, with a chapter for each section of the first level. Slides are one page that needs nothing else: a slide for the title and for each heading of the first two levels, by keyboard, and on paper a sheet each; wb sign signs it as any page. Plain text is ascii, which writes UTF-8.`,
	Do: func(ctx context.Context, h *Home, in *ExportIn) (*Converted, error) {
		switch {
		case in.Writer == "go-org" && in.To != "html" && in.To != "org":
			return nil, diag.Usagef("leave out --writer", "go-org writes html and org, not %s", in.To)
		case in.Writer == "go-org" && in.Live:
			return nil, diag.Usagef("leave out --writer", "go-org's writer cannot make a page live")
		case in.To == "org" && in.Output == "":
			return nil, diag.Usagef("name the output: -o FILE, or -o - to print it", "the output would replace the document itself")
		case in.Live && in.To != "html":
			return nil, diag.Usagef("", "--live is for --to html")
		}
		src, err := os.ReadFile(in.File)
		if err != nil {
			return nil, missing(in.File, err)
		}
		if bad, is := workbook.NotText(in.File, src); is {
			return nil, &workbook.PlanError{Findings: []diag.Finding{bad}}
		}
		data, err := in.translate(ctx, h, src)
		if err != nil {
			return nil, err
		}
		out := &Converted{}
		ext := "." + in.To
		if b, ok := orgBackends[in.To]; ok {
			ext = b.ext
		} else if in.To == "slides" {
			ext = ".slides.html"
		}
		_, err = out.put(in.File, in.Output, ext, data, in.Force)
		return out, err
	},
	Text: func(p *Page, out *Converted) error { return out.text(p) },
}

func (in *ExportIn) translate(ctx context.Context, h *Home, src []byte) ([]byte, error) {
	if in.To == "html" && in.Writer == "wb" {
		return in.page(ctx, h, src)
	}
	if b, ok := orgBackends[in.To]; ok {
		return in.byEmacs(ctx, h, src, b)
	}
	switch in.To {
	case "epub":
		return in.book(ctx, h, src, pack.Book)
	case "slides":
		return in.book(ctx, h, src, pack.Slides)
	}
	fidelity := exchange.Lossless
	if in.Reader {
		fidelity = exchange.Readable
		shown, err := workbook.Exported(ctx, in.File, src)
		if err != nil {
			return nil, err
		}
		src = shown
	}
	switch in.To {
	case "org", "html":
		return in.byGoOrg(src)
	case "ipynb":
		return exchange.ToNotebook(src, beside(in.File))
	}
	return exchange.ToMarkdown(src, fidelity), nil
}

// byGoOrg lets one of go-org's writers write the document.
func (in *ExportIn) byGoOrg(src []byte) ([]byte, error) {
	writer := goorg.NewOrgWriter()
	if in.To == "html" {
		writer = goorg.NewHTMLWriter()
	}
	out, err := goorg.Document(org.Parse(src), goorg.Options{Path: in.File, Readable: in.To == "html"}).Write(writer)
	return []byte(out), err
}

// page writes the page and says what in it readers would stumble over.
func (in *ExportIn) page(ctx context.Context, h *Home, src []byte) ([]byte, error) {
	shown := live.Config{Mode: live.ModeNo}
	if in.Live {
		shown.Mode = "" // what the document says
	}
	book, err := h.book(ctx, in.File, src)
	if err != nil {
		return nil, err
	}
	html, found, err := pack.Page(ctx, book, shown)
	h.advise(found)
	return html, err
}

// book writes an EPUB, or slides.
func (in *ExportIn) book(ctx context.Context, h *Home, src []byte, write func(context.Context, workbook.Book) ([]byte, []diag.Finding, error)) ([]byte, error) {
	book, err := h.book(ctx, in.File, src)
	if err != nil {
		return nil, err
	}
	data, found, err := write(ctx, book)
	h.advise(found)
	return data, err
}

// advise tells what is not a mistake, with what to do about it.
func (h *Home) advise(found []diag.Finding) {
	var b strings.Builder
	diag.Printer{W: &b}.Findings(found)
	if b.Len() > 0 {
		h.notef("%s", strings.TrimSuffix(b.String(), "\n"))
	}
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
