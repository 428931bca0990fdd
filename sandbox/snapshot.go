package sandbox

import (
	"context"
	"fmt"
	"sync"

	"github.com/tetratelabs/wazero/api"
)

// Snapshot is a frozen instance: its memory and its globals. It is immutable
// and may be restored many times, by several goroutines at once; on Linux
// copy-on-write, so that restoring costs what the new instance touches. Open
// files, streams, the clock and the state of random numbers are not part of
// it: a restored instance gets those of its Command.
//
//	vm, err := engine.Start(ctx, boot)          // slow, once
//	frozen, err := vm.Snapshot()
//	vm, err = engine.Restore(ctx, frozen, run)  // fast, often
type Snapshot struct {
	module  *Module
	size    int64
	globals []uint64 // in the order of the module's Info.Globals

	mu    sync.RWMutex
	image image // nil once closed
}

// Size is the frozen memory in bytes.
func (s *Snapshot) Size() int64 { return s.size }

// Module is the program that was frozen.
func (s *Snapshot) Module() *Module { return s.module }

// Close frees the snapshot. Instances restored from it keep working.
func (s *Snapshot) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.image == nil {
		return nil
	}
	err := s.image.close()
	s.image = nil
	return err
}

// Snapshot freezes the instance as it is between two calls; the instance stays
// usable. It fails for the rare module that keeps state where it cannot be
// read: in a table, say.
func (in *Instance) Snapshot() (*Snapshot, error) {
	if reason := in.module.info.Opaque; reason != "" {
		return nil, fmt.Errorf("%s: cannot snapshot: %s", in.module.name, reason)
	}
	if !in.state.CompareAndSwap(stateIdle, stateRunning) {
		return nil, fmt.Errorf("%s: cannot snapshot a closed or running instance", in.module.name)
	}
	defer in.state.Store(stateIdle)
	if in.halted != nil || in.exited {
		return nil, fmt.Errorf("%s: cannot snapshot a program that has ended", in.module.name)
	}
	image, err := newImage(in.memory.bytes)
	if err != nil {
		return nil, fmt.Errorf("%s: snapshot: %w", in.module.name, err)
	}
	s := &Snapshot{module: in.module, size: int64(len(in.memory.bytes)), image: image}
	for _, name := range in.module.info.Globals {
		s.globals = append(s.globals, in.guest.ExportedGlobal(name).Get())
	}
	return s, nil
}

// Restore makes a new instance from a snapshot. The command's Module is
// ignored; its streams, files, host functions and limits become the
// instance's, its memory may grow by Limits.Memory beyond the snapshot.
// Neither _start nor _initialize runs.
func (e *Engine) Restore(ctx context.Context, s *Snapshot, c Command) (*Instance, error) {
	c.Module = s.module
	in, err := e.instantiate(ctx, c, s.size)
	if err != nil {
		return nil, err
	}
	if err := in.Reset(s); err != nil {
		in.Close(ctx)
		return nil, err
	}
	return in, nil
}

// Reset puts an instance back into the state of a snapshot of its module, even
// after it has trapped, exited or broken a limit; call Renew to count anew.
// Memory that has grown since stays, cleared: where a program's behaviour must
// not depend on that, Restore makes an instance without it.
func (in *Instance) Reset(s *Snapshot) error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	switch {
	case in.module != s.module:
		return fmt.Errorf("%s: the snapshot is of %s", in.module.name, s.module.name)
	case s.image == nil:
		return fmt.Errorf("%s: the snapshot is closed", in.module.name)
	case !in.state.CompareAndSwap(stateIdle, stateRunning):
		return fmt.Errorf("%s: cannot reset a closed or running instance", in.module.name)
	}
	defer in.state.Store(stateIdle)
	if grow := s.size - int64(len(in.memory.bytes)); grow > 0 {
		if _, ok := in.guest.Memory().Grow(uint32(grow / pageSize)); !ok {
			return in.OutOfMemory()
		}
	}
	if err := s.image.restore(in.memory.bytes); err != nil {
		return fmt.Errorf("%s: restore: %w", in.module.name, err)
	}
	for i, name := range in.module.info.Globals {
		in.guest.ExportedGlobal(name).(api.MutableGlobal).Set(s.globals[i])
	}
	in.halted, in.exited, in.exitCode = nil, false, 0
	return nil
}

// image is the memory of a snapshot.
type image interface {
	// restore makes memory, which is at least as long as the image, equal to
	// it, with zeroes behind. It may replace the pages memory consists of.
	restore(memory []byte) error
	// bytes is the whole image; callers do not modify it.
	bytes() ([]byte, error)
	close() error
}

// copyImage is an image that is copied.
type copyImage []byte

func (c copyImage) restore(memory []byte) error {
	clear(memory[copy(memory, c):])
	return nil
}

func (c copyImage) bytes() ([]byte, error) { return c, nil }

func (c copyImage) close() error { return nil }
