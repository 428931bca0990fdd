package sandbox

import (
	"context"
	"errors"
	"testing"
	"time"
)

// unwindModule exports call(n), which takes 16 bytes of C stack and does not
// give them back. call(0) throws, call(-1) loops for ever, call(-2) traps;
// else it is try(n-1)*100000 + the stack pointer, which starts at 1024.
var unwindModule = []byte("\x00asm\x01\x00\x00\x00" +
	"\x01\x09\x02\x60\x01\x7f\x01\x7f\x60\x00\x00" + // types: (i32) -> i32, () -> ()
	"\x02\x17\x02\x03env\x03try\x00\x00\x03env\x05throw\x00\x01" +
	"\x03\x02\x01\x00" +
	"\x05\x03\x01\x00\x01" + // one page of memory
	"\x06\x07\x01\x7f\x01\x41\x80\x08\x0b" + // the stack pointer
	"\x07\x11\x02\x06memory\x02\x00\x04call\x00\x02" +
	"\x0a\x38\x01\x36\x00" +
	"\x23\x00\x41\x10\x6b\x24\x00" + // sp -= 16
	"\x20\x00\x45\x04\x40\x10\x01\x0b" + // if n == 0: throw
	"\x20\x00\x41\x7f\x46\x04\x40\x03\x40\x0c\x00\x0b\x0b" + // if n == -1: loop
	"\x20\x00\x41\x7e\x46\x04\x40\x00\x0b" + // if n == -2: unreachable
	"\x20\x00\x41\x01\x6b\x10\x00" + // try(n - 1)
	"\x41\xa0\x8d\x06\x6c\x23\x00\x6a\x0b")

func startUnwinding(t *testing.T, config Config, limits Limits) *Instance {
	t.Helper()
	ctx := context.Background()
	engine, err := NewEngine(ctx, config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { engine.Close(ctx) })
	module, err := engine.Compile(ctx, "unwind", unwindModule)
	if err != nil {
		t.Fatal(err)
	}
	host := HostModule{Name: "env", Funcs: []HostFunc{
		{Name: "try", Params: []ValueType{I32}, Results: []ValueType{I32}, Call: func(ctx context.Context, in *Instance, stack []uint64) error {
			_, err := in.Call(ctx, "call", stack[0])
			if errors.Is(err, ErrUnwind) {
				stack[0] = 1
				return nil
			}
			stack[0] = 0
			return err
		}},
		{Name: "throw", Call: func(context.Context, *Instance, []uint64) error { return ErrUnwind }},
	}}
	in, err := engine.Start(ctx, Command{Module: module, Limits: limits, Host: []HostModule{host}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close(ctx) })
	return in
}

func TestUnwind(t *testing.T) {
	ctx := context.Background()
	for name, config := range map[string]Config{"compiler": {}, "interpreter": {Interpreter: true}} {
		t.Run(name, func(t *testing.T) {
			in := startUnwinding(t, config, Limits{})
			stack := uint64(1024)
			for range 10 {
				// The throw comes from two calls down: call(2) calls call(1),
				// whose try catches, so it returns without unwinding.
				for n, caught := range []uint64{1: 100000, 2: 0} {
					if n == 0 {
						continue
					}
					got, err := in.Call(ctx, "call", uint64(n))
					stack -= 16 * uint64(n) // what call(0) took has been given back
					if want := caught + stack; err != nil || got[0] != want {
						t.Fatalf("call(%d) = %v, %v; want %d", n, got, err, want)
					}
				}
			}
			if _, err := in.Call(ctx, "call", 0); !errors.Is(err, ErrUnwind) {
				t.Errorf("throw without try: %v", err)
			}
		})
	}
}

// Limits and traps pass through every try.
func TestUnwindCatchesNothingElse(t *testing.T) {
	ctx := context.Background()
	in := startUnwinding(t, Config{}, Limits{Fuel: 1000})
	var limit *LimitError
	if _, err := in.Call(ctx, "call", 0); !errors.Is(err, ErrUnwind) {
		t.Errorf("throw: %v", err)
	}
	in = startUnwinding(t, Config{}, Limits{Fuel: 1000})
	if _, err := in.Call(ctx, "call", 0xffffffff); !errors.As(err, &limit) || limit.Kind != LimitFuel {
		t.Errorf("loop: %v", err)
	}
	in = startUnwinding(t, Config{}, Limits{Timeout: time.Minute})
	var trap *TrapError
	if _, err := in.Call(ctx, "call", 0xfffffffe); !errors.As(err, &trap) {
		t.Errorf("trap: %v", err)
	}
	// Endless tries within tries end as endless recursion does.
	in = startUnwinding(t, Config{}, Limits{})
	if _, err := in.Call(ctx, "call", 1<<20); !errors.As(err, &limit) || limit.Kind != LimitStack {
		t.Errorf("recursion: %v", err)
	}
}
