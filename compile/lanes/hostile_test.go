package lanes

import (
	"context"
	"testing"

	"wb/compile"
	"wb/internal/test/hostile"
	"wb/internal/test/lanetest"
	"wb/sandbox"
	"wb/sandbox/dock"
)

// watLane is the lane of WebAssembly text.
func watLane(t *testing.T) compile.Lane {
	t.Helper()
	env := lanetest.Env(t)
	all, err := New(env)
	if err != nil {
		t.Fatal(err)
	}
	lane, _ := all.Lookup("wat")
	lanetest.Need(t, env, lane.Info().Toolchains...)
	return lane
}

// TestHostileModule tries every hostile call from a WebAssembly module, which
// imports what any compiled guest does.
func TestHostileModule(t *testing.T) {
	lane := watLane(t)
	const at = 65536
	art, err := lane.Build(t.Context(), lanetest.Block("wat", compile.ShapeCommand, `(module
  (import "env" "host_session" (func $call (param i32 i32) (result i32)))
  (import "env" "host_reply" (func $reply (param i32)))
  (memory (export "memory") 640)
  (func (export "ask") (param $n i32) (result i32)
    (local.set $n (call $call (i32.const 65536) (local.get $n)))
    (call $reply (i32.const 65536))
    (local.get $n))
  (func (export "_start")))`))
	if err != nil {
		t.Fatal(err)
	}
	module, err := lanetest.Env(t).Engine.Compile(t.Context(), "hostile", art.Wasm)
	if err != nil {
		t.Fatal(err)
	}
	hostile.Run(t, func(t testing.TB, d *dock.Dock) hostile.Guest {
		in, err := lanetest.Env(t).Engine.Start(t.Context(), sandbox.Command{Module: module, Limits: free, Host: []sandbox.HostModule{d.HostModule()}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { in.Close(context.Background()) })
		return func(ctx context.Context, frame []byte) []byte {
			if !in.Memory().Write(at, frame) {
				t.Fatal("no room for the frame")
			}
			n, err := in.Call(ctx, "ask", uint64(len(frame)))
			if err != nil {
				t.Fatal(err)
			}
			reply, ok := in.Memory().Read(at, uint32(n[0]))
			if !ok {
				t.Fatal("the reply lies outside memory")
			}
			return append([]byte(nil), reply...)
		}
	})
}

// TestFramesOutsideMemory gives the host addresses that are not the guest's.
func TestFramesOutsideMemory(t *testing.T) {
	lane := watLane(t)
	for name, call := range map[string]string{
		"a frame beyond the end":      "(drop (call $call (i32.const 65530) (i32.const 100)))",
		"a frame at the last address": "(drop (call $call (i32.const -1) (i32.const -1)))",
		"the longest frame":           "(drop (call $call (i32.const 0) (i32.const -1)))",
		"a reply beyond the end":      "(drop (call $call (i32.const 0) (i32.const 4))) (call $reply (i32.const 65535))",
		"a reply that nobody asked":   "(call $reply (i32.const -1)) (call $reply (i32.const 0))",
	} {
		src := lanetest.Block("wat", compile.ShapeCommand, `(module
  (import "env" "host_session" (func $call (param i32 i32) (result i32)))
  (import "env" "host_reply" (func $reply (param i32)))
  (memory (export "memory") 1 1)
  (func (export "_start") `+call+`))`)
		out, err := lanetest.Execute(t, lane, src, &compile.Job{Dock: dock.New(dock.Config{})})
		if err != nil || out.Exit != 0 {
			t.Errorf("%s: %s", name, lanetest.Complaint(out, err))
		}
	}
}
