package main

import (
	"context"

	"wb/app"
	"wb/compile"
	"wb/compile/lanes"
)

// home is where the verbs of a command line work: on everything that the user may
// read and write.
func (a *terminal) home() *app.Home {
	home := &app.Home{Stdin: a.std.In, Write: true, Verbose: a.verbose, Version: version(), Languages: a.languages,
		Note: func(text string) { a.note("%s", text) }, Tables: a.tables, Prepare: a.grant,
		Later: func(do func()) { a.after = append(a.after, do) }}
	if state, err := userState(); err == nil {
		home.State = state
	}
	return home
}

// languages are the lanes of this process, made when a verb first needs them and
// freed by close.
func (a *terminal) languages(ctx context.Context) (*compile.Registry, error) {
	if a.lanes != nil {
		return a.lanes, nil
	}
	progress, stop := a.progress()
	a.closers = append(a.closers, stop)
	registry, err := a.openLanes(ctx, compile.EnvConfig{Progress: progress})
	a.lanes = registry
	return registry, err
}

// openLanes makes an environment, until the command ends, and its lanes.
func (a *terminal) openLanes(ctx context.Context, config compile.EnvConfig) (*compile.Registry, error) {
	env, err := compile.NewEnv(ctx, config)
	if err != nil {
		return nil, err
	}
	a.env = env
	a.closers = append(a.closers, func() { _ = env.Close(context.WithoutCancel(ctx)) })
	if a.makeLanes != nil {
		return a.makeLanes(env)
	}
	return lanes.New(env)
}

// close frees what verbs have opened, the last thing first.
func (a *terminal) close() {
	for i := len(a.closers) - 1; i >= 0; i-- {
		a.closers[i]()
	}
	a.closers, a.lanes, a.env = nil, nil, nil
}
