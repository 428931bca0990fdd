package sandbox

import (
	"bytes"
	"context"
	"os"
	"testing"
)

func testEngine(t testing.TB) *Engine {
	t.Helper()
	e, err := NewEngine(context.Background(), Config{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close(context.Background()) })
	return e
}

func testModule(t testing.TB, e *Engine, name string) *Module {
	t.Helper()
	wasm, err := os.ReadFile("testdata/" + name + ".wasm")
	if err != nil {
		t.Fatal(err)
	}
	m, err := e.Compile(context.Background(), name, wasm)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestRunHello(t *testing.T) {
	e := testEngine(t)
	var out bytes.Buffer
	exit, err := e.Run(t.Context(), Command{Module: testModule(t, e, "hello"), Args: []string{"hi\n"}, Stdout: &out})
	if err != nil {
		t.Fatal(err)
	}
	if exit.Code != 3 || out.String() != "hi\n\x00" {
		t.Errorf("exit %d, output %q", exit.Code, out.String())
	}
}
