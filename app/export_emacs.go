package app

import (
	"context"
	"fmt"
	"path/filepath"

	"wb/compile"
	"wb/internal/diag"
	"wb/publish/page"
	"wb/sandbox"
	"wb/tangle/elisp"
	"wb/workbook"
)

// orgBackend is one of Org's own exporters.
type orgBackend struct {
	name, library, ext string
}

// orgBackends are Org's exporters, by what --to says.
var orgBackends = map[string]orgBackend{
	"latex":     {"latex", "ox-latex", ".tex"},
	"beamer":    {"beamer", "ox-beamer", ".tex"},
	"texinfo":   {"texinfo", "ox-texinfo", ".texi"},
	"man":       {"man", "ox-man", ".man"},
	"ascii":     {"ascii", "ox-ascii", ".txt"},
	"icalendar": {"icalendar", "ox-icalendar", ".ics"},
	toODT:       {"odt", "ox-odt", ".odt"},
}

// exportForm has Org's exporter write the document that stands in the buffer. Nothing
// is evaluated: results are those in the text. A broken link is marked. Identifiers
// of events come from Emacs, not from a program.
const exportForm = `(progn
  (require '%s)
  (unless (derived-mode-p 'org-mode) (org-mode))
  (let ((org-export-use-babel nil) (org-export-with-broken-links 'mark) (org-ascii-charset 'utf-8)
        (org-latex-create-formula-image-program nil) (user-full-name "") (user-mail-address "")
        (tab-width 8) (indent-tabs-mode t))
    (cl-letf (((symbol-function 'shell-command-to-string) (lambda (&rest _) "")))
      %s)))`

// form is the Lisp form that Emacs evaluates: it returns the text, or the files of a format
// that is an archive.
func (b orgBackend) form() string {
	write := fmt.Sprintf("(substring-no-properties (org-export-as '%s))", b.name)
	if b.name == toODT {
		write = "(wb--export-odt)"
	}
	return fmt.Sprintf(exportForm, b.library, write)
}

// byEmacs lets Org's own exporter write what readers are to see of the document, in
// the sandboxed Emacs of the Emacs Lisp lane.
func (in *ExportIn) byEmacs(ctx context.Context, h *Home, src []byte, b orgBackend) ([]byte, error) {
	shown, err := workbook.Exported(ctx, in.File, src)
	if err != nil {
		return nil, err
	}
	lanes, err := h.lanes(ctx)
	if err != nil {
		return nil, err
	}
	start := page.LispOf(lanes, src)
	if start == nil {
		return nil, diag.Failedf("", "this wb has no lane of Emacs Lisp")
	}
	doc := &compile.Document{Name: filepath.Base(in.File), Text: string(shown)}
	if b.name == toODT { // pictures become part of it
		dir, err := sandbox.HostDir(filepath.Dir(in.File))
		if err != nil {
			return nil, err
		}
		defer dir.Close()
		doc.Files = dir
	}
	emacs, err := start(ctx, doc)
	if err != nil {
		return nil, err
	}
	defer emacs.Close()
	v, err := emacs.Evaluate(ctx, b.form(), 0)
	if err != nil {
		if missing := missingInODT(in.File, src); b.name == toODT && len(missing) > 0 {
			return nil, &diag.FindingsError{Findings: missing}
		}
		return nil, fmt.Errorf("%s: Org's exporter to %s: %w", in.File, b.name, err)
	}
	if b.name == toODT {
		return packODT(v)
	}
	text, ok := v.(elisp.String)
	if !ok {
		return nil, fmt.Errorf("%s: Org's exporter to %s returned no text", in.File, b.name)
	}
	return []byte(text), nil
}
