package js

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"wb/compile"
	"wb/compile/toolchain"
	"wb/sandbox"
)

// Runtime is QuickJS in the sandbox. Lanes share it, and so do tools that are
// written in JavaScript, such as a compiler (see [Tool]).
type Runtime struct {
	env *compile.Env

	mu    sync.Mutex
	image *image // what blocks start from, made on first use

	pool pool
}

// NewRuntime registers the toolchain; nothing is installed or loaded yet.
func NewRuntime(env *compile.Env) *Runtime {
	r := &Runtime{env: env}
	env.Tools.Register(r.recipe())
	return r
}

// Lane is a dialect that runs on r.
func (r *Runtime) Lane(d Dialect) *Lane { return &Lane{dialect: d, runtime: r} }

// Fingerprint names the engine and what wb adds to it.
func (r *Runtime) Fingerprint() string {
	return "js/" + version + "/" + r.env.Tools.Fingerprint(ToolName)
}

// image is a started VM, frozen: restoring it takes a fraction of starting.
// Its handles and addresses are valid in every VM restored from it.
type image struct {
	snapshot *sandbox.Snapshot
	landmarks
}

// landmarks are where things lie in an image; they are kept beside it.
type landmarks struct {
	Control   map[string]handle `json:"control"` // functions the scripts keep for the host
	Undefined handle            `json:"undefined"`
	Scratch   uint32            `json:"scratch"` // 16 bytes for results by address
	// Builtins are the names each module of node exports.
	Builtins map[string][]string `json:"builtins,omitempty"`
	// Refused are the modules of node that are not there, with the reasons.
	Refused map[string]string `json:"refused,omitempty"`
}

// start makes the VM that an image is taken of.
type start struct {
	name string // of the snapshot's file
	// key names everything that furnish puts into the VM.
	key    string
	limits sandbox.Limits
	// slack is free memory, in bytes, that the image has to offer, so that small
	// jobs need not grow it and leave machines that can be used again.
	slack   uint64
	furnish func(ctx context.Context, m *machine) error
}

// module is quickjs.wasm, compiled.
func (r *Runtime) module(ctx context.Context, t toolchain.Toolchain) (*sandbox.Module, error) {
	return r.env.Program(ctx, t, "quickjs", wasmFile)
}

// freeze makes the image of a start, or takes it from the disk, where this or
// another process has left it.
func (r *Runtime) freeze(ctx context.Context, t toolchain.Toolchain, s start) (*image, error) {
	s.key = fmt.Sprintf("%s %d", s.key, s.slack)
	module, err := r.module(ctx, t)
	if err != nil {
		return nil, err
	}
	img := &image{}
	if snapshot, note, ok := r.env.Engine.LoadSnapshot(s.name, s.key, module); ok {
		if json.Unmarshal(note, &img.landmarks) == nil {
			img.snapshot = snapshot
			return img, nil
		}
		snapshot.Close()
	}
	if err := r.start(ctx, module, s, img); err != nil {
		return nil, fmt.Errorf("%s: %w", s.name, err)
	}
	note, err := json.Marshal(img.landmarks)
	if err != nil {
		return nil, err
	}
	// A snapshot that cannot be kept costs the next process its start only.
	_ = r.env.Engine.SaveSnapshot(s.name, s.key, img.snapshot, note)
	return img, nil
}

// start starts QuickJS, furnishes it and freezes the result.
func (r *Runtime) start(ctx context.Context, module *sandbox.Module, s start, img *image) error {
	m := &machine{image: img, world: world{limits: s.limits}}
	var err error
	m.in, err = r.env.Engine.Start(ctx, sandbox.Command{Module: module, Limits: s.limits, Host: m.host()})
	if err != nil {
		return err
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
			return fmt.Errorf("quickjs: %s: %w", step.name, err)
		}
	}
	if img.Scratch, err = m.call(ctx, "wasm_malloc", 16); err != nil {
		return err
	}
	if img.Undefined, err = m.call(ctx, "qjs_get_undefined"); err != nil {
		return err
	}
	if err := s.furnish(ctx, m); err != nil {
		return err
	}
	free, err := m.call(ctx, "wasm_malloc", s.slack)
	if err != nil {
		return err
	}
	if err := m.free(ctx, free); err != nil {
		return err
	}
	img.snapshot, err = m.in.Snapshot()
	return err
}

// restore makes a VM from an image to work in w. Give it to r.pool afterwards,
// or close it.
func (r *Runtime) restore(ctx context.Context, img *image, w world) (*machine, error) {
	if m := r.pool.take(ctx, img, w); m != nil {
		return m, nil
	}
	m := &machine{image: img, world: w}
	in, err := r.env.Engine.Restore(ctx, img.snapshot, sandbox.Command{Limits: w.limits, Caps: w.caps, Host: m.host()})
	if err != nil {
		return nil, err
	}
	m.in = in
	return m, nil
}
