package sandbox

import (
	"bytes"
	"fmt"
	"testing"
)

// A recycled instance cannot be told from a restored one: the same time, random
// numbers, fuel and output, and nothing left of the run before.
func TestRecycle(t *testing.T) {
	ctx, e := t.Context(), testEngine(t)
	frozen, err := testInstance(t, e, "syscalls", Command{}).Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer frozen.Close()
	use := func(in *Instance, out *bytes.Buffer) string {
		t.Helper()
		call := func(name string, args ...uint64) {
			if _, err := in.Call(ctx, name, args...); err != nil {
				t.Fatal(err)
			}
		}
		call("clock_time_get", 0, 0, 64)
		call("random_get", 72, 8)
		seen, _ := in.Memory().Read(0, 128)
		seen = bytes.Clone(seen)
		in.Memory().WriteString(0, "\x08\x00\x00\x00\x05\x00\x00\x00hello")
		call("fd_write", 1, 0, 1, 32)
		return fmt.Sprintf("%x %d %q", seen, in.Usage().Fuel, out)
	}
	var first bytes.Buffer
	in, err := e.Restore(ctx, frozen, Command{Stdout: &first})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close(ctx)
	want := use(in, &first)
	for range 3 {
		var out bytes.Buffer
		if err := in.Recycle(frozen, Command{Stdout: &out}); err != nil {
			t.Fatal(err)
		}
		if got := use(in, &out); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

// What has grown is not as good as new, what has failed is.
func TestRecycleLimits(t *testing.T) {
	ctx, e := t.Context(), testEngine(t)
	frozen, err := testInstance(t, e, "limits", Command{}).Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer frozen.Close()
	in, err := e.Restore(ctx, frozen, Command{})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close(ctx)
	if _, err := in.Call(ctx, "trap"); err == nil {
		t.Fatal("no trap")
	}
	if err := in.Recycle(frozen, Command{Limits: Limits{Memory: pageSize}}); err != nil {
		t.Fatal(err)
	}
	if got, err := in.Call(ctx, "grow", 2); err != nil || int32(got[0]) != -1 {
		t.Errorf("grew beyond the new limit: %v %v", got, err)
	}
	if got, err := in.Call(ctx, "grow", 1); err != nil || int32(got[0]) < 0 {
		t.Errorf("%v %v", got, err)
	}
	if err := in.Recycle(frozen, Command{}); err == nil {
		t.Error("an instance that has grown was recycled")
	}
}
