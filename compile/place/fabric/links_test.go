package fabric_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"wb/compile/place/fabric"
	"wb/compile/place/fabric/natsserver"
)

// link is a TCP proxy whose connections can be cut or stalled.
type link struct {
	listener net.Listener
	to       string
	mu       sync.Mutex
	conns    []net.Conn
	held     *sync.RWMutex // locked while stalled
	down     bool
}

func newLink(t *testing.T, url string) *link {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := &link{listener: listener, to: strings.TrimPrefix(url, "nats://"), held: new(sync.RWMutex)}
	t.Cleanup(func() { listener.Close(); l.cut() })
	go func() {
		for {
			near, err := listener.Accept()
			if err != nil {
				return
			}
			l.mu.Lock()
			down := l.down
			l.mu.Unlock()
			far, err := net.Dial("tcp", l.to)
			if err != nil || down {
				near.Close()
				continue
			}
			l.mu.Lock()
			l.conns = append(l.conns, near, far)
			l.mu.Unlock()
			go l.carry(near, far)
			go l.carry(far, near)
		}
	}()
	return l
}

func (l *link) url() string { return "nats://" + l.listener.Addr().String() }

func (l *link) carry(to, from net.Conn) {
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		if n > 0 {
			l.held.RLock() // waits while the link is stalled
			_, err := to.Write(buffer[:n])
			l.held.RUnlock()
			if err != nil {
				break
			}
		}
		if err != nil {
			break
		}
	}
	to.Close()
	from.Close()
}

// cut ends all connections and refuses new ones until mend.
func (l *link) cut() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.down = true
	for _, c := range l.conns {
		c.Close()
	}
	l.conns = nil
}

func (l *link) mend() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.down = false
}

// TestWorkerCutOff cuts a worker's link while it works: another does its work,
// and what the first makes of it in the end is recognised as the same.
func TestWorkerCutOff(t *testing.T) {
	s := newHastySite(t)
	between := newLink(t, s.server.URL())
	begun, finish := make(chan string, 10), make(chan struct{})
	execute := func(name string, wait <-chan struct{}) fabric.Executor {
		return func(ctx context.Context, j *fabric.Job) ([]byte, error) {
			begun <- name
			<-wait
			return upper(ctx, j)
		}
	}
	conflicts := make(chan fabric.Notice, 10)
	q := s.queue(fabric.QueueConfig{Notice: func(n fabric.Notice) {
		if n.Kind == fabric.NoticeConflict {
			conflicts <- n
		}
	}})
	ended := make(chan fabric.Ended, 10)
	far := s.config
	far.URL, far.Name = between.url(), "far"
	worker := fabric.NewWorker(s.dial(far), fabric.WorkerConfig{Execute: execute("far", finish), Told: func(e fabric.Ended) { ended <- e }})
	ctx, leave := context.WithCancel(t.Context())
	var away sync.WaitGroup
	away.Go(func() { _ = worker.Run(ctx) })
	reply := make(chan *fabric.Reply, 1)
	go func() {
		r, err := q.Do(t.Context(), fabric.Work{Key: key(0), Body: []byte("x")})
		if err != nil {
			t.Error(err)
		}
		reply <- r
	}()
	if who := <-begun; who != "far" {
		t.Fatal(who)
	}
	between.cut()
	now := make(chan struct{})
	close(now)
	s.worker("near", fabric.WorkerConfig{Execute: execute("near", now)})
	if r := <-reply; r == nil || r.Worker != "near" {
		t.Errorf("%+v", r)
	}
	between.mend()
	close(finish)
	if e := <-ended; e.Stored {
		t.Errorf("a second result was stored: %+v", e)
	}
	leave()
	away.Wait()
	select {
	case n := <-conflicts:
		t.Errorf("%s", n.Text)
	default:
	}
	s.stored(1)
}

