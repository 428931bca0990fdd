package fabric

import (
	"fmt"
	"sync"
	"time"
)

// silence watches for a server that does not answer, and says so once it has
// lasted, and again when it is over.
type silence struct {
	tell  func(string)
	where string

	mu    sync.Mutex
	since time.Time // zero while the server answers
	timer *time.Timer
	said  bool
}

// silenceWait is how long a server may be silent before people hear of it: a
// reconnection, or a cluster that chooses another leader, is mostly faster.
const silenceWait = 4 * time.Second

// begins notes that the server did not answer.
func (s *silence) begins(why error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.since.IsZero() {
		return
	}
	s.since = time.Now()
	s.timer = time.AfterFunc(silenceWait, func() { s.say(why) })
}

func (s *silence) say(why error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.since.IsZero() {
		return // it was over when the clock struck
	}
	s.said = true
	text := "the fabric at " + s.where + " does not answer"
	if why != nil {
		text += fmt.Sprintf(" (%v)", why)
	}
	s.tell(text + "; waiting for it")
}

// ends notes that the server answered.
func (s *silence) ends() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.since.IsZero() {
		return
	}
	s.timer.Stop()
	if s.said {
		s.tell(fmt.Sprintf("the fabric at %s answers again after %v", s.where, time.Since(s.since).Round(time.Second)))
	}
	s.since, s.said = time.Time{}, false
}
