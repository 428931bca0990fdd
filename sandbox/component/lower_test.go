package component

import (
	"bytes"
	"strings"
	"testing"

	"wb/internal/test/componenttest"
)

// TestLower joins three modules; the module that comes of it imports from the host
// alone. The same component gives the same bytes.
func TestLower(t *testing.T) {
	wasm := componenttest.Program("hello\n", "wasi:cli/stdout@0.2.3")
	got, err := Lower(wasm)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := Lower(wasm); err != nil || !bytes.Equal(got, again) {
		t.Errorf("another module the second time: %v", err)
	}
	c, err := readCore(got)
	if err != nil {
		t.Fatal(err)
	}
	var imports []string
	for _, im := range c.imports {
		imports = append(imports, im.module+"."+im.name)
	}
	if want := "wasi:cli/exit.exit wasi:cli/stdout.get-stdout wasi:io/streams.[method]output-stream.blocking-write-and-flush"; strings.Join(imports, " ") != want {
		t.Errorf("imports %q", imports)
	}
	if c.exports["_start"].kind != kindFunc || len(c.memories) != 1 || len(c.tables) != 1 {
		t.Errorf("%+v", c.exports)
	}
}

// TestRefused names what is not had.
func TestRefused(t *testing.T) {
	for _, c := range []struct{ what, wasm, want string }{
		{"module", componenttest.CoreHead, "it is no component"},
		{"library", componenttest.Head + componenttest.Section(7, componenttest.Vec("\x42\x00")) + componenttest.Section(5, componenttest.Vec("\x01\x00")) + componenttest.Section(11, componenttest.Vec("\x00"+componenttest.Name("demo:lib/api")+"\x05\x00\x00")), "it exports demo:lib/api; a program exports wasi:cli/run"},
		{"nothing", componenttest.Head, "it exports nothing"},
		{"newer", string(componenttest.Program("x", "wasi:cli/stdout@0.3.0")), "it is made for wasi:cli/stdout@0.3.0, here is WASI 0.2"},
		{"candidate", string(componenttest.Program("x", "wasi:cli/stdout@0.2.0-rc-2023-12-05")), "here is WASI 0.2"},
		{"async", componenttest.Head + componenttest.Section(8, componenttest.Vec("\x05\x00")), "newer than WASI 0.2"},
		{"resource", componenttest.Head + componenttest.Section(7, componenttest.Vec("\x3f\x7f\x00")) + componenttest.Section(8, componenttest.Vec("\x02\x00")), "resources of its own"},
	} {
		if _, err := Lower([]byte(c.wasm)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.what, err)
		}
	}
}

// FuzzLower never panics, and what it makes can be taken apart again.
func FuzzLower(f *testing.F) {
	f.Add(componenttest.Program("hello\n", "wasi:cli/stdout@0.2.3"))
	f.Add([]byte(componenttest.Head + componenttest.Section(8, componenttest.Vec("\x05\x00"))))
	f.Fuzz(func(t *testing.T, wasm []byte) {
		got, err := Lower(wasm)
		if err != nil {
			return
		}
		if _, err := readCore(got); err != nil {
			t.Errorf("%v", err)
		}
	})
}
