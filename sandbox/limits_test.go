package sandbox

import (
	"bytes"
	"context"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"
)

// limitOf is the kind of limit err reports, "" if it is another error.
func limitOf(err error) LimitKind {
	if limit, ok := errors.AsType[*LimitError](err); ok {
		return limit.Kind
	}
	return ""
}

// Every way to use too much ends in one line that says what was too much.
func TestLimits(t *testing.T) {
	e := testEngine(t)
	for _, test := range []struct {
		name, call string
		args       []uint64
		limits     Limits
		kind       LimitKind
		message    string
	}{
		{"loop by fuel", "spin", nil, Limits{Fuel: 10_000_000, Timeout: -1}, LimitFuel, "fuel limit 10000000 exceeded"},
		{"loop by time", "spin", nil, Limits{Fuel: -1, Timeout: 20 * time.Millisecond}, LimitTime, "time limit 20ms exceeded"},
		{"recursion", "recurse", []uint64{0}, Limits{}, LimitStack, "stack limit exceeded (recursion too deep)"},
		{"C stack", "frames", []uint64{100}, Limits{}, LimitStack, "stack limit exceeded (recursion too deep)"},
		{"memory, abort", "hog_abort", nil, Limits{Memory: 64 << 20}, LimitMemory, "memory limit 64 MiB exceeded"},
		{"output", "flood", nil, Limits{Output: 16 << 20, Fuel: -1, Timeout: -1}, LimitOutput, "output limit 16 MiB exceeded"},
		{"bulk operations", "fills", []uint64{65536}, Limits{Fuel: 1 << 20, Timeout: -1}, LimitFuel, "fuel limit 1048576 exceeded"},
	} {
		t.Run(test.name, func(t *testing.T) {
			in := testInstance(t, e, "limits", Command{Limits: test.limits, Stdout: io.Discard})
			_, err := in.Call(t.Context(), test.call, test.args...)
			if limitOf(err) != test.kind || err.Error() != test.message {
				t.Errorf("got %v, want %s", err, test.message)
			}
		})
	}
}

// A program that gives up when it gets no more memory failed for lack of it.
func TestMemoryLimitAtExit(t *testing.T) {
	e := testEngine(t)
	in := testInstance(t, e, "limits", Command{Limits: Limits{Memory: 8 << 20}})
	if err := in.run(t.Context(), "hog_exit"); limitOf(err) != LimitMemory || in.exitCode != 1 {
		t.Errorf("exit %d, %v", in.exitCode, err)
	}
	if got := in.Usage().Memory; got > 8<<20 {
		t.Errorf("memory grew to %d", got)
	}
}

func TestMemoryLimitAtStart(t *testing.T) {
	e := testEngine(t)
	_, err := e.Start(t.Context(), Command{Module: testModule(t, e, "limits"), Limits: Limits{Memory: 1 << 16}})
	if limitOf(err) != LimitMemory || err.Error() != "limits starts with 128 KiB of memory: memory limit 64 KiB exceeded" {
		t.Errorf("got %v", err)
	}
}

// Growth is refused exactly at the limit, and only then.
func TestMemoryGrow(t *testing.T) {
	e := testEngine(t)
	in := testInstance(t, e, "limits", Command{Limits: Limits{Memory: 10 * pageSize}})
	grow := func(pages uint64) int32 {
		got, err := in.Call(t.Context(), "grow", pages)
		if err != nil {
			t.Fatal(err)
		}
		return int32(got[0])
	}
	if grow(8) != 2 || in.MemoryRefused() || grow(1) != -1 || !in.MemoryRefused() || grow(0) != 10 {
		t.Error("memory.grow does not keep to the limit")
	}
	in.Renew(Limits{Memory: 5 * pageSize})
	if grow(5) != 10 || grow(1) != -1 {
		t.Error("Renew does not allow to grow beyond the present size")
	}
	if v, ok := in.Memory().ReadU32(15*pageSize - 4); v != 0 || !ok {
		t.Error("moved memory is not there")
	}
}

