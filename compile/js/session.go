package js

import (
	"context"
	"sync"

	"wb/compile"
)

// sessions are the VMs that live on between jobs, by Job.Session.
type sessions struct {
	mu   sync.Mutex
	open map[string]*session
}

// session is one of them; its lock is held while a job runs on it.
type session struct {
	mu      sync.Mutex
	machine *machine
}

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
	s := l.sessions.of(job.Session)
	s.mu.Lock()
	if s.machine == nil {
		if s.machine, err = l.runtime.restore(ctx, img, w); err != nil {
			s.machine = nil
			s.mu.Unlock()
			return nil, nil, err
		}
	}
	s.machine.adopt(w)
	return s.machine, s.release, nil
}

// adopt puts a VM to work in another world, with fresh limits.
func (m *machine) adopt(w world) {
	m.world, m.rejected = w, nil
	m.in.Renew(w.limits)
}

// release ends a job. A VM that was stopped is of no more use.
func (s *session) release(ctx context.Context, alive bool) {
	defer s.mu.Unlock()
	if !alive {
		s.machine.close(ctx)
		s.machine = nil
	}
}

func (s *sessions) of(name string) *session {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open == nil {
		s.open = make(map[string]*session)
	}
	if s.open[name] == nil {
		s.open[name] = &session{}
	}
	return s.open[name]
}

// CloseSession ends a session and frees its VM.
func (l *Lane) CloseSession(ctx context.Context, name string) error {
	l.sessions.mu.Lock()
	s := l.sessions.open[name]
	delete(l.sessions.open, name)
	l.sessions.mu.Unlock()
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.machine != nil {
		s.machine.close(ctx)
	}
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
