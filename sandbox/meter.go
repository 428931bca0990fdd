package sandbox

import (
	"context"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"

	"wb/sandbox/fuel"
)

// slice is how much fuel a guest gets at a time. A unit is at most
// fuel.MaxRun instructions, so even a hostile guest is back in Go within
// milliseconds, and an ordinary one costs a host call every 100 µs.
const slice = 1 << 17

// hostCallFuel is the fuel cost of a system call, besides the bytes it moves.
const hostCallFuel = 100

// meter counts one instance's fuel and watches its deadline.
//
// The guest counts down in its own counter; granted is the sum of what it was
// given, so its code has burnt granted minus the counter. Fuel spent
// on the guest's behalf by the host is added on top.
type meter struct {
	limits   Limits
	started  time.Time
	deadline time.Time // zero: none
	work     workClock
	granted  int64
	hostFuel int64
	unseen   int64 // host fuel since limits were last looked at
	counter  api.MutableGlobal
}

// start begins an accounting period.
func (m *meter) start(l Limits) {
	m.limits = l
	m.started = time.Now()
	m.deadline = time.Time{}
	if l.Wall > 0 {
		m.deadline = m.started.Add(l.Wall)
	}
	m.work = workClock{}
	m.work.resume()
	m.granted, m.hostFuel, m.unseen = 0, 0, 0
	if m.counter != nil {
		m.counter.Set(0)
	}
}

// used is the fuel burnt when the guest's counter stands at left.
func (m *meter) used(left int32) int64 { return m.granted - int64(left) + m.hostFuel }

// fuelUsed is the fuel burnt so far.
func (in *Instance) fuelUsed() int64 {
	if in.meter.counter == nil {
		return in.meter.hostFuel
	}
	return in.meter.used(int32(in.meter.counter.Get()))
}

// refill is the guest's call for more fuel: the next value of its counter. It
// needs at least one more unit.
func (in *Instance) refill(ctx context.Context, left int32) int32 {
	m := &in.meter
	in.check(ctx, m.used(left)+1)
	next := int64(slice)
	if m.limits.Fuel >= 0 {
		next = min(next, m.limits.Fuel-m.used(left))
	}
	m.granted += next - int64(left)
	return int32(next)
}

// check ends the guest if it has used more than it may, in fuel or in time.
func (in *Instance) check(ctx context.Context, used int64) {
	in.meter.unseen = 0
	if l := in.meter.limits.Fuel; l >= 0 && used > l {
		in.halt(&LimitError{LimitFuel, l})
	}
	if err := in.expired(ctx); err != nil {
		in.halt(err)
	}
}

// burn charges the guest for work the host does for it.
func (in *Instance) burn(ctx context.Context, n int64) {
	in.meter.hostFuel += n
	if in.meter.unseen += n; in.meter.unseen >= slice {
		in.check(ctx, in.fuelUsed())
	}
}

// expired is the error of a caller who gave up or of a passed deadline.
func (in *Instance) expired(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if in.engine.stopping.Load() {
		return errEngineClosed
	}
	if worked := in.meter.work.look(); in.meter.limits.Timeout > 0 && worked > in.meter.limits.Timeout {
		return &LimitError{LimitTime, int64(in.meter.limits.Timeout)}
	}
	if d := in.meter.deadline; !d.IsZero() && time.Now().After(d) {
		return &LimitError{LimitTime, int64(in.meter.limits.Wall)}
	}
	return nil
}

// Usage returns the instance's usage since it started or was renewed.
func (in *Instance) Usage() Usage {
	return Usage{
		Fuel:   in.fuelUsed(),
		Memory: int64(len(in.memory.bytes)),
		Work:   in.meter.work.worked,
		Wall:   time.Since(in.meter.started),
	}
}

// Renew begins a new accounting period with new limits: fuel and time start
// from zero, memory may grow by limits.Memory beyond its present size.
// The counts of output and file bytes start anew too.
func (in *Instance) Renew(limits Limits) {
	limits = limits.withDefaults()
	in.meter.start(limits)
	in.sys.output = quota{kind: LimitOutput, limit: limits.Output}
	in.sys.storage = quota{kind: LimitFiles, limit: limits.Files}
	in.memory.allow(limits.Memory, int64(len(in.memory.bytes)))
}

// fuelModule provides the yield function that instrumented guests import.
func fuelModule(rt wazero.Runtime) wazero.HostModuleBuilder {
	yield := func(ctx context.Context, stack []uint64) {
		stack[0] = uint64(uint32(instanceOf(ctx).refill(ctx, int32(stack[0]))))
	}
	i32 := []api.ValueType{I32}
	return rt.NewHostModuleBuilder(fuel.ImportModule).NewFunctionBuilder().
		WithGoFunction(api.GoFunc(yield), i32, i32).Export(fuel.ImportYield)
}
