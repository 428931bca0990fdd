package sandbox

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"

	"wb/sandbox/fuel"
)

// Instance is a live guest: memory, globals, open files. It runs one call at a
// time; different instances are independent.
type Instance struct {
	engine *Engine
	module *Module
	guest  api.Module
	memory linearMemory
	host   []HostModule
	sys    *wasi // streams, files, clock
	meter  meter

	state    atomic.Int32 // idle, running or closed
	calls    callContext  // of the outermost call, while there is one
	brief    bool         // see runBriefly
	nested   int          // calls that host functions have under way
	funcs    map[string]*Func
	exited   bool
	exitCode int
	halted   error // why the host ended the guest
	// unwinding is set while ErrUnwind travels to the call it ends.
	unwinding bool
	stack     api.MutableGlobal // see stackPointer
}

// The states of an instance.
const (
	stateIdle = iota
	stateRunning
	stateClosed
)

// instantiate builds a guest without running any of its exported functions.
// Its memory may grow by the memory limit beyond base bytes.
func (e *Engine) instantiate(ctx context.Context, c Command, base int64) (_ *Instance, err error) {
	if c.Module == nil {
		return nil, fmt.Errorf("sandbox: command without a module")
	}
	if err := c.Module.acquire(ctx); err != nil {
		return nil, err
	}
	in := &Instance{engine: e, module: c.Module, brief: c.brief}
	defer func() {
		if err != nil {
			in.memory.Free()
			c.Module.release()
		}
	}()
	if c.Host, err = c.Module.preview2(c.Host); err != nil {
		return nil, err
	}
	in.host = c.Host
	in.meter.start(c.Limits.withDefaults())
	in.memory.allow(in.meter.limits.Memory, base)
	if err := in.checkStart(c); err != nil {
		return nil, err
	}
	modules, err := e.hostModules(ctx, c.Host)
	if err != nil {
		return nil, err
	}
	in.sys = newWASI(c, in.meter.limits)

	inner := experimental.WithMemoryAllocator(ctx, &in.memory)
	inner = experimental.WithImportResolver(inner, func(name string) api.Module {
		switch name {
		case wasiName:
			return e.wasi
		case fuel.ImportModule:
			return e.fuel
		}
		return modules[name]
	})
	in.calls = callContext{inner, in}
	in.guest, err = e.newGuest(&in.calls, c.Module.compiled)
	in.calls.Context = nil
	if err != nil {
		return nil, in.startFailure(err)
	}
	in.meter.counter = in.guest.ExportedGlobal(fuel.ExportFuel).(api.MutableGlobal)
	if err := e.enlist(in); err != nil {
		in.guest.Close(ctx)
		return nil, err
	}
	return in, nil
}

// startFailure tells a start function that failed from a module that does not
// fit what it is given.
func (in *Instance) startFailure(err error) error {
	if in.halted == nil && !in.exited && !strings.Contains(err.Error(), "wasm error: ") {
		return &LoadError{Module: in.module.name, Reason: "cannot be instantiated", Err: err}
	}
	return in.outcome(err)
}

var plainConfig = wazero.NewModuleConfig().WithName("").WithStartFunctions()

// newGuest instantiates compiled code. The engine panics when memory it was
// promised is not to be had.
func (e *Engine) newGuest(ctx context.Context, compiled wazero.CompiledModule) (_ api.Module, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("cannot reserve memory: %v", r)
		}
	}()
	return e.runtime.InstantiateModule(ctx, compiled, plainConfig)
}

// checkStart refuses a module that cannot start with what the command gives it.
func (in *Instance) checkStart(c Command) error {
	m := in.module
	if p := m.info.Memory; p != nil {
		if need := int64(p.Min) * pageSize; in.memory.limit >= 0 && need > in.memory.limit {
			return fmt.Errorf("%s starts with %s of memory: %w", m.name, byteSize(need), in.OutOfMemory())
		}
	}
	for _, f := range m.needs {
		if f.module == wasiName || f.module == fuel.ImportModule {
			continue
		}
		fn := findHostFunc(c.Host, f)
		if fn == nil {
			return &LoadError{Module: m.name, Reason: fmt.Sprintf("imports %s.%s, which nothing provides", f.module, f.name)}
		}
		if fn.Call == nil {
			return &CapError{Capability: fn.Capability, Import: f.module + "." + f.name}
		}
	}
	return nil
}

func findHostFunc(host []HostModule, f functionImport) *HostFunc {
	for i := range host {
		if host[i].Name != f.module {
			continue
		}
		for j := range host[i].Funcs {
			if host[i].Funcs[j].Name == f.name {
				return &host[i].Funcs[j]
			}
		}
	}
	return nil
}

// Memory gives the host access to the guest's linear memory.
func (in *Instance) Memory() Memory { return Memory{&in.memory} }

// Module is the program the instance runs.
func (in *Instance) Module() *Module { return in.module }

// Close frees the instance. It may be called twice, but not while a call runs.
func (in *Instance) Close(ctx context.Context) error {
	if !in.state.CompareAndSwap(stateIdle, stateClosed) {
		if in.state.Load() == stateClosed {
			return nil
		}
		return fmt.Errorf("%s: closed while a call is running", in.module.name)
	}
	in.sys.close()
	err := in.guest.Close(ctx)
	in.memory.Free()
	in.engine.delist(in)
	in.module.release()
	return err
}
