package api

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"wb/agent"
	"wb/agent/host"
	"wb/app"
	"wb/compile"
	"wb/internal/diag"
	"wb/internal/identity"
	"wb/internal/trace"
	"wb/sandbox/grants"
	"wb/workbook/capability"
)

// tenant is one tenant at work.
type tenant struct {
	Tenant
	runtime func() *host.Runtime // one for each run
	state   *trace.State
	key     identity.Key
	host    *capability.Host // serves its grants; may be nil
	opened  time.Time
	granted []string // what it grants, under the server's ceiling
	store   store
	root    *os.Root
	clock   Clock
	warn    func(error)
	lanes   *compile.Registry
	write   bool         // results are written into workbooks
	views   []trace.Sink // hear the events of runs of workbooks
	max     int
	unlock  func()

	work context.Context // ends with the server
	busy sync.WaitGroup  // runs that are going

	mu   sync.Mutex
	live map[string]*run
	// examined are the documents whose cases are being tried out.
	examined map[string]bool
	held     int // runs that are going, with those that have no id yet
}

// open readies a tenant. Close it.
func (c *Config) open(ctx context.Context, t Tenant) (*tenant, error) {
	state := app.TenantState(c.State, t.Name)
	dir := filepath.Join(state.Dir(), "serve")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	unlock, ok, err := state.Lock("serve")
	if err != nil {
		return nil, err
	}
	if !ok {
		return nil, diag.Busyf("", "another server already serves tenant %s", t.Name)
	}
	root, err := os.OpenRoot(t.Dir)
	if err != nil {
		unlock()
		return nil, err
	}
	key, err := c.Identity(t.Name)
	if err != nil {
		unlock()
		return nil, errors.Join(err, root.Close())
	}
	var granter *capability.Host
	if c.Capabilities != nil {
		if granter, err = c.Capabilities(t.Name, state.Dir(), key); err != nil {
			unlock()
			return nil, errors.Join(err, root.Close())
		}
	}
	granted := grants.Ceiling(c.Grants, t.Grants)
	forRun := func() *host.Runtime {
		rt := c.Runtime(t)
		rt.State, rt.Key, rt.Capabilities = state, key, granter
		rt.Ceiling = func(asked []string) []string { return grants.Ceiling(granted, asked) }
		return rt
	}
	return &tenant{Tenant: t, runtime: forRun, state: state, key: key, host: granter, granted: granted, opened: time.Now(), lanes: c.Lanes, write: c.AllowWrite, views: c.Views, store: store{dir}, root: root, clock: c.Clock, warn: c.warning(t.Name),
		max: c.MaxRuns, unlock: unlock, work: ctx, live: map[string]*run{}, examined: map[string]bool{}}, nil
}

// warning tells what went wrong for a tenant.
func (c *Config) warning(name string) func(error) {
	return func(err error) {
		if err != nil && c.Warn != nil {
			c.Warn(fmt.Errorf("tenant %s: %w", name, err))
		}
	}
}

func (t *tenant) close() {
	t.warn(t.root.Close())
	if t.host != nil {
		t.warn(t.host.Close())
	}
	t.unlock()
}

// errFull is a tenant with as many runs as it may have.
var errFull = errors.New("too many runs at the same time")

// hold takes a place for a run.
func (t *tenant) hold() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.work.Err() != nil {
		return errShutdown
	}
	if t.held >= t.max {
		return errFull
	}
	t.held++
	t.busy.Add(1)
	return nil
}

// free gives the place of a run back.
func (t *tenant) free(r *run) {
	t.mu.Lock()
	delete(t.live, r.snapshot().ID)
	t.mu.Unlock()
	t.release()
}

// release gives a place back that hold has taken.
func (t *tenant) release() {
	t.mu.Lock()
	t.held--
	t.mu.Unlock()
	t.busy.Done()
}

// start begins a run and returns when it has an id and is on disk.
func (t *tenant) start(rec record) (*run, error) {
	rec.Task.Grants = t.granted
	return t.startWith(rec, func(ctx context.Context, rt *host.Runtime) (*agent.Result, error) { return rt.Run(ctx, rec.Task) })
}

// startWith begins a run that does something else with its task.
func (t *tenant) startWith(rec record, do func(context.Context, *host.Runtime) (*agent.Result, error)) (*run, error) {
	if err := t.hold(); err != nil {
		return nil, err
	}
	rec.Created, rec.Status = t.clock.Now(), statusRunning
	rec.Task.Grants = t.granted
	r := newRun(t, rec)
	failed := make(chan error, 1)
	go func() {
		defer t.free(r)
		r.execute(t.work, func(ctx context.Context, rt *host.Runtime) (*agent.Result, error) {
			result, err := do(ctx, rt)
			if err != nil {
				failed <- err
			}
			return result, err
		})
	}()
	select {
	case <-r.begun:
		if r.failed != nil {
			return nil, r.failed
		}
		t.mu.Lock()
		t.live[r.record.ID] = r
		t.mu.Unlock()
		select { // it may have ended before it was entered
		case <-r.over:
			t.mu.Lock()
			delete(t.live, r.record.ID)
			t.mu.Unlock()
		default:
		}
		return r, nil
	case <-r.over:
		return nil, <-failed
	}
}

// resume goes on with every run that had not ended when the last server did.
func (t *tenant) resume() error {
	ids, err := t.store.ids()
	if err != nil {
		return err
	}
	for _, id := range ids {
		rec, err := t.store.get(id)
		if err != nil {
			t.warn(err)
			continue
		}
		if rec.Status != statusRunning {
			continue
		}
		t.mu.Lock()
		t.held++
		t.busy.Add(1)
		r := newRun(t, *rec)
		if r.frames, err = t.store.readLog(id); err != nil {
			t.warn(err)
		}
		t.live[id] = r
		t.mu.Unlock()
		close(r.begun)
		go func() {
			defer t.free(r)
			r.execute(t.work, func(ctx context.Context, rt *host.Runtime) (*agent.Result, error) {
				if rec.Book != nil {
					return t.bookRun(rec.Book)(ctx, rt)
				}
				if from := rt.Furthest(rec.Runs); from != "" {
					return rt.Resume(ctx, from)
				}
				return rt.Run(ctx, rec.Task)
			})
		}()
	}
	return nil
}

// find is a run of the tenant, going or ended.
func (t *tenant) find(id string) (*run, error) {
	t.mu.Lock()
	r := t.live[id]
	t.mu.Unlock()
	if r != nil {
		return r, nil
	}
	rec, err := t.store.get(id)
	if err != nil {
		return nil, err
	}
	r = newRun(t, *rec)
	close(r.over)
	r.frames, err = t.store.readLog(id)
	return r, err
}

// outsideError is a path outside the tenant's directory.
type outsideError struct{ name string }

func (e *outsideError) Error() string { return "no such file: " + e.name }

// file is the absolute path of a file of the tenant's.
func (t *tenant) file(name string) (string, error) {
	name = filepath.FromSlash(strings.TrimPrefix(name, "./"))
	if info, err := t.root.Stat(name); err != nil || info.IsDir() {
		return "", &outsideError{filepath.ToSlash(name)}
	}
	return filepath.Join(t.Dir, name), nil
}
