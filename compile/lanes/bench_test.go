package lanes

import (
	"context"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"wb/compile"
	"wb/internal/test/lanetest"
	"wb/sandbox"
	"wb/sandbox/dock"
)

// free are limits that end no benchmark.
var free = sandbox.Limits{Fuel: -1, Timeout: -1, Memory: 64 << 20}

// assembled is a module in WAT.
func assembled(b *testing.B, shape compile.Shape, text string) (*compile.Env, compile.Lane, *compile.Artifact) {
	b.Helper()
	env := lanetest.Env(b)
	all, err := New(env)
	if err != nil {
		b.Fatal(err)
	}
	lane, _ := all.Lookup("wat")
	lanetest.Need(b, env, lane.Info().Toolchains...)
	art, err := lane.Build(b.Context(), lanetest.Block("wat", shape, text))
	if err != nil {
		b.Fatal(err)
	}
	return env, lane, art
}

// BenchmarkBrokerCall compares a call of the dock with a bare host function that
// takes the same arguments, from the same guest by turns: what gate, rate, frame
// and reply cost.
func BenchmarkBrokerCall(b *testing.B) {
	const rounds = 1000
	env, _, art := assembled(b, compile.ShapeCommand, `(module
  (import "env" "host_kv" (func $kv (param i32 i32) (result i32)))
  (import "env" "host_reply" (func $reply (param i32)))
  (import "bare" "call" (func $bare (param i32 i32) (result i32)))
  (memory (export "memory") 1)
  (data (i32.const 16) "\06\00\00\00kv.get\01\00\00\00\05\00\00\00count")
  (func (export "dock") (param $n i32)
    (loop $again
      (drop (call $kv (i32.const 16) (i32.const 23)))
      (call $reply (i32.const 1024))
      (br_if $again (local.tee $n (i32.sub (local.get $n) (i32.const 1))))))
  (func (export "bare") (param $n i32)
    (loop $again
      (drop (call $bare (i32.const 16) (i32.const 23)))
      (br_if $again (local.tee $n (i32.sub (local.get $n) (i32.const 1))))))
  (func (export "_start")))`)
	module, err := env.Engine.Compile(b.Context(), "broker call", art.Wasm)
	if err != nil {
		b.Fatal(err)
	}
	answer := dock.BrokerFunc(func(context.Context, *dock.Call) (dock.Reply, error) { return dock.Found([]byte("1")), nil })
	d := dock.New(dock.Config{Granted: []string{"kv"}, Brokers: map[string]dock.Broker{"kv": answer}, Rate: dock.Rate{Calls: 1 << 40, Per: time.Minute},
		Revoked: func(string) bool { return false }})
	bare := sandbox.HostModule{Name: "bare", Funcs: []sandbox.HostFunc{{Name: "call", Params: []sandbox.ValueType{sandbox.I32, sandbox.I32}, Results: []sandbox.ValueType{sandbox.I32},
		Call: func(_ context.Context, in *sandbox.Instance, stack []uint64) error {
			frame, _ := in.Memory().Read(uint32(stack[0]), uint32(stack[1]))
			stack[0] = uint64(len(frame))
			return nil
		}}}}
	in, err := env.Engine.Start(b.Context(), sandbox.Command{Module: module, Limits: free, Host: []sandbox.HostModule{d.HostModule(), bare}})
	if err != nil {
		b.Fatal(err)
	}
	defer in.Close(b.Context())
	best := map[string]time.Duration{"dock": time.Hour, "bare": time.Hour}
	for b.Loop() {
		for name := range best {
			start := time.Now()
			if _, err := in.Call(b.Context(), name, rounds); err != nil {
				b.Fatal(err)
			}
			best[name] = min(best[name], time.Since(start)/rounds)
		}
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(best["bare"]), "bare-ns")
	b.ReportMetric(float64(best["dock"]), "dock-ns")
	b.ReportMetric(float64(best["dock"]-best["bare"]), "overhead-ns")
}

// BenchmarkInstances creates a thousand instances with memory of 64 MiB each, all
// alive at once, and tells what they take of the machine's.
func BenchmarkInstances(b *testing.B) {
	const count = 1000
	env, _, art := assembled(b, compile.ShapeCommand, `(module (memory (export "memory") 1024)
  (data (i32.const 0) "hello")
  (func (export "touch") (i32.store (i32.const 1000000) (i32.const 1)))
  (func (export "_start")))`)
	module, err := env.Engine.Compile(b.Context(), "instances", art.Wasm)
	if err != nil {
		b.Fatal(err)
	}
	best, grown := time.Hour, int64(0)
	for b.Loop() {
		before := resident()
		list := make([]*sandbox.Instance, 0, count)
		start := time.Now()
		for range count {
			in, err := env.Engine.Start(b.Context(), sandbox.Command{Module: module, Limits: free})
			if err != nil {
				b.Fatal(err)
			}
			list = append(list, in)
		}
		best = min(best, time.Since(start))
		grown = (resident() - before) / count
		for _, in := range list {
			in.Close(b.Context())
		}
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(best)/1e6, "ms/1000")
	b.ReportMetric(float64(grown)/1024, "KiB-each")
}

// resident is how much memory the process has, in bytes, 0 where the system does
// not tell.
func resident() int64 {
	text, err := os.ReadFile("/proc/self/statm")
	if fields := strings.Fields(string(text)); err == nil && len(fields) > 1 {
		pages, _ := strconv.ParseInt(fields[1], 10, 64)
		return pages * int64(os.Getpagesize())
	}
	return 0
}

// BenchmarkKernelCopy moves 64 KiB into a kernel, lets it work on them, and reads
// 64 KiB out of it again.
func BenchmarkKernelCopy(b *testing.B) {
	_, lane, art := assembled(b, compile.ShapeKernel, `(module (memory (export "memory") 4)
  (func (export "process") (param $n i32) (result i32)
    (memory.copy (i32.const 131072) (i32.const 1024) (local.get $n))
    (local.get $n)))`)
	art.Meta[compile.KernelOut] = "131072"
	k, err := lanetest.OpenKernel(b.Context(), lane, art, &compile.Job{Limits: free})
	if err != nil {
		b.Fatal(err)
	}
	defer k.Close(b.Context())
	in, out := make([]byte, 64<<10), make([]byte, 64<<10)
	b.SetBytes(int64(len(in)))
	for b.Loop() {
		view, err := k.Call(b.Context(), in)
		if err != nil || copy(out, view) != len(out) {
			b.Fatal(err)
		}
	}
}