// TestCallerCutOff cuts the caller's link while it waits.
func TestCallerCutOff(t *testing.T) {
	s := newHastySite(t)
	between := newLink(t, s.server.URL())
	near := s.config
	near.URL = between.url()
	q, err := fabric.NewQueue(s.dial(near), fabric.QueueConfig{})
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	done := make(chan error, 1)
	begun, finish, ended := make(chan struct{}), make(chan struct{}), make(chan struct{})
	told := sync.OnceFunc(func() { close(ended) }) // the message may come again, if the caller did not hear that it was queued
	s.worker("w", fabric.WorkerConfig{Told: func(fabric.Ended) { told() }, Execute: func(ctx context.Context, j *fabric.Job) ([]byte, error) {
		close(begun)
		<-finish
		return upper(ctx, j)
	}})
	go func() {
		r, err := q.Do(t.Context(), fabric.Work{Key: key(0), Body: []byte("x")})
		if err == nil && string(r.Body) != "X" {
			err = fmt.Errorf("reply %q", r.Body)
		}
		done <- err
	}()
	<-begun
	between.cut()
	close(finish)
	<-ended // nobody told the caller
	between.mend()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// TestStalledLinks stalls the link of one of two workers again and again.
func TestStalledLinks(t *testing.T) {
	s := newHastySite(t)
	between := newLink(t, s.server.URL())
	log := filepath.Join(t.TempDir(), "log")
	q := s.queue(fabric.QueueConfig{})
	s.start("near", s.server.URL(), log)
	s.start("far", between.url(), log)
	var finished atomic.Bool
	var staller sync.WaitGroup
	staller.Go(func() {
		for !finished.Load() {
			between.held.Lock()
			time.Sleep(100 * time.Millisecond)
			between.held.Unlock()
			time.Sleep(30 * time.Millisecond)
		}
	})
	s.done(q, 200, "stall")
	finished.Store(true)
	staller.Wait()
	s.stored(200)
}

// TestServerRestarts stops the server with work under way and starts it again
// on what it left on disk.
func TestServerRestarts(t *testing.T) {
	dir := t.TempDir()
	config := natsserver.Config{Dir: dir, Tenants: []natsserver.Tenant{{Name: "ada", Token: "caller", WorkerToken: "worker"}}, AckWait: time.Second}
	server, err := natsserver.Start(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { server.Close() }()
	config.Addr = strings.TrimPrefix(server.URL(), "nats://")
	s := &site{t: t, server: server, tenant: config.Tenants[0], config: fabric.Config{URL: server.URL(), Tenant: "ada", Token: "caller", AckWait: time.Second, Poll: time.Second}}
	log := filepath.Join(t.TempDir(), "log")
	q := s.queue(fabric.QueueConfig{})
	s.start("w0", s.server.URL(), log)
	s.start("w1", s.server.URL(), log)
	var all sync.WaitGroup
	all.Go(func() { s.done(q, 300, "restart") })
	for len(lines(t, log)) < 50 {
		time.Sleep(time.Millisecond)
	}
	server.Close()
	if server, err = natsserver.Start(t.Context(), config); err != nil {
		t.Fatal(err)
	}
	all.Wait()
	s.stored(300)
}

// TestCallerRestarts gives up a caller with work under way; the next one finds
// what was done.
func TestCallerRestarts(t *testing.T) {
	s := newSite(t, fabric.Quota{})
	log := filepath.Join(t.TempDir(), "log")
	s.start("w", s.server.URL(), log)
	first, err := fabric.NewQueue(s.dial(s.config), fabric.QueueConfig{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, gone := context.WithCancel(t.Context())
	defer gone()
	for i := range 100 {
		body := fmt.Appendf(nil, "caller %d", i)
		go first.Do(ctx, fabric.Work{Key: keyFor(body), Body: body, Tag: "caller"})
	}
	for len(lines(t, log)) < 20 {
		time.Sleep(time.Millisecond)
	}
	first.Link().Close() // as if it had been killed: nothing is withdrawn
	s.done(s.queue(fabric.QueueConfig{}), 100, "caller")
	s.once(100, log, 0)
}

// TestCancel withdraws work: from the queue, and from the worker that has it.
func TestCancel(t *testing.T) {
	s := newSite(t, fabric.Quota{})
	begun := make(chan string, 10)
	s.worker("w", fabric.WorkerConfig{Execute: func(ctx context.Context, j *fabric.Job) ([]byte, error) {
		begun <- j.Tag
		if j.Tag == "short" {
			return upper(ctx, j)
		}
		<-ctx.Done()
		return nil, ctx.Err()
	}})
	q := s.queue(fabric.QueueConfig{})
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	for i := range 3 { // the first is begun, the others wait
		all.Go(func() {
			if _, err := q.Do(ctx, fabric.Work{Key: key(i), Tag: "long"}); !errors.Is(err, context.Canceled) {
				t.Errorf("%v", err)
			}
		})
	}
	<-begun
	cancel()
	all.Wait()
	if r, err := q.Do(t.Context(), fabric.Work{Key: key(9), Body: []byte("x"), Tag: "short"}); err != nil || string(r.Body) != "X" {
		t.Errorf("after it: %v", err)
	}
}

// TestCancelOvertakes withdraws work before its message reaches the worker, as
// it happens when a cancelled run leaves a queue behind a busy worker: the slot
// stays free, and the same key asked for again is done.
func TestCancelOvertakes(t *testing.T) {
	s := newSite(t, fabric.Quota{})
	s.worker("w", fabric.WorkerConfig{Execute: func(ctx context.Context, j *fabric.Job) ([]byte, error) {
		if j.Tag == "long" {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		return upper(ctx, j)
	}})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	q := s.queue(fabric.QueueConfig{})
	for i := range 20 {
		if _, err := q.Do(ctx, fabric.Work{Key: key(100 + i), Tag: "short"}); err != nil { // the worker listens, and the queue is empty
			t.Fatal(err)
		}
		sequence := uint64(2*i + 2)
		if err := fabric.Withdraw(q.Link(), key(i), sequence); err != nil {
			t.Fatal(err)
		}
		if at, err := fabric.Post(ctx, q.Link(), key(i), "long"); err != nil || at != sequence {
			t.Fatalf("posted at %d, not at %d: %v", at, sequence, err)
		}
	}
	for i := range 20 {
		if r, err := q.Do(ctx, fabric.Work{Key: key(i), Body: []byte("x"), Tag: "short"}); err != nil || string(r.Body) != "X" {
			t.Fatalf("round %d: %v", i, err)
		}
	}
}

// TestNamespaces joins workers from network namespaces of their own and takes
// their links down while they work.
func TestNamespaces(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("network namespaces need root; TestWorkerCutOff and TestStalledLinks cut links through a proxy")
	}
	ip, err := exec.LookPath("ip")
	if err != nil {
		t.Skip("there is no ip command: apt-get install iproute2")
	}
	run := func(args ...string) error {
		out, err := exec.Command(ip, args...).CombinedOutput()
		if err != nil {
			return fmt.Errorf("ip %s: %w: %s", strings.Join(args, " "), err, out)
		}
		return nil
	}
	unique := os.Getpid() % 10000
	server, err := natsserver.Start(t.Context(), natsserver.Config{Addr: "0.0.0.0:0", Dir: t.TempDir(), Tenants: []natsserver.Tenant{{Name: "ada"}}, AckWait: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	_, port, err := net.SplitHostPort(strings.TrimPrefix(server.URL(), "nats://"))
	if err != nil {
		t.Fatal(err)
	}
	tenant, _ := server.Tenant("ada")
	s := &site{t: t, server: server, tenant: tenant, config: fabric.Config{URL: "nats://127.0.0.1:" + port, Tenant: "ada", Token: tenant.Token, AckWait: time.Second, Poll: time.Second}}
	log := filepath.Join(t.TempDir(), "log")
	var cables []string
	for i := range 2 {
		ns, cable, inner := fmt.Sprintf("wbf%d-%d", unique, i), fmt.Sprintf("wbf%da%d", unique, i), fmt.Sprintf("wbf%db%d", unique, i)
		subnet := fmt.Sprintf("10.%d.%d", 64+unique%128, 2*(unique/128%100)+i)
		t.Cleanup(func() { run("link", "del", cable); run("netns", "del", ns) })
		for _, args := range [][]string{
			{"netns", "add", ns}, {"link", "add", cable, "type", "veth", "peer", "name", inner, "netns", ns},
			{"addr", "add", subnet + ".1/24", "dev", cable}, {"link", "set", cable, "up"},
			{"-n", ns, "addr", "add", subnet + ".2/24", "dev", inner}, {"-n", ns, "link", "set", inner, "up"},
		} {
			if err := run(args...); err != nil {
				t.Skipf("no network namespaces here: %v", err)
			}
		}
		cables = append(cables, cable)
		s.start(ns, "nats://"+subnet+".1:"+port, log, ip, "netns", "exec", ns)
	}
	q := s.queue(fabric.QueueConfig{})
	var finished atomic.Bool
	var cutter sync.WaitGroup
	cutter.Go(func() {
		for i := 0; i < 4 && !finished.Load(); i++ {
			time.Sleep(150 * time.Millisecond)
			cable := cables[i%2]
			if err := run("link", "set", cable, "down"); err != nil {
				t.Error(err)
			}
			time.Sleep(600 * time.Millisecond)
			if err := run("link", "set", cable, "up"); err != nil {
				t.Error(err)
			}
		}
	})
	s.done(q, 400, "namespace")
	finished.Store(true)
	cutter.Wait()
	s.stored(400)
}
