package fuel

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"wb/sandbox/wasmbin"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
)

var update = flag.Bool("update", false, "rewrite golden files")

// guests are the modules of the sandbox's own tests.
func guests(t testing.TB) map[string][]byte {
	files := map[string][]byte{}
	for _, pattern := range []string{"../testdata/*.wasm", "../testdata/bench/*.wasm"} {
		paths, _ := filepath.Glob(pattern)
		for _, p := range paths {
			b, err := os.ReadFile(p)
			if err != nil {
				t.Fatal(err)
			}
			files[strings.TrimSuffix(filepath.Base(p), ".wasm")] = b
		}
	}
	if len(files) < 10 {
		t.Fatalf("found only %d guests", len(files))
	}
	return files
}

// What a module becomes may change only together with Version.
func TestVersion(t *testing.T) {
	var b strings.Builder
	fmt.Fprintf(&b, "version %d\n", Version)
	all := guests(t)
	names := make([]string, 0, len(all))
	for name := range all {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		out, info, err := Instrument(all[name], Options{})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		sum := sha256.Sum256(out)
		fmt.Fprintf(&b, "%s %d sites %s\n", name, info.Sites, hex.EncodeToString(sum[:8]))
	}
	const golden = "testdata/version.golden"
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, _ := os.ReadFile(golden)
	if b.String() != string(want) {
		t.Errorf("instrumented modules have changed: count Version up and run with -update\n got:\n%s\nwant:\n%s", b.String(), want)
	}
}

func TestDescribe(t *testing.T) {
	wasm := guests(t)["limits"]
	out, info, err := Instrument(wasm, Options{})
	if err != nil {
		t.Fatal(err)
	}
	again, err := Describe(out)
	if err != nil {
		t.Fatal(err)
	}
	if again.Sites != info.Sites || !slices.Equal(again.Globals, info.Globals) || *again.Memory != *info.Memory {
		t.Errorf("described as %+v, made as %+v", again, info)
	}
	if !slices.Equal(info.Globals, []string{StackPointer}) || *info.Memory != (Pages{2, 65536}) || info.Opaque != "" {
		t.Errorf("info %+v", info)
	}
	if _, err := Describe(wasm); err == nil {
		t.Error("described a plain module")
	}
	if _, _, err := Instrument(out, Options{}); err == nil || !strings.Contains(err.Error(), "reserved") {
		t.Errorf("instrumenting twice: %v", err)
	}
}

// TestOutline: an outline is valid, small, and of one module alone.
func TestOutline(t *testing.T) {
	ctx := t.Context()
	r := wazero.NewRuntimeWithConfig(ctx, wazero.NewRuntimeConfigInterpreter())
	defer r.Close(context.WithoutCancel(ctx))
	seen := map[string]string{}
	for name, wasm := range guests(t) {
		metered, info, err := Instrument(wasm, Options{})
		if err != nil {
			t.Fatal(err)
		}
		outline, err := Outline(metered)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		compiled, err := r.CompileModule(ctx, outline)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		whole, err := r.CompileModule(ctx, metered)
		if err != nil {
			t.Fatal(err)
		}
		if a, b := len(compiled.ExportedFunctions()), len(whole.ExportedFunctions()); a != b {
			t.Errorf("%s: %d exported functions, want %d", name, a, b)
		}
		if size, err := OutlinedSize(outline); err != nil || size != len(metered) {
			t.Errorf("%s: outlined size %d, want %d: %v", name, size, len(metered), err)
		}
		if again, err := Describe(outline); err != nil || again.Sites != info.Sites {
			t.Errorf("%s: described as %+v, %v", name, again, err)
		}
		if other := seen[string(outline)]; other != "" {
			t.Errorf("%s and %s have the same outline", name, other)
		}
		seen[string(outline)] = name
	}
	plain := guests(t)["limits"]
	if _, err := Outline(plain); err == nil {
		t.Error("outlined a module that is not metered")
	}
	if _, err := OutlinedSize(plain); err == nil {
		t.Error("took a module for an outline")
	}
	pays := func(n byte) []byte { // the same declarations, other code
		metered, _, err := Instrument(moduleWith([]byte{0, opLoop, blockVoid, opBr, n, opEnd, opEnd}), Options{})
		if err != nil {
			t.Fatal(err)
		}
		outline, err := Outline(metered)
		if err != nil {
			t.Fatal(err)
		}
		return outline
	}
	if bytes.Equal(pays(0), pays(1)) {
		t.Error("two modules with the same declarations have the same outline")
	}
}

