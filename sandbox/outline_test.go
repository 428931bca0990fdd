package sandbox

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// largeModuleThat returns a module with more data than is kept in memory, whose
// function f gives the byte at an address below 128: the data is 0, 1, 2, ….
func largeModuleThat(address byte) []byte {
	data := make([]byte, keepInMemory+1)
	for i := range data {
		data[i] = byte(i)
	}
	section := func(id byte, body []byte) []byte {
		return append(binary.AppendUvarint([]byte{id}, uint64(len(body))), body...)
	}
	segment := append([]byte{1, 0, 0x41, 0, 0x0b}, binary.AppendUvarint(nil, uint64(len(data)))...)
	return bytes.Join([][]byte{[]byte("\x00asm\x01\x00\x00\x00\x01\x05\x01\x60\x00\x01\x7f\x03\x02\x01\x00\x05\x03\x01\x00\x11"),
		section(7, []byte("\x02\x01f\x00\x00\x06memory\x02\x00")),
		section(10, []byte{1, 7, 0, 0x41, address, 0x2d, 0, 0, 0x0b}),
		section(11, append(segment, data...))}, nil)
}

// answer loads a module by its digest, calls f, and returns what it gives and
// costs.
func answer(t *testing.T, config Config, wasm []byte) (result, spent uint64, loaded *Module) {
	t.Helper()
	ctx := t.Context()
	engine, err := NewEngine(ctx, config)
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close(context.WithoutCancel(ctx))
	sum := sha256.Sum256(wasm)
	module, err := engine.Load(ctx, "large", hex.EncodeToString(sum[:]), func() ([]byte, error) { return wasm, nil })
	if err != nil {
		t.Fatal(err)
	}
	in, err := engine.Start(ctx, Command{Module: module})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close(ctx)
	results, err := in.Call(ctx, "f")
	if err != nil {
		t.Fatal(err)
	}
	return results[0], uint64(in.Usage().Fuel), module
}

// TestOutline: what was compiled once is loaded without its code, does and costs
// the same, and is never mistaken for another that declares the same.
func TestOutline(t *testing.T) {
	dir := t.TempDir()
	one, two := largeModuleThat(5), largeModuleThat(9)
	first, spent, module := answer(t, Config{CacheDir: dir}, one)
	if _, err := module.source.outline(); err != nil {
		t.Skipf("wazero compiles nothing here: %v", err)
	}
	check := func(what string, config Config, wasm []byte, want uint64) {
		t.Helper()
		got, fuel, m := answer(t, config, wasm)
		if got != want || fuel != spent || m.size < len(wasm) {
			t.Errorf("%s: %d for %d fuel, size %d; want %d for %d, size %d or more", what, got, fuel, m.size, want, spent, len(wasm))
		}
	}
	if first != 5 {
		t.Fatalf("f gives %d, want 5", first)
	}
	check("another module", Config{CacheDir: dir}, two, 9)

	// The whole module is not looked at again: without it, the outline does.
	whole, _ := filepath.Glob(filepath.Join(dir, "metered", "*.wasm"))
	if len(whole) != 2 {
		t.Fatalf("kept %v", whole)
	}
	for _, file := range whole {
		if err := os.WriteFile(file, []byte("damaged"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	check("by its outline", Config{CacheDir: dir}, one, 5)
	check("another by its outline", Config{CacheDir: dir}, two, 9)
	if b, err := os.ReadFile(whole[0]); err != nil || string(b) != "damaged" {
		t.Errorf("the whole module was loaded: %v", err)
	}
	check("by the outline of a shared cache", Config{CacheDir: t.TempDir(), Shared: dir}, two, 9)
	check("where wazero interprets", Config{CacheDir: dir, Interpreter: true}, one, 5)

	// An outline without machine code is none.
	code, _ := filepath.Glob(filepath.Join(dir, "code", "*", "*"))
	for _, file := range code {
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
	}
	check("without machine code", Config{CacheDir: dir}, one, 5)
	outlines, _ := filepath.Glob(filepath.Join(dir, "metered", "*.outline"))
	if len(outlines) != 2 {
		t.Fatalf("outlines are %v", outlines)
	}
	for _, file := range outlines {
		if err := os.Truncate(file, 100); err != nil {
			t.Fatal(err)
		}
	}
	check("with a damaged outline", Config{CacheDir: dir}, one, 5)
}

// TestCacheOnly: nothing is compiled in place of machine code that is not there.
func TestCacheOnly(t *testing.T) {
	e := testEngine(t)
	if !e.loadsOnly() {
		t.Skip("wazero interprets here")
	}
	compiled, err := e.runtime.CompileModule(cacheOnly(e.ctx), testWasm(t, "kernel"))
	if !errors.Is(err, context.Canceled) {
		t.Errorf("compiled %v, %v", compiled, err)
	}
	interpreter, err := NewEngine(t.Context(), Config{Interpreter: true})
	if err != nil {
		t.Fatal(err)
	}
	defer interpreter.Close(context.Background())
	if interpreter.loadsOnly() {
		t.Error("the interpreter is taken for a compiler")
	}
}
