package sandbox

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// testEngine is an engine that ends with the test.
func testEngine(t testing.TB) *Engine {
	t.Helper()
	e, err := NewEngine(context.Background(), Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return e
}

func testWasm(t testing.TB, name string) []byte {
	t.Helper()
	wasm, err := os.ReadFile("testdata/" + name + ".wasm")
	if err != nil {
		t.Fatal(err)
	}
	return wasm
}

// testModule compiles testdata/NAME.wasm.
func testModule(t testing.TB, e *Engine, name string) *Module {
	t.Helper()
	m, err := e.Compile(context.Background(), name, testWasm(t, name))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// testInstance starts testdata/NAME.wasm.
func testInstance(t testing.TB, e *Engine, name string, c Command) *Instance {
	t.Helper()
	c.Module = testModule(t, e, name)
	in, err := e.Start(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close(context.Background()) })
	return in
}

// The committed modules are what wat2wasm makes of their sources.
func TestGuestsAreUpToDate(t *testing.T) {
	if _, err := exec.LookPath("wat2wasm"); err != nil {
		t.Skip("no wat2wasm; get it with: apt-get install wabt")
	}
	sources, _ := filepath.Glob("testdata/*.wat")
	more, _ := filepath.Glob("testdata/bench/*.wat")
	for _, src := range append(sources, more...) {
		got := filepath.Join(t.TempDir(), "out.wasm")
		if out, err := exec.Command("wat2wasm", "--debug-names", src, "-o", got).CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", src, err, out)
			continue
		}
		want, _ := os.ReadFile(strings.TrimSuffix(src, ".wat") + ".wasm")
		if b, _ := os.ReadFile(got); !bytes.Equal(b, want) {
			t.Errorf("%s has changed; run: wat2wasm --debug-names %s -o %s", src, src, strings.TrimSuffix(src, ".wat")+".wasm")
		}
	}
}

func TestRun(t *testing.T) {
	e := testEngine(t)
	var out bytes.Buffer
	exit, err := e.Run(t.Context(), Command{Module: testModule(t, e, "hello"), Args: []string{"hi\n"}, Stdout: &out})
	if err != nil {
		t.Fatal(err)
	}
	if exit.Code != 3 || out.String() != "hi\n\x00" {
		t.Errorf("exit %d, output %q", exit.Code, out.String())
	}
	if exit.Usage.Fuel <= 0 || exit.Usage.Memory != pageSize {
		t.Errorf("usage %+v", exit.Usage)
	}
}

func TestRunExitInStartFunction(t *testing.T) {
	e := testEngine(t)
	exit, err := e.Run(t.Context(), Command{Module: testModule(t, e, "startexit")})
	if err != nil || exit.Code != 7 {
		t.Errorf("exit %d, %v", exit.Code, err)
	}
}

func TestCompileRefuses(t *testing.T) {
	e := testEngine(t)
	for _, test := range []struct{ name, wasm, want string }{
		{"text", "6d6f64756c65", "not a WebAssembly module"},
		{"component", "0061736d0d000100", "it exports nothing; a program exports wasi:cli/run"},
		{"future", "0061736d02000000", "unknown WebAssembly version 0x2"},
		{"truncated", "0061736d01000000010400", "section 0: unexpected end"},
		{"threads", "0061736d010000000504010301" + "02", "threads"},
		{"memory64", "0061736d010000000503010401", "64-bit"},
		{"memories", "0061736d01000000050502000100" + "01", "several memories"},
		{"gc", "0061736d010000000104015f0000", "garbage-collected"},
		{"exceptions", "0061736d0100000001040160000003020100" + "0a08010600" + "1f4000" + "0b0b", "exceptions are not supported"},
		{"reserved import", "0061736d01000000" + "010401600000" + "0211" + "01" + "0777623a6675656c" + "057969656c64" + "0000", "reserved"},
	} {
		t.Run(test.name, func(t *testing.T) {
			wasm, err := hex.DecodeString(test.wasm)
			if err != nil {
				t.Fatal(err)
			}
			_, err = e.Compile(t.Context(), "guest", wasm)
			var load *LoadError
			if !errors.As(err, &load) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
			if err != nil && strings.Contains(err.Error(), "\n") {
				t.Errorf("more than one line: %q", err)
			}
		})
	}
}

func TestImports(t *testing.T) {
	e := testEngine(t)
	m := testModule(t, e, "imports")
	_, err := e.Run(t.Context(), Command{Module: m})
	var load *LoadError
	if !errors.As(err, &load) || !strings.Contains(err.Error(), "env.host_llm_complete") {
		t.Errorf("nothing provided: %v", err)
	}

	llm := HostFunc{Name: "host_llm_complete", Params: []ValueType{I32, I32}, Results: []ValueType{I32}, Capability: "llm"}
	_, err = e.Run(t.Context(), Command{Module: m, Host: []HostModule{{Name: "env", Funcs: []HostFunc{llm}}}})
	var missing *CapError
	if !errors.As(err, &missing) || missing.Hint() != "grant it with --grant llm" {
		t.Errorf("not granted: %v", err)
	}

	llm.Call = func(context.Context, *Instance, []uint64) error { return nil }
	if _, err = e.Run(t.Context(), Command{Module: m, Host: []HostModule{{Name: "env", Funcs: []HostFunc{llm}}}}); err != nil {
		t.Errorf("granted: %v", err)
	}

	llm.Params = nil
	_, err = e.Run(t.Context(), Command{Module: m, Host: []HostModule{{Name: "env", Funcs: []HostFunc{llm}}}})
	if !errors.As(err, &load) {
		t.Errorf("wrong signature: %v", err)
	}
}

