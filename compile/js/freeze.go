package js

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"wb/compile"
	"wb/sandbox"
)

// frozenMeta holds what a VM needs besides its memory: where things lie in it, and
// what it was started with.
type frozenMeta struct {
	Landmarks landmarks    `json:"landmarks"`
	Caps      sandbox.Caps `json:"caps"`
}

// FreezeSession is a session's VM as data, nil when there is none.
func (l *Lane) FreezeSession(_ context.Context, name string) (*compile.FrozenSession, error) {
	s := l.sessions.Lock(name)
	defer s.Unlock()
	if s.Machine == nil {
		return nil, nil
	}
	return compile.FreezeVM(s.Machine.in, frozenMeta{s.Machine.image.landmarks, s.Machine.world.caps})
}

// ThawSession starts a session from a frozen one.
func (l *Lane) ThawSession(ctx context.Context, name string, f *compile.FrozenSession) error {
	var meta frozenMeta
	if err := json.Unmarshal(f.Meta, &meta); err != nil {
		return fmt.Errorf("quickjs: a frozen session: %w", err)
	}
	boot, err := l.runtime.boot(ctx) // installs what is needed
	if err != nil {
		return err
	}
	snapshot, err := sandbox.DecodeSnapshot(ctx, boot.snapshot.Module(), f.State)
	if err != nil {
		return err
	}
	s := l.sessions.Lock(name)
	defer s.Unlock()
	if s.Machine != nil {
		return errors.Join(errors.New("a session of that name already exists"), snapshot.Close())
	}
	// The VM is never given to the pool, so nothing else starts from its image.
	img := &image{snapshot: snapshot, landmarks: meta.Landmarks}
	m := &machine{image: img, world: world{caps: meta.Caps}}
	if m.in, err = l.runtime.env.Engine.Restore(ctx, snapshot, sandbox.Command{Caps: meta.Caps, Host: m.host()}); err != nil {
		return errors.Join(err, snapshot.Close())
	}
	s.Machine = m
	return snapshot.Close()
}
