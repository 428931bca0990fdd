package js

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"wb/compile"
	"wb/sandbox"
)

// Tool is a program written in JavaScript that serves a lane, such as a
// compiler. It is started once per machine and frozen; each call wakes a copy,
// so calls see nothing of each other and may happen at the same time.
//
// Its scripts run in bare QuickJS, without what blocks get: there is the
// language, and a global object host with sourceText(path) and sourceKind(path)
// for the files of a call. The last script leaves a global function serve,
// which answers a request, both JSON.
type Tool struct {
	config  ToolConfig
	runtime *Runtime
	mu      sync.Mutex
	image   *image
}

// ToolConfig says what a tool is.
type ToolConfig struct {
	Name string // of the snapshot's file
	// Key names everything the scripts are made of. It must not be costly.
	Key    func() string
	Start  sandbox.Limits // of starting the tool
	Limits sandbox.Limits // of each call, memory beyond what it has then
	Slack  uint64         // memory, in bytes, that a usual call needs
	// Scripts are the programs to start with, in order; they are asked for
	// when no snapshot of the same key is on the disk.
	Scripts func(ctx context.Context) ([]Script, error)
	// Warm is a request that is answered before the tool is frozen, so that
	// what it computes once is in the snapshot; "" for none.
	Warm any
}

// Script is a program with the name its errors give.
type Script struct{ Name, Text string }

// NewTool describes a tool; it is started on the first call.
func (r *Runtime) NewTool(c ToolConfig) *Tool { return &Tool{config: c, runtime: r} }

// Prepare starts and freezes the tool unless that has been done.
func (t *Tool) Prepare(ctx context.Context) error {
	_, err := t.boot(ctx)
	return err
}

// Close frees the frozen tool. Calls under way go on; the next one wakes it
// again.
func (t *Tool) Close() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.image == nil {
		return nil
	}
	t.runtime.pool.drop(context.Background(), t.image)
	err := t.image.snapshot.Close()
	t.image = nil
	return err
}

// ToolError is an exception of a tool's own program.
type ToolError struct{ Reason, Stack string }

func (e *ToolError) Error() string { return e.Reason + "\n" + e.Stack }

// Call answers a request. own and packages are the files it may ask for. A
// program that throws is an error: tools answer with what their user is to
// read.
func (t *Tool) Call(ctx context.Context, own map[string][]byte, packages []compile.Package, request, reply any) error {
	img, err := t.boot(ctx)
	if err != nil {
		return err
	}
	files, err := t.runtime.sources(ctx, own, packages)
	if err != nil {
		return err
	}
	m, err := t.runtime.restore(ctx, img, world{limits: t.config.Limits, sources: files})
	if err != nil {
		return err
	}
	defer t.runtime.pool.give(ctx, m)
	if err := m.serve(ctx, request, reply); err != nil {
		return fmt.Errorf("%s: %w", t.config.Name, err)
	}
	return nil
}

const controlServe = "serve"

// serve calls the tool's function.
func (m *machine) serve(ctx context.Context, request, reply any) error {
	text, err := json.Marshal(request)
	if err != nil {
		return err
	}
	v, err := m.newString(ctx, string(text))
	if err != nil {
		return err
	}
	answer, err := m.controlText(ctx, controlServe, v)
	if t, ok := errors.AsType[*thrown](err); ok {
		return &ToolError{Reason: t.Error(), Stack: t.Stack}
	}
	if err != nil {
		return err
	}
	return json.Unmarshal([]byte(answer), reply)
}

// boot is the frozen tool.
func (t *Tool) boot(ctx context.Context) (*image, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.image != nil {
		return t.image, nil
	}
	quickjs, err := t.runtime.env.Tools.Ensure(ctx, ToolName, t.runtime.env.Progress)
	if err != nil {
		return nil, err
	}
	t.image, err = t.runtime.freeze(ctx, quickjs, start{name: t.config.Name, key: t.config.Key(), limits: t.config.Start, slack: t.config.Slack, furnish: t.furnish})
	return t.image, err
}

// noCollection keeps QuickJS from looking for garbage in cycles: a tool's heap
// is large and lives for one call.
const noCollection = 1<<32 - 1

func (t *Tool) furnish(ctx context.Context, m *machine) error {
	scripts, err := t.config.Scripts(ctx)
	if err != nil {
		return err
	}
	if _, err := m.call(ctx, "qjs_set_gc_threshold", noCollection); err != nil {
		return err
	}
	global, err := m.eval(ctx, "globalThis.host = {}; globalThis", "tool.js", evalScript)
	if err != nil {
		return err
	}
	if err := m.provideHost(ctx, global); err != nil {
		return err
	}
	for _, s := range scripts {
		if _, err := m.eval(ctx, s.Text, s.Name, evalScript); err != nil {
			return fmt.Errorf("%s: %w", s.Name, err)
		}
	}
	serve, err := m.property(ctx, global, controlServe)
	if err != nil {
		return err
	}
	m.image.Control = map[string]handle{controlServe: serve}
	if t.config.Warm != nil {
		var ignored json.RawMessage
		return m.serve(ctx, t.config.Warm, &ignored)
	}
	return nil
}
