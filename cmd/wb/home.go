package main

import (
	"context"
	"errors"
	"os"
	"time"

	"wb/app"
	"wb/compile"
	"wb/compile/lanes"
	"wb/compile/toolchain"
	"wb/workbook"
)

// home is where the verbs of a command line work: on everything that the user may
// read and write.
func (a *terminal) home() *app.Home {
	home := &app.Home{Stdin: a.std.In, Write: true, Verbose: a.verbose, Version: version(), Languages: a.languages,
		Note: func(text string) { a.note("%s", text) }, Tables: a.tables, Prepare: a.grant,
		Later: func(do func()) { a.after = append(a.after, do) }, Stderr: a.std.Err, Follow: a.follow,
		Env: func(ctx context.Context) (*compile.Env, error) {
			_, err := a.languages(ctx)
			return a.env, err
		}}
	if state, err := app.UserState(); err == nil {
		home.State = state
	}
	return home
}

// grant gives a run what the user granted its document for good, and what
// components ask the host through. Call finish when the run is over.
func (a *terminal) grant(_ context.Context, opts *workbook.Options) (finish func(context.Context) error, err error) {
	host, err := app.Capabilities()
	if err != nil { // a machine without a home: components have nothing but their files
		a.note("wb: warning: %v", err)
		return func(context.Context) error { return nil }, nil
	}
	opts.Agents = a.componentAgents(opts.Lanes, host)
	host.Notice = func(text string) { a.note("wb: %s", text) }
	if opts.Source == nil {
		if opts.Source, err = os.ReadFile(opts.File); os.IsNotExist(err) {
			err = app.MissingFile(opts.File)
		}
		if err != nil {
			return nil, errors.Join(err, host.Close())
		}
	}
	end, err := host.Prepare(opts, workbook.NewPlan(opts.File, opts.Source))
	if err != nil {
		return nil, errors.Join(err, host.Close())
	}
	return func(ctx context.Context) error { return errors.Join(end(ctx), host.Close()) }, nil
}

// languages are the lanes of this process, made when a verb first needs them and
// freed by close.
func (a *terminal) languages(ctx context.Context) (*compile.Registry, error) {
	if a.lanes != nil {
		return a.lanes, nil
	}
	progress, stop := a.progress()
	a.closers = append(a.closers, stop)
	registry, err := a.openLanes(ctx, compile.EnvConfig{Progress: progress, Sources: toolchain.Sources(os.Getenv("WB_SOURCES"))})
	a.lanes = registry
	return registry, err
}

// openLanes makes an environment, until the command ends, and its lanes.
func (a *terminal) openLanes(ctx context.Context, config compile.EnvConfig) (*compile.Registry, error) {
	env, err := compile.NewEnv(ctx, config)
	if err != nil {
		return nil, err
	}
	env.Builder = app.Resident()
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

// withLanes runs do with the lanes of this process.
func (a *terminal) withLanes(do func(*compile.Env, *compile.Registry) error) error {
	registry, err := a.languages(a.ctx)
	if err != nil {
		return err
	}
	return do(a.env, registry)
}

// screen is where a person follows what is under way, nil for a pipe.
func (a *terminal) screen() *screen {
	s, _ := a.std.Err.(*screen)
	return s
}

// follow shows a person how far something has come until it is called off; a pipe is told
// nothing of it.
func (a *terminal) follow(what, units string) (tell func(done, of int), off func()) {
	s := a.screen()
	if s == nil || a.json || a.quiet {
		return nil, func() {}
	}
	p := &portion{what: what, units: units, began: time.Now()}
	return p.tell, s.late(p.text)
}

// progress shows bars to a person and lines to a log; --quiet shows nothing.
func (a *terminal) progress() (toolchain.Progress, func()) {
	switch {
	case a.quiet:
		return toolchain.Silent, func() {}
	case a.screen() != nil:
		return a.screen(), func() {}
	}
	return toolchain.Plain(a.std.Err), func() {}
}
