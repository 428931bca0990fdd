package agent

import (
	"fmt"
	"maps"
	"slices"
	"sync"
)

// StateChange is one change of a session's keys and values.
type StateChange struct {
	Key     string `json:"key"`
	Value   string `json:"value,omitempty"`
	Removed bool   `json:"removed,omitempty"`
}

// What a state may hold.
const (
	MaxStateKeys  = 10_000
	MaxStateValue = 1 << 20 // bytes
)

// State is the keys and values of a session. A run without one has a state of
// its own that ends with it. It is safe for concurrent use.
type State struct {
	mu     sync.Mutex
	values map[string]string
	log    []StateChange
}

// NewState begins with values, which it copies.
func NewState(values map[string]string) *State {
	s := &State{values: map[string]string{}}
	maps.Copy(s.values, values)
	return s
}

// Get is the value of a key.
func (s *State) Get(key string) (string, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	v, ok := s.values[key]
	return v, ok
}

// Set gives a key a value.
func (s *State) Set(key, value string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, there := s.values[key]
	switch {
	case key == "" || len(key) > 256:
		return fmt.Errorf("a key has 1 to 256 bytes, not %d", len(key))
	case len(value) > MaxStateValue:
		return fmt.Errorf("the value of %s has %d bytes, more than %d", key, len(value), MaxStateValue)
	case !there && len(s.values) >= MaxStateKeys:
		return fmt.Errorf("the session already keeps %d keys", MaxStateKeys)
	}
	s.values[key] = value
	s.log = append(s.log, StateChange{Key: key, Value: value})
	return nil
}

// Delete takes a key away.
func (s *State) Delete(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, there := s.values[key]; there {
		delete(s.values, key)
		s.log = append(s.log, StateChange{Key: key, Removed: true})
	}
}

// Keys are all keys, sorted.
func (s *State) Keys() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.values))
}

// Values is a copy of everything.
func (s *State) Values() map[string]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.values)
}

// Mark is a point in the history of the state, for Since.
func (s *State) Mark() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.log)
}

// Since are the changes after a mark.
func (s *State) Since(mark int) []StateChange {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.log[mark:])
}

// Apply brings the state to where a recorded call left it.
func (s *State) Apply(changes []StateChange) {
	if s == nil {
		return
	}
	for _, c := range changes {
		if c.Removed {
			s.Delete(c.Key)
		} else {
			_ = s.Set(c.Key, c.Value) // it was allowed when it was recorded
		}
	}
}
