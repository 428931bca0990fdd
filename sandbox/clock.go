package sandbox

import "time"

// epoch is the time it is for a guest without the clock capability at the moment it
// starts, unless Command.Now says another: the first second of the year 2000.
var epoch = time.Unix(946684800, 0).UTC()

// clock tells a guest the time. Granted the clock capability it is the real
// one. Otherwise time is virtual: it starts at begin, advances a microsecond
// each time the guest looks and by a nanosecond for each unit of fuel, and
// sleeping moves it forward at once. So busy-waiting ends, sleeping costs
// nothing, and every run sees the same times.
type clock struct {
	real    bool
	started time.Time
	begin   time.Time
	virtual time.Duration
}

// elapsed is the time since the guest started.
func (c *clock) elapsed(fuel int64) time.Duration {
	if c.real {
		return time.Since(c.started)
	}
	c.virtual += time.Microsecond
	return c.virtual + time.Duration(fuel)
}

// wall is the time of day.
func (c *clock) wall(fuel int64) time.Time {
	if c.real {
		return time.Now()
	}
	return c.begin.Add(c.elapsed(fuel))
}
