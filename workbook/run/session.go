package run

import (
	"context"
	"fmt"
	"sync"

	"wb/compile"
	"wb/sandbox"
	"wb/workbook/frozen"
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

	files sandbox.Changes // what its blocks did to their files

	ran []ran // the blocks whose state it has, or will have once pending is done
	// frozen is the frozen session it resumes, until the first block runs in it.
	frozen *frozen.Session
}

// of is the session a program uses, nil for none. It also gives the lane the
// session's name, which no other run in the process uses.
func (s *sessions) of(p *program) *session {
	name, ok := p.code.Session()
	if !ok {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	one := s.get(name, p.lane)
	p.job.Session = one.name
	return one
}

// get is a session by its name. The caller holds the lock.
func (s *sessions) get(name string, lane compile.Lane) *session {
	if s.open == nil {
		s.open = map[string]*session{}
	}
	if s.open[name] == nil {
		s.open[name] = &session{lane: lane, name: fmt.Sprintf("%s@%p", name, s)}
	}
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

// putOff notes what must run before anything else of the session does: a block
// that was answered with what is kept of it.
func (s *session) putOff(component, key string, k *kept, run func(context.Context) error) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pending = append(s.pending, run)
	s.note(component, key, k)
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
	if err := s.settleFrozen(ctx); err != nil {
		return err
	}
	for len(s.pending) > 0 {
		if err := s.pending[0](ctx); err != nil {
			return fmt.Errorf("restoring the session: %w", err)
		}
		s.pending = s.pending[1:]
	}
	return nil
}

// give lays what the session's blocks did to their files over the tree of the next
// one. The caller holds the lock.
func (s *session) give(g *guestTree) error {
	if s == nil {
		return nil
	}
	g.before = map[string][]byte{}
	for _, e := range s.files.Entries {
		g.before[e.Name] = e.Data
	}
	changes := s.files
	return changes.Apply(g.overlay)
}

// take keeps what a block did to its files. The caller holds the lock.
func (s *session) take(g *guestTree) {
	if s != nil {
		s.files = g.overlay.Changes()
	}
}

// ran is a block of a session that brought it further, and what came of it.
type ran struct {
	component string
	key       string
	kept      *kept
}

// note remembers what a block of the session gave. The caller holds the lock.
func (s *session) note(component, key string, k *kept) {
	if s != nil {
		s.ran = append(s.ran, ran{component, key, k})
	}
}

// settleFrozen decides, when the first block is to run in a session that was
// thawed, whether its state is that of the blocks before: then they need not run
// again. Otherwise the session begins anew. The caller holds the lock.
func (s *session) settleFrozen(ctx context.Context) error {
	f := s.frozen
	if f == nil {
		return nil
	}
	s.frozen = nil
	fits := len(s.ran) >= len(f.Ran) && len(s.pending) == len(s.ran)
	for i := 0; fits && i < len(f.Ran); i++ {
		fits = s.ran[i].key == f.Ran[i].Key
	}
	if fits {
		s.pending = s.pending[len(f.Ran):]
		return nil
	}
	s.files = sandbox.Changes{}
	return compile.CloseSession(ctx, s.lane, s.name)
}
