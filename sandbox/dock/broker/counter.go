package broker

import "sync"

// How many programs a principal may have.
const (
	MaxLive    = 32 // started with process and not waited for
	MaxRunning = 64 // running for commands and exec at the same time
)

// Counter counts what a principal has of something, up to a bound. Docks of one
// principal share it.
type Counter struct {
	most int

	mu sync.Mutex
	n  int
}

// NewCounter counts up to most.
func NewCounter(most int) *Counter { return &Counter{most: most} }

// take counts one more and reports whether there was room.
func (c *Counter) take() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.n >= c.most {
		return false
	}
	c.n++
	return true
}

// give counts one less.
func (c *Counter) give() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n--
}
