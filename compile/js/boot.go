package js

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"wb/compile/toolchain"
	"wb/sandbox"
	"wb/sandbox/dock"
)

// controls are the functions guest/ keeps for the host.
var controls = []string{"begin", "tick", "fire", "call", "exports", "main", "shown", "describe", "end"}

// bootLimits bound starting a VM.
var bootLimits = sandbox.Limits{Memory: 64 << 20}

// boot is the image that blocks start from: QuickJS with what guest/ adds.
func (r *Runtime) boot(ctx context.Context) (*image, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.image != nil {
		return r.image, nil
	}
	t, err := r.env.Tools.Ensure(ctx, ToolName, r.env.Progress)
	if err != nil {
		return nil, err
	}
	scripts, err := guestSources()
	if err != nil {
		return nil, err
	}
	r.image, err = r.freeze(ctx, t, bootStart(scripts))
	return r.image, err
}

// MakeReady implements [compile.Readier].
func (l *Lane) MakeReady(ctx context.Context) {
	_, _ = l.runtime.boot(ctx) // who needs it asks again, and hears what is wrong
}

// bootStart is how the image of blocks is made.
func bootStart(scripts []string) start {
	return start{name: "javascript", key: toolchain.HashText(scripts...), limits: bootLimits, slack: 2 << 20, furnish: furnish}
}

// Refused are the modules of node that are not there, with the reasons.
func (r *Runtime) Refused(ctx context.Context) (map[string]string, error) {
	img, err := r.boot(ctx)
	if err != nil {
		return nil, err
	}
	return img.Refused, nil
}

// guestSources are the texts of guest/, in order.
func guestSources() ([]string, error) {
	texts := make([]string, len(guestScripts))
	for i, name := range guestScripts {
		if name == dockScript {
			texts[i] = dock.JavaScriptModule()
			continue
		}
		text, err := guestFiles.ReadFile("guest/" + name + ".js")
		if err != nil {
			return nil, err
		}
		texts[i] = string(text)
	}
	return texts, nil
}

// furnish runs the scripts in guest/. They share one object, kit, in which each
// leaves what later ones need; kit.control is for the host.
func furnish(ctx context.Context, m *machine) error {
	kit, err := m.eval(ctx, `({host: {}, control: {}, onBegin: [],
		define(name, value) { Object.defineProperty(globalThis, name, {value, writable: true, configurable: true, enumerable: false}); }})`, "wb:kit.js", evalScript)
	if err != nil {
		return err
	}
	if err := m.provideHost(ctx, kit); err != nil {
		return err
	}
	scripts, err := guestSources()
	if err != nil {
		return err
	}
	for i, source := range scripts {
		part, err := m.eval(ctx, source, "wb:"+guestScripts[i]+".js", evalScript)
		if err == nil {
			_, err = m.apply(ctx, part, m.image.Undefined, kit)
		}
		if err != nil {
			return fmt.Errorf("guest/%s.js: %w", guestScripts[i], err)
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
	m.image.Control = functions
	return m.learnBuiltins(ctx, kit)
}

// provideHost fills the member host of kit with the functions of the host.
func (m *machine) provideHost(ctx context.Context, kit handle) error {
	host, err := m.property(ctx, kit, "host")
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(hostFunctions)) {
		if err := m.provide(ctx, host, name); err != nil {
			return err
		}
	}
	return nil
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

// learnBuiltins asks which names the modules of node export, for import, and
// why others are not there.
func (m *machine) learnBuiltins(ctx context.Context, kit handle) error {
	list, err := m.eval(ctx, `kit => JSON.stringify({refused: kit.refused, builtins: Object.fromEntries(Object.entries(kit.builtin).map(([name, m]) =>
		[name, Object.keys(m).filter(k => /^[A-Za-z_$][\w$]*$/.test(k) && k !== 'default')]))})`, "wb:kit.js", evalScript)
	if err != nil {
		return err
	}
	v, err := m.apply(ctx, list, m.image.Undefined, kit)
	if err != nil {
		return err
	}
	text, err := m.text(ctx, v)
	if err != nil {
		return err
	}
	return json.Unmarshal([]byte(text), &m.image.landmarks)
}
