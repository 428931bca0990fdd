package run

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"

	"wb/internal/value"
	"wb/org/orgfile"
	"wb/sandbox"
	"wb/workbook/plan"
	"wb/workbook/result"
)

// noteFailure marks a component failed whose result cannot be written.
func (r recorder) noteFailure(index int, err error) {
	t := r.tasks[index]
	t.fail(err)
	for i := range r.report.Components {
		if r.report.Components[i].ID == t.done.ID {
			r.report.Components[i] = t.done
		}
	}
}

// writeResult adds the edits that put a component's result into the document.
// It returns the text written where org cannot tell it from prose.
func (r recorder) writeResult(w *result.Writer, c *plan.Component, t *task) (string, error) {
	if !t.hasResult() || t.standing || c.Node() == nil || c.Kind == plan.KindData {
		return "", nil
	}
	res := &result.Result{Value: harmless(t.done.Value), Words: t.words, Lang: c.Lang}
	describeResult(res, t.args)
	res.Before = r.before[c.ID].Wrote
	if res.Words.Has("replace") {
		res.Hash = t.hash
	}
	accumulates := res.Words.Has("append") || res.Words.Has("prepend")
	if accumulates && !t.made && r.added(c, t, res) {
		return "", nil
	}
	if !c.IsElement() {
		return res.InlineProse(), w.Inline(c.Span(), res)
	}
	w.Block(c.Node(), res)
	return res.Prose(), nil
}

// added reports whether a result that adds to others was added when it ran. A
// run that was killed in between has kept it and not written it.
func (r recorder) added(c *plan.Component, t *task, res *result.Result) bool {
	before := r.before[c.ID].Digests
	if !r.opts.Write.files() || t.digests == nil || before != nil && before.Key() == t.digests.Key() {
		return true
	}
	if !c.IsElement() {
		return true
	}
	at := result.FindPlace(r.plan.Document(), c.Node())
	old, text := strings.TrimSpace(result.PlainLines(r.plan.Document().Text(at.Old))), strings.TrimSpace(res.Text())
	if res.Words.Has("append") {
		return strings.HasSuffix(old, text)
	}
	return strings.HasPrefix(old, text)
}

// describeResult takes over the header arguments that say how a result is written.
func describeResult(r *result.Result, args argSet) {
	r.Switches = args.Value(":results_switches")
	if wrap, ok := args.Get(":wrap"); ok {
		r.Wrap, r.Wrapped = plan.UnquoteArg(wrap.Value), true
	}
	if desc, ok := args.Get(":file-desc"); ok && strings.TrimSpace(desc.Value) != "[]" { // no description for Emacs either
		r.FileDesc, r.Described = plan.UnquoteArg(desc.Value), true
	}
}

// harmless removes from a value's texts what could deceive or disturb who
// looks at the file: terminal escapes, NULs, bidirectional controls.
func harmless(v value.Value) value.Value {
	switch v.Kind() {
	case value.String:
		clean := sandbox.Neutralize([]byte(v.Text()))
		if string(clean) == v.Text() {
			return v
		}
		return value.OfString(string(clean))
	case value.List:
		items := slices.Clone(v.Items())
		for i := range items {
			items[i] = harmless(items[i])
		}
		return value.OfList(items...)
	case value.Object:
		fields := slices.Clone(v.Fields())
		for i := range fields {
			fields[i] = value.Field{Name: string(sandbox.Neutralize([]byte(fields[i].Name))), Value: harmless(fields[i].Value)}
		}
		return value.OfObject(fields...)
	}
	return v
}

// mayWrite finds out before anything runs that results could not be written,
// rather than after all has run.
func (r recorder) mayWrite() error {
	if !r.opts.Write.book() {
		return nil
	}
	file, err := os.OpenFile(r.opts.File, os.O_WRONLY, 0)
	switch {
	case err == nil:
		return file.Close()
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.EROFS):
		return fmt.Errorf("%s: results cannot be written: %w", r.opts.File, err)
	}
	return nil // writing will say
}

// replaceFile writes the workbook's new text, refusing when the file is neither
// what was read nor what it is to be (*orgfile.ConflictError).
func (r recorder) replaceFile(text []byte) error {
	file, err := orgfile.Read(r.opts.File)
	if errors.Is(err, fs.ErrNotExist) {
		return &orgfile.ConflictError{Path: r.opts.File, Reason: "removed during the run, so results were not written"}
	}
	if err != nil {
		return fmt.Errorf("%s: results were not written: %w", r.opts.File, err)
	}
	if file.Doc.Source() == string(text) { // another run of the document was faster
		r.written = text
		return nil
	}
	if file.Doc.Source() != string(r.written) {
		return &orgfile.ConflictError{Path: r.opts.File, Reason: "changed during the run, so results were not written (run it again: computed results are kept)"}
	}
	if _, err = file.Write(text); err != nil {
		var conflict *orgfile.ConflictError
		if errors.As(err, &conflict) {
			return err
		}
		return fmt.Errorf("%s: results were not written: %w", r.opts.File, err)
	}
	r.written = text
	return nil
}
