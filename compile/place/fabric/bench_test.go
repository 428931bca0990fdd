package fabric_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"wb/compile/place/fabric"
	"wb/compile/place/fabric/natsserver"
	"wb/internal/test/cpu"
	"wb/internal/test/natstest"
)

// serveAsProcess is a server of its own process: it says where it is, and for
// every line that it reads what it has carried.
func serveAsProcess() error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	server, err := natsserver.Start(ctx, natsserver.Config{Dir: os.Getenv("FABRIC_TEST_SERVER"),
		Tenants: []natsserver.Tenant{{Name: "ada", Token: "caller", WorkerToken: "worker"}}, AckWait: time.Minute})
	if err != nil {
		return err
	}
	defer server.Close()
	fmt.Println(server.URL())
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		load, err := server.Load()
		if err != nil {
			return err
		}
		if err := json.NewEncoder(os.Stdout).Encode(load); err != nil {
			return err
		}
	}
	return nil
}

// bench is one server or three and workers, each a process, and this one as the caller.
type bench struct {
	b       *testing.B
	config  fabric.Config
	queue   *fabric.Queue
	ask     func() natsserver.Load
	servers []int // their processes
	crew    []int
}

func newBench(b *testing.B, servers, workers, slots int) *bench {
	b.Helper()
	s := &bench{b: b}
	launch := func(env ...string) (*exec.Cmd, *bufio.Reader, func(string)) {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), env...)
		cmd.Stderr = os.Stderr
		out, err := cmd.StdoutPipe()
		if err != nil {
			b.Fatal(err)
		}
		in, err := cmd.StdinPipe()
		if err != nil {
			b.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
		return cmd, bufio.NewReader(out), func(line string) { fmt.Fprintln(in, line) }
	}
	if servers == 1 {
		server, out, say := launch("FABRIC_TEST_SERVER=" + b.TempDir())
		url, err := out.ReadString('\n')
		if err != nil {
			b.Fatal(err)
		}
		s.servers = []int{server.Process.Pid}
		s.ask = func() (load natsserver.Load) {
			say("load")
			line, err := out.ReadString('\n')
			if err == nil {
				err = json.Unmarshal([]byte(line), &load)
			}
			if err != nil {
				b.Fatal(err)
			}
			return load
		}
		s.config = fabric.Config{URL: strings.TrimSpace(url), Tenant: "ada", Token: "caller"}
	} else {
		c := natstest.New(b, servers)
		for _, m := range c.Members {
			s.servers = append(s.servers, m.Pid())
		}
		s.ask = func() (sum natsserver.Load) {
			for _, m := range c.Members {
				load, err := m.Load()
				if err != nil {
					b.Fatal(err)
				}
				sum.InMessages, sum.OutMessages = sum.InMessages+load.InMessages, sum.OutMessages+load.OutMessages
				sum.InBytes, sum.OutBytes, sum.Memory = sum.InBytes+load.InBytes, sum.OutBytes+load.OutBytes, sum.Memory+load.Memory
			}
			return sum
		}
		s.config = fabric.Config{URL: c.URL(), Tenant: "ada"}
	}
	for i := range workers {
		w, out, _ := launch("FABRIC_TEST_WORKER="+s.config.URL, "FABRIC_TEST_TOKEN=worker", fmt.Sprintf("FABRIC_TEST_NAME=w%d", i), "FABRIC_TEST_LOG="+os.DevNull,
			"FABRIC_TEST_ACKWAIT=1m", "FABRIC_TEST_SLOTS="+strconv.Itoa(slots))
		if line, err := out.ReadString('\n'); line != "ready\n" {
			b.Fatal(line, err)
		}
		s.crew = append(s.crew, w.Process.Pid)
	}
	link, err := fabric.Dial(b.Context(), s.config)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(link.Close)
	if s.queue, err = fabric.NewQueue(link, fabric.QueueConfig{}); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(s.queue.Close)
	return s
}

// cpuOf is how much others have used.
func cpuOf(b *testing.B, pid int) time.Duration {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		b.Skip("processor time is read from /proc")
	}
	f := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	user, _ := strconv.ParseInt(f[11], 10, 64)
	system, _ := strconv.ParseInt(f[12], 10, 64)
	return time.Duration(user+system) * 10 * time.Millisecond // ticks of 1/100 s
}

// spent is the processor time that was used so far.
type spent struct {
	servers      []time.Duration
	caller, crew time.Duration
	all          natsserver.Load
}

