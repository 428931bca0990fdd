package run

import (
	"bytes"
	"context"
	"fmt"

	"wb/internal/diag"
	"wb/internal/lazyregexp"
	"wb/internal/trace"
	"wb/org"
	"wb/workbook/result"
)

// Results reach the file soon after their components end, so that a run that is
// killed keeps what was done. Each time, all results so far are put into the
// text as it was read; the file is replaced whole.

// startSaving begins to write results as components end; nil when the run does
// not write the file.
func (r recorder) startSaving() *saver {
	if r.dry || !r.opts.Write.book() {
		return nil
	}
	return newSaver(r.saveSoFar)
}

// saveSoFar writes the results of the components that have ended. What cannot be
// written is told when the run ends.
func (r recorder) saveSoFar() error {
	w, last := r.gather(func(int, error) {})
	text, err := org.Apply(r.source, w.Settled())
	if err != nil {
		return err
	}
	if bytes.Equal(text, r.written) {
		return nil
	}
	if err := r.replaceFile(text); err != nil {
		return err
	}
	return r.opts.Cache.saveLast(r.opts.File, last)
}

// gather makes the edits that put the results of ended components into the text,
// and notes what each depended on.
func (r recorder) gather(failed func(index int, err error)) (*result.Writer, map[string]lastRun) {
	last := map[string]lastRun{}
	w := &result.Writer{Doc: r.plan.Document()}
	for i, t := range r.tasks {
		if t == nil || !r.wanted[i] || !t.ended() {
			continue
		}
		c := r.plan.Components[i]
		wrote, err := r.writeResult(w, c, t)
		if err != nil {
			failed(i, err)
			continue
		}
		if t.digests != nil && t.done.Err == nil {
			last[c.ID] = lastRun{Digests: t.digests, Wrote: wrote}
		}
	}
	return w, last
}

// writeResults writes the results of all components whose turn came.
func (r recorder) writeResults() error {
	if r.dry {
		return nil
	}
	w, last := r.gather(func(i int, err error) {
		c := r.plan.Components[i]
		r.noteFailure(i, diag.Errorf(c.Pos, "%s: %v", c.ID, err))
	})
	r.report.Edits = w.Settled()
	if r.opts.Write.book() {
		if err := r.save(r.report.Edits); err != nil {
			return err
		}
	}
	if err := r.opts.Cache.saveLast(r.opts.File, last); err != nil { // costs time, not results
		r.emit(trace.Event{Kind: trace.KindLog, Error: err.Error()})
	}
	return nil
}

// save applies the edits to the file and brings its query blocks up to date. It
// does not write what already exists.
func (r recorder) save(edits []org.Edit) error {
	text, err := org.Apply(r.source, edits)
	if err != nil {
		return fmt.Errorf("%s: %w", r.opts.File, err)
	}
	text, r.report.Notes = r.refreshed(context.Background(), text)
	if !bytes.Equal(text, r.written) {
		if err := r.replaceFile(text); err != nil {
			return err
		}
	}
	r.report.Wrote = !bytes.Equal(text, r.source)
	return nil
}

// noCommand matches the shell's message about a program that wb does not have.
var noCommand = lazyregexp.New(`(?m)^[^\n]*?([^\s:]+): command not found$`)

// keepRecorded keeps the result in the document when the program came to its own
// for a reason that is wb's: a tool that the sandbox lacks, or a capability that
// was not granted. A program that fails by itself does as in Emacs.
func (r recorder) keepRecorded(p *program, t *task, k *kept) {
	why := ""
	switch missing := noCommand.FindStringSubmatch(k.Stderr); {
	case missing != nil:
		why = fmt.Sprintf("the sandbox has no program %s", missing[1])
	case k.Exit != 0 && p.denied.Load():
		why = "a capability it asked for is not granted"
	default:
		return
	}
	if !hasRecorded(r.plan.Document(), p.owner) {
		return
	}
	t.standing = true
	p.note(diag.Note, "result-kept", "", "%s: the recorded result stays", why)
	t.done.Warnings = p.warnings
}
