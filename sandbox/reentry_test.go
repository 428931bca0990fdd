package sandbox

import (
	"context"
	"testing"
)

// sumModule exports sum(n) = n == 0 ? 0 : n + env.again(n - 1).
var sumModule = []byte("\x00asm\x01\x00\x00\x00" +
	"\x01\x06\x01\x60\x01\x7f\x01\x7f" + // type: (i32) -> i32
	"\x02\x0d\x01\x03env\x05again\x00\x00" +
	"\x03\x02\x01\x00" +
	"\x05\x03\x01\x00\x01" + // one page of memory
	"\x07\x10\x02\x06memory\x02\x00\x03sum\x00\x01" +
	"\x0a\x17\x01\x15\x00\x20\x00\x45\x04\x7f\x41\x00\x05\x20\x00\x20\x00\x41\x01\x6b\x10\x00\x6a\x0b\x0b")

// A host function may call back the very function that called it, to any
// depth: each call has a stack of its own.
func TestCallBackIntoRunningFunction(t *testing.T) {
	ctx := context.Background()
	engine, err := NewEngine(ctx, Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close(ctx)
	module, err := engine.Compile(ctx, "sum", sumModule)
	if err != nil {
		t.Fatal(err)
	}
	again := HostFunc{Name: "again", Params: []ValueType{I32}, Results: []ValueType{I32},
		Call: func(ctx context.Context, in *Instance, stack []uint64) error {
			results, err := in.Call(ctx, "sum", stack[0])
			if err == nil {
				stack[0] = results[0]
			}
			return err
		}}
	in, err := engine.Start(ctx, Command{Module: module, Host: []HostModule{{Name: "env", Funcs: []HostFunc{again}}}})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close(ctx)
	for _, n := range []uint64{3, 100, 500, 3} {
		got, err := in.Call(ctx, "sum", n)
		if err != nil || got[0] != n*(n+1)/2 {
			t.Fatalf("sum(%d) = %v, %v", n, got, err)
		}
	}
}
