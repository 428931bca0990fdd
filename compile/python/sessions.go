package python

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"wb/compile"
	"wb/compile/vm"
	"wb/sandbox"
)

// A session runs in the Python that has all the packs that are installed, since
// a later block may import what earlier ones do not. It stays in that Python
// until it ends.

// speaker is the interpreter that a session runs in.
func (l *lane) speaker(session string) *vm.Interpreter {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.speakers[session] == nil {
		l.setSpeaker(session, l.richest())
	}
	return l.speakers[session]
}

func (l *lane) setSpeaker(session string, i *vm.Interpreter) {
	if l.speakers == nil {
		l.speakers = map[string]*vm.Interpreter{}
	}
	l.speakers[session] = i
}

// richest is the Python of an installed pack, or the plain one. The caller holds
// l.mu.
func (l *lane) richest() *vm.Interpreter {
	for _, p := range slices.Backward(packs) {
		if _, ok := l.env.Tools.Installed(p.name); p.program == "" || !ok {
			continue
		}
		if l.rich == nil {
			l.rich = l.newInterpreter(p, version+" "+guestKey(), nil, boot)
		}
		return l.rich
	}
	return l.Interpreter
}

// converse gives the machine of a session, which must be able to import names.
func (l *lane) converse(ctx context.Context, names []string, job *compile.Job) (*vm.Machine, func(alive bool), error) {
	i := l.speaker(job.Session)
	if own := programOf(names); own != nil && i == l.Interpreter {
		return nil, nil, fmt.Errorf("the session began before %s was installed; end it and run its blocks again", own.name)
	}
	return i.Acquire(ctx, job)
}

// CloseSession ends a session and frees its machine.
func (l *lane) CloseSession(ctx context.Context, name string) error {
	i := l.speaker(name)
	l.mu.Lock()
	delete(l.speakers, name)
	l.mu.Unlock()
	return i.CloseSession(ctx, name)
}

// FreezeSession is a session's machine as data, nil when there is none.
func (l *lane) FreezeSession(ctx context.Context, name string) (*compile.FrozenSession, error) {
	return l.speaker(name).FreezeSession(ctx, name)
}

// ThawSession starts a session from a frozen one, in the Python that it was
// frozen in.
func (l *lane) ThawSession(ctx context.Context, name string, f *compile.FrozenSession) error {
	err := l.speaker(name).ThawSession(ctx, name, f)
	if errors.Is(err, sandbox.ErrOtherModule) {
		l.mu.Lock()
		l.setSpeaker(name, l.Interpreter)
		l.mu.Unlock()
		err = l.Interpreter.ThawSession(ctx, name, f)
	}
	return err
}