func TestTableLimit(t *testing.T) {
	e := testEngine(t)
	in := testInstance(t, e, "table", Command{})
	for _, test := range []struct {
		grow uint64
		want int32
	}{{tableLimit - 1, 1}, {1, -1}} {
		got, err := in.Call(t.Context(), "grow", test.grow)
		if err != nil || int32(got[0]) != test.want {
			t.Errorf("table.grow %d: %v, %v", test.grow, got, err)
		}
	}
}

func TestTraps(t *testing.T) {
	e := testEngine(t)
	in := testInstance(t, e, "limits", Command{})
	for _, test := range []struct {
		call string
		args []uint64
		want string
	}{
		{"divide", []uint64{1, 0}, "limits: trap: integer divide by zero in divide"},
		{"peek", []uint64{1 << 31}, "limits: trap: out of bounds memory access in peek"},
		{"trap", nil, "limits: trap: unreachable in inner"},
	} {
		_, err := in.Call(t.Context(), test.call, test.args...)
		var trap *TrapError
		if !errors.As(err, &trap) || err.Error() != test.want {
			t.Errorf("%s: %v, want %s", test.call, err, test.want)
		}
	}
	// A trap leaves the instance usable.
	if got, err := in.Call(t.Context(), "divide", 6, 3); err != nil || got[0] != 2 {
		t.Errorf("after a trap: %v, %v", got, err)
	}
}

// The same work burns the same fuel, whatever slices it was handed out in and
// whatever the limit.
func TestFuelIsExact(t *testing.T) {
	e := testEngine(t)
	burn := func(n uint64, limit int64) (int64, error) {
		in := testInstance(t, e, "limits", Command{Limits: Limits{Fuel: limit, Timeout: -1}})
		_, err := in.Call(t.Context(), "count", n)
		return in.Usage().Fuel, err
	}
	for _, n := range []uint64{1, 1000, slice - 1, slice, slice + 1, 5*slice + 17} {
		want := int64(n) + 1 // the function and each iteration
		for _, limit := range []int64{want, want + 1, 1 << 40, -1} {
			if got, err := burn(n, limit); err != nil || got != want {
				t.Errorf("%d iterations with limit %d burnt %d (%v), want %d", n, limit, got, err, want)
			}
		}
		if got, err := burn(n, want-1); limitOf(err) != LimitFuel || got != want-1 {
			t.Errorf("%d iterations with limit %d burnt %d (%v)", n, want-1, got, err)
		}
	}
}

func TestFuelOfKernels(t *testing.T) {
	e := testEngine(t)
	for _, k := range kernels {
		var fuel [3]int64
		for i := range fuel {
			in := testInstance(t, e, "bench/"+k.name, Command{Limits: Limits{Fuel: -1, Timeout: -1}})
			if _, err := in.Call(t.Context(), "run", k.n/16); err != nil {
				t.Fatal(err)
			}
			fuel[i] = in.Usage().Fuel
			in.Close(t.Context())
		}
		if fuel[0] == 0 || fuel[0] != fuel[1] || fuel[0] != fuel[2] {
			t.Errorf("%s: burnt %v", k.name, fuel)
		}
	}
}

// The collector stops the world, which needs every guest's cooperation: with a
// guest in an endless loop it must finish all the same.
func TestCollectorFinishesWhileGuestLoops(t *testing.T) {
	e := testEngine(t)
	in := testInstance(t, e, "limits", Command{Limits: Limits{Fuel: -1, Timeout: -1}})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		_, err := in.Call(ctx, "spin")
		done <- err
	}()
	for range 5 {
		runtime.GC()
	}
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("spin ended with %v", err)
	}
}

// Closing the engine ends what runs.
func TestCloseEndsRunningGuests(t *testing.T) {
	e, err := NewEngine(t.Context(), Config{})
	if err != nil {
		t.Fatal(err)
	}
	in := testInstance(t, e, "limits", Command{Limits: Limits{Fuel: -1, Timeout: -1}})
	done := make(chan error)
	go func() {
		_, err := in.Call(context.Background(), "spin")
		done <- err
	}()
	for in.state.Load() != stateRunning {
		runtime.Gosched()
	}
	if err := e.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if err := <-done; !errors.Is(err, errEngineClosed) {
		t.Errorf("spin ended with %v", err)
	}
}

