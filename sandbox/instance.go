package sandbox

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
	"github.com/tetratelabs/wazero/sys"

	"wb/sandbox/fuel"
)

// Instance is a live guest: memory, globals, open files. It is not safe for
// concurrent use; different instances are independent.
type Instance struct {
	engine *Engine
	module *Module
	guest  api.Module
	memory *linearMemory
	host   []HostModule
	sys    *wasi // streams, files, clock
	meter  meter
	calls  callContext
	nested int // calls that host functions have under way
	funcs  map[string]*Func

	exited   bool
	exitCode int
	halted   error // why the host ended the guest
	closed   bool
}

// callContext is the context of a running call: the caller's, plus the
// instance, found by host functions without a search.
type callContext struct {
	context.Context
	instance *Instance
}

func instanceOf(ctx context.Context) *Instance {
	if c, ok := ctx.(*callContext); ok {
		return c.instance
	}
	return ctx.Value(instanceKey{}).(*Instance)
}

type instanceKey struct{}

// Value finds the instance even below contexts that wrap this one.
func (c *callContext) Value(key any) any {
	if key == (instanceKey{}) {
		return c.instance
	}
	return c.Context.Value(key)
}

// instantiate builds a guest without running any of its exported functions.
func (e *Engine) instantiate(ctx context.Context, c Command) (*Instance, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	limits := c.Limits.withDefaults()
	in := &Instance{engine: e, module: c.Module, host: c.Host}
	in.meter.start(limits)
	in.sys = newWASI(in, c, limits)
	in.memory = newLinearMemory(limits.Memory)

	modules, err := e.hostModules(ctx, c)
	if err != nil {
		return nil, err
	}
	if err := checkImports(c.Module, c.Host); err != nil {
		return nil, err
	}
	inner := experimental.WithMemoryAllocator(ctx, in.memory)
	inner = experimental.WithImportResolver(inner, func(name string) api.Module {
		switch name {
		case wasiName:
			return e.wasi
		case fuel.ImportModule:
			return e.fuel
		}
		return modules[name]
	})
	config := wazero.NewModuleConfig().WithName("").WithStartFunctions()
	in.calls = callContext{inner, in}
	guest, err := e.runtime.InstantiateModule(&in.calls, c.Module.compiled, config)
	in.calls.Context = nil
	if err != nil {
		in.memory.Free()
		return nil, in.outcome(err)
	}
	in.guest = guest
	in.meter.counter = guest.ExportedGlobal(fuel.ExportFuel).(api.MutableGlobal)
	return in, nil
}

// hostModules maps import module names to the shared modules for c.Host.
func (e *Engine) hostModules(ctx context.Context, c Command) (map[string]api.Module, error) {
	modules := make(map[string]api.Module, len(c.Host))
	for i, h := range c.Host {
		m, err := e.hostModule(ctx, h, i)
		if err != nil {
			return nil, err
		}
		modules[h.Name] = m
	}
	return modules, nil
}

// checkImports refuses a module that imports what nobody provides, by name.
func checkImports(m *Module, host []HostModule) error {
	for _, f := range m.compiled.ImportedFunctions() {
		module, name, _ := f.Import()
		if module == wasiName || module == fuel.ImportModule {
			continue
		}
		fn := findHostFunc(host, module, name)
		if fn == nil {
			return &LoadError{Module: m.name, Reason: fmt.Sprintf("imports %s.%s, which nothing provides", module, name)}
		}
		if fn.Call == nil {
			return &CapError{Capability: fn.Capability, Import: module + "." + name}
		}
	}
	return nil
}

func findHostFunc(host []HostModule, module, name string) *HostFunc {
	for i := range host {
		if host[i].Name != module {
			continue
		}
		for j := range host[i].Funcs {
			if host[i].Funcs[j].Name == name {
				return &host[i].Funcs[j]
			}
		}
	}
	return nil
}

// Func is an exported function, looked up once and called often.
type Func struct {
	in   *Instance
	name string
	// fns are equal functions with a native stack each, by how deep the call
	// is nested: a function that is called again while it runs, because a host
	// function it called calls back, must not use the stack it runs on.
	fns []api.Function
}

// at is the function for calls nested so many deep.
func (f *Func) at(depth int) api.Function {
	for len(f.fns) <= depth {
		f.fns = append(f.fns, f.in.guest.ExportedFunction(f.name))
	}
	return f.fns[depth]
}

// HasFunc reports whether the guest exports a function of that name.
func (in *Instance) HasFunc(name string) bool { return in.Func(name) != nil }

