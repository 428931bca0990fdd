package sandbox

import (
	"bytes"
	"errors"
	"strings"
	"sync"
	"testing"
)

// A restored instance has the memory and the globals of the snapshot, whatever
// the original, its siblings and itself do afterwards.
func TestSnapshot(t *testing.T) {
	e := testEngine(t)
	ctx := t.Context()
	call := func(in *Instance, name string, args ...uint64) uint32 {
		t.Helper()
		got, err := in.Call(ctx, name, args...)
		if err != nil {
			t.Fatal(err)
		}
		if len(got) == 0 {
			return 0
		}
		return uint32(got[0])
	}
	vm := testInstance(t, e, "limits", Command{})
	call(vm, "grow", 30)
	call(vm, "poke", 100, 1)
	call(vm, "poke", 20*pageSize+4, 2)
	call(vm, "set_sp", 1234)
	frozen, err := vm.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer frozen.Close()
	if frozen.Size() != 32*pageSize {
		t.Errorf("snapshot of %d bytes", frozen.Size())
	}
	call(vm, "poke", 100, 99)

	var wg sync.WaitGroup
	for i := range uint64(8) {
		wg.Go(func() {
			in, err := e.Restore(ctx, frozen, Command{Limits: Limits{Memory: 4 * pageSize}})
			if err != nil {
				t.Error(err)
				return
			}
			defer in.Close(ctx)
			for range 3 {
				if a, b, sp := call(in, "peek", 100), call(in, "peek", 20*pageSize+4), call(in, "sp"); a != 1 || b != 2 || sp != 1234 {
					t.Errorf("restored %d, %d, stack pointer %d", a, b, sp)
				}
				if got := int32(call(in, "grow", 5)); got != -1 {
					t.Errorf("grew beyond the limit: %d", got)
				}
				call(in, "poke", 100, 1000+i)
				call(in, "set_sp", i)
				call(in, "grow", 2)
				call(in, "poke", 33*pageSize, 7)
				if _, err := in.Call(ctx, "trap"); err == nil {
					t.Error("no trap")
				}
				if err := in.Reset(frozen); err != nil {
					t.Error(err)
				}
				if got := call(in, "peek", 33*pageSize); got != 0 {
					t.Errorf("memory behind the snapshot holds %d after a reset", got)
				}
				in.Renew(Limits{Memory: 4 * pageSize})
			}
		})
	}
	wg.Wait()
	if got := call(vm, "peek", 100); got != 99 {
		t.Errorf("the original now holds %d", got)
	}
}

// An instance that broke a limit or exited can be reset and used again.
func TestResetRevives(t *testing.T) {
	e := testEngine(t)
	in := testInstance(t, e, "limits", Command{Limits: Limits{Fuel: 1000, Memory: 8 << 20}})
	frozen, err := in.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	for _, end := range []string{"spin", "hog_exit", "hog_abort", "trap"} {
		if _, err := in.Call(t.Context(), end); err == nil {
			t.Errorf("%s: no error", end)
		}
		if err := in.Reset(frozen); err != nil {
			t.Fatal(err)
		}
		in.Renew(Limits{Fuel: 1000, Memory: 8 << 20})
		if got, err := in.Call(t.Context(), "divide", 8, 2); err != nil || got[0] != 4 {
			t.Errorf("after %s: %v, %v", end, got, err)
		}
		if used := in.Usage().Fuel; used > 10 {
			t.Errorf("after %s: %d units used", end, used)
		}
	}
	frozen.Close()
	if err := in.Reset(frozen); err == nil || !strings.Contains(err.Error(), "closed") {
		t.Errorf("closed snapshot: %v", err)
	}
}

func TestSnapshotRefused(t *testing.T) {
	e := testEngine(t)
	in := testInstance(t, e, "limits", Command{})
	if _, err := in.Call(t.Context(), "hog_exit"); !errors.As(err, new(*ExitError)) {
		t.Fatal(err)
	}
	if _, err := in.Snapshot(); err == nil || !strings.Contains(err.Error(), "has ended") {
		t.Errorf("after exit: %v", err)
	}
	in = testInstance(t, e, "table", Command{})
	if _, err := in.Snapshot(); err == nil || err.Error() != "table: cannot snapshot: it changes its tables" {
		t.Errorf("with state in a table: %v", err)
	}
}

// Both kinds of image restore the same.
func TestImages(t *testing.T) {
	memory := make([]byte, 3*pageSize)
	copy(memory[10:], "first page")
	copy(memory[2*pageSize+4090:], "across a boundary")
	for name, make := range map[string]func([]byte) (image, error){
		"system": newImage,
		"copy":   func(b []byte) (image, error) { return copyImage(bytes.Clone(b)), nil },
	} {
		img, err := make(memory)
		if err != nil {
			t.Fatal(err)
		}
		area, err := reserve(5 * pageSize)
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			for i := range area {
				area[i] = 0xff
			}
			if err := img.restore(area); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(area[:len(memory)], memory) || !bytes.Equal(area[len(memory):], bytes.Repeat([]byte{0}, 2*pageSize)) {
				t.Errorf("%s: restored memory differs", name)
			}
		}
		if err := img.close(); err != nil {
			t.Error(err)
		}
		release(area)
	}
}
