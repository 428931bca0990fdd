package sandbox

import "time"

// workClock measures how long a guest works. It is looked at each time the guest
// comes back for fuel, so an interval is a fraction of a millisecond unless the
// guest had to wait for a processor.
type workClock struct {
	worked time.Duration
	at     time.Time     // of the last look
	thread int           // it ran on then
	cpu    time.Duration // that thread had used by then
}

// brief is the most an interval counts for when its processor time is not
// known: the system does not tell, or the guest moved to another thread.
const brief = 2 * time.Millisecond

// resume begins an interval. What came before it does not count.
func (w *workClock) resume() {
	w.at = time.Now()
	w.thread, w.cpu, _ = threadTime()
}

// look ends an interval, begins the next one and returns the time worked so far.
func (w *workClock) look() time.Duration {
	before := *w
	w.resume()
	elapsed := w.at.Sub(before.at)
	if w.thread != 0 && w.thread == before.thread {
		w.worked += min(elapsed, w.cpu-before.cpu)
	} else {
		w.worked += min(elapsed, brief)
	}
	return w.worked
}