// Modules are shared by digest, and their machine code comes back after Trim,
// from memory or from the cache directory.
func TestModuleLifecycle(t *testing.T) {
	for _, dir := range []string{"", t.TempDir()} {
		e, err := NewEngine(t.Context(), Config{CacheDir: dir})
		if err != nil {
			t.Fatal(err)
		}
		a, b := testModule(t, e, "tiny"), testModule(t, e, "tiny")
		if a != b {
			t.Error("the same bytes gave two modules")
		}
		e.Trim()
		if a.compiled != nil {
			t.Error("Trim kept an unused module")
		}
		var out bytes.Buffer
		if _, err := e.Run(t.Context(), Command{Module: a, Stdout: &out}); err != nil || out.String() != "hi\n" {
			t.Errorf("after Trim: %q, %v", out.String(), err)
		}
		in, err := e.Start(t.Context(), Command{Module: a})
		if err != nil {
			t.Fatal(err)
		}
		e.Trim()
		if a.compiled == nil {
			t.Error("Trim dropped a module in use")
		}
		if err := e.Close(t.Context()); err != nil {
			t.Error(err)
		}
		if _, err := in.Call(t.Context(), "_start"); err == nil {
			t.Error("instance works after its engine was closed")
		}
		if _, err := e.Run(t.Context(), Command{Module: a}); !errors.Is(err, errEngineClosed) {
			t.Errorf("run after close: %v", err)
		}
	}
}

// Of the large modules that nobody uses only two stay loaded.
func TestLargeModulesAreDropped(t *testing.T) {
	e := testEngine(t)
	var large []*Module
	for _, name := range []string{"tiny", "cat", "flood", "hello"} {
		m := testModule(t, e, name)
		m.size = largeModule // pretend
		large = append(large, m)
	}
	large[0].acquire(t.Context()) // in use
	e.mu.Lock()
	e.trim(maxLarge)
	e.mu.Unlock()
	for i, want := range []bool{true, false, false, true} {
		if loaded := large[i].compiled != nil; loaded != want {
			t.Errorf("%s: loaded %v, want %v", large[i].name, loaded, want)
		}
	}
	large[0].release()
}

// Large modules that nobody has used for a while are dropped.
func TestIdleModulesAreDropped(t *testing.T) {
	e := testEngine(t)
	idle, busy, small := testModule(t, e, "tiny"), testModule(t, e, "cat"), testModule(t, e, "hello")
	idle.size, busy.size = largeModule, largeModule // pretend
	for _, m := range []*Module{idle, busy, small} {
		if err := m.acquire(t.Context()); err != nil {
			t.Fatal(err)
		}
		if m != busy {
			m.release()
		}
	}
	e.dropIdle(idle.idleSince.Add(idleAfter / 2))
	if idle.compiled == nil {
		t.Error("dropped too early")
	}
	e.dropIdle(idle.idleSince.Add(idleAfter))
	if idle.compiled != nil || busy.compiled == nil || small.compiled == nil {
		t.Errorf("idle loaded %v, busy %v, small %v", idle.compiled != nil, busy.compiled != nil, small.compiled != nil)
	}
	if e.idle == nil {
		t.Error("nobody will drop the busy one")
	}
	busy.release()
	if err := idle.acquire(t.Context()); err != nil {
		t.Error(err)
	}
	idle.release()
}

// bigModule is a module without functions and with more data than is kept in
// memory.
func bigModule() []byte {
	uleb := func(n int) []byte { return binary.AppendUvarint(nil, uint64(n)) }
	data := append([]byte{1, 1}, uleb(keepInMemory)...) // one passive segment
	data = append(data, make([]byte, keepInMemory)...)
	wasm := []byte("\x00asm\x01\x00\x00\x00" + "\x05\x03\x01\x00\x01" + "\x0c\x01\x01" + "\x0b")
	return append(append(wasm, uleb(len(data))...), data...)
}

// A big module is read and rewritten once; later engines know it by digest.
func TestLoadFromCache(t *testing.T) {
	dir := t.TempDir()
	wasm := bigModule()
	sum := sha256.Sum256(wasm)
	opened := 0
	load := func(wasm []byte) error {
		e, err := NewEngine(t.Context(), Config{CacheDir: dir})
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close(t.Context())
		_, err = e.Load(t.Context(), "big", hex.EncodeToString(sum[:]), func() ([]byte, error) { opened++; return wasm, nil })
		return err
	}
	if err := load(wasm[:len(wasm)-1]); err == nil || !strings.Contains(err.Error(), "digest") {
		t.Errorf("wrong bytes: %v", err)
	}
	for range 2 {
		if err := load(wasm); err != nil {
			t.Fatal(err)
		}
	}
	if opened != 2 {
		t.Errorf("opened %d times, want 2", opened)
	}
	// A damaged file is made again.
	files, _ := filepath.Glob(filepath.Join(dir, "metered", "*.wasm"))
	if len(files) != 1 {
		t.Fatalf("cache holds %v", files)
	}
	os.Truncate(files[0], keepInMemory/2)
	outlines, _ := filepath.Glob(filepath.Join(dir, "metered", "*.outline"))
	for _, outline := range outlines { // with it, nobody would look
		os.Remove(outline)
	}
	if err := load(wasm); err != nil || opened != 3 {
		t.Errorf("damaged cache: %v, opened %d times", err, opened)
	}
}