func (s *bench) spent() (t spent) {
	for _, pid := range s.servers {
		t.servers = append(t.servers, cpuOf(s.b, pid))
	}
	for _, pid := range s.crew {
		t.crew += cpuOf(s.b, pid)
	}
	t.caller, t.all = cpu.Own(), s.ask()
	return t
}

// report says what each of n pieces has cost since before. Servers of a cluster share
// the work; the busiest is what bounds it.
func (s *bench) report(n int, before spent) {
	after := s.spent()
	per := func(d time.Duration) float64 { return float64(d.Microseconds()) / float64(n) }
	sum, busiest := time.Duration(0), time.Duration(0)
	for i := range after.servers {
		took := after.servers[i] - before.servers[i]
		sum, busiest = sum+took, max(busiest, took)
	}
	b := s.b
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "pieces/s")
	b.ReportMetric(per(sum), "server-µs/piece")
	if len(s.servers) > 1 {
		b.ReportMetric(per(busiest), "busiest-µs/piece")
	}
	b.ReportMetric(per(after.caller-before.caller), "caller-µs/piece")
	b.ReportMetric(per(after.crew-before.crew), "worker-µs/piece")
	b.ReportMetric(float64(after.all.InMessages-before.all.InMessages)/float64(n), "in-msgs/piece")
	b.ReportMetric(float64(after.all.OutMessages-before.all.OutMessages)/float64(n), "out-msgs/piece")
	b.ReportMetric(float64(after.all.InBytes+after.all.OutBytes-before.all.InBytes-before.all.OutBytes)/float64(n), "wire-B/piece")
	b.ReportMetric(float64(after.all.Memory)/(1<<20), "server-MiB")
}

// BenchmarkPiece has pieces of work echoed, as many at once as a caller may, and
// says what each costs whom, with one server and with three that keep three copies.
func BenchmarkPiece(b *testing.B) {
	for _, servers := range []int{1, 3} {
		for _, size := range []int{1 << 10, 16 << 10, 256 << 10} {
			b.Run(fmt.Sprintf("%dservers/%dKiB", servers, size>>10), func(b *testing.B) {
				s := newBench(b, servers, 2, 4)
				s.do(100, size, 100) // connections, files
				before := s.spent()
				b.ResetTimer()
				took := s.do(b.N, size, fabric.DefaultWindow)
				b.StopTimer()
				s.report(b.N, before)
				b.ReportMetric(float64(quantile(took, .99).Microseconds()), "p99-µs")
			})
		}
	}
}

// BenchmarkScale has 100 to 100,000 pieces of work done by eight workers, each once, and
// says what a piece costs whom and how the server's memory grows.
func BenchmarkScale(b *testing.B) {
	for _, n := range []int{100, 1000, 10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			s := newBench(b, 1, 8, 2)
			s.do(100, 1<<10, 100) // connections, files
			before := s.spent()
			b.ResetTimer()
			for range b.N {
				s.do(n, 1<<10, fabric.DefaultWindow)
			}
			b.StopTimer()
			s.report(n*b.N, before)
		})
	}
}

// BenchmarkLatency has one piece of work done after the other.
func BenchmarkLatency(b *testing.B) {
	s := newBench(b, 1, 1, 1)
	s.do(20, 1<<10, 1)
	b.ResetTimer()
	took := s.do(b.N, 1<<10, 1)
	b.ReportMetric(float64(quantile(took, .5).Microseconds()), "p50-µs")
	b.ReportMetric(float64(quantile(took, .99).Microseconds()), "p99-µs")
}

var benchRound int

// do has n pieces of work done, width at once, and returns how long each took.
func (s *bench) do(n, size, width int) []time.Duration {
	s.b.Helper()
	benchRound++
	took := make([]time.Duration, n)
	next := make(chan int)
	var all sync.WaitGroup
	for range width {
		all.Go(func() {
			for i := range next {
				body := make([]byte, size)
				copy(body, fmt.Sprintf("%d %d", benchRound, i))
				start := time.Now()
				if _, err := s.queue.Do(s.b.Context(), fabric.Work{Key: keyFor(body), Body: body, Tag: "echo"}); err != nil {
					s.b.Error(err)
				}
				took[i] = time.Since(start)
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	all.Wait()
	return took
}

func quantile(list []time.Duration, q float64) time.Duration {
	list = slices.Clone(list)
	slices.Sort(list)
	return list[min(len(list)-1, int(q*float64(len(list))))]
}