// meteredRun runs an exported function with a host that gives period units at
// a time and returns its result, the units burnt and the longest wait.
func meteredRun(t testing.TB, wasm []byte, period int64, name string, args ...uint64) (results []uint64, burnt int64) {
	t.Helper()
	ctx := context.Background()
	out, _, err := Instrument(wasm, Options{})
	if err != nil {
		t.Fatal(err)
	}
	rt := wazero.NewRuntime(ctx)
	defer rt.Close(ctx)
	granted := int64(0)
	yield := func(_ context.Context, stack []uint64) {
		left := int64(int32(stack[0]))
		granted += period - left
		stack[0] = uint64(period)
	}
	i32 := []api.ValueType{api.ValueTypeI32}
	if _, err := rt.NewHostModuleBuilder(ImportModule).NewFunctionBuilder().
		WithGoFunction(api.GoFunc(yield), i32, i32).Export(ImportYield).Instantiate(ctx); err != nil {
		t.Fatal(err)
	}
	m, err := rt.Instantiate(ctx, out)
	if err != nil {
		t.Fatal(err)
	}
	results, err = m.ExportedFunction(name).Call(ctx, args...)
	if err != nil {
		t.Fatal(err)
	}
	return results, granted - int64(int32(m.ExportedGlobal(ExportFuel).Get()))
}

// Fuel does not depend on how it is handed out, even a unit at a time.
func TestPeriodDoesNotMatter(t *testing.T) {
	all := guests(t)
	for _, k := range []struct {
		name string
		n    uint64
	}{{"fib", 12}, {"interp", 500}, {"matmul", 9}, {"nbody", 50}, {"sieve", 3000}, {"sort", 500}, {"xorshift", 999}} {
		result, want := meteredRun(t, all[k.name], 1<<20, "run", k.n)
		for _, period := range []int64{1, 2, 3, 100, 4096} {
			got, burnt := meteredRun(t, all[k.name], period, "run", k.n)
			if got[0] != result[0] || burnt != want {
				t.Errorf("%s, %d at a time: result %x, burnt %d; want %x, %d", k.name, period, got, burnt, result, want)
			}
		}
	}
}

// A function of straight code burns a unit for every MaxRun instructions, on
// the path that is taken.
func TestLongRunsBurn(t *testing.T) {
	straight := func(n int) []byte { // n pairs of i32.const 0, drop
		code := []byte{0}
		for range n {
			code = append(code, opI32Const, 0, opDrop)
		}
		code = append(code, opEnd)
		return moduleWith(code)
	}
	for _, test := range []struct{ pairs, want int }{{1, 0}, {10, 0}, {12, 1}, {60, 1}, {640, 10}, {64_000, 1000}} {
		if _, got := meteredRun(t, straight(test.pairs), 1<<20, "f"); got < int64(test.want) || got > int64(test.want)+1 {
			t.Errorf("%d instructions burnt %d, want about %d", 2*test.pairs, got, test.want)
		}
	}
}

// moduleWith is a module with 16 pages of memory whose only function, f, takes
// the given number of words and returns nothing.
func moduleWith(code []byte, params ...byte) []byte {
	wasm := []byte("\x00asm\x01\x00\x00\x00")
	wasm = wasmbin.AppendSection(wasm, secType, append(append([]byte{1, formFunc, byte(len(params))}, params...), 0))
	wasm = wasmbin.AppendSection(wasm, secFunction, []byte{1, 0})
	wasm = wasmbin.AppendSection(wasm, secMemory, []byte{1, 0, 16})
	wasm = wasmbin.AppendSection(wasm, secExport, []byte{1, 1, 'f', kindFunc, 0})
	body := append(wasmbin.AppendU32([]byte{1}, uint32(len(code))), code...)
	return wasmbin.AppendSection(wasm, secCode, body)
}

