package sandbox

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/experimental"

	"wb/internal/sha"
	"wb/sandbox/component"
	"wb/sandbox/fuel"
)

// Module is a program that has been checked, metered and compiled. It is
// shared by all its runs. Machine code that no instance uses may be dropped
// (see [Engine.Trim]); it is made or read again when it is next needed.
type Module struct {
	engine *Engine
	name   string
	digest string // of the original bytes
	source source
	info   *fuel.Info
	size   int // metered bytes
	needs  []functionImport

	untried atomic.Bool            // it may be a brief program, and did not run yet
	ahead   atomic.Pointer[[]byte] // the metered module, left by an attempt at that

	// The fields below are guarded by engine.mu.

	compiled wazero.CompiledModule // nil while not loaded
	loading  chan struct{}         // closed when the load under way has ended
	loadErr  error                 // of the last load
	users    int                   // live instances
	used     uint64                // engine.clock at last use
	// idleSince is when the last use ended, of large modules.
	idleSince time.Time
}

// functionImport is a function that a module imports.
type functionImport struct {
	module, name    string
	params, results []ValueType
}

// Name is the module's name when it was compiled, for messages.
func (m *Module) Name() string { return m.name }

// Digest is the SHA-256 of the module's original bytes, in hex.
func (m *Module) Digest() string { return m.digest }

// largeModule is the size, metered, from which a module counts as a large
// compiler: its machine code takes 50 to 300 MB.
const largeModule = 16 << 20

// maxLarge is how many unused large modules stay loaded.
const maxLarge = 2

// parallelModule is the size from which a module is compiled by several
// goroutines. Smaller ones are compiled by one, where a failure of the
// compiler can be caught.
const parallelModule = 4 << 20

// maxModule is the largest module, in bytes, that is accepted.
const maxModule = 512 << 20

// CompileOption changes how a module is compiled.
type CompileOption func(*source)

// WithExceptions admits the exception-handling instructions, which are refused
// otherwise because wazero 1.12.0's compiler gives locals changed inside a try
// block their old values in the handler; TestExceptionsMiscompiled says when
// that is fixed. C code that uses setjmp in the usual way, with volatile
// locals, is not affected.
func WithExceptions() CompileOption {
	return func(s *source) { s.exceptions = true }
}

// FromCompiler says that a compiler of ours wrote the module, so that a failure
// of wazero's compiler on it is unlikely: it is compiled by several goroutines
// at once whatever its size, in about half the time.
func FromCompiler() CompileOption {
	return func(s *source) { s.parallel = true }
}

// Compile makes wasm runnable. Modules are held by digest: compiling the same
// bytes again, from any goroutine, returns the same Module. The name appears
// in error messages. Compiling goes on in the background when ctx ends first,
// for whoever asks next.
func (e *Engine) Compile(ctx context.Context, name string, wasm []byte, opts ...CompileOption) (*Module, error) {
	sized := func(s *source) { s.size = len(wasm) }
	return e.Load(ctx, name, sha.Hex(wasm), func() ([]byte, error) { return wasm, nil }, append(opts, sized)...)
}

// Load is Compile for a module whose SHA-256, in hex, is known: open is called
// only when the module is in neither the engine nor its cache directory, so
// that a large compiler need not be read at every start.
func (e *Engine) Load(ctx context.Context, name, digest string, open func() ([]byte, error), opts ...CompileOption) (*Module, error) {
	src := source{digest: digest, dir: e.config.CacheDir, shared: e.config.Shared, open: open}
	for _, o := range opts {
		o(&src)
	}
	key := src.key()

	e.mu.Lock()
	if e.closed {
		e.mu.Unlock()
		return nil, errEngineClosed
	}
	m := e.modules[key]
	if m == nil {
		m = &Module{engine: e, name: name, digest: digest, source: src}
		e.modules[key] = m
		m.untried.Store(m.putsOff())
	}
	e.mu.Unlock()
	if m.untried.Load() {
		return m, nil
	}

	if err := m.acquire(ctx); err != nil {
		e.mu.Lock()
		if e.modules[key] == m && m.compiled == nil && m.loading == nil {
			delete(e.modules, key)
		}
		e.mu.Unlock()
		return nil, err
	}
	m.release()
	return m, nil
}

// acquire makes sure that the module is loaded and stays so until release.
func (m *Module) acquire(ctx context.Context) error {
	e := m.engine
	e.mu.Lock()
	defer e.mu.Unlock()
	for tried := false; ; tried = true {
		switch {
		case e.closed:
			return errEngineClosed
		case m.compiled != nil:
			m.users++
			e.clock++
			m.used = e.clock
			return nil
		case m.loading == nil && tried:
			return m.loadErr
		case m.loading == nil:
			m.loading = make(chan struct{})
			e.loads.Add(1)
			go m.load()
		}
		loaded := m.loading
		e.mu.Unlock()
		select {
		case <-loaded:
		case <-ctx.Done():
		}
		e.mu.Lock()
		if err := ctx.Err(); err != nil {
			return err
		}
	}
}

