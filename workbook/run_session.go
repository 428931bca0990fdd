package workbook

import (
	"context"
	"fmt"
	"sync"

	"wb/compile"
)

// sessions are the interpreters that blocks with the same :session share
// within one run.
type sessions struct {
	mu   sync.Mutex
	open map[string]*session
}

// session is one of them. A block whose outcome was kept does not run; should
// a later one have to, the kept ones run first, in order, to restore the state
// they leave.
type session struct {
	mu      sync.Mutex
	lane    compile.Lane
	name    string // as the lane knows it
	pending []func(context.Context) error
}

// of is the session a program uses, nil for none. It also gives the lane the
// session's name, which no other run in the process uses.
func (s *sessions) of(p *program) *session {
	name, ok := p.code.session()
	if !ok {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.open == nil {
		s.open = map[string]*session{}
	}
	if s.open[name] == nil {
		s.open[name] = &session{lane: p.lane, name: fmt.Sprintf("%s@%p", name, s)}
	}
	p.job.Session = s.open[name].name
	return s.open[name]
}

// close ends all sessions; what they kept in memory is gone.
func (s *sessions) close(ctx context.Context) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, one := range s.open {
		_ = compile.CloseSession(ctx, one.lane, one.name) // nothing depends on it any more
	}
	s.open = nil
}

// putOff notes what must run before anything else of the session does.
func (s *session) putOff(run func(context.Context) error) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pending = append(s.pending, run)
}

func (s *session) lock() {
	if s != nil {
		s.mu.Lock()
	}
}

func (s *session) unlock() {
	if s != nil {
		s.mu.Unlock()
	}
}

// catchUp runs what was put off. The caller holds the lock.
func (s *session) catchUp(ctx context.Context) error {
	if s == nil {
		return nil
	}
	for len(s.pending) > 0 {
		if err := s.pending[0](ctx); err != nil {
			return fmt.Errorf("restoring the session: %w", err)
		}
		s.pending = s.pending[1:]
	}
	return nil
}
