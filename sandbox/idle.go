package sandbox

import "time"

// idleAfter is how long a large module may be unused before its machine code
// is dropped. Reading it back takes about half a second.
const idleAfter = 5 * time.Minute

// expectIdle arms the timer that drops unused large modules. e.mu is held.
func (e *Engine) expectIdle() {
	if e.idle == nil && !e.closed {
		e.idle = time.AfterFunc(idleAfter, func() { e.dropIdle(time.Now()) })
	}
}

// dropIdle drops the large modules that have not been used for idleAfter, and
// comes back while there are others.
func (e *Engine) dropIdle(now time.Time) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.idle = nil
	if e.closed {
		return
	}
	for _, m := range e.modules {
		if m.compiled == nil || m.size < largeModule {
			continue
		}
		if m.users == 0 && now.Sub(m.idleSince) >= idleAfter {
			m.drop()
		} else {
			e.expectIdle()
		}
	}
}
