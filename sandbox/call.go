package sandbox

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/sys"

	"wb/sandbox/fuel"
)

// maxNested is how deep host functions may call back into their guest. Each
// level takes stack of the host.
const maxNested = 1000

// callContext is the context of a running call: the caller's, plus the
// instance, found by host functions without a search.
type callContext struct {
	context.Context
	instance *Instance
}

type instanceKey struct{}

// Value finds the instance even below contexts that wrap this one.
func (c *callContext) Value(key any) any {
	if key == (instanceKey{}) {
		return c.instance
	}
	return c.Context.Value(key)
}

// instanceOf is the instance that a host function's context belongs to, nil if
// it belongs to none.
func instanceOf(ctx context.Context) *Instance {
	if c, ok := ctx.(*callContext); ok {
		return c.instance
	}
	in, _ := ctx.Value(instanceKey{}).(*Instance)
	return in
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
//
// After a *TrapError, or a *LimitError about the stack, the guest's memory is
// as the failed call left it and other calls are possible. After any other
// error every further call fails the same way, until Reset.
func (f *Func) Call(ctx context.Context, stack []uint64) error {
	in := f.in
	if !in.state.CompareAndSwap(stateIdle, stateRunning) {
		return f.callBack(ctx, stack)
	}
	err := in.usable(f)
	if err == nil {
		in.calls = callContext{ctx, in}
		err = f.fns[0].CallWithStack(&in.calls, stack)
		in.calls.Context = nil
		if err != nil {
			err = in.outcome(err)
		}
	}
	in.state.Store(stateIdle)
	in.engine.callEnded()
	return err
}

// callBack is Call when the instance is not idle: right for a host function
// that calls the guest it was called by, wrong otherwise.
func (f *Func) callBack(ctx context.Context, stack []uint64) error {
	in := f.in
	if in.state.Load() == stateClosed {
		return fmt.Errorf("%s: called %s after the instance was closed", in.module.name, f.name)
	}
	if instanceOf(ctx) != in {
		return fmt.Errorf("%s: called %s while another call is running", in.module.name, f.name)
	}
	if err := in.usable(f); err != nil {
		return err
	}
	if in.nested >= maxNested {
		return &LimitError{Kind: LimitStack}
	}
	top := in.stackPointer()
	var saved uint64
	if top != nil {
		saved = top.Get()
	}
	in.nested++
	err := f.at(in.nested).CallWithStack(&callContext{ctx, in}, stack)
	in.nested--
	if err == nil {
		return nil
	}
	if in.unwinding {
		in.unwinding = false
		if top != nil {
			top.Set(saved)
		}
		return ErrUnwind
	}
	return in.outcome(err)
}

// usable says why the guest cannot be called any more.
func (in *Instance) usable(f *Func) error {
	if in.halted != nil {
		return in.halted
	}
	if in.exited {
		return fmt.Errorf("%s: called %s after the program exited with code %d", in.module.name, f.name, in.exitCode)
	}
	return nil
}

// Call calls an exported function by name. Host functions may call back into
// their instance with it, passing on the context they were given.
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
	if exit, ok := errors.AsType[*ExitError](err); ok {
		if exit.Code == 0 {
			return nil
		}
		return in.verdict()
	}
	return err
}

// verdict is the limit, if any, that a failed program has run into before: it
// got no more memory or room for files, and gave up.
func (in *Instance) verdict() error {
	switch {
	case in.memory.refused:
		return in.OutOfMemory()
	case in.sys != nil && in.sys.storage.hit:
		return in.sys.storage.err()
	}
	return nil
}

// halt ends the guest from inside a host function; the pending call returns err.
func (in *Instance) halt(err error) {
	if in.halted == nil {
		in.halted = err
	}
	panic(sys.NewExitError(1))
}

// unwind ends the innermost call that a host function made into the guest.
func (in *Instance) unwind() {
	if in.nested == 0 {
		in.halt(ErrUnwind)
	}
	in.unwinding = true
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
	switch {
	case in.halted != nil:
		return in.halted
	case in.exited:
		return &ExitError{in.module.name, in.exitCode}
	}
	trap := newTrapError(in.module, err)
	if trap.Reason == "stack overflow" || in.stackUnderZero(trap) {
		return &LimitError{Kind: LimitStack}
	}
	if limit := in.verdict(); limit != nil {
		return limit
	}
	return trap
}

// stackUnderZero reports whether a trap was a C program running out of its own
// stack, which lies at the bottom of memory and grows down: then the stack
// pointer, by convention the first global, is below zero.
func (in *Instance) stackUnderZero(trap *TrapError) bool {
	if in.guest == nil || trap.Reason != "out of bounds memory access" {
		return false
	}
	g := in.guest.ExportedGlobal(fuel.StackPointer)
	return g != nil && g.Type() == api.ValueTypeI32 && int32(g.Get()) < 0
}

// newTrapError takes wazero's multi-line message apart.
func newTrapError(m *Module, err error) *TrapError {
	reason, trace, _ := strings.Cut(err.Error(), "\nwasm stack trace:\n")
	if _, after, ok := strings.Cut(reason, "wasm error: "); ok {
		reason = after
	}
	reason = strings.TrimSuffix(reason, " (recovered by wazero)")
	t := &TrapError{Module: m.name, Reason: reason}
	for line := range strings.Lines(trace) {
		line = strings.TrimSpace(line)
		if line == "" {
			break
		}
		if name, _, ok := strings.Cut(line, "("); ok {
			t.Frames = append(t.Frames, frameName(name))
		}
	}
	return t
}

// frameName is the name of a function in a trace. One without a name goes by
// its index, which metering has raised by one.
func frameName(name string) string {
	name = string(Neutralize([]byte(strings.TrimPrefix(name, ".")))) // after the module's name, which is empty
	if n, err := strconv.Atoi(strings.TrimPrefix(name, "$")); err == nil && n > 0 {
		return fmt.Sprintf("function %d", n-1)
	}
	return name
}
