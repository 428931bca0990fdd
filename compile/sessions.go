package compile

import "sync"

// Sessions are the machines of a lane that live on between jobs, by
// Job.Session. The zero value has none.
type Sessions[M any] struct {
	mu   sync.Mutex
	open map[string]*Session[M]
}

// Session is one of them. Its lock is held while a job runs on its machine.
type Session[M any] struct {
	sync.Mutex
	Machine *M // nil before the first job, and when the last one has ended it
}

// Lock waits for the session of a name, which it opens when there is none, and
// locks it.
func (s *Sessions[M]) Lock(name string) *Session[M] {
	s.mu.Lock()
	if s.open == nil {
		s.open = make(map[string]*Session[M])
	}
	one := s.open[name]
	if one == nil {
		one = &Session[M]{}
		s.open[name] = one
	}
	s.mu.Unlock()
	one.Lock()
	return one
}

// Close ends a session when its job is done; end is called with its machine, if
// it has one.
func (s *Sessions[M]) Close(name string, end func(*M)) {
	s.mu.Lock()
	one := s.open[name]
	delete(s.open, name)
	s.mu.Unlock()
	if one == nil {
		return
	}
	one.Lock()
	defer one.Unlock()
	if one.Machine != nil {
		end(one.Machine)
		one.Machine = nil
	}
}
