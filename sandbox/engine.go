package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
)

// Config says how an Engine works. The zero Config is usable: it keeps
// compiled code in memory only and compiles with two workers.
type Config struct {
	// CacheDir keeps machine code and instrumented modules between processes;
	// "" keeps nothing. Compiling clang takes 20 s cold and 1 s from here.
	CacheDir string
	// Workers is how many goroutines compile one module; 0 means 2.
	Workers int
	// Interpreter runs guests in wazero's interpreter, a hundred times slower.
	// It exists for tests that compare the two engines.
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

	mu      sync.Mutex
	closed  bool
	modules map[string]*Module    // by digest of the original bytes
	shapes  map[string]api.Module // host modules by shape
}

// coreFeatures are the WebAssembly proposals guests may use.
const coreFeatures = api.CoreFeaturesV2 |
	experimental.CoreFeaturesTailCall |
	experimental.CoreFeaturesExtendedConst

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

	e := &Engine{config: config, modules: map[string]*Module{}, shapes: map[string]api.Module{}}
	if config.CacheDir != "" {
		dir := filepath.Join(config.CacheDir, "code")
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, fmt.Errorf("sandbox: code cache: %w", err)
		}
		cache, err := wazero.NewCompilationCacheWithDir(dir)
		if err != nil {
			return nil, fmt.Errorf("sandbox: code cache: %w", err)
		}
		e.cache = cache
		rc = rc.WithCompilationCache(cache)
	}
	e.runtime = wazero.NewRuntimeWithConfig(ctx, rc)

	var err error
	if e.wasi, err = instantiateHost(ctx, e.runtime, wasiModule(e.runtime)); err == nil {
		e.fuel, err = instantiateHost(ctx, e.runtime, fuelModule(e.runtime))
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("sandbox: %w", err), e.Close(ctx))
	}
	return e, nil
}

// Close frees everything the engine holds. Instances still open stop working.
func (e *Engine) Close(ctx context.Context) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return nil
	}
	e.closed = true
	e.modules = nil
	err := e.runtime.Close(ctx)
	if e.cache != nil {
		err = errors.Join(err, e.cache.Close(ctx))
	}
	return err
}
