//go:build long

package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"wb/internal/test/cpu"
	"wb/internal/test/natstest"
)

// cost is what runs took, or one component of them.
type cost struct {
	server, caller, workers time.Duration // processor time
	in, out                 float64       // messages to the server and from it
	bytes                   float64       // of both
}

// TestScale runs workbooks of 100, 1,000 and 10,000 components over eight workers and says
// what a component costs whom: it must not grow with their number. Documents are those
// of a run in one process.
func TestScale(t *testing.T) {
	c := newCrew(t, 1, 8)
	server := c.servers.Members[0]
	c.scaled(server, 32) // what each worker has to do once
	var table strings.Builder
	fmt.Fprintf(&table, "%10s %9s %9s %9s %9s %7s %7s %7s %8s %10s %10s\n", "components", "server", "caller", "workers", "alone", "in", "out", "KB", "seconds", "caller MiB", "server MiB")
	var first cost
	for _, n := range []int{100, 1000, 10_000} {
		each, wall, alone, peak := c.scaled(server, n)
		load, err := server.Load()
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&table, "%10d %9v %9v %9v %9v %7.1f %7.1f %7.1f %8.1f %10d %10d\n", n, each.server.Round(10*time.Microsecond), each.caller.Round(10*time.Microsecond),
			each.workers.Round(10*time.Microsecond), alone.Round(10*time.Microsecond), each.in, each.out, each.bytes/1000, wall.Seconds(), peak>>20, load.Memory>>20)
		if n == 100 {
			first = each
		}
		// Messages and bytes are the same on every machine; time is not, and what
		// would grow with the square would be a hundred times as much.
		if each.in > 1.2*first.in || each.out > 1.2*first.out || each.bytes > 1.5*first.bytes {
			t.Errorf("a component of %d costs %.1f messages in, %.1f out, %.0f bytes; one of 100 %.1f, %.1f, %.0f", n, each.in, each.out, each.bytes, first.in, first.out, first.bytes)
		}
		if each.caller > 5*first.caller || each.server > 5*first.server {
			t.Errorf("a component of %d costs the caller %v and the server %v, one of 100 %v and %v", n, each.caller, each.server, first.caller, first.server)
		}
	}
	t.Logf("a component costs, in processor time:\n%s", table.String())
}

// scaled runs a workbook of n components over the crew. It says what a component cost,
// alone too, how long the run took and how much memory it needed.
func (c *crew) scaled(server *natstest.Member, n int) (each cost, wall, alone time.Duration, peak int64) {
	c.t.Helper()
	text := sums(n, 100, fmt.Sprint("scale ", time.Now().UnixNano()))
	at := c.book(text)
	here := c.wb(at, "run", "book.org", "--quiet")
	if out, err := here.CombinedOutput(); err != nil {
		c.t.Fatalf("alone: %v\n%s", err, out)
	}
	alone = (here.ProcessState.UserTime() + here.ProcessState.SystemTime()) / time.Duration(n)

	before, load := c.spent(server)
	dir := c.book(text)
	run := c.wb(dir, "run", "book.org", "--quiet", "--nats", c.servers.URL())
	begin := time.Now()
	if out, err := run.CombinedOutput(); err != nil {
		c.t.Fatalf("away: %v\n%s", err, out)
	}
	wall = time.Since(begin)
	after, loaded := c.spent(server)
	c.same(dir, at)
	if where := c.ended(dir, n); where["the caller"] > 0 {
		c.t.Errorf("%d of %d components ran at the caller", where["the caller"], n)
	}
	each = cost{
		server: (after.server - before.server) / time.Duration(n), workers: (after.workers - before.workers) / time.Duration(n),
		caller: (run.ProcessState.UserTime() + run.ProcessState.SystemTime()) / time.Duration(n),
		in:     float64(loaded.InMessages-load.InMessages) / float64(n), out: float64(loaded.OutMessages-load.OutMessages) / float64(n),
		bytes: float64(loaded.InBytes+loaded.OutBytes-load.InBytes-load.OutBytes) / float64(n),
	}
	return each, wall, alone, cpu.Peak(run.ProcessState)
}

// spent is what the server and the workers have used so far.
func (c *crew) spent(server *natstest.Member) (sum cost, load natstest.Load) {
	c.t.Helper()
	load, err := server.Load()
	if err != nil {
		c.t.Fatal(err)
	}
	sum.server = c.processorTime(server.Pid())
	for _, w := range c.workers {
		sum.workers += c.processorTime(w.Process.Pid)
	}
	return sum, load
}

// processorTime is how much a process has used.
func (c *crew) processorTime(pid int) time.Duration {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		c.t.Skip("processor time is read from /proc")
	}
	f := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	user, _ := strconv.ParseInt(f[11], 10, 64)
	system, _ := strconv.ParseInt(f[12], 10, 64)
	return time.Duration(user+system) * 10 * time.Millisecond // ticks of 1/100 s
}
