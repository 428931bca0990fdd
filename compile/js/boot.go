package js

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"

	"wb/compile/toolchain"
	"wb/sandbox"
)

// image is a started VM, frozen: restoring it takes a fraction of starting.
type image struct {
	snapshot *sandbox.Snapshot
	control  handle
}

// bootMemory is how much a VM may use while it starts.
const bootMemory = 64 << 20

// boot makes the image once per process.
func (l *lane) boot(ctx context.Context) (*image, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.image != nil {
		return l.image, nil
	}
	t, err := l.env.Tools.Ensure(ctx, toolName, l.env.Progress)
	if err != nil {
		return nil, err
	}
	l.image, err = l.bootFrom(ctx, t)
	return l.image, err
}

// bootFrom starts QuickJS, runs the prelude and freezes the result.
func (l *lane) bootFrom(ctx context.Context, t toolchain.Toolchain) (*image, error) {
	wasm, err := t.ReadFile(wasmFile)
	if err != nil {
		return nil, err
	}
	module, err := l.env.Engine.Compile(ctx, "quickjs", wasm)
	if err != nil {
		return nil, err
	}
	m := &machine{opts: machineOptions{limits: sandbox.Limits{Memory: bootMemory}}}
	m.in, err = l.env.Engine.Start(ctx, sandbox.Command{Module: module, Limits: m.opts.limits, Host: m.host()})
	if err != nil {
		return nil, err
	}
	defer m.close(ctx)
	if r, err := m.call(ctx, "qjs_init"); err != nil || r != 0 {
		return nil, errors.Join(err, fmt.Errorf("quickjs does not start (%d)", r))
	}
	if _, err := m.call(ctx, "qjs_set_max_stack_size", stackSize); err != nil {
		return nil, err
	}
	if _, err := m.call(ctx, "qjs_set_module_loader", 1); err != nil {
		return nil, err
	}
	if m.control, err = m.prelude(ctx); err != nil {
		return nil, fmt.Errorf("prelude: %w", err)
	}
	snapshot, err := m.in.Snapshot()
	if err != nil {
		return nil, err
	}
	return &image{snapshot, m.control}, nil
}

// prelude evaluates prelude.js and gives it the host and inspect.
func (m *machine) prelude(ctx context.Context) (handle, error) {
	const name = "host"
	p, err := m.alloc(ctx, name)
	if err != nil {
		return 0, err
	}
	host, err := m.call(ctx, "qjs_new_host_function", uint64(p), uint64(len(name)), 0)
	if err != nil {
		return 0, err
	}
	inspect, err := m.eval(ctx, inspectSource, "inspect.js", evalScript)
	if err != nil {
		return 0, err
	}
	prelude, err := m.eval(ctx, preludeSource, "prelude.js", evalScript)
	if err != nil {
		return 0, err
	}
	undefined, err := m.call(ctx, "qjs_get_undefined")
	if err != nil {
		return 0, err
	}
	return m.apply(ctx, prelude, undefined, host, inspect)
}

// restore makes a VM from an image.
func (l *lane) restore(ctx context.Context, img *image, opts machineOptions) (*machine, error) {
	m := &machine{opts: opts, control: img.control}
	in, err := l.env.Engine.Restore(ctx, img.snapshot, sandbox.Command{
		Stdout: opts.stdout, Stderr: opts.stderr, Limits: opts.limits, Caps: opts.caps, Host: m.host(),
	})
	m.in = in
	return m, err
}

// resolve names the module that base imports as name.
func resolve(base, name string) string {
	if strings.HasPrefix(name, "./") || strings.HasPrefix(name, "../") {
		return path.Join(path.Dir(base), name)
	}
	return strings.TrimPrefix(name, "/")
}
