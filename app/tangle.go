package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/user"
	"path"
	"path/filepath"
	"runtime"

	"wb/compile"
	"wb/internal/diag"
	"wb/internal/trace"
	"wb/internal/value"
	"wb/org"
	"wb/tangle"
	"wb/workbook"
)

// TangleIn holds the arguments of wb tangle.
type TangleIn struct {
	Files        []string `arg:"" json:"file" help:"Org documents."`
	Check        bool     `help:"Write nothing; fail when a file differs from its document." xor:"mode"`
	DryRun       bool     `help:"Write nothing; show what would change." xor:"mode"`
	Plan         bool     `help:"Write nothing; print the plan as JSON." xor:"mode"`
	AllowOutside bool     `on:"terminal" help:"Let documents write outside their own directory."`
}

// TangleOut lists the files that tangling wrote, or would write.
type TangleOut struct {
	Reports []*tangle.Report
	in      *TangleIn
	missing error // files that have no directory; the others are written
}

// Data is the reports as programs read them.
func (out *TangleOut) Data() any {
	data := make([]tangle.OutputJSON, len(out.Reports))
	for i, r := range out.Reports {
		data[i] = r.JSON()
	}
	return data
}

// Err is about files that have no directory; the others were written.
func (out *TangleOut) Err() error { return out.missing }

// Exit is 1 when a check fails.
func (out *TangleOut) Exit() int {
	if out.in.Check {
		for _, r := range out.Reports {
			if r.Differs() {
				return diag.ExitFailed
			}
		}
	}
	return 0
}

var tangleFiles = Verb[TangleIn, *TangleOut]{
	Name: "tangle", Help: "Write the source files that documents describe, as Emacs does.",
	About: `Examples:
  wb tangle notes.org
  wb tangle --check *.org
  wb tangle --dry-run notes.org
  wb tangle --watch notes.org

Files are what Emacs would write, byte for byte. Blocks that others refer to run in the sandbox.`,
	Doors: Agents, Changes: true,
	Do: func(ctx context.Context, h *Home, in *TangleIn) (*TangleOut, error) {
		if h.Root != nil {
			return in.bounded(ctx, h)
		}
		project := NewProject(in.AllowOutside)
		out := &TangleOut{in: in}
		err := WithBlocks(ctx, h, project, func() error { return in.tangle(ctx, h, project, out) })
		return out, err
	},
	Text: func(p *Page, out *TangleOut) error { return out.text(p) },
}

// WithBlocks does something with a project, and again with the languages when a
// document refers to the results of blocks: only then are they worth starting.
func WithBlocks(ctx context.Context, h *Home, project *tangle.Project, do func() error) error {
	err := do()
	if !errors.Is(err, tangle.ErrRun) && !errors.Is(err, tangle.ErrEmacs) {
		return err
	}
	lanes, err := h.lanes(ctx)
	if err != nil {
		return err
	}
	project.Options.Run, project.Options.Lisp = blockRunner(lanes), emacsFor(lanes)
	return do()
}

func (in *TangleIn) tangle(ctx context.Context, h *Home, project *tangle.Project, out *TangleOut) error {
	act := project.Tangle
	if in.Check || in.DryRun || in.Plan {
		act = project.Compare
	}
	if err := checkTexts(in.Files); err != nil {
		return err
	}
	out.Reports, out.missing = nil, nil
	for _, file := range in.Files {
		report, err := act(ctx, file)
		if report == nil {
			return err
		}
		out.missing = errors.Join(out.missing, err)
		TangleNotes(h, file, report)
		if err == nil && len(report.Changes) == 0 {
			h.notef("nothing to tangle in %s", file)
		}
		out.Reports = append(out.Reports, report)
	}
	return nil
}

// text shows diffs, or a line for each file that is not as it was.
func (out *TangleOut) text(p *Page) error {
	if out.in.Plan {
		data := out.Data()
		if list := data.([]tangle.OutputJSON); len(list) == 1 {
			data = list[0]
		}
		return p.JSON(data)
	}
	said := false
	for _, r := range out.Reports {
		said = said || len(r.Changes) > 0
		if err := out.in.Print(p, r); err != nil {
			return err
		}
	}
	if !said && p.Reader == Model {
		fmt.Fprintln(p, "nothing to tangle")
	}
	return nil
}

// Print shows one report.
func (in *TangleIn) Print(p *Page, r *tangle.Report) error {
	if in.DryRun {
		_, err := io.WriteString(p, r.Diff())
		return err
	}
	for _, change := range r.Changes {
		if change.Action == tangle.Unchanged && !p.Verbose && p.Reader != Model {
			continue
		}
		if _, err := fmt.Fprintf(p, "%-9s %s\n", change.Action, change.Rel); err != nil {
			return err
		}
	}
	return nil
}

// TangleNotes tells a person what to know beside the files.
func TangleNotes(h *Home, file string, r *tangle.Report) {
	for _, w := range r.Output.Warnings {
		h.notef("%s:%d:%d: warning: %s", file, w.Line, w.Col, w.Msg)
	}
	for _, k := range r.Kept {
		h.notef("%s had been edited since it was tangled; the edited text is kept in %s", k.File, k.Copy)
		h.hint("wb detangle " + k.File + " brings edits back, before tangling")
	}
}

