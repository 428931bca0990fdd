package sandbox

import (
	"context"
	"time"
)

// Sleep waits on the guest's behalf, from inside a host function: in real time
// when the guest was granted the clock, else by moving its virtual clock on at
// once. It ends the guest when its deadline passes meanwhile.
func (in *Instance) Sleep(d time.Duration) {
	if d > 0 {
		in.sleep(d)
	}
}

// MemoryRefused reports whether the guest has asked for more memory than its
// limit since it started or was renewed: why a language VM may have run out.
func (in *Instance) MemoryRefused() bool { return in.memory.refused }

// OutOfMemory is the error for a guest that has broken its memory limit.
func (in *Instance) OutOfMemory() error { return &LimitError{LimitMemory, in.meter.limits.Memory} }

// Charge counts fuel for work that a host function does for the guest, so that
// moving bytes costs the same wherever they are moved. Call it from inside a
// host function: it ends the guest when there is no fuel left.
func (in *Instance) Charge(ctx context.Context, fuel int64) { in.burn(ctx, fuel) }

// Outlasting is the context below the one that a host function gets. That one is
// only good until the function returns; this one may be given to goroutines that
// look at it later.
func Outlasting(ctx context.Context) context.Context {
	if c, ok := ctx.(*callContext); ok {
		return c.Context
	}
	return ctx
}
