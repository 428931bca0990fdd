package vm

import (
	"context"
	"errors"
	"sync"

	"wb/compile"
)

// sessions are the machines that live on between jobs, by Job.Session.
type sessions struct {
	mu   sync.Mutex
	open map[string]*session
}

// session is one of them; its lock is held while a job runs on it.
type session struct {
	mu      sync.Mutex
	machine *Machine
}

// acquire gives the machine of the job's session, started with start when
// there is none.
func (s *sessions) acquire(ctx context.Context, job *compile.Job, start func() (*Machine, error)) (*Machine, func(alive bool), error) {
	one := s.of(job.Session)
	one.mu.Lock()
	switch {
	case one.machine == nil:
		m, err := start()
		if err != nil {
			one.mu.Unlock()
			return nil, nil, err
		}
		one.machine = m
	case one.machine.caps != job.Caps:
		one.mu.Unlock()
		return nil, nil, errors.New("the session was started with other capabilities; give all its blocks the same :uses")
	default:
		one.machine.adopt(ctx, job)
		one.machine.Renew(job.Limits)
	}
	return one.machine, func(alive bool) {
		if !alive {
			one.machine.Close(ctx)
			one.machine = nil
		}
		one.mu.Unlock()
	}, nil
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

func (s *sessions) close(ctx context.Context, name string) {
	s.mu.Lock()
	one := s.open[name]
	delete(s.open, name)
	s.mu.Unlock()
	if one == nil {
		return
	}
	one.mu.Lock()
	defer one.mu.Unlock()
	if one.machine != nil {
		one.machine.Close(ctx)
		one.machine = nil
	}
}
