package vm

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"wb/compile"
	"wb/sandbox"
)

// frozenMeta holds what a machine needs besides its memory.
type frozenMeta struct {
	Caps sandbox.Caps `json:"caps"`
}

// FreezeSession is a session's machine as data, nil when there is none.
func (i *Interpreter) FreezeSession(_ context.Context, name string) (*compile.FrozenSession, error) {
	one := i.sessions.Lock(name)
	defer one.Unlock()
	if one.Machine == nil {
		return nil, nil
	}
	return compile.FreezeVM(one.Machine.Instance, frozenMeta{one.Machine.caps})
}

// ThawSession starts a session from a frozen one.
func (i *Interpreter) ThawSession(ctx context.Context, name string, f *compile.FrozenSession) error {
	var meta frozenMeta
	if err := json.Unmarshal(f.Meta, &meta); err != nil {
		return fmt.Errorf("%s: a frozen session: %w", i.config.Tool, err)
	}
	boot, err := i.snapshot(ctx) // installs what is needed
	if err != nil {
		return err
	}
	image, err := sandbox.DecodeSnapshot(ctx, boot.Module(), f.State)
	if err != nil {
		return err
	}
	defer image.Close()
	one := i.sessions.Lock(name)
	defer one.Unlock()
	if one.Machine != nil {
		return errors.New("a session of that name already exists")
	}
	one.Machine, err = i.restore(ctx, image, &compile.Job{Caps: meta.Caps})
	return err
}