// Func returns an exported function, or nil.
func (in *Instance) Func(name string) *Func {
	if f := in.funcs[name]; f != nil {
		return f
	}
	fn := in.guest.ExportedFunction(name)
	if fn == nil {
		return nil
	}
	if in.funcs == nil {
		in.funcs = map[string]*Func{}
	}
	f := &Func{in, name, []api.Function{fn}}
	in.funcs[name] = f
	return f
}

// Call calls the function without allocating: parameters are read from stack
// and results left there, so it must have room for the larger number of them.
// After an error other than a *TrapError the instance must not be used again.
func (f *Func) Call(ctx context.Context, stack []uint64) error {
	in := f.in
	if in.halted != nil {
		return in.halted
	}
	if in.exited {
		return fmt.Errorf("%s: called %s after the program exited with code %d", in.module.name, f.name, in.exitCode)
	}
	var err error
	if in.calls.Context != nil { // a host function calls back: ctx leads to in.calls
		in.nested++
		err = f.at(in.nested).CallWithStack(&callContext{ctx, in}, stack)
		in.nested--
	} else {
		in.calls = callContext{ctx, in}
		err = f.fns[0].CallWithStack(&in.calls, stack)
		in.calls.Context = nil
	}
	if err == nil {
		return nil
	}
	return in.outcome(err)
}

// Call calls an exported function by name. Host functions may call back into
// their instance with it.
func (in *Instance) Call(ctx context.Context, name string, args ...uint64) ([]uint64, error) {
	f := in.Func(name)
	if f == nil {
		return nil, fmt.Errorf("%s: no exported function %q", in.module.name, name)
	}
	def := f.fns[0].Definition()
	if want := len(def.ParamTypes()); want != len(args) {
		return nil, fmt.Errorf("%s: %s takes %d arguments, got %d", in.module.name, name, want, len(args))
	}
	results := len(def.ResultTypes())
	stack := make([]uint64, max(len(args), results))
	copy(stack, args)
	if err := f.Call(ctx, stack); err != nil {
		return nil, err
	}
	return stack[:results], nil
}

// run calls a start function, for which exiting is a normal end.
func (in *Instance) run(ctx context.Context, name string) error {
	f := in.Func(name)
	if f == nil {
		return &LoadError{Module: in.module.name, Reason: fmt.Sprintf("has no %s function", name)}
	}
	err := f.Call(ctx, nil)
	var exit *exitError
	if errors.As(err, &exit) {
		return in.memoryVerdict(exit.code != 0)
	}
	return err
}

// exitError is what Call returns when the guest calls proc_exit.
type exitError struct {
	module string
	code   int
}

func (e *exitError) Error() string {
	return fmt.Sprintf("%s: exited with code %d", e.module, e.code)
}

// memoryVerdict turns a failure into the memory limit that caused it.
func (in *Instance) memoryVerdict(failed bool) error {
	if failed && in.memory.refused {
		return &LimitError{LimitMemory, in.memory.limit}
	}
	return nil
}

// halt ends the guest from inside a host function; the pending Call returns err.
func (in *Instance) halt(err error) {
	if in.halted == nil {
		in.halted = err
	}
	panic(sys.NewExitError(1))
}

// exit ends the guest because it asked to.
func (in *Instance) exit(code int) {
	in.exited, in.exitCode = true, code
	panic(sys.NewExitError(uint32(code)))
}

// outcome translates what the engine says about a call into this package's
// errors.
func (in *Instance) outcome(err error) error {
	var exit *sys.ExitError
	switch {
	case in.halted != nil:
		return in.halted
	case in.exited:
		return &exitError{in.module.name, in.exitCode}
	case errors.As(err, &exit):
		return fmt.Errorf("%s: %w", in.module.name, err)
	case strings.Contains(err.Error(), "stack overflow"):
		return &LimitError{Kind: LimitStack}
	}
	if limit := in.memoryVerdict(true); limit != nil {
		return limit
	}
	return newTrapError(in.module.name, err)
}

// newTrapError takes wazero's multi-line message apart.
func newTrapError(module string, err error) error {
	reason, trace, _ := strings.Cut(err.Error(), "\nwasm stack trace:\n")
	reason = strings.TrimPrefix(reason, "wasm error: ")
	t := &TrapError{Module: module, Reason: reason}
	for line := range strings.Lines(trace) {
		line = strings.TrimSpace(line)
		if line == "" {
			break
		}
		if name, _, ok := strings.Cut(line, "("); ok {
			t.Frames = append(t.Frames, strings.TrimPrefix(name, "."))
		}
	}
	return t
}

// Memory gives the host access to the guest's linear memory.
func (in *Instance) Memory() Memory { return Memory{in} }

// Close frees the instance. It may be called twice.
func (in *Instance) Close(ctx context.Context) error {
	if in.closed {
		return nil
	}
	in.closed = true
	in.sys.close()
	return in.guest.Close(ctx)
}
