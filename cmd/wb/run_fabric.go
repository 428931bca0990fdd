package main

import (
	"context"
	"os"
	"runtime"
	"sync"
	"time"

	"wb/app"
	"wb/compile"
	"wb/compile/place/fabric"
	"wb/compile/place/fabric/natsserver"
	"wb/compile/place/fabric/programs"
	"wb/compile/place/fabric/spawn"
	"wb/compile/place/tier"
	"wb/internal/diag"
	"wb/internal/trace"
	"wb/workbook"
)

// runFabric are the flags of `wb run` that let programs run elsewhere.
type runFabric struct {
	fabricFlags
	Workers int `help:"Run programs in this many worker processes on this machine." placeholder:"N"`

	teller *fabricTeller  // what happens on the fabric, nil when there is none
	runner compile.Runner // where programs run, nil for this process
}

func processors() int { return runtime.GOMAXPROCS(0) }

// spread makes programs run on a fabric if the flags ask for one. The function that
// it returns leaves it.
func (c *runFabric) spread(a *terminal, env *compile.Env, flags app.RunFlags) (leave func(), err error) {
	if c.Workers != 0 {
		c.alone()
	}
	switch {
	case c.Nats == "" && c.Workers == 0:
		return func() {}, nil
	case c.Nats != "" && c.Workers != 0:
		return nil, diag.Usagef("", "--nats uses existing workers, --workers starts new ones: give one of the two")
	case c.Workers < 0:
		return nil, diag.Usagef("", "--workers %d", c.Workers)
	}
	config, err := c.config(false)
	if err != nil {
		return nil, err
	}
	c.teller = &fabricTeller{terminal: a}
	s := &spread{}
	node := string(tier.Node)
	rules := programs.Config{Tools: env.Tools, Progress: env.Progress, Stayed: c.teller.stayed, Fresh: flags.Force, Away: flags.Tier == node || flags.TrustTier == node}
	join := func() (compile.Runner, error) { return s.join(a, config, c.Workers, c.teller, rules) }
	if c.Workers > 0 {
		c.runner = programs.Lazy(join)
		return s.leave, nil
	}
	if c.runner, err = join(); err != nil {
		s.leave()
		return nil, err
	}
	return s.leave, nil
}

// place puts the fabric into a run's options.
func (c *runFabric) place(opts *workbook.Options) {
	opts.Runner = c.runner
	if c.runner != nil && opts.Jobs == 0 {
		opts.Jobs = fabric.DefaultWindow // they wait for workers, not for processors
	}
}

// spread is a run's part in a fabric, and what has to be undone of it.
type spread struct{ undo []func() }

func (s *spread) leave() {
	for i := len(s.undo) - 1; i >= 0; i-- {
		s.undo[i]()
	}
}

// join connects, after starting a server of this run's own and its workers if
// there are to be any.
func (s *spread) join(a *terminal, config fabric.Config, workers int, teller *fabricTeller, rules programs.Config) (compile.Runner, error) {
	if workers > 0 {
		children, err := s.start(a, &config, workers)
		if err != nil {
			return nil, err
		}
		rules.Gone = children.Gone()
	}
	link, err := a.dial(a.ctx, config)
	if err != nil {
		return nil, err
	}
	s.undo = append(s.undo, link.Close)
	queue, err := fabric.NewQueue(link, fabric.QueueConfig{Notice: teller.notice, Check: programs.Check})
	if err != nil {
		return nil, err
	}
	s.undo = append(s.undo, queue.Close)
	if workers == 0 {
		go a.tellAlone(a.ctx, link, config)
	}
	rules.Queue = queue
	return programs.New(rules), nil
}

// aloneAfter is how long a run waits before it asks whether anybody works for it:
// one that is over by then needs no answer.
const aloneAfter = 3 * time.Second

// tellAlone says that no worker serves a tenant, so that what waits for them is
// known to wait.
func (a *terminal) tellAlone(ctx context.Context, link *fabric.Link, config fabric.Config) {
	select {
	case <-ctx.Done():
		return
	case <-time.After(aloneAfter):
	}
	members, err := link.Roll(ctx, time.Second)
	if err == nil && len(members) == 0 && ctx.Err() == nil {
		a.note("wb: no worker serves tenant %s at %s yet, so programs wait; wb worker --nats URL starts one", config.Tenant, config.Where())
	}
}

// start starts a server and workers, and makes config that of their caller.
func (s *spread) start(a *terminal, config *fabric.Config, workers int) (*spawn.Workers, error) {
	dir, err := os.MkdirTemp("", "wb-fabric-")
	if err != nil {
		return nil, err
	}
	s.undo = append(s.undo, func() { os.RemoveAll(dir) })
	server, err := natsserver.Start(a.ctx, natsserver.Config{Dir: dir, Tenants: []natsserver.Tenant{{Name: config.Tenant}}})
	if err != nil {
		return nil, err
	}
	s.undo = append(s.undo, server.Close)
	tenant, _ := server.Tenant(config.Tenant)
	children, err := spawn.Start(a.ctx, spawn.Config{URL: server.URL(), Tenant: tenant.Name, Token: tenant.WorkerToken, Workers: workers, Stderr: a.std.Err,
		Died: func(name string, err error, again bool) {
			a.note("wb: warning: %s ended: %v", name, err)
			if again {
				a.note("wb: a new worker replaces it")
			}
		}})
	if err != nil {
		return nil, err
	}
	s.undo = append(s.undo, children.Close)
	*config = fabric.Config{URL: server.URL(), Within: server, Tenant: tenant.Name, Token: tenant.Token}
	return children, nil
}

// fabricTeller passes on what happens on a fabric, to the user and the records.
type fabricTeller struct {
	terminal *terminal
	sink     trace.Sink
	mu       sync.Mutex
	full     bool
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
		if t.terminal.verbose {
			t.terminal.note("wb: %s: retried: %s", n.Tag, n.Text)
		}
	case fabric.NoticeConflict, fabric.NoticeRefused:
		t.emit(trace.Event{Kind: trace.KindError, Component: n.Tag, Tool: "fabric", Error: n.Text, Props: worker})
		t.terminal.note("wb: warning: %s", n.Text)
	case fabric.NoticeFull:
		t.mu.Lock()
		said := t.full
		t.full = true
		t.mu.Unlock()
		if !said {
			t.terminal.note("wb: the queue is full, waiting for workers")
		}
	}
}

func (t *fabricTeller) stayed(component, why string) {
	t.emit(trace.Event{Kind: trace.KindLog, Component: component, Tool: "fabric", Output: "ran here: " + why})
	if t.terminal.verbose {
		t.terminal.note("wb: %s runs here: %s", component, why)
	}
}
