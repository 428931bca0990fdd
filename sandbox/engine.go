package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
)

// Config says how an Engine works. The zero Config is usable: it keeps
// compiled code in memory only and compiles with two workers.
type Config struct {
	// CacheDir keeps machine code and metered modules between processes; ""
	// keeps nothing. Compiling clang takes 20 s cold and 1 s from here.
	CacheDir string
	// Shared is the cache directory of other engines. It is only read: what is
	// not in CacheDir is looked for there.
	Shared string
	// Workers is how many goroutines compile one big module; 0 means 2.
	Workers int
	// Keep keeps large modules loaded until DropOldest, and not two of them for
	// some minutes.
	Keep bool
	// Interpreter runs guests in wazero's interpreter, many times slower. It
	// exists for tests that compare the two engines.
	Interpreter bool
}

// Engine compiles modules and runs them. There is one per process; it is safe
// for concurrent use.
type Engine struct {
	config  Config
	runtime wazero.Runtime
	cache   wazero.CompilationCache
	wasi    api.Module
	fuel    api.Module

	ctx      context.Context // of work done for no caller in particular
	cancel   context.CancelFunc
	stopping atomic.Bool   // set by Close: running guests end
	ended    chan struct{} // tells Close that a call has ended
	loads    sync.WaitGroup

	cacheOnly  sync.Once // see loadsOnly
	cacheWorks bool

	mu        sync.Mutex
	closed    bool
	clock     uint64             // counts uses of modules
	modules   map[string]*Module // by source key
	shapes    map[string]api.Module
	instances map[*Instance]struct{}
	idle      *time.Timer // see expectIdle
	brief     *Engine     // see interpreter; nil until it is needed
}

// coreFeatures are the WebAssembly proposals the engine understands. Package
// fuel refuses exceptions unless a module asks for them.
const coreFeatures = api.CoreFeaturesV2 |
	experimental.CoreFeaturesTailCall |
	experimental.CoreFeaturesExtendedConst |
	experimental.CoreFeaturesExceptionHandling

// NewEngine starts an engine. Close it to free compiled code.
func NewEngine(ctx context.Context, config Config) (*Engine, error) {
	if config.Workers == 0 {
		config.Workers = 2
	}
	rc := wazero.NewRuntimeConfig()
	if config.Interpreter {
		rc = wazero.NewRuntimeConfigInterpreter()
	}
	rc = rc.WithCoreFeatures(coreFeatures).WithDebugInfoEnabled(false)

	e := &Engine{
		config:    config,
		ended:     make(chan struct{}, 1),
		modules:   map[string]*Module{},
		shapes:    map[string]api.Module{},
		instances: map[*Instance]struct{}{},
	}
	e.ctx, e.cancel = context.WithCancel(context.WithoutCancel(ctx))
	if config.CacheDir != "" {
		dir := filepath.Join(config.CacheDir, "code")
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, fmt.Errorf("sandbox: code cache: %w", err)
		}
		if err := linkCode(config.Shared, config.CacheDir); err != nil {
			return nil, fmt.Errorf("sandbox: code cache: %w", err)
		}
		cache, err := wazero.NewCompilationCacheWithDir(dir)
		if err != nil {
			return nil, fmt.Errorf("sandbox: code cache: %w", err)
		}
		mapCode(cache)
		e.cache = cache
		rc = rc.WithCompilationCache(cache)
	}
	e.runtime = wazero.NewRuntimeWithConfig(ctx, rc)

	var err error
	if e.wasi, err = instantiateHost(e.ctx, e.runtime, wasiModule(e.runtime)); err == nil {
		e.fuel, err = instantiateHost(e.ctx, e.runtime, fuelModule(e.runtime))
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("sandbox: %w", err), e.Close(ctx))
	}
	return e, nil
}

// Close ends every running call, closes every instance and frees everything
// the engine holds. It waits for guests to notice, which takes milliseconds
// unless a guest waits in a host function that ignores its context; when ctx
// ends first, Close returns its error and what is still running stays alive.
func (e *Engine) Close(ctx context.Context) error {
	e.mu.Lock()
	if e.closed {
		e.mu.Unlock()
		return nil
	}
	e.closed = true
	e.stopping.Store(true)
	e.cancel()
	if e.idle != nil {
		e.idle.Stop()
	}
	live := make([]*Instance, 0, len(e.instances))
	for in := range e.instances {
		live = append(live, in)
	}
	brief := e.brief
	e.mu.Unlock()
	if brief != nil {
		if err := brief.Close(ctx); err != nil {
			return err
		}
	}

	e.loads.Wait()
	for _, in := range live {
		if err := e.closeWhenIdle(ctx, in); err != nil {
			return err
		}
	}
	err := e.runtime.Close(ctx)
	if e.cache != nil {
		err = errors.Join(err, e.cache.Close(ctx))
	}
	return err
}

// closeWhenIdle closes an instance after the call it runs has ended.
func (e *Engine) closeWhenIdle(ctx context.Context, in *Instance) error {
	poll := time.NewTicker(time.Millisecond)
	defer poll.Stop()
	for in.Close(ctx) != nil {
		select {
		case <-e.ended:
		case <-poll.C:
		case <-ctx.Done():
			return fmt.Errorf("sandbox: close: %s is still running: %w", in.module.name, ctx.Err())
		}
	}
	return nil
}

// callEnded wakes a waiting Close.
func (e *Engine) callEnded() {
	if e.stopping.Load() {
		select {
		case e.ended <- struct{}{}:
		default:
		}
	}
}

// enlist remembers a live instance.
func (e *Engine) enlist(in *Instance) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return errEngineClosed
	}
	e.instances[in] = struct{}{}
	return nil
}

func (e *Engine) delist(in *Instance) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.instances, in)
}
