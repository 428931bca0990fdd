package sandbox

import (
	"context"
	"fmt"
	"strings"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// ValueType is a WebAssembly value type in a host function's signature.
type ValueType = api.ValueType

// The value types host functions use.
const (
	I32 = api.ValueTypeI32
	I64 = api.ValueTypeI64
	F32 = api.ValueTypeF32
	F64 = api.ValueTypeF64
)

// HostModule is a named set of Go functions a guest may import. It belongs to
// one Command, so its functions may close over per-run state.
type HostModule struct {
	Name  string // the import module name: "env"
	Funcs []HostFunc
}

// HostFunc is one Go function.
type HostFunc struct {
	Name    string
	Params  []ValueType
	Results []ValueType
	// Call reads its parameters from stack and leaves its results there, both
	// from index 0, encoded as the wazero api package encodes them (I32 in the
	// low 32 bits). The instance is the caller: use its Memory, or call back
	// into it with ctx. An error ends the guest, and Run or Call returns it;
	// [ErrUnwind] only ends the innermost call back into the guest.
	//
	// A nil Call declares a function whose capability was not granted: a guest
	// that imports it is refused with a *CapError naming Capability.
	Call func(ctx context.Context, in *Instance, stack []uint64) error
	// Capability is the capability the function needs, for the error message.
	Capability string
}

// shapeKey identifies the names and signatures of h at position index among
// the command's host modules.
func shapeKey(h HostModule, index int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d %s", index, h.Name)
	for _, f := range h.Funcs {
		fmt.Fprintf(&b, " %s(%x)(%x)", f.Name, f.Params, f.Results)
	}
	return b.String()
}

// hostModules maps import module names to the modules for host.
func (e *Engine) hostModules(ctx context.Context, host []HostModule) (map[string]api.Module, error) {
	if len(host) == 0 {
		return nil, nil
	}
	modules := make(map[string]api.Module, len(host))
	for i, h := range host {
		m, err := e.hostModule(ctx, h, i)
		if err != nil {
			return nil, err
		}
		modules[h.Name] = m
	}
	return modules, nil
}

// hostModule returns the compiled module for the shape of h. All commands whose
// host modules have the same shape share it: a call finds the instance in its
// context and there the Go function, by index.
func (e *Engine) hostModule(ctx context.Context, h HostModule, index int) (api.Module, error) {
	key := shapeKey(h, index)
	e.mu.Lock()
	defer e.mu.Unlock()
	if m := e.shapes[key]; m != nil {
		return m, nil
	}
	b := e.runtime.NewHostModuleBuilder(h.Name)
	for i, f := range h.Funcs {
		b = b.NewFunctionBuilder().WithGoFunction(api.GoFunc(func(ctx context.Context, stack []uint64) {
			in := instanceOf(ctx)
			switch err := in.host[index].Funcs[i].Call(ctx, in, stack); err {
			case nil:
			case ErrUnwind:
				in.unwind()
			default:
				in.halt(err)
			}
		}), f.Params, f.Results).Export(f.Name)
	}
	m, err := instantiateHost(e.ctx, e.runtime, b)
	if err != nil {
		return nil, fmt.Errorf("host module %s: %w", h.Name, err)
	}
	e.shapes[key] = m
	return m, nil
}

// instantiateHost makes a host module without registering its name, so that
// several of the same name can exist.
func instantiateHost(ctx context.Context, rt wazero.Runtime, b wazero.HostModuleBuilder) (api.Module, error) {
	compiled, err := b.Compile(ctx)
	if err != nil {
		return nil, err
	}
	return rt.InstantiateModule(ctx, compiled, wazero.NewModuleConfig().WithName(""))
}