// NewProject knows this machine and this user's records.
func NewProject(allowOutside bool) *tangle.Project {
	project := &tangle.Project{Write: tangle.WriteOptions{AllowOutside: allowOutside}}
	machine := &project.Options.Machine
	machine.OS = runtime.GOOS
	machine.Home, _ = os.UserHomeDir()
	machine.Home = filepath.ToSlash(machine.Home)
	machine.Host, _ = os.Hostname()
	if u, err := user.Current(); err == nil {
		machine.User = u.Username
	}
	if state, err := trace.StateDir(os.Getenv); err == nil {
		project.Records.State = state
	}
	return project
}

// blockRunner runs the blocks that a document refers to in the sandbox, with no
// capability. What lint has to say does not concern tangling, and a cache would
// leave a directory behind.
func blockRunner(languages *compile.Registry) func(context.Context, tangle.Call) (value.Value, error) {
	return func(ctx context.Context, call tangle.Call) (value.Value, error) {
		return workbook.Resolve(ctx, workbook.Options{
			Book:   workbook.Book{File: call.File, Source: call.Doc.Bytes(), Lanes: languages},
			Checks: workbook.Checks{Lint: func(*workbook.Plan) []diag.Finding { return nil }},
		}, call.String())
	}
}

// emacsFor evaluates header arguments in the lane of Emacs Lisp; nil where there
// is none. A document of a third party asks for more isolation than that.
func emacsFor(languages *compile.Registry) func(context.Context, string, *org.Document) (tangle.Emacs, error) {
	lane := languages.Lisp()
	if lane == nil {
		return nil
	}
	return func(ctx context.Context, file string, doc *org.Document) (tangle.Emacs, error) {
		if workbook.ThirdParty(doc) {
			return nil, diag.Failedf("remove #+TRUST: if the document is yours", "a third-party document's Emacs Lisp is not evaluated to tangle it")
		}
		return lane.Evaluation(ctx, &compile.Document{Name: path.Base(file), Path: file, Text: doc.Source()})
	}
}

// bounded tangles into a sink: all documents are planned and checked before the
// first file is written, and the machine and its user are not known.
func (in *TangleIn) bounded(ctx context.Context, h *Home) (*TangleOut, error) {
	if h.Files == nil {
		return nil, errors.New("files cannot be written here")
	}
	lanes, err := h.lanes(ctx)
	if err != nil {
		return nil, err
	}
	out := &TangleOut{in: in}
	for _, file := range in.Files {
		report, err := h.planned(ctx, file, lanes)
		if err != nil {
			return nil, err
		}
		out.Reports = append(out.Reports, report)
	}
	for i, r := range out.Reports {
		if !in.Plan && !in.DryRun {
			TangleNotes(h, in.Files[i], r)
		}
		if in.Plan || in.DryRun || in.Check {
			continue
		}
		for _, c := range r.Changes {
			if c.Action != tangle.Created && c.Action != tangle.Changed {
				continue
			}
			if err := h.Files.Write(c.Rel, c.File.Content); err != nil {
				return nil, err
			}
		}
	}
	return out, nil
}

// planned plans a document of a bounded home and compares the plan with what is
// there. A file that may not be written is refused.
func (h *Home) planned(ctx context.Context, file string, lanes *compile.Registry) (*tangle.Report, error) {
	_, path, src, err := h.Read(file)
	if err == nil {
		err = checkText(file, src)
	}
	if err != nil {
		return nil, err
	}
	opts := tangle.Options{File: filepath.ToSlash(path), Name: file, Machine: tangle.Machine{OS: runtime.GOOS}, ReadFile: h.document}
	if lanes != nil {
		opts.Run, opts.Lisp = blockRunner(lanes), emacsFor(lanes)
	}
	out, err := tangle.Plan(ctx, org.Parse(src), opts)
	if err != nil {
		return nil, err
	}
	for i := range out.Files {
		rel, err := h.Files.Target(out.Files[i].Path)
		if err != nil {
			return nil, err
		}
		out.Files[i].Path = filepath.ToSlash(filepath.Join(h.Dir, rel))
	}
	changes, err := out.Compare(tangle.WriteOptions{AllowOutside: true}) // of the document's directory; the sink keeps it in the home
	if err != nil {
		return nil, err
	}
	for i := range changes {
		rel, err := filepath.Rel(h.Dir, filepath.FromSlash(changes[i].File.Path))
		if err != nil {
			return nil, err
		}
		changes[i].Rel = filepath.ToSlash(rel)
	}
	return &tangle.Report{Output: out, Changes: changes}, nil
}

// document reads another document of a bounded home, by its absolute path.
func (h *Home) document(name string) ([]byte, error) {
	rel, err := filepath.Rel(h.Dir, filepath.FromSlash(name))
	if err != nil || !filepath.IsLocal(rel) {
		if h.Outside != nil {
			return nil, h.Outside(name)
		}
		return nil, fmt.Errorf("%s is not inside the directory of this server", name)
	}
	return h.text(filepath.ToSlash(rel))
}
