package run

import (
	"context"
	"errors"
	"time"

	"wb/compile"
	"wb/internal/diag"
	"wb/internal/trace"
)

// execute brings about a program's outcome, from the cache when nothing
// changed, and makes it the task's result. An error means that there is no
// outcome; a program that fails still has an outcome, with done.Err set.
func (r executor) execute(ctx context.Context, p *program, t *task) error {
	t.digests, t.volatile, t.src = p.digests, p.volatile != "", p.src
	t.done.Warnings = p.warnings
	if t.hash = p.resultHash(); t.hash != "" && r.standsFresh(p, t) {
		return nil
	}
	session := r.sessions.of(p)
	kept, why, err := r.known(p, session)
	if err != nil {
		return err
	}
	t.done.Why = why
	if kept != nil {
		t.done.Status = StatusCached
		session.putOff(p.owner.ID, p.digests.Key(), kept, func(ctx context.Context) error { return r.replay(ctx, p, session) })
		return r.settle(ctx, p, t, kept)
	}
	if r.dry {
		return errWouldRun
	}
	release, err := r.acquire(ctx, t)
	if err != nil {
		return err
	}
	start := time.Now()
	outcome, err := r.runProgram(ctx, p, t, session)
	release()
	if p.where != "" && err == nil { // it waited for a worker, too
		t.done.Queued += max(0, time.Since(start)-outcome.Usage.Wall)
	}
	t.done.Where = p.where
	if err != nil {
		t.blank = r.blankFor(p, err)
		return err
	}
	t.made = true
	t.done.Status = StatusOK
	return r.settle(ctx, p, t, outcome)
}

// blankFor reports whether an error leaves an empty result, as in Emacs: the
// block does not compile. A recorded result stays, because what does not compile
// in the sandbox may well have compiled elsewhere; and a link to no file helps nobody.
func (r executor) blankFor(p *program, err error) bool {
	var wrong *diag.FindingsError
	if p.src.Shape != compile.ShapeBabel || !errors.As(err, &wrong) || p.words.Has("file") || p.words.Has("link") {
		return false
	}
	return !hasRecorded(r.plan.Document(), p.owner)
}

// runProgram builds and runs p. What it made is kept if that is sound.
func (r executor) runProgram(ctx context.Context, p *program, t *task, session *session) (*kept, error) {
	r.emit(trace.Event{Kind: trace.KindComponentStart, Component: t.done.ID, Lang: p.src.Lang, Profile: p.profile})
	session.lock()
	defer session.unlock()
	if err := session.catchUp(ctx); err != nil {
		return nil, err
	}
	files, err := r.guest(p, session)
	if err != nil {
		return nil, err
	}
	out, err := r.buildAndRun(ctx, t.done.ID, p, files, telling(r.runner).listen)
	session.take(files)
	if err != nil {
		if out != nil { // what it had printed when it was stopped
			t.done.Stdout, t.done.Stderr = string(out.Stdout), string(out.Stderr)
		}
		return nil, err
	}
	k := &kept{Value: out.Value, Stdout: string(out.Stdout), Stderr: string(out.Stderr), Exit: out.Exit, Usage: out.Usage, Reads: files.reads()}
	if err := r.collectFiles(p, files, k); err != nil {
		return nil, err
	}
	if p.volatile == "" && k.Exit == 0 {
		r.keep(p, k)
	}
	session.note(p.owner.ID, p.digests.Key(), k)
	return k, nil
}

// buildAndRun lets listen, unless it is nil, hear what the program prints.
func (r executor) buildAndRun(ctx context.Context, id string, p *program, files *guestTree,
	listen func(string, *compile.Job) func()) (*compile.Outcome, error) {
	job := *p.job
	if listen != nil {
		defer listen(id, &job)()
	}
	job.Files = files.fs()
	job.Dock = binding(r.runner).dock(ctx, id, p)
	defer job.Dock.Close()
	return r.opts.Runner.Execute(ctx, &compile.Program{ID: id, Lane: p.lane, Source: p.src, Job: &job,
		Placed: func(where string) { p.where = where },
		Built: func(warnings []diag.Finding, took time.Duration) {
			p.warnings = append(p.warnings, warnings...)
			r.emit(trace.Event{Kind: trace.KindCompile, Component: id, Lang: p.src.Lang, Duration: took, Props: placed(p.where)})
		}})
}

// replay runs a program of a session again whose outcome was kept, because a
// later one needs the state it leaves.
func (r executor) replay(ctx context.Context, p *program, session *session) error {
	files, err := r.guest(p, session)
	if err != nil {
		return err
	}
	_, err = r.buildAndRun(ctx, p.owner.ID, p, files, nil)
	session.take(files)
	return err
}

// acquire waits for a free slot. The time it takes is not part of the turn.
func (r *runner) acquire(ctx context.Context, t *task) (release func(), err error) {
	start := time.Now()
	defer func() { t.done.Queued += time.Since(start) }()
	select {
	case r.slots <- struct{}{}:
		telling(r).begun(t.done.ID)
		return func() { <-r.slots }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
