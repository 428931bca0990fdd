package python

import (
	"context"

	"wb/compile"
)

// FreezeSession is a session as data.
func (l *lane) FreezeSession(ctx context.Context, name string) (*compile.FrozenSession, error) {
	return l.vm.FreezeSession(ctx, name)
}

// ThawSession starts a session from a frozen one.
func (l *lane) ThawSession(ctx context.Context, name string, f *compile.FrozenSession) error {
	return l.vm.ThawSession(ctx, name, f)
}
