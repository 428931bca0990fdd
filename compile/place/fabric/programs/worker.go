package programs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"wb/compile"
	"wb/compile/place/fabric"
	"wb/compile/place/remote"
	"wb/compile/toolchain"
)

// Peer runs a worker's programs.
type Peer struct {
	Lanes *compile.Registry
	Tools *toolchain.Depot
	// Progress hears of toolchains that are installed on the way.
	Progress toolchain.Progress
	// Link is where toolchains come from that callers have.
	Link *fabric.Link
}

// Execute is a [fabric.Executor].
func (w *Peer) Execute(ctx context.Context, job *fabric.Job) (reply []byte, err error) {
	defer func() {
		if p := recover(); p != nil { // a mistake of wb, which another program must not pay for
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	request, err := remote.DecodeRequest(job.Body)
	if err != nil {
		return nil, &fabric.Declined{Reason: err.Error()}
	}
	lane, ok := w.Lanes.Lookup(request.Lang)
	if !ok {
		return nil, &fabric.Declined{Reason: "no lane for " + request.Lang}
	}
	for _, name := range lane.Info().Toolchains {
		if err := w.equip(ctx, job, name); err != nil {
			return nil, err
		}
	}
	var gone error // what makes the rest pointless
	r := remote.Execute(ctx, w.Lanes, request, func(ctx context.Context, question []byte) ([]byte, error) {
		answer, err := job.Ask(ctx, question)
		if errors.Is(err, fabric.ErrCallerGone) || errors.As(err, new(*fabric.QuotaError)) {
			gone = err
		}
		return answer, err
	})
	switch {
	case gone != nil:
		return nil, gone
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case r.Failure != nil:
		refused := new(remote.RefusedError)
		if err := r.Failure.Err(); errors.As(err, &refused) {
			return nil, &fabric.Declined{Reason: refused.Reason}
		}
	}
	return r.Encode()
}

// equip makes sure of a toolchain: what is here, else the caller's, else what
// this worker can get by itself. That it is the one the request means is checked
// when the program is run.
func (w *Peer) equip(ctx context.Context, job *fabric.Job, name string) error {
	if w.Tools == nil {
		return nil
	}
	if _, ok := w.Tools.Installed(name); ok {
		return nil
	}
	object, err := job.Ask(ctx, askTool(name))
	if err == nil && len(object) > 0 {
		if err = w.fetch(ctx, string(object)); err == nil {
			return nil
		}
	}
	if errors.Is(err, fabric.ErrCallerGone) || ctx.Err() != nil {
		return err
	}
	if _, own := w.Tools.Ensure(ctx, name, w.Progress); own != nil {
		return &fabric.Declined{Reason: fmt.Sprintf("no toolchain %s: %v", name, errors.Join(err, own))}
	}
	return nil
}

// fetch installs a pack from the object store. Every file in it is checked
// against the digests of this worker's own recipes.
func (w *Peer) fetch(ctx context.Context, object string) error {
	pack, err := w.Link.OpenObject(ctx, object)
	if err != nil {
		return err
	}
	defer pack.Close()
	_, _, err = w.Tools.Unpack(ctx, pack, w.Progress)
	return err
}

// Same reports whether two replies to one request say the same: apart from how
// long things took, and when both were told the same about files.
func Same(a, b []byte) bool {
	one, err := remote.DecodeReply(a)
	if err != nil {
		return false
	}
	other, err := remote.DecodeReply(b)
	if err != nil {
		return false
	}
	if !sameReads(one.Reads, other.Reads) {
		return true // of different files
	}
	if !lasting(one) || !lasting(other) {
		return true // of machines, not of the program
	}
	x, errX := timeless(one)
	y, errY := timeless(other)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}

func sameReads(a, b []remote.Read) bool {
	said := map[string]string{}
	for _, r := range a {
		said[string(r.Question)] = r.Answer
	}
	for _, r := range b {
		if answer, ok := said[string(r.Question)]; ok && answer != r.Answer {
			return false
		}
	}
	return true
}

// timeless is a reply without what differs from machine to machine.
func timeless(r *remote.Reply) ([]byte, error) {
	r.Build, r.Reads = 0, nil
	if r.Outcome != nil {
		r.Outcome.Usage.Work, r.Outcome.Usage.Wall = 0, 0
	}
	return r.Encode()
}
