package sandbox

import (
	"errors"

	"github.com/tetratelabs/wazero/api"

	"wb/sandbox/fuel"
)

// ErrUnwind, returned by a host function, ends the innermost call that another
// host function has made back into the guest: that call returns ErrUnwind, and
// the guest goes on from there. Together they are what C programs do with
// setjmp and longjmp, which WebAssembly does not have and wazero 1.12.0
// miscompiles as exceptions:
//
//	try:   err := in.Call(ctx, "call", f, data)   // a function the guest exports
//	       if errors.Is(err, sandbox.ErrUnwind) { stack[0] = 1; return nil }
//	       return err
//	throw: return sandbox.ErrUnwind
//
// The C stack pointer is again what it was before the call; memory is as the
// unwound functions left it. Limits, traps and exits are not unwinding: they
// pass through every try. A throw without a try ends the guest.
var ErrUnwind = errors.New("unwound without a handler")

// stackPointer is the global in which C programs keep the top of their stack,
// nil for modules that have none.
func (in *Instance) stackPointer() api.MutableGlobal {
	if in.stack == nil {
		in.stack, _ = in.guest.ExportedGlobal(fuel.StackPointer).(api.MutableGlobal)
	}
	return in.stack
}