// The counter and its local are out of the guest's reach: indices that the
// original module does not have are refused, not given a meaning.
func TestCounterIsOutOfReach(t *testing.T) {
	for name, code := range map[string][]byte{
		"read counter":  {0, opGlobalGet, 0, opDrop, opEnd},
		"write counter": {0, opI32Const, 1, opGlobalSet, 0, opEnd},
		"read local":    {0, opLocalGet, 0, opDrop, opEnd},
		"write local":   {0, opI32Const, 1, opLocalSet, 0, opEnd},
		"yield type":    {0, opI32Const, 0, opBlock, 1, opEnd, opDrop, opEnd},
	} {
		if _, _, err := Instrument(moduleWith(code), Options{}); err == nil || !strings.Contains(err.Error(), "unknown") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Bulk operations burn by length.
func TestBulkBurns(t *testing.T) {
	fill := moduleWith([]byte{0, opI32Const, 0, opI32Const, 7, opLocalGet, 0,
		opPrefixMisc, miscMemoryFill, 0, opEnd}, typeI32)
	for _, n := range []uint64{0, 1, 64, 65536, 131072} {
		_, got := meteredRun(t, fill, 1<<20, "f", n)
		if want := int64(n)/BytesPerUnit + 2; got != want {
			t.Errorf("filling %d bytes burnt %d, want %d", n, got, want)
		}
	}
}

// Sections that a module lacks are made: types, imports, globals, exports.
func TestBareModule(t *testing.T) {
	for name, wasm := range map[string][]byte{
		"empty":       []byte("\x00asm\x01\x00\x00\x00"),
		"memory only": []byte("\x00asm\x01\x00\x00\x00\x05\x03\x01\x00\x01"),
		"custom only": []byte("\x00asm\x01\x00\x00\x00\x00\x05\x04name"),
	} {
		out, _, err := Instrument(wasm, Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		compileBoth(t, wasm, out)
	}
}

var fuzzRuntime = wazero.NewRuntimeWithConfig(context.Background(), wazero.NewRuntimeConfigInterpreter().
	WithCoreFeatures(api.CoreFeaturesV2|experimental.CoreFeaturesTailCall|experimental.CoreFeaturesExtendedConst))

// compileBoth checks that an instrumented module is valid exactly when the
// plain one is.
func compileBoth(t *testing.T, plain, metered []byte) {
	t.Helper()
	ctx := context.Background()
	m1, err1 := fuzzRuntime.CompileModule(ctx, plain)
	m2, err2 := fuzzRuntime.CompileModule(ctx, metered)
	// A malformed name section is not an error by the specification; wazero minds.
	if (err1 == nil) != (err2 == nil) && !(err1 != nil && strings.Contains(err1.Error(), "custom")) {
		t.Errorf("plain: %v, metered: %v", err1, err2)
	}
	for _, m := range []wazero.CompiledModule{m1, m2} {
		if m != nil {
			m.Close(ctx)
		}
	}
}

// Instrument never panics, and neither makes a valid module invalid nor an
// invalid one valid.
func FuzzInstrument(f *testing.F) {
	for _, wasm := range guests(f) {
		f.Add(wasm)
	}
	f.Add(moduleWith([]byte{0, opLoop, blockVoid, opBr, 0, opEnd, opEnd}))
	f.Fuzz(func(t *testing.T, wasm []byte) {
		original := bytes.Clone(wasm)
		t0 := time.Now()
		out, _, err := Instrument(wasm, Options{})
		d1 := time.Since(t0)
		defer func() {
			if d := time.Since(t0); d > time.Second {
				t.Errorf("slow: instrument %v all %v", d1, d)
			}
		}()
		if !bytes.Equal(wasm, original) {
			t.Fatal("the input was modified")
		}
		if err == nil && len(wasm) < 1<<16 {
			compileBoth(t, wasm, out)
		}
	})
}

func BenchmarkInstrument(b *testing.B) {
	wasm := guests(b)["syscalls"]
	b.SetBytes(int64(len(wasm)))
	for b.Loop() {
		if _, _, err := Instrument(wasm, Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
