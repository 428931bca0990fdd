package remote

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"wb/compile"
	"wb/internal/diag"
	"wb/sandbox"
	"wb/sandbox/dock"
)

// Execute does what a request asks for: a peer's work. It never fails; what goes
// wrong is in the reply. ask reaches the caller and may be nil for a request
// that needs nothing of it.
func Execute(ctx context.Context, lanes *compile.Registry, r *Request, ask Ask) *Reply {
	return (&Peer{Lanes: lanes}).Execute(ctx, r, ask)
}

// Peer executes requests.
type Peer struct {
	Lanes *compile.Registry
	// Built hears when a program is built and about to run; nil need not.
	Built func()
}

// Execute is the function Execute.
func (p *Peer) Execute(ctx context.Context, r *Request, ask Ask) *Reply {
	e := &execution{peer: p, request: r, reply: &Reply{}, reads: reads{seen: map[string]bool{}}, ask: ask}
	if err := e.run(ctx); err != nil {
		failure := NewFailure(err)
		failure.notePrinted(e.reply.Outcome)
		e.reply.Failure, e.reply.Outcome = failure, nil
	}
	e.reply.Reads = e.reads.list
	return e.reply
}

type execution struct {
	peer    *Peer
	request *Request
	reply   *Reply
	ask     Ask

	mu    sync.Mutex
	reads reads
}

func (e *execution) run(ctx context.Context) error {
	r := e.request
	lane, ok := e.peer.Lanes.Lookup(r.Lang)
	if !ok {
		return &RefusedError{Reason: fmt.Sprintf("the other side has no lane for %s", r.Lang), Help: "both sides need the same version of wb"}
	}
	if lane.Fingerprint() != r.Fingerprint {
		return &RefusedError{Reason: fmt.Sprintf("the other side has another version of the lane for %s, or of its toolchains", r.Lang),
			Help: "both sides need the same version of wb and the same toolchains"}
	}
	if r.Build {
		var err error
		e.reply.Artifact, err = compile.Bare(lane).Build(ctx, r.Source)
		return err
	}
	if (r.Tree || r.Docked) && e.ask == nil {
		return &RefusedError{Reason: "this program needs files or the dock of its caller, which cannot be reached"}
	}
	files, overlay, err := e.tree(ctx)
	if err != nil {
		return err
	}
	program := &compile.Program{Lane: lane, Source: r.Source, Job: &compile.Job{
		Inputs: r.Inputs, Stdin: r.Stdin, Args: r.Args, Files: files, Dir: r.Dir, Limits: r.Limits, Caps: r.Caps, Session: r.Session}}
	program.Built = func(warnings []diag.Finding, took time.Duration) {
		e.reply.Built, e.reply.Warnings, e.reply.Build = true, warnings, took
		if e.peer.Built != nil {
			e.peer.Built()
		}
	}
	if r.Docked {
		program.Job.Dock = dock.Forward(r.Granted, func(ctx context.Context, frame []byte) ([]byte, error) {
			return answered(e.question(ctx, append([]byte{askDock}, frame...)))
		})
	}
	if e.ask != nil {
		live := newPrinter(ctx, e.ask)
		defer live.end()
		program.Job.Stdout, program.Job.Stderr = live.stream('1'), live.stream('2')
	}
	e.reply.Outcome, err = compile.Here.Execute(ctx, program)
	if overlay != nil {
		e.reply.Changes = overlay.Changes()
	}
	if err == nil && e.reply.Outcome == nil {
		err = errors.New("the lane gave no outcome")
	}
	return err
}

// tree is the program's file tree.
func (e *execution) tree(ctx context.Context) (sandbox.FS, *sandbox.OverlayFS, error) {
	if e.request.Tree {
		overlay := sandbox.Overlay(&callersTree{ctx: ctx, ask: e.question})
		return overlay, overlay, nil
	}
	if e.request.Files == nil {
		return nil, nil, nil
	}
	below := sandbox.NewMemFS()
	files := sandbox.Changes{Entries: e.request.Files}
	if err := files.Apply(below); err != nil {
		return nil, nil, err
	}
	overlay := sandbox.Overlay(below)
	return overlay, overlay, nil
}

// question asks the caller, and remembers what was asked about files.
func (e *execution) question(ctx context.Context, question []byte) ([]byte, error) {
	answer, err := e.ask(ctx, question)
	if err == nil {
		e.mu.Lock()
		e.reads.note(question, answer)
		e.mu.Unlock()
	}
	return answer, err
}
