package python

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"wb/sandbox"
)

// machine is one started CPython. It serves one goroutine at a time.
type machine struct {
	in     *sandbox.Instance
	stderr *bytes.Buffer // of Python itself while it starts
}

// startBare starts a Python that can do nothing but compile: it imports
// nothing.
func startBare(ctx context.Context, engine *sandbox.Engine, module *sandbox.Module) (*machine, error) {
	m := &machine{stderr: new(bytes.Buffer)}
	var err error
	m.in, err = engine.Start(ctx, sandbox.Command{Module: module, Limits: buildLimits, Stdout: io.Discard, Stderr: m.stderr})
	if err != nil {
		return nil, err
	}
	if err := m.do(ctx, "wb_boot", 1); err != nil {
		m.close(ctx)
		return nil, err
	}
	return m, nil
}

func (m *machine) close(ctx context.Context) {
	if m.in != nil {
		m.in.Close(ctx)
	}
}

// do calls an exported function that returns 0 when all is well.
func (m *machine) do(ctx context.Context, name string, args ...uint64) error {
	results, err := m.in.Call(ctx, name, args...)
	if err != nil {
		if m.stderr != nil && m.stderr.Len() > 0 {
			return fmt.Errorf("%s: %w: %s", name, err, strings.TrimSpace(m.stderr.String()))
		}
		return err
	}
	if len(results) == 1 && uint32(results[0]) != 0 {
		if m.stderr == nil || m.stderr.Len() == 0 { // not even the exception could be shown
			return errors.New("python: the interpreter no longer works: the program has changed or removed what it needs")
		}
		return fmt.Errorf("%s: %s", name, strings.TrimSpace(m.stderr.String()))
	}
	return nil
}

// put copies bytes into the guest with a NUL behind them.
func (m *machine) put(ctx context.Context, data []byte) (uint64, error) {
	results, err := m.in.Call(ctx, "wb_alloc", uint64(len(data)+1))
	if err != nil {
		return 0, err
	}
	p := uint32(results[0])
	if p == 0 || !m.in.Memory().Write(p, data) || !m.in.Memory().Write(p+uint32(len(data)), []byte{0}) {
		return 0, m.in.OutOfMemory()
	}
	return uint64(p), nil
}

func (m *machine) free(ctx context.Context, p uint64) error {
	_, err := m.in.Call(ctx, "wb_free", p)
	return err
}

// result copies what the last call left.
func (m *machine) result(ctx context.Context) ([]byte, error) {
	results, err := m.in.Call(ctx, "wb_result")
	if err != nil {
		return nil, err
	}
	at := uint32(results[0])
	p, _ := m.in.Memory().ReadU32(at)
	n, _ := m.in.Memory().ReadU32(at + 4)
	view, ok := m.in.Memory().Read(p, n)
	if !ok {
		return nil, fmt.Errorf("python: result of %d bytes at %d is outside memory", n, p)
	}
	return bytes.Clone(view), nil
}

// marshal compiles a source file to marshalled code.
func (m *machine) marshal(ctx context.Context, filename string, source []byte) ([]byte, error) {
	if err := m.strings(ctx, "wb_marshal", filename, string(source)); err != nil {
		return nil, err
	}
	return m.result(ctx)
}

// strings calls a function that takes C strings.
func (m *machine) strings(ctx context.Context, name string, texts ...string) error {
	args := make([]uint64, len(texts))
	for i, text := range texts {
		p, err := m.put(ctx, []byte(text))
		if err != nil {
			return err
		}
		defer m.free(ctx, p)
		args[i] = p
	}
	return m.do(ctx, name, args...)
}
