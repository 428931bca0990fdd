package sandbox

import (
	"context"
	"fmt"

	"github.com/tetratelabs/wazero/api"
)

// Snapshot is a frozen instance: its memory and its mutable globals. It is
// immutable and may be restored many times, from several goroutines. Open
// files, streams and the clock are not part of it: a restored instance gets
// those of its Command.
type Snapshot struct {
	module  *Module
	memory  []byte
	globals map[string]uint64
}

// Size is the frozen memory in bytes.
func (s *Snapshot) Size() int64 { return int64(len(s.memory)) }

// Close releases the snapshot. Instances restored from it keep working.
func (s *Snapshot) Close() error {
	s.memory = nil
	return nil
}

// Snapshot freezes the instance as it is between two calls. The instance
// stays usable.
func (in *Instance) Snapshot() (*Snapshot, error) {
	if in.calls.Context != nil {
		return nil, fmt.Errorf("%s: cannot snapshot while a call is running", in.module.name)
	}
	s := &Snapshot{module: in.module, memory: append([]byte(nil), in.memory.bytes...), globals: map[string]uint64{}}
	for _, name := range in.module.info.Globals {
		s.globals[name] = in.guest.ExportedGlobal(name).Get()
	}
	return s, nil
}

// Restore makes a new instance from a snapshot. The command's Module may be
// nil; its streams, files, host functions and limits become the instance's.
// Neither _start nor _initialize runs.
func (e *Engine) Restore(ctx context.Context, s *Snapshot, c Command) (*Instance, error) {
	c.Module = s.module
	limits := c.Limits.withDefaults()
	limits.Memory += int64(len(s.memory))
	c.Limits = limits
	in, err := e.instantiate(ctx, c)
	if err != nil {
		return nil, err
	}
	if err := in.Reset(s); err != nil {
		in.Close(ctx)
		return nil, err
	}
	return in, nil
}

// Reset puts the instance back into the state of a snapshot of its module.
func (in *Instance) Reset(s *Snapshot) error {
	if in.module != s.module {
		return fmt.Errorf("%s: snapshot is of module %s", in.module.name, s.module.name)
	}
	if have, want := len(in.memory.bytes), len(s.memory); have < want {
		if _, ok := in.guest.Memory().Grow(uint32((want - have) / pageSize)); !ok {
			return &LimitError{LimitMemory, in.memory.limit}
		}
	}
	copy(in.memory.bytes, s.memory)
	clear(in.memory.bytes[len(s.memory):])
	for name, v := range s.globals {
		in.guest.ExportedGlobal(name).(api.MutableGlobal).Set(v)
	}
	return nil
}
