package dock

import (
	"context"
	"slices"
	"sync"

	"wb/sandbox"
)

// HostModuleName is the module that compiled guests import from.
const HostModuleName = "env"

// maxFrame bounds a request: the largest argument and what stands around it.
const maxFrame = MaxFile + 1<<20

// HostModule are the functions compiled guests import:
//
//	host_CAPABILITY(frame, length) -> length of the reply
//	host_session(frame, length) -> length of the reply
//	host_reply(to) copies the reply of the last call to memory
//
// A capability that was not granted is declared all the same, so that a guest
// which imports it is refused with its name. d may be nil: nothing is granted.
// The module belongs to one instance.
func (d *Dock) HostModule() sandbox.HostModule {
	var mu sync.Mutex
	var last []byte
	call := func(ctx context.Context, in *sandbox.Instance, stack []uint64) error {
		at, n := uint32(stack[0]), uint32(stack[1])
		frame, ok := in.Memory().Read(at, n)
		var answer []byte
		if !ok || n > maxFrame {
			answer = wire(Reply{}, Errorf(CodeInvalid, "malformed request to the dock"))
		} else {
			answer = d.Serve(ctx, slices.Clone(frame))
		}
		in.Charge(ctx, int64(int(n)+len(answer))/8+64)
		mu.Lock()
		last = answer
		mu.Unlock()
		stack[0] = uint64(len(answer))
		return nil
	}
	reply := func(_ context.Context, in *sandbox.Instance, stack []uint64) error {
		mu.Lock()
		defer mu.Unlock()
		stack0 := uint32(stack[0])
		if in.Memory().Write(stack0, last) {
			last = nil
		}
		return nil
	}
	module := sandbox.HostModule{Name: HostModuleName}
	i32 := sandbox.I32
	for _, capability := range append([]string{"session"}, Capabilities()...) {
		f := sandbox.HostFunc{Name: "host_" + capability, Params: []sandbox.ValueType{i32, i32}, Results: []sandbox.ValueType{i32}, Capability: capability}
		if d != nil && (capability == "session" || d.Granted(capability)) {
			f.Call = call
		}
		module.Funcs = append(module.Funcs, f)
	}
	f := sandbox.HostFunc{Name: "host_reply", Params: []sandbox.ValueType{i32}, Capability: "session"}
	if d != nil {
		f.Call = reply
	}
	module.Funcs = append(module.Funcs, f)
	return module
}

// Serve performs a call that a guest wrote as a frame and answers as guests
// read it.
func (d *Dock) Serve(ctx context.Context, frame []byte) []byte {
	operation, args, err := parseFrame(frame)
	if err != nil {
		return wire(Reply{}, &Error{Code: CodeInvalid, Message: err.Error()})
	}
	return wire(d.Call(ctx, operation, args...))
}
