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

// bench is a server and workers, each a process, and this one as the caller.
type bench struct {
	b      *testing.B
	config fabric.Config
	queue  *fabric.Queue
	ask    func() natsserver.Load
	server *exec.Cmd
	crew   []*exec.Cmd
}

func newBench(b *testing.B, workers, slots int) *bench {
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
	server, out, say := launch("FABRIC_TEST_SERVER=" + b.TempDir())
	url, err := out.ReadString('\n')
	if err != nil {
		b.Fatal(err)
	}
	s.server = server
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
	for i := range workers {
		w, out, _ := launch("FABRIC_TEST_WORKER="+s.config.URL, "FABRIC_TEST_TOKEN=worker", fmt.Sprintf("FABRIC_TEST_NAME=w%d", i), "FABRIC_TEST_LOG="+os.DevNull,
			"FABRIC_TEST_ACKWAIT=1m", "FABRIC_TEST_SLOTS="+strconv.Itoa(slots))
		if line, err := out.ReadString('\n'); line != "ready\n" {
			b.Fatal(line, err)
		}
		s.crew = append(s.crew, w)
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

// cpu is how much processor time a process has used, its own for pid 0.
func cpu(b *testing.B, cmd *exec.Cmd) time.Duration {
	if cmd == nil {
		var u syscall.Rusage
		if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
			b.Fatal(err)
		}
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", cmd.Process.Pid))
	if err != nil {
		b.Skip("processor time is read from /proc")
	}
	f := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	user, _ := strconv.ParseInt(f[11], 10, 64)
	system, _ := strconv.ParseInt(f[12], 10, 64)
	return time.Duration(user+system) * 10 * time.Millisecond // ticks of 1/100 s
}

// BenchmarkPiece has pieces of work echoed, as many at once as a caller may, and
// says what each costs whom.
func BenchmarkPiece(b *testing.B) {
	for _, size := range []int{1 << 10, 16 << 10, 256 << 10} {
		b.Run(fmt.Sprintf("%dKiB", size>>10), func(b *testing.B) {
			s := newBench(b, 2, 4)
			s.do(100, size, 100) // connections, files
			before, server, caller, crew := s.ask(), cpu(b, s.server), cpu(b, nil), s.crewCPU()
			b.ResetTimer()
			took := s.do(b.N, size, fabric.DefaultWindow)
			b.StopTimer()
			after := s.ask()
			per := func(d time.Duration) float64 { return float64(d.Microseconds()) / float64(b.N) }
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "pieces/s")
			b.ReportMetric(per(cpu(b, s.server)-server), "server-µs/piece")
			b.ReportMetric(per(cpu(b, nil)-caller), "caller-µs/piece")
			b.ReportMetric(per(s.crewCPU()-crew), "worker-µs/piece")
			b.ReportMetric(float64(after.InMessages-before.InMessages)/float64(b.N), "in-msgs/piece")
			b.ReportMetric(float64(after.OutMessages-before.OutMessages)/float64(b.N), "out-msgs/piece")
			b.ReportMetric(float64(after.InBytes+after.OutBytes-before.InBytes-before.OutBytes)/float64(b.N), "wire-B/piece")
			b.ReportMetric(float64(quantile(took, .99).Microseconds()), "p99-µs")
		})
	}
}

// BenchmarkScale has 100, 1,000 and 10,000 pieces of work done by eight workers, each
// once, and says what a piece costs whom and how the server's memory grows.
func BenchmarkScale(b *testing.B) {
	for _, n := range []int{100, 1000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			s := newBench(b, 8, 2)
			s.do(100, 1<<10, 100) // connections, files
			server, caller, crew := cpu(b, s.server), cpu(b, nil), s.crewCPU()
			b.ResetTimer()
			for range b.N {
				s.do(n, 1<<10, fabric.DefaultWindow)
			}
			b.StopTimer()
			per := func(d time.Duration) float64 { return float64(d.Microseconds()) / float64(n*b.N) }
			b.ReportMetric(float64(n*b.N)/b.Elapsed().Seconds(), "pieces/s")
			b.ReportMetric(per(cpu(b, s.server)-server), "server-µs/piece")
			b.ReportMetric(per(cpu(b, nil)-caller), "caller-µs/piece")
			b.ReportMetric(per(s.crewCPU()-crew), "worker-µs/piece")
			b.ReportMetric(float64(s.ask().Memory)/(1<<20), "server-MiB")
		})
	}
}

// BenchmarkLatency has one piece of work done after the other.
func BenchmarkLatency(b *testing.B) {
	s := newBench(b, 1, 1)
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

func (s *bench) crewCPU() (sum time.Duration) {
	for _, w := range s.crew {
		sum += cpu(s.b, w)
	}
	return sum
}

func quantile(list []time.Duration, q float64) time.Duration {
	list = slices.Clone(list)
	slices.Sort(list)
	return list[min(len(list)-1, int(q*float64(len(list))))]
}
