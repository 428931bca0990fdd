package vm

import (
	"context"
	"errors"

	"wb/compile"
	"wb/sandbox"
)

// converse gives the machine of the job's session, started when there is none.
func (i *Interpreter) converse(ctx context.Context, image *sandbox.Snapshot, job *compile.Job) (_ *Machine, release func(alive bool), err error) {
	one := i.sessions.Lock(job.Session)
	switch {
	case one.Machine == nil:
		one.Machine, err = i.restore(ctx, image, job)
	case one.Machine.caps != job.Caps:
		err = errors.New("the session was started with other capabilities; give all its blocks the same :uses")
	default:
		one.Machine.adopt(ctx, job)
		one.Machine.Renew(job.Limits)
	}
	if err != nil {
		one.Unlock()
		return nil, nil, err
	}
	return one.Machine, func(alive bool) {
		if !alive {
			one.Machine.Close(ctx)
			one.Machine = nil
		}
		one.Unlock()
	}, nil
}

// CloseSession ends a session and frees its machine.
func (i *Interpreter) CloseSession(ctx context.Context, name string) error {
	i.sessions.Close(name, func(m *Machine) { m.Close(ctx) })
	return nil
}
