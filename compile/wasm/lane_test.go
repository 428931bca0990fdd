package wasm

import (
	"strings"
	"testing"

	"wb/compile"
	"wb/internal/test/componenttest"
	"wb/internal/test/lanetest"
	"wb/sandbox"
)

// TestComponent runs a component that lies beside the workbook.
func TestComponent(t *testing.T) {
	l := New(lanetest.Env(t))
	files := sandbox.NewMemFS()
	for name, data := range map[string][]byte{
		"hello.wasm": componenttest.Program("hello\n", "wasi:cli/stdout@0.2.3"),
		"odd.wasm":   componenttest.Program("hello\n", "wasi:keyvalue/store@0.2.0"),
		"newer.wasm": componenttest.Program("hello\n", "wasi:cli/stdout@0.3.0"),
		"text.wasm":  []byte("text"),
		"net.wasm":   componenttest.Program("hello\n", "wasi:sockets/instance-network@0.2.3"),
	} {
		if err := sandbox.WriteFile(files, name, data); err != nil {
			t.Fatal(err)
		}
	}
	for body, want := range map[string]string{
		"hello.wasm":      "hello\n",
		"/hello.wasm a b": "hello\n",
		"odd.wasm":        "imports wasi:keyvalue/store.get-stdout, which components do not have here",
		"newer.wasm":      "it is made for wasi:cli/stdout@0.3.0, here is WASI 0.2",
		"net.wasm":        "calls wasi:sockets/instance-network.get-stdout, which components do not have here",
		"text.wasm":       "not a WebAssembly module",
		"none.wasm":       "none.wasm: no such file",
		"":                "one line",
		"a\nb":            "one line",
	} {
		src := lanetest.Block("wasm", compile.ShapeBabel, body)
		src.Results = compile.Results{"output"}
		out, err := lanetest.Execute(t, l, src, &compile.Job{Files: files})
		got := ""
		if err != nil {
			got = err.Error()
		} else {
			got = out.Value.Text()
		}
		if !strings.Contains(got, strings.TrimSpace(want)) {
			t.Errorf("%q: %q", body, got)
		}
	}
}