// release ends a use begun by acquire.
func (m *Module) release() {
	m.engine.mu.Lock()
	defer m.engine.mu.Unlock()
	m.users--
	if m.size >= largeModule && !m.engine.config.Keep {
		m.idleSince = time.Now()
		m.engine.trim(maxLarge)
		m.engine.expectIdle()
	}
}

// load compiles the module and wakes those who wait for it.
func (m *Module) load() {
	e := m.engine
	defer e.loads.Done()
	compiled, err := m.compile()
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed && compiled != nil {
		compiled.Close(context.Background())
		compiled, err = nil, errEngineClosed
	}
	m.compiled, m.loadErr = compiled, err
	close(m.loading)
	m.loading = nil
}

func (m *Module) compile() (compiled wazero.CompiledModule, err error) {
	if compiled, info, size, err := m.outlined(); err == nil {
		m.describe(compiled, info, size)
		return compiled, nil
	}
	var ahead []byte
	if made := m.ahead.Swap(nil); made != nil {
		ahead = *made
	}
	metered, info, err := m.source.metered(ahead)
	if err != nil {
		return nil, m.loadError(err)
	}
	workers := 1
	if len(metered) >= parallelModule || m.source.parallel {
		workers = m.engine.config.Workers
	}
	defer func() {
		if r := recover(); r != nil {
			err = &LoadError{Module: m.name, Reason: "the engine's compiler failed", Err: fmt.Errorf("%v", r)}
		}
	}()
	ctx := experimental.WithCompilationWorkers(m.engine.ctx, workers)
	compiled, err = m.engine.runtime.CompileModule(ctx, metered)
	if err != nil {
		return nil, m.loadError(err)
	}
	m.describe(compiled, info, len(metered))
	m.keepOutline(metered)
	return compiled, nil
}

// describe notes what there is to know about a module of size bytes.
func (m *Module) describe(compiled wazero.CompiledModule, info *fuel.Info, size int) {
	m.info, m.size, m.needs = info, size, m.needs[:0]
	for _, f := range compiled.ImportedFunctions() {
		module, name, _ := f.Import()
		m.needs = append(m.needs, functionImport{module, name, f.ParamTypes(), f.ResultTypes()})
	}
}

// loadError says why a module could not be compiled: because of the module, or
// because something came between that says nothing about it.
func (m *Module) loadError(err error) error {
	var unopened *openError
	switch {
	case m.engine.ctx.Err() != nil:
		return errEngineClosed
	case errors.As(err, &unopened):
		return fmt.Errorf("%s: %w", m.name, unopened.error)
	}
	load := &LoadError{Module: m.name, Reason: "invalid module", Err: err}
	if errors.Is(err, component.ErrComposed) {
		load.Help = "give each program a block of its own, and pass the output of one to the next by :stdin"
	}
	return load
}

// Trim drops the machine code of every module that no instance uses, to give
// memory back. Modules stay usable.
func (e *Engine) Trim() {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, m := range e.modules {
		m.drop()
	}
}

// DropOldest drops the machine code of the large module that was used least lately
// and that no instance uses, and reports whether there was one.
func (e *Engine) DropOldest() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	loaded, oldest := e.large()
	if oldest != nil {
		oldest.drop()
	}
	return loaded > 0 && oldest != nil
}

// Loaded are the names of the modules whose machine code is loaded, sorted.
func (e *Engine) Loaded() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	var names []string
	for _, m := range e.modules {
		if m.compiled != nil {
			names = append(names, m.name)
		}
	}
	slices.Sort(names)
	return names
}

// large is how many large modules are loaded, and which of those that nobody uses
// was used least lately, nil for none. e.mu is held.
func (e *Engine) large() (loaded int, oldest *Module) {
	for _, m := range e.modules {
		if m.compiled == nil || m.size < largeModule {
			continue
		}
		loaded++
		if m.users == 0 && (oldest == nil || m.used < oldest.used) {
			oldest = m
		}
	}
	return loaded, oldest
}

// trim drops unused large modules, longest unused first, until at most keep
// large ones are loaded. e.mu is held.
func (e *Engine) trim(keep int) {
	for {
		loaded, oldest := e.large()
		if loaded <= keep || oldest == nil {
			return
		}
		oldest.drop()
	}
}

// drop frees the machine code if it is unused. engine.mu is held.
func (m *Module) drop() {
	if m.compiled != nil && m.users == 0 {
		m.compiled.Close(m.engine.ctx)
		m.compiled = nil
	}
}

var errEngineClosed = errors.New("sandbox: engine is closed")

// checkHeader tells core modules from everything else by their first 8 bytes.
func checkHeader(wasm []byte) error {
	if len(wasm) < 8 || string(wasm[:4]) != "\x00asm" {
		return errors.New("not a WebAssembly module")
	}
	switch version := binary.LittleEndian.Uint32(wasm[4:]); version {
	case 1, 0x0001000d: // a module, a component
		return nil
	default:
		return fmt.Errorf("unknown WebAssembly version %#x", version)
	}
}
