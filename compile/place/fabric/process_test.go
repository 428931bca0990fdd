package fabric_test

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"wb/compile/place/fabric"
	"wb/internal/test/natstest"
)

// TestMain makes this test binary a worker or a server when it is started as one.
func TestMain(m *testing.M) {
	natstest.Serve()
	if os.Getenv("FABRIC_TEST_WORKER") != "" {
		if err := workAsProcess(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	if os.Getenv("FABRIC_TEST_SERVER") != "" {
		if err := serveAsProcess(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// workAsProcess is a worker of its own process, until SIGTERM. What it does
// first with each piece of work is to write its key to a log.
func workAsProcess() error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	log, err := os.OpenFile(os.Getenv("FABRIC_TEST_LOG"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	ackWait, err := time.ParseDuration(os.Getenv("FABRIC_TEST_ACKWAIT"))
	if err != nil {
		return err
	}
	maxSilent := 0 // the default
	if os.Getenv("FABRIC_TEST_DEADLY") != "" {
		maxSilent = 4
	}
	link, err := fabric.Dial(ctx, fabric.Config{URL: os.Getenv("FABRIC_TEST_WORKER"), Tenant: "ada", User: fabric.WorkerUser("ada"),
		Token: os.Getenv("FABRIC_TEST_TOKEN"), Name: os.Getenv("FABRIC_TEST_NAME"), AckWait: ackWait, MaxSilent: maxSilent})
	if err != nil {
		return err
	}
	defer link.Close()
	fmt.Println("ready")
	slots := 2
	if n, err := strconv.Atoi(os.Getenv("FABRIC_TEST_SLOTS")); err == nil {
		slots = n
	}
	return fabric.NewWorker(link, fabric.WorkerConfig{Slots: slots, Execute: func(_ context.Context, j *fabric.Job) ([]byte, error) {
		if j.Tag == "echo" {
			return j.Body, nil
		}
		if _, err := fmt.Fprintln(log, j.Key); err != nil { // one write, so lines of several processes do not mix
			return nil, err
		}
		if j.Tag == "deadly" {
			if self, err := os.FindProcess(os.Getpid()); err == nil {
				_ = self.Kill()
			}
		}
		return grind(j.Body), nil
	}}).Run(ctx)
}

// grind takes a few milliseconds and gives what its input decides.
func grind(body []byte) []byte {
	sum := sha256.Sum256(body)
	for range 5000 {
		sum = sha256.Sum256(sum[:])
	}
	return []byte(hex.EncodeToString(sum[:]))
}

// process is a worker that runs as a process.
type process struct{ *exec.Cmd }

// start starts a worker process and waits until it is connected. prefix runs
// before it, such as in a network namespace.
func (s *site) start(name, url, log string, prefix ...string) *process {
	s.t.Helper()
	argv := append(prefix, os.Args[0])
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env = append(os.Environ(), "FABRIC_TEST_WORKER="+url, "FABRIC_TEST_TOKEN="+s.tenant.WorkerToken, "FABRIC_TEST_NAME="+name, "FABRIC_TEST_LOG="+log, "FABRIC_TEST_ACKWAIT="+s.config.AckWait.String())
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		s.t.Error(err)
		return nil
	}
	if err := cmd.Start(); err != nil {
		s.t.Error(err)
		return nil
	}
	p := &process{cmd}
	s.t.Cleanup(p.kill)
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "ready\n" {
		s.t.Errorf("worker %s: %q %v", name, line, err)
	}
	go io.Copy(io.Discard, out)
	return p
}

func (p *process) kill() {
	if p != nil {
		_ = p.Process.Kill()
		_ = p.Wait()
	}
}

// leave tells a worker to leave and waits until it has.
func (p *process) leave() error {
	_ = p.Process.Signal(syscall.SIGTERM)
	return p.Wait()
}

// done is the work of a test with its replies: n pieces, each of which says what
// it ought to.
func (s *site) done(q *fabric.Queue, n int, tag string) {
	s.t.Helper()
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			body := fmt.Appendf(nil, "%s %d", tag, i)
			r, err := q.Do(s.t.Context(), fabric.Work{Key: keyFor(body), Body: body, Tag: tag})
			if err != nil {
				s.t.Errorf("work %d: %v", i, err)
			} else if string(r.Body) != string(grind(body)) {
				s.t.Errorf("work %d: wrong reply %q", i, r.Body)
			}
			s.finished.Add(1)
		})
	}
	all.Wait()
}

func keyFor(body []byte) string {
	sum := sha256.Sum256(body)
	return hex.EncodeToString(sum[:])
}

// lines are the keys in a log of beginnings, and how often each is there.
func lines(t *testing.T, log string) map[string]int {
	t.Helper()
	text, err := os.ReadFile(log)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	times := map[string]int{}
	for line := range strings.Lines(string(text)) {
		times[strings.TrimSpace(line)]++
	}
	return times
}

// once checks that every result was stored once, by the numbers of the stream
// itself, and, where no worker was lost, that all work was begun once.
func (s *site) once(n int, log string, lost int) {
	s.t.Helper()
	s.stored(uint64(n))
	begun, again := 0, 0
	for _, times := range lines(s.t, log) {
		begun++
		again += times - 1
	}
	if begun != n || again > 0 && lost == 0 {
		s.t.Errorf("%d of %d pieces of work were begun, %d of them again", begun, n, again)
	}
	s.t.Logf("%d pieces of work, %d workers lost, %d begun again", n, lost, again)
}

// stored checks that so many results were ever stored.
func (s *site) stored(n uint64) {
	s.t.Helper()
	if first, last, err := fabric.ResultsEver(s.t.Context(), s.dial(s.config)); err != nil || first != 1 || last != n {
		s.t.Errorf("results %d to %d, want %d: %v", first, last, n, err)
	}
}

// TestKilledWorkers kills workers at random moments and starts others.
func TestKilledWorkers(t *testing.T) {
	s := newHastySite(t)
	log := filepath.Join(t.TempDir(), "log")
	work := 150 + 40*kills
	q := s.queue(fabric.QueueConfig{})
	var killer sync.WaitGroup
	for i := range 3 {
		p := s.start(fmt.Sprintf("w%d", i), s.server.URL(), log)
		killer.Go(func() {
			for n := i; n < kills; n += 3 {
				// By what is done and not by the clock, so that on a slow machine
				// too something gets done between two murders.
				for s.finished.Load() < int64((n+1)*work/(kills+1)) {
					time.Sleep(time.Millisecond)
				}
				time.Sleep(time.Duration(rand.IntN(20)) * time.Millisecond)
				p.kill()
				p = s.start(fmt.Sprintf("w%d.%d", i, n), s.server.URL(), log)
			}
		})
	}
	s.done(q, work, "kill")
	killer.Wait()
	s.once(work, log, kills)
}

// TestDeadlyWork is work that takes every worker with it.
func TestDeadlyWork(t *testing.T) {
	t.Setenv("FABRIC_TEST_DEADLY", "1")
	s := newHastySite(t)
	log := filepath.Join(t.TempDir(), "log")
	q := s.queue(fabric.QueueConfig{})
	over := make(chan struct{})
	var tender sync.WaitGroup
	tender.Go(func() { // somebody starts workers again, as spawn does
		for i := 0; ; i++ {
			p := s.start(fmt.Sprintf("w%d", i), s.server.URL(), log)
			ended := make(chan struct{})
			go func() { p.Wait(); close(ended) }()
			select {
			case <-ended:
			case <-over:
				p.Process.Kill()
				<-ended
				return
			}
		}
	})
	_, err := q.Do(t.Context(), fabric.Work{Key: key(7), Tag: "deadly"})
	close(over)
	tender.Wait()
	poison := new(fabric.PoisonError)
	if !errors.As(err, &poison) || len(poison.Tries) != 4 || !strings.Contains(err.Error(), "fell silent") {
		t.Errorf("%v", err)
	}
	if n := lines(t, log)[key(7)]; n != 4 {
		t.Errorf("it was begun %d times", n)
	}
}

// TestLeaving tells a worker to leave: it finishes what it has begun.
func TestLeaving(t *testing.T) {
	s := newSite(t, fabric.Quota{})
	log := filepath.Join(t.TempDir(), "log")
	q := s.queue(fabric.QueueConfig{})
	first := s.start("first", s.server.URL(), log)
	var all sync.WaitGroup
	all.Go(func() { s.done(q, 100, "leave") })
	for len(lines(t, log)) < 10 {
		time.Sleep(time.Millisecond)
	}
	second := s.start("second", s.server.URL(), log)
	if err := first.leave(); err != nil {
		t.Errorf("the worker that left: %v", err)
	}
	all.Wait()
	if err := second.leave(); err != nil {
		t.Error(err)
	}
	s.once(100, log, 0)
}
