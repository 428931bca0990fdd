package sandbox

import (
	"context"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// fuelName is the module that instrumented guests import their yield from.
const fuelName = "wb:fuel"

// meter watches one instance's limits.
type meter struct {
	limits   Limits
	started  time.Time
	deadline time.Time // zero: none
}

func (m *meter) start(l Limits) {
	m.limits = l
	m.started = time.Now()
	m.deadline = time.Time{}
	if l.Timeout > 0 {
		m.deadline = m.started.Add(l.Timeout)
	}
}

func (m *meter) usage(in *Instance) Usage {
	return Usage{Memory: int64(in.memory.size), Wall: time.Since(m.started)}
}

// Renew begins a new accounting period with new limits: fuel and time start
// from zero, memory may grow by limits.Memory beyond what it is now.
func (in *Instance) Renew(limits Limits) {
	limits = limits.withDefaults()
	in.meter.start(limits)
	in.memory.limit = int64(in.memory.size) + limits.Memory
	in.memory.refused = false
}

// expired is the error of the first broken limit of time, or of a caller who
// gave up.
func (in *Instance) expired(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if d := in.meter.deadline; !d.IsZero() && time.Now().After(d) {
		return &LimitError{LimitTime, int64(in.meter.limits.Timeout)}
	}
	return nil
}

// fuelModule provides the yield function.
func fuelModule(rt wazero.Runtime) wazero.HostModuleBuilder {
	return rt.NewHostModuleBuilder(fuelName).NewFunctionBuilder().
		WithGoFunction(api.GoFunc(func(ctx context.Context, stack []uint64) {
			in := instanceOf(ctx)
			if err := in.expired(ctx); err != nil {
				in.halt(err)
			}
		}), nil, nil).Export("yield")
}

// fuelUsed is the fuel burnt so far.
func (in *Instance) fuelUsed() int64 { return 0 }
