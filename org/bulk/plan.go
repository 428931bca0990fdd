package bulk

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/rogpeppe/go-internal/diff"

	"wb/internal/diag"
	"wb/org"
	"wb/org/oql"
	"wb/org/orgfile"
)

// Options say how headlines are changed.
type Options struct {
	Log bool      // record changes of state: CLOSED, and LOGBOOK where a keyword asks for it
	Now time.Time // naive local time; the zero time is the clock's
	// Presets are the settings of files that the files do not make.
	Presets oql.Presets
}

// Plan describes the planned changes.
type Plan struct {
	Files   []File
	Matched int      // headlines that the query found
	Changed int      // those of them that are not yet as asked
	Notes   []string // about the query, or "file:line: …"
}

// File is one file of a plan.
type File struct {
	*orgfile.File
	New []byte
}

// Prepare finds the headlines and works out their changes. Only conditions may
// be asked: stages would make it depend on the other headlines which are
// changed.
func Prepare(ctx context.Context, paths []string, q *oql.Query, changes []Change, opts Options) (*Plan, error) {
	if !q.OnlyConditions() {
		return nil, &UsageError{"set takes conditions on headlines, no stages, joins or other rows", "write for example: wb set notes/ 'todo:NEXT tags:work' state=DONE"}
	}
	if opts.Now.IsZero() {
		now := time.Now()
		opts.Now = time.Date(now.Year(), now.Month(), now.Day(), now.Hour(), now.Minute(), 0, 0, time.UTC)
	}
	p := &Plan{}
	names, err := p.candidates(ctx, paths, q, opts.Presets)
	if err != nil {
		return nil, err
	}
	var errs []error
	for _, name := range names {
		errs = append(errs, p.file(ctx, name, q, changes, opts))
	}
	return p, firstUsage(errors.Join(errs...))
}

// candidates are the files with matches, in order.
func (p *Plan) candidates(ctx context.Context, paths []string, q *oql.Query, presets oql.Presets) ([]string, error) {
	a, err := oql.Ask(ctx, oql.Request{Paths: paths, Query: q, Presets: presets})
	if err != nil {
		return nil, err
	}
	p.Notes = a.Notes
	var names []string
	for _, place := range a.Places {
		if len(names) == 0 || names[len(names)-1] != place.Path {
			names = append(names, place.Path)
		}
	}
	slices.Sort(names)
	return slices.Compact(names), a.Close()
}

// file asks again about the very bytes that are changed.
func (p *Plan) file(ctx context.Context, name string, q *oql.Query, changes []Change, opts Options) error {
	f, err := orgfile.ReadWith(name, opts.Presets.Of(name))
	if err != nil {
		return err
	}
	res, err := oql.Run(ctx, q, oql.Options{Corpus: &oql.Corpus{Files: []*oql.File{oql.Flatten(name, f.Doc)}}, Now: opts.Now})
	if err != nil {
		return err
	}
	lines := map[int]bool{}
	for _, place := range res.Places {
		lines[place.Line] = true
	}
	prefix := prefixOf(f.Doc)
	var edits []org.Edit
	var errs []error
	for h := range f.Doc.Headlines() {
		line, _ := f.Doc.Position(h.Start())
		if !lines[line] {
			continue
		}
		p.Matched++
		whole := org.Span{Start: h.Start(), End: h.Body().End}
		s := &section{prefix: prefix, text: f.Doc.Text(whole), now: opts.Now, log: opts.Log}
		s.logging(f.Doc, h)
		for _, c := range changes {
			if err := s.change(c); err != nil {
				errs = append(errs, place(name, line, err))
				break
			}
		}
		for _, n := range s.notes {
			p.Notes = append(p.Notes, fmt.Sprintf("%s:%d: %s", name, line, n))
		}
		if s.text != f.Doc.Text(whole) {
			p.Changed++
			edits = append(edits, org.Replace(whole, s.text))
		}
	}
	if err := errors.Join(errs...); err != nil || len(edits) == 0 {
		return err
	}
	if f.ReadOnly() {
		return &ReadOnlyError{name}
	}
	out, err := org.Apply([]byte(f.Doc.Source()), edits)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if n := f.Names(); n > 1 {
		p.Notes = append(p.Notes, fmt.Sprintf("%s: has %d names (hard links); the others keep what it was", name, n))
	}
	p.Files = append(p.Files, File{f, out})
	return nil
}

// ReadOnlyError is a file that is read-only for all. It could be replaced all the same,
// which is not what its owner wants.
type ReadOnlyError struct{ Path string }

func (e *ReadOnlyError) Error() string { return e.Path + ": is read-only" }

// Hint says how to allow it.
func (e *ReadOnlyError) Hint() string { return "chmod u+w " + e.Path + " lets wb change it" }

// ExitCode is that of what is not permitted.
func (e *ReadOnlyError) ExitCode() int { return diag.ExitForbidden }

// firstUsage shortens errors that are the same for every headline.
func firstUsage(err error) error {
	if usage, ok := errors.AsType[*UsageError](err); ok {
		return usage
	}
	return err
}

// place puts a file and a line before an error, and keeps usage errors what
// they are.
func place(name string, line int, err error) error {
	if _, ok := errors.AsType[*UsageError](err); ok {
		return err
	}
	return fmt.Errorf("%s:%d: %w", name, line, err)
}

// Diff is the plan as a unified diff.
func (p *Plan) Diff() []byte {
	var out []byte
	for _, f := range p.Files {
		out = append(out, f.Diff()...)
	}
	return out
}

// Diff describes the changes of one file.
func (f File) Diff() []byte {
	return diff.Diff("a/"+f.Path, []byte(f.Doc.Source()), "b/"+f.Path, f.New)
}

// Write puts the plan into effect, all of it or nothing; see
// [orgfile.WriteAll]. The journal's directory is made when needed.
func (p *Plan) Write(journal string) error {
	writes := make([]orgfile.Replacement, len(p.Files))
	for i, f := range p.Files {
		writes[i] = orgfile.Replacement{File: f.File, New: f.New}
	}
	return orgfile.WriteAll(journal, writes)
}
