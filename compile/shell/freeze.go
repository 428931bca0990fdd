package shell

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"wb/compile"
	"wb/sandbox"
)

// FreezeSession packs the files that a session's blocks have left in its directory. It
// returns nil without a session of that name.
func (l *Lane) FreezeSession(_ context.Context, name string) (*compile.FrozenSession, error) {
	l.sessions.mu.Lock()
	defer l.sessions.mu.Unlock()
	dir, ok := l.sessions.dirs[name].(*sandbox.MemFS)
	if !ok {
		return nil, nil
	}
	var entries []sandbox.Entry
	err := dir.Walk(func(name string, info fs.FileInfo, data []byte) error {
		entries = append(entries, sandbox.Entry{Name: name, Mode: info.Mode(), Data: data})
		return nil
	})
	if err != nil {
		return nil, err
	}
	state, err := json.Marshal(entries)
	return &compile.FrozenSession{State: state}, err
}

// ThawSession starts a session from a frozen one.
func (l *Lane) ThawSession(_ context.Context, name string, f *compile.FrozenSession) error {
	changes := sandbox.Changes{}
	if err := json.Unmarshal(f.State, &changes.Entries); err != nil {
		return fmt.Errorf("shell: a frozen session: %w", err)
	}
	dir := sandbox.NewMemFS()
	if err := changes.Apply(dir); err != nil {
		return fmt.Errorf("shell: a frozen session: %w", err)
	}
	l.sessions.mu.Lock()
	defer l.sessions.mu.Unlock()
	if l.sessions.dirs == nil {
		l.sessions.dirs = map[string]sandbox.FS{}
	}
	if l.sessions.dirs[name] != nil {
		return errors.New("a session of that name already exists")
	}
	l.sessions.dirs[name] = dir
	return nil
}
