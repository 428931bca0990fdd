package sandbox

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"sync"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/experimental"

	"wb/sandbox/fuel"
)

// Module is a compiled program, shared by all its runs.
type Module struct {
	name   string
	digest string
	engine *Engine

	once     sync.Once
	compiled wazero.CompiledModule
	info     *fuel.Info
	err      error
}

// Name is what the module was called when it was compiled, for messages.
func (m *Module) Name() string { return m.name }

// Digest is the SHA-256 of the module's original bytes, in hex.
func (m *Module) Digest() string { return m.digest }

// Compile makes wasm runnable. Modules are held by digest: compiling the same
// bytes again, from any goroutine, returns the same Module. The name appears
// in error messages.
func (e *Engine) Compile(ctx context.Context, name string, wasm []byte) (*Module, error) {
	sum := sha256.Sum256(wasm)
	digest := hex.EncodeToString(sum[:])

	e.mu.Lock()
	if e.closed {
		e.mu.Unlock()
		return nil, errEngineClosed
	}
	m := e.modules[digest]
	if m == nil {
		m = &Module{name: name, digest: digest, engine: e}
		e.modules[digest] = m
	}
	e.mu.Unlock()

	m.once.Do(func() { m.err = m.compile(ctx, wasm) })
	if m.err != nil {
		e.mu.Lock()
		delete(e.modules, digest)
		e.mu.Unlock()
		return nil, m.err
	}
	return m, nil
}

var errEngineClosed = errors.New("sandbox: engine is closed")

func (m *Module) compile(ctx context.Context, wasm []byte) error {
	if err := checkHeader(m.name, wasm); err != nil {
		return err
	}
	metered, info, err := fuel.Instrument(wasm, fuel.Options{TableLimit: tableLimit})
	if err != nil {
		return &LoadError{Module: m.name, Reason: "invalid module", Err: err}
	}
	m.info = info
	ctx = experimental.WithCompilationWorkers(ctx, m.engine.config.Workers)
	m.compiled, err = m.engine.runtime.CompileModule(ctx, metered)
	if err != nil {
		return &LoadError{Module: m.name, Reason: "invalid module", Err: err}
	}
	return nil
}

// tableLimit bounds the elements of each table: 8 MiB of host memory.
const tableLimit = 1 << 20

// checkHeader tells core modules from everything else by the first 8 bytes.
func checkHeader(name string, wasm []byte) error {
	if len(wasm) < 8 || string(wasm[:4]) != "\x00asm" {
		return &LoadError{Module: name, Reason: "not a WebAssembly module"}
	}
	switch version := binary.LittleEndian.Uint32(wasm[4:]); version {
	case 1:
		return nil
	case 0x0001000d:
		return &LoadError{Module: name, Reason: "a component-model binary; this sandbox runs core modules (build for wasm32-wasip1)"}
	default:
		return &LoadError{Module: name, Reason: "unknown WebAssembly version"}
	}
}
