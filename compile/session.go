package compile

import (
	"bytes"
	"context"
	"encoding/json"

	"wb/sandbox"
)

// SessionCloser is a lane that keeps an interpreter alive for each Job.Session.
// Whoever chose the names ends the sessions; a name may be used again after.
type SessionCloser interface {
	CloseSession(ctx context.Context, name string) error
}

// CloseSession ends a session of lane. Lanes without sessions do nothing.
func CloseSession(ctx context.Context, lane Lane, name string) error {
	if closer, ok := Unwrapped[SessionCloser](lane); ok {
		return closer.CloseSession(ctx, name)
	}
	return nil
}

// SourceEndings are the endings of files in its :dir that a block may need to
// be built, none when it needs no others.
func SourceEndings(lane Lane, src *Source) []string {
	if l, ok := Unwrapped[interface{ SourceEndings(*Source) []string }](lane); ok {
		return l.SourceEndings(src)
	}
	return nil
}

// Unwrapped finds the lane that is a T, or that has the methods of the interface
// T, behind wrappers such as [Cached].
func Unwrapped[T any](lane Lane) (found T, ok bool) {
	for {
		if found, ok = any(lane).(T); ok {
			return found, true
		}
		wrapped, more := lane.(interface{ Unwrap() Lane })
		if !more {
			return found, false
		}
		lane = wrapped.Unwrap()
	}
}

// FrozenSession is a session as data: what a language VM has in its memory, or
// what a shell has left in its directory. What belongs to the host is not in it:
// open files, streams, the clock.
type FrozenSession struct {
	Lang string `json:"lang"`
	// Fingerprint is the lane's; a session thaws in the same version alone.
	Fingerprint string `json:"fingerprint"`
	// Meta holds the lane's own data, as JSON.
	Meta []byte `json:"meta,omitempty"`
	// State is the memory or the files.
	State []byte `json:"-"`
}

// SessionFreezer is a lane whose sessions can be frozen.
type SessionFreezer interface {
	// FreezeSession copies a session between two jobs; the session itself goes on.
	// Without a session of that name it returns nil.
	FreezeSession(ctx context.Context, name string) (*FrozenSession, error)
	// ThawSession starts a session of that name from a frozen one.
	ThawSession(ctx context.Context, name string, f *FrozenSession) error
}

// FreezeVM is a session's VM as data; meta is what the lane needs beside its
// memory, as JSON.
func FreezeVM(vm *sandbox.Instance, meta any) (*FrozenSession, error) {
	snapshot, err := vm.Snapshot()
	if err != nil {
		return nil, err
	}
	defer snapshot.Close()
	f := &FrozenSession{}
	if f.Meta, err = json.Marshal(meta); err != nil {
		return nil, err
	}
	var state bytes.Buffer
	if err := snapshot.Encode(&state); err != nil {
		return nil, err
	}
	f.State = state.Bytes()
	return f, nil
}
