package sandbox

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"path/filepath"
	"strings"
	"testing"
)

// padded is a module of the size that brief programs have, by a section of nothing.
func padded(wasm []byte) []byte {
	body := append([]byte("\x01x"), make([]byte, briefFrom)...)
	head := binary.AppendUvarint([]byte{0}, uint64(len(body)))
	return append(append(append([]byte(nil), wasm...), head...), body...)
}

// counting is a program that counts to n, up to 2^27, and then, if it traps, divides by 0:
//
//	(func (export "_start") (local i32)
//	  (loop (br_if 0 (i32.lt_u (local.tee 0 (i32.add (local.get 0) (i32.const 1))) (i32.const n))))
//	  unreachable or nop)
func counting(n uint32, traps bool) []byte {
	last := byte(1) // nop
	if traps {
		last = 0
	}
	number := []byte{byte(n&127 | 128), byte(n>>7&127 | 128), byte(n>>14&127 | 128), byte(n >> 21 & 63)}
	body := append([]byte{1, 1, 0x7f, 0x03, 0x40, 0x20, 0, 0x41, 1, 0x6a, 0x22, 0, 0x41}, number...)
	body = append(body, 0x49, 0x0d, 0, 0x0b, last, 0x0b)
	wasm := []byte("\x00asm\x01\x00\x00\x00\x01\x04\x01\x60\x00\x00\x03\x02\x01\x00\x07\x0a\x01\x06_start\x00\x00\x0a")
	wasm = append(wasm, byte(len(body)+2), 1, byte(len(body)))
	return append(wasm, body...)
}

// TestBrief: a program gives the same, and costs the same fuel, whether or not it may be
// brief; and it is machine code that runs unless it reads nothing and is over soon.
func TestBrief(t *testing.T) {
	for _, c := range []struct {
		name        string
		wasm        []byte
		interpreted bool
	}{
		{"prints and exits", testWasm(t, "hello"), true},
		{"exits before it starts", testWasm(t, "startexit"), true},
		{"ends at once", counting(2, false), true},
		{"copies what it reads", testWasm(t, "cat"), false},
		{"takes long", counting(briefFuel, false), false},
		{"traps", counting(2, true), false},
		{"traps late", counting(1<<20, true), false},
		{"wants what is not there", testWasm(t, "imports"), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := testEngine(t)
			run := func(opts ...CompileOption) (*Module, string, Exit, error) {
				m, err := e.Compile(t.Context(), c.name, padded(c.wasm), opts...)
				if err != nil {
					return nil, "", Exit{}, err
				}
				var out bytes.Buffer
				exit, err := e.Run(t.Context(), Command{Module: m, Args: []string{"here"}, Stdin: strings.NewReader("given"), Stdout: &out})
				return m, out.String(), exit, err
			}
			m, out, exit, err := run(MayBeBrief())
			if interpreted := m.compiled == nil; interpreted != c.interpreted && err == nil {
				t.Errorf("interpreted %v, want %v", interpreted, c.interpreted)
			}
			again, wantOut, wantExit, wantErr := run()
			if again != m || again.compiled == nil && wantErr == nil {
				t.Error("the second run was not one of machine code")
			}
			exit.Usage.Work, exit.Usage.Wall, wantExit.Usage.Work, wantExit.Usage.Wall = 0, 0, 0, 0
			if out != wantOut || exit != wantExit || (err == nil) != (wantErr == nil) || err != nil && err.Error() != wantErr.Error() {
				t.Errorf("got  %q, %+v, %v\nwant %q, %+v, %v", out, exit, err, wantOut, wantExit, wantErr)
			}
			if c.interpreted && exit.Usage.Fuel == 0 && exit.Code == 0 {
				t.Error("it burnt nothing")
			}
		})
	}
}

// TestBriefOnce: what was tried before gets machine code in the next process, too.
func TestBriefOnce(t *testing.T) {
	dir := t.TempDir()
	for round, want := range []bool{true, false, false} {
		e, err := NewEngine(t.Context(), Config{CacheDir: dir})
		if err != nil {
			t.Fatal(err)
		}
		m, err := e.Compile(t.Context(), "hello", padded(testWasm(t, "hello")), MayBeBrief())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := e.Run(t.Context(), Command{Module: m}); err != nil {
			t.Fatal(err)
		}
		if interpreted := m.compiled == nil; interpreted != want {
			t.Errorf("round %d: interpreted %v", round, interpreted)
		}
		if err := e.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if tried, _ := filepath.Glob(filepath.Join(dir, "metered", "*.tried")); len(tried) != 1 {
		t.Errorf("noted %q", tried)
	}
}

// TestBriefKeepsOut: an attempt touches no file, no clock and no host function.
func TestBriefKeepsOut(t *testing.T) {
	e := testEngine(t)
	command := func(c Command) Command {
		c.Module = &Module{engine: e, name: "hello", source: source{brief: true, open: func() ([]byte, error) { return testWasm(t, "hello"), nil }}}
		c.Module.untried.Store(true)
		return c
	}
	if _, ok := e.runBriefly(t.Context(), command(Command{Caps: Caps{Clock: true}})); ok {
		t.Error("a program with the real clock was tried")
	}
	touched := false
	host := []HostModule{{Name: "env", Funcs: []HostFunc{{Name: "touch", Call: func(context.Context, *Instance, []uint64) error {
		touched = true
		return nil
	}}}}}
	held := &heldOutput{}
	c := Command{Host: host, Files: NewMemFS(), Stdin: strings.NewReader("x")}.briefly(nil, held)
	if err := c.Host[0].Funcs[0].Call(t.Context(), nil, nil); !errors.Is(err, errNotBrief) || touched {
		t.Errorf("a host function was called: %v, %v", touched, err)
	}
	if c.Files != nil || c.Stdin != nil {
		t.Error("it has files or input")
	}
}