func TestOneCallAtATime(t *testing.T) {
	e := testEngine(t)
	in := testInstance(t, e, "limits", Command{Limits: Limits{Fuel: -1, Timeout: -1}})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() {
		_, err := in.Call(ctx, "spin")
		done <- err
	}()
	for in.state.Load() != stateRunning {
		runtime.Gosched()
	}
	if _, err := in.Call(t.Context(), "count", 1); err == nil || !strings.Contains(err.Error(), "while another call is running") {
		t.Errorf("second call: %v", err)
	}
	if err := in.Close(t.Context()); err == nil {
		t.Error("closed while running")
	}
	cancel()
	<-done
}

// A reader that goes away ends its writer, as SIGPIPE would.
func TestPipeline(t *testing.T) {
	e := testEngine(t)
	r, w := Pipe()
	done := make(chan error)
	go func() {
		_, err := e.Run(t.Context(), Command{Module: testModule(t, e, "flood"), Stdout: w, Limits: Limits{Output: -1, Fuel: -1, Timeout: -1}})
		w.Close()
		done <- err
	}()
	head := make([]byte, 1<<20)
	if _, err := io.ReadFull(r, head); err != nil || !bytes.HasPrefix(head, []byte("all work")) {
		t.Errorf("read %q, %v", head[:20], err)
	}
	r.Close()
	if err := <-done; err != nil {
		t.Errorf("writer ended with %v", err)
	}
}

// A pipeline of guests moves bytes unharmed.
func TestPipeBetweenGuests(t *testing.T) {
	e := testEngine(t)
	input := strings.Repeat("the quick brown fox\n", 50_000)
	r1, w1 := Pipe()
	r2, w2 := Pipe()
	cat := testModule(t, e, "cat")
	run := func(in io.Reader, out io.WriteCloser) {
		if exit, err := e.Run(t.Context(), Command{Module: cat, Stdin: in, Stdout: out}); err != nil || exit.Code != 0 {
			t.Errorf("cat: %d, %v", exit.Code, err)
		}
		out.Close()
	}
	go run(strings.NewReader(input), w1)
	go run(r1, w2)
	got, err := io.ReadAll(r2)
	if err != nil || string(got) != input {
		t.Errorf("%d bytes, %v; want %d", len(got), err, len(input))
	}
}

// What a guest waits for ends with its time: stdin that never comes, however
// it does not come, and a pipe nobody reads.
// Waiting is no work: a guest that waits longer than its Timeout goes on.
func TestWaitingIsNoWork(t *testing.T) {
	e := testEngine(t)
	slow, hold := io.Pipe()
	go func() {
		time.Sleep(50 * time.Millisecond)
		hold.Write([]byte("late"))
		hold.Close()
	}()
	var out bytes.Buffer
	exit, err := e.Run(t.Context(), Command{Module: testModule(t, e, "cat"), Stdin: slow, Stdout: &out,
		Limits: Limits{Timeout: 40 * time.Millisecond, Wall: time.Minute}})
	if err != nil || out.String() != "late" || exit.Usage.Work > exit.Usage.Wall {
		t.Errorf("%v: %q, %+v", err, out.String(), exit.Usage)
	}
}

func TestWaitingEndsWithTheRun(t *testing.T) {
	e := testEngine(t)
	silent, _ := Pipe()
	blocking, hold := io.Pipe() // knows nothing of contexts
	defer hold.Close()
	_, full := Pipe()
	for _, test := range []struct {
		name string
		c    Command
	}{
		{"pipe", Command{Module: testModule(t, e, "cat"), Stdin: silent}},
		{"blocking reader", Command{Module: testModule(t, e, "cat"), Stdin: blocking}},
		{"full pipe", Command{Module: testModule(t, e, "flood"), Stdout: full}},
	} {
		test.c.Limits.Timeout = 10 * time.Millisecond
		if _, err := e.Run(t.Context(), test.c); limitOf(err) != LimitTime {
			t.Errorf("%s: by time: %v", test.name, err)
		}
		test.c.Limits.Timeout = -1
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		if _, err := e.Run(ctx, test.c); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: by context: %v", test.name, err)
		}
		cancel()
	}
}
