package js

import (
	"context"

	"wb/compile"
)

// machineFor is a VM that works in w: a fresh one, or the one of the job's
// session. Release it when the job is done, telling whether it can go on.
func (l *Lane) machineFor(ctx context.Context, w world, job *compile.Job) (m *machine, release func(ctx context.Context, alive bool), err error) {
	img, err := l.runtime.boot(ctx)
	if err != nil {
		return nil, nil, err
	}
	if job.Session == "" {
		m, err := l.runtime.restore(ctx, img, w)
		if err != nil {
			return nil, nil, err
		}
		return m, func(ctx context.Context, _ bool) { l.runtime.pool.give(ctx, m) }, nil
	}
	s := l.sessions.Lock(job.Session)
	if s.Machine == nil {
		if s.Machine, err = l.runtime.restore(ctx, img, w); err != nil {
			s.Machine = nil
			s.Unlock()
			return nil, nil, err
		}
	}
	s.Machine.adopt(w)
	return s.Machine, func(ctx context.Context, alive bool) {
		if !alive { // stopped, it is of no more use
			s.Machine.close(ctx)
			s.Machine = nil
		}
		s.Unlock()
	}, nil
}

// adopt puts a VM to work in another world, with fresh limits.
func (m *machine) adopt(w world) {
	m.world, m.rejected = w, nil
	m.in.Renew(w.limits)
}

// CloseSession ends a session and frees its VM.
func (l *Lane) CloseSession(ctx context.Context, name string) error {
	l.sessions.Close(name, func(m *machine) { m.close(ctx) })
	return nil
}

// converse evaluates the block as a script, as at node's prompt: what it
// declares stays, and its value is that of its last expression. A body that
// returns is a function instead.
func (r *run) converse(ctx context.Context) error {
	if _, err := r.eval(ctx, r.unit.Vars, BlockFile, evalScript); err != nil {
		return err
	}
	v, err := r.eval(ctx, r.unit.Script, BlockFile, evalScript)
	if err != nil {
		return err
	}
	if !r.unit.Results.Has("output") {
		if v, err = r.control(ctx, "shown", v); err != nil {
			return err
		}
	}
	return r.conclude(ctx, v)
}
