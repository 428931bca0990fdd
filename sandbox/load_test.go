package sandbox

import (
	"context"
	"errors"
	"testing"
)

// What keeps a module's bytes from arriving is not a fault of the module's.
func TestInterruptedLoad(t *testing.T) {
	interrupt := errors.New("interrupt signal received")
	_, err := testEngine(t).Load(context.Background(), "big", "00", func() ([]byte, error) { return nil, interrupt })
	var load *LoadError
	if !errors.Is(err, interrupt) || errors.As(err, &load) || err.Error() != "big: interrupt signal received" {
		t.Errorf("%T %v", err, err)
	}
}

// Nor is it when the engine is closed before its compiler has finished.
func TestLoadOnClosedEngine(t *testing.T) {
	e := testEngine(t)
	wasm := testWasm(t, "hello")
	_, err := e.Load(context.Background(), "hello", "00", func() ([]byte, error) { e.cancel(); return wasm, nil })
	if !errors.Is(err, errEngineClosed) {
		t.Errorf("%v", err)
	}
}
