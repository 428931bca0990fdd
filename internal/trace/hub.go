package trace

import (
	"context"
	"errors"
	"sync"
)

// liveOutputLen bounds the output that a live event carries, in characters.
const liveOutputLen = 4000

// Hub hands events to live subscribers. Emit never waits: a subscriber that
// falls behind loses its oldest events and is told how many. Files lose none.
// The zero Hub is ready to use.
type Hub struct {
	mu     sync.Mutex
	subs   map[*Subscription]struct{}
	closed bool
}

// ErrClosed ends a [Subscription] after the last event.
var ErrClosed = errors.New("subscription closed")

// Emit implements [Sink].
func (h *Hub) Emit(e Event) error {
	e.Output = clip(e.Output, liveOutputLen)
	h.mu.Lock()
	defer h.mu.Unlock()
	for s := range h.subs {
		s.push(e)
	}
	return nil
}

// Subscribe starts a subscription that keeps up to size events. An empty run
// subscribes to every run.
func (h *Hub) Subscribe(run string, size int) *Subscription {
	s := &Subscription{hub: h, run: run, ring: make([]Event, max(size, 1)), ready: make(chan struct{}, 1)}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		s.closed = true
		return s
	}
	if h.subs == nil {
		h.subs = map[*Subscription]struct{}{}
	}
	h.subs[s] = struct{}{}
	return s
}

// Close ends every subscription once it has read what it has.
func (h *Hub) Close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	for s := range h.subs {
		s.end()
	}
	h.subs = nil
}

// Subscription is a bounded queue of events.
type Subscription struct {
	hub   *Hub
	run   string
	ready chan struct{} // holds a token while there may be something to read

	mu     sync.Mutex
	ring   []Event
	first  int
	count  int
	lost   int
	closed bool
}

func (s *Subscription) push(e Event) {
	if s.run != "" && s.run != e.Run {
		return
	}
	s.mu.Lock()
	if s.count == len(s.ring) {
		s.first = (s.first + 1) % len(s.ring)
		s.count--
		s.lost++
	}
	s.ring[(s.first+s.count)%len(s.ring)] = e
	s.count++
	s.mu.Unlock()
	s.wake()
}

func (s *Subscription) wake() {
	select {
	case s.ready <- struct{}{}:
	default:
	}
}

func (s *Subscription) end() {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	s.wake()
}

// Next waits for the next event. Lost is how many events were dropped just
// before it. The error is [ErrClosed] after the last event, or the context's.
func (s *Subscription) Next(ctx context.Context) (e Event, lost int, err error) {
	for {
		s.mu.Lock()
		if s.count > 0 {
			e, lost = s.ring[s.first], s.lost
			s.ring[s.first] = Event{}
			s.first = (s.first + 1) % len(s.ring)
			s.count--
			s.lost = 0
			s.mu.Unlock()
			return e, lost, nil
		}
		closed := s.closed
		s.mu.Unlock()
		if closed {
			return Event{}, 0, ErrClosed
		}
		select {
		case <-s.ready:
		case <-ctx.Done():
			return Event{}, 0, ctx.Err()
		}
	}
}

// Close ends the subscription; what is queued can still be read.
func (s *Subscription) Close() {
	s.hub.mu.Lock()
	delete(s.hub.subs, s)
	s.hub.mu.Unlock()
	s.end()
}
