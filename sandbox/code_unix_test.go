//go:build unix

package sandbox

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
	"unsafe"

	"golang.org/x/sys/unix"
)

// longModule counts to n in straight code and exports the sum as f.
func longModule(n int) []byte {
	section := func(id byte, body []byte) []byte {
		return append(binary.AppendUvarint([]byte{id}, uint64(len(body))), body...)
	}
	// a global of type i64; f: n times (global = global * 3 + 1), then global
	var code []byte
	for range n {
		code = append(code, 0x23, 0, 0x42, 3, 0x7e, 0x42, 1, 0x7c, 0x24, 0)
	}
	const functions = 40
	bodies := []byte{functions}
	for i := range functions {
		body := append([]byte{0}, code...)
		if i > 0 {
			body = append(body, 0x10, byte(i-1), 0x1a) // after the one before, whose result is dropped
		}
		body = append(body, 0x23, 0, 0x0b)
		bodies = append(append(bodies, binary.AppendUvarint(nil, uint64(len(body)))...), body...)
	}
	return bytes.Join([][]byte{[]byte("\x00asm\x01\x00\x00\x00\x01\x05\x01\x60\x00\x01\x7e"),
		section(3, append([]byte{functions}, make([]byte, functions)...)),
		section(6, []byte("\x01\x7e\x01\x42\x00\x0b")),
		section(7, []byte{1, 1, 'f', 0, functions - 1}),
		section(10, bodies)}, nil)
}

// TestCodeIsMapped: machine code of a large module is mapped from its file, not
// read. It fails when wazero keeps its cache in another way than mapCode expects.
func TestCodeIsMapped(t *testing.T) {
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		t.Skip("what is mapped can be seen on Linux, and wazero compiles on two architectures")
	}
	dir := t.TempDir()
	wasm := longModule(6000)
	first, spent, _ := answer(t, Config{CacheDir: dir}, wasm)
	files, _ := filepath.Glob(filepath.Join(dir, "code", "*", "*"+mappedEnding))
	if len(files) == 0 {
		t.Fatal("no code is kept to be mapped")
	}
	engine, err := NewEngine(t.Context(), Config{CacheDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close(context.Background())
	if _, err := engine.Compile(t.Context(), "long", wasm); err != nil {
		t.Fatal(err)
	}
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(maps), dir) {
		t.Error("the code is not mapped from its file")
	}
	if again, fuel, _ := answer(t, Config{CacheDir: dir}, wasm); again != first || fuel != spent {
		t.Errorf("mapped: %d for %d fuel, compiled: %d for %d", again, fuel, first, spent)
	}
	// A file that was cut short is made again.
	for _, file := range files {
		if err := os.Truncate(file, 4096); err != nil {
			t.Fatal(err)
		}
	}
	if again, _, _ := answer(t, Config{CacheDir: dir}, wasm); again != first {
		t.Errorf("from a damaged file: %d, want %d", again, first)
	}
}

// kept is a cache in memory.
type kept map[[32]byte][]byte

func (k kept) Get(key [32]byte) (io.ReadCloser, bool, error) {
	data, ok := k[key]
	return io.NopCloser(iotest.OneByteReader(bytes.NewReader(data))), ok, nil
}

func (k kept) Add(key [32]byte, content io.Reader) (err error) {
	k[key], err = io.ReadAll(content)
	return err
}

func (k kept) Delete(key [32]byte) error { delete(k, key); return nil }

// Whatever is kept is read again as it was, in pieces of any size.
func TestCodeCache(t *testing.T) {
	stream := func(size int) []byte {
		all := binary.LittleEndian.AppendUint32([]byte("WAZEVO\x03v12"), 2)
		all = append(all, make([]byte, 16)...)
		all = binary.LittleEndian.AppendUint64(all, uint64(size))
		for i := range size {
			all = append(all, byte(i*7+i>>9))
		}
		return append(all, "the end"...)
	}
	large := stream(mappedFrom + 12345)
	below := kept{}
	cache := &codeCache{below, t.TempDir()}
	for i, content := range [][]byte{large, stream(100), []byte("something else"), nil, large[:len(large)/2]} {
		key := [32]byte{byte(i)}
		if err := cache.Add(key, bytes.NewReader(content)); err != nil {
			t.Fatal(err)
		}
		if _, plain := below[key]; plain == (i == 0) {
			t.Errorf("%d: kept by wazero's cache: %v", i, plain)
		}
		for _, step := range []int{1 << 30, 4096, 13} {
			r, ok, err := cache.Get(key)
			if !ok || err != nil {
				t.Fatal(ok, err)
			}
			var got []byte
			for piece := make([]byte, min(step, len(content)+1)); ; {
				n, err := r.Read(piece)
				got = append(got, piece[:n]...)
				if err != nil || n == 0 {
					break
				}
			}
			if err := r.Close(); err != nil || !bytes.Equal(got, content) {
				t.Errorf("%d in steps of %d: %d bytes, want %d (%v)", i, step, len(got), len(content), err)
			}
		}
		if err := cache.Delete(key); err != nil {
			t.Error(err)
		}
		if _, ok, _ := cache.Get(key); ok {
			t.Errorf("%d: still there", i)
		}
	}

	// Memory that begins where a page does is replaced by the file's.
	if err := cache.Add([32]byte{}, bytes.NewReader(large)); err != nil {
		t.Fatal(err)
	}
	r, _, err := cache.Get([32]byte{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	from, size, _ := findCode(large)
	if _, err := io.ReadFull(r, make([]byte, from)); err != nil {
		t.Fatal(err)
	}
	memory, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Munmap(memory)
	if n, err := io.ReadFull(r, memory); err != nil || !bytes.Equal(memory, large[from:from+size]) {
		t.Errorf("%d of %d bytes: %v", n, size, err)
	}
	if uintptr(unsafe.Pointer(&memory[0]))%uintptr(os.Getpagesize()) != 0 {
		t.Error("not at a page")
	}
	if rest, err := io.ReadAll(r); err != nil || string(rest) != "the end" {
		t.Errorf("then %q: %v", rest, err)
	}
}
