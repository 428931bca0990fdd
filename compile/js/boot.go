package js

import (
	"context"
	"encoding/json"
	"fmt"

	"wb/compile/toolchain"
	"wb/sandbox"
)

// image is a started VM, frozen: restoring it takes a fraction of starting.
// Its handles and addresses are valid in every VM restored from it.
type image struct {
	snapshot  *sandbox.Snapshot
	control   map[string]handle // functions guest/ keeps for the host
	undefined handle
	scratch   uint32 // 16 bytes for results by address
	// builtins are the names each module of node exports.
	builtins map[string][]string
}

// controls are the functions guest/ keeps for the host.
var controls = []string{"begin", "tick", "fire", "call", "main", "shown", "describe", "end"}

// bootLimits bound starting a VM.
var bootLimits = sandbox.Limits{Memory: 64 << 20}

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

// bootFrom starts QuickJS, runs guest/ and freezes the result.
func (l *lane) bootFrom(ctx context.Context, t toolchain.Toolchain) (*image, error) {
	wasm, err := t.ReadFile(wasmFile)
	if err != nil {
		return nil, err
	}
	module, err := l.env.Engine.Compile(ctx, "quickjs", wasm)
	if err != nil {
		return nil, err
	}
	m := &machine{image: &image{}, world: world{limits: bootLimits}}
	m.in, err = l.env.Engine.Start(ctx, sandbox.Command{Module: module, Limits: bootLimits, Host: m.host()})
	if err != nil {
		return nil, err
	}
	defer m.close(ctx)
	for _, step := range []struct {
		name string
		args []uint64
	}{
		{"qjs_init", nil},
		{"qjs_set_max_stack_size", []uint64{stackSize}},
		{"qjs_set_module_loader", []uint64{1}},
		{"qjs_set_promise_rejection_handler", []uint64{1}},
	} {
		if _, err := m.call(ctx, step.name, step.args...); err != nil {
			return nil, fmt.Errorf("quickjs: %s: %w", step.name, err)
		}
	}
	if err := m.furnish(ctx); err != nil {
		return nil, fmt.Errorf("quickjs: %w", err)
	}
	m.image.snapshot, err = m.in.Snapshot()
	return m.image, err
}

// furnish runs the scripts in guest/. They share one object, kit, in which each
// leaves what later ones need; kit.control is for the host.
func (m *machine) furnish(ctx context.Context) (err error) {
	if m.image.scratch, err = m.call(ctx, "wasm_malloc", 16); err != nil {
		return err
	}
	if m.image.undefined, err = m.call(ctx, "qjs_get_undefined"); err != nil {
		return err
	}
	kit, err := m.eval(ctx, `({host: {}, control: {}, onBegin: [],
		define(name, value) { Object.defineProperty(globalThis, name, {value, writable: true, configurable: true, enumerable: false}); }})`, "wb:kit.js", evalScript)
	if err != nil {
		return err
	}
	host, err := m.property(ctx, kit, "host")
	if err != nil {
		return err
	}
	for name := range hostFunctions {
		if err := m.provide(ctx, host, name); err != nil {
			return err
		}
	}
	for _, name := range guestScripts {
		source, err := guestFiles.ReadFile("guest/" + name + ".js")
		if err != nil {
			return err
		}
		part, err := m.eval(ctx, string(source), "wb:"+name+".js", evalScript)
		if err == nil {
			_, err = m.apply(ctx, part, m.image.undefined, kit)
		}
		if err != nil {
			return fmt.Errorf("guest/%s.js: %w", name, err)
		}
	}
	control, err := m.property(ctx, kit, "control")
	if err != nil {
		return err
	}
	functions := make(map[string]handle)
	for _, name := range controls {
		if functions[name], err = m.property(ctx, control, name); err != nil {
			return err
		}
	}
	m.image.control = functions
	return m.learnBuiltins(ctx, kit)
}

// provide makes a host function a member of the guest's host object.
func (m *machine) provide(ctx context.Context, host handle, name string) error {
	p, err := m.alloc(ctx, name)
	if err != nil {
		return err
	}
	f, err := m.call(ctx, "qjs_new_host_function", uint64(p), uint64(len(name)), 0)
	if err := firstOf(err, m.free(ctx, p)); err != nil {
		return err
	}
	return m.setProperty(ctx, host, name, f)
}

// learnBuiltins asks which names the modules of node export, for import.
func (m *machine) learnBuiltins(ctx context.Context, kit handle) error {
	list, err := m.eval(ctx, `kit => JSON.stringify(Object.fromEntries(Object.entries(kit.builtin).map(([name, m]) =>
		[name, Object.keys(m).filter(k => /^[A-Za-z_$][\w$]*$/.test(k) && k !== 'default')])))`, "wb:kit.js", evalScript)
	if err != nil {
		return err
	}
	v, err := m.apply(ctx, list, m.image.undefined, kit)
	if err != nil {
		return err
	}
	text, err := m.text(ctx, v)
	if err != nil {
		return err
	}
	return json.Unmarshal([]byte(text), &m.image.builtins)
}

// restore makes a VM from the image to work in w.
func (l *lane) restore(ctx context.Context, img *image, w world) (*machine, error) {
	m := &machine{image: img, world: w}
	in, err := l.env.Engine.Restore(ctx, img.snapshot, sandbox.Command{Limits: w.limits, Caps: w.caps, Host: m.host()})
	if err != nil {
		return nil, err
	}
	m.in = in
	return m, nil
}
