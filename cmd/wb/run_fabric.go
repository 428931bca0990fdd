package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"

	"wb/compile"
	"wb/fabric"
	"wb/fabric/embed"
	"wb/fabric/programs"
	"wb/fabric/spawn"
	"wb/trace"
	"wb/workbook"
)

// runFabric are the flags of `wb run` that let programs run elsewhere.
type runFabric struct {
	fabricFlags
	Workers int `help:"Run programs in this many worker processes on this machine." placeholder:"N"`

	teller *fabricTeller // what happens on the fabric, nil when there is none
}

func processors() int { return runtime.GOMAXPROCS(0) }

// spread makes opts run programs on a fabric if the flags ask for one. The
// function that it returns leaves it.
func (c *runFabric) spread(a *app, env *compile.Env, opts *workbook.Options) (leave func(), err error) {
	if c.Nats == "" && c.Workers == 0 {
		return func() {}, nil
	}
	if c.Nats != "" && c.Workers != 0 {
		return nil, &usageError{err: errors.New("--nats names workers that are there, --workers starts some: give one of them")}
	}
	if c.Workers < 0 {
		return nil, &usageError{err: fmt.Errorf("--workers %d", c.Workers)}
	}
	var closers []func()
	leave = func() {
		for i := len(closers) - 1; i >= 0; i-- {
			closers[i]()
		}
	}
	defer func() {
		if err != nil {
			leave()
		}
	}()
	config, err := c.config(false)
	if err != nil {
		return nil, err
	}
	if c.Workers > 0 {
		stop, err := c.start(a, &config)
		if err != nil {
			return nil, err
		}
		closers = append(closers, stop)
	}
	link, err := fabric.Dial(a.ctx, config)
	if err != nil {
		return nil, err
	}
	closers = append(closers, link.Close)
	c.teller = &fabricTeller{app: a}
	queue, err := fabric.NewQueue(link, fabric.QueueConfig{Notice: c.teller.notice, Check: programs.Check})
	if err != nil {
		return nil, err
	}
	closers = append(closers, queue.Close)
	opts.Runner = programs.NewRunner(programs.Config{Queue: queue, Tools: env.Tools, Progress: env.Progress, Stayed: c.teller.stayed, Fresh: opts.Force})
	if opts.Jobs == 0 {
		opts.Jobs = queue.Window()
	}
	return leave, nil
}

// start starts a server of this run's own and its workers.
func (c *runFabric) start(a *app, config *fabric.Config) (stop func(), err error) {
	dir, err := os.MkdirTemp("", "wb-fabric-")
	if err != nil {
		return nil, err
	}
	server, err := embed.Start(a.ctx, embed.Config{Dir: dir, Tenants: []embed.Tenant{{Name: config.Tenant}}})
	if err != nil {
		os.RemoveAll(dir)
		return nil, err
	}
	tenant, _ := server.Tenant(config.Tenant)
	workers, err := spawn.Start(a.ctx, spawn.Config{URL: server.URL(), Tenant: tenant.Name, Token: tenant.WorkerToken, Workers: c.Workers, Stderr: a.std.Err,
		Died: func(name string, err error, again bool) {
			if again {
				a.note("wb: warning: %s ended: %v; another takes its place", name, err)
			} else {
				a.note("wb: warning: %s ended: %v", name, err)
			}
		}})
	if err != nil {
		server.Close()
		os.RemoveAll(dir)
		return nil, err
	}
	config.URL, config.Token = server.URL(), tenant.Token
	return func() {
		workers.Close()
		server.Close()
		os.RemoveAll(dir)
	}, nil
}

// fabricTeller passes on what happens on a fabric, to the user and the records.
type fabricTeller struct {
	app  *app
	sink trace.Sink
	mu   sync.Mutex
	full bool
}

// record makes sink hear of what happens from now on.
func (t *fabricTeller) record(sink trace.Sink) {
	if t != nil {
		t.mu.Lock()
		t.sink = sink
		t.mu.Unlock()
	}
}

func (t *fabricTeller) emit(e trace.Event) {
	t.mu.Lock()
	sink := t.sink
	t.mu.Unlock()
	if sink != nil {
		_ = sink.Emit(e) // reported by whoever made the trace
	}
}

func (t *fabricTeller) notice(n fabric.Notice) {
	worker := []trace.Prop{{Name: "WORKER", Value: n.Worker}}
	switch n.Kind {
	case fabric.NoticeRetry, fabric.NoticeDeclined:
		t.emit(trace.Event{Kind: trace.KindRetry, Component: n.Tag, Tool: "fabric", Error: n.Text, Props: worker})
		if t.app.verbose {
			t.app.note("wb: %s: tried again: %s", n.Tag, n.Text)
		}
	case fabric.NoticeConflict, fabric.NoticeRefused:
		t.emit(trace.Event{Kind: trace.KindError, Component: n.Tag, Tool: "fabric", Error: n.Text, Props: worker})
		t.app.note("wb: warning: %s", n.Text)
	case fabric.NoticeFull:
		t.mu.Lock()
		said := t.full
		t.full = true
		t.mu.Unlock()
		if !said {
			t.app.note("wb: the queue is full, waiting for workers")
		}
	}
}

func (t *fabricTeller) stayed(component, why string) {
	t.emit(trace.Event{Kind: trace.KindLog, Component: component, Tool: "fabric", Output: "ran here: " + why})
	if t.app.verbose {
		t.app.note("wb: %s runs here: %s", component, why)
	}
}
