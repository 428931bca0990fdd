package fabric_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"wb/compile/place/fabric"
)

// member is a server of a cluster, in a process of its own so that it can be
// killed.
type member struct {
	Name, Dir    string
	Port, Routes int   // of clients, and of the other members
	Others       []int // their ports for members

	cmd *exec.Cmd
}

// memberAsProcess is a NATS server as anybody sets one up: without accounts, and
// without a word of wb.
func memberAsProcess() error {
	var m member
	if err := json.Unmarshal([]byte(os.Getenv("FABRIC_TEST_MEMBER")), &m); err != nil {
		return err
	}
	options := &server.Options{ServerName: m.Name, Host: "127.0.0.1", Port: m.Port, NoLog: true, NoSigs: true, JetStream: true, StoreDir: m.Dir,
		Cluster: server.ClusterOpts{Name: "three", Host: "127.0.0.1", Port: m.Routes}}
	for _, port := range m.Others {
		options.Routes = append(options.Routes, &url.URL{Scheme: "nats", Host: fmt.Sprintf("127.0.0.1:%d", port)})
	}
	ns, err := server.NewServer(options)
	if err != nil {
		return err
	}
	ns.Start()
	if !ns.ReadyForConnections(20 * time.Second) {
		return fmt.Errorf("%s did not start", m.Name)
	}
	fmt.Println("ready")
	_, _ = io.Copy(io.Discard, os.Stdin) // until the test is gone
	return nil
}

// cluster is three servers.
type cluster struct {
	t       *testing.T
	members []*member
	config  fabric.Config
}

func newCluster(t *testing.T) *cluster {
	t.Helper()
	c := &cluster{t: t}
	ports := freePorts(t, 6)
	var urls []string
	for i := range 3 {
		c.members = append(c.members, &member{Name: fmt.Sprintf("s%d", i+1), Dir: filepath.Join(t.TempDir(), "js"), Port: ports[i], Routes: ports[3+i], Others: ports[3:]})
		urls = append(urls, fmt.Sprintf("nats://127.0.0.1:%d", ports[i]))
	}
	for _, m := range c.members {
		c.start(m)
	}
	c.config = fabric.Config{URL: strings.Join(urls, ","), Tenant: "ada", AckWait: 4 * time.Second, Poll: time.Second}
	return c
}

// freePorts are ports that nobody listens on.
func freePorts(t *testing.T, n int) (ports []int) {
	t.Helper()
	for range n {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		ports = append(ports, l.Addr().(*net.TCPAddr).Port)
	}
	return ports
}

func (c *cluster) start(m *member) {
	c.t.Helper()
	text, err := json.Marshal(m)
	if err != nil {
		c.t.Fatal(err)
	}
	m.cmd = exec.Command(os.Args[0])
	m.cmd.Env = append(os.Environ(), "FABRIC_TEST_MEMBER="+string(text))
	m.cmd.Stderr = os.Stderr
	if _, err := m.cmd.StdinPipe(); err != nil {
		c.t.Fatal(err)
	}
	out, err := m.cmd.StdoutPipe()
	if err != nil {
		c.t.Fatal(err)
	}
	if err := m.cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(m.kill)
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "ready\n" {
		c.t.Fatalf("%s: %q %v", m.Name, line, err)
	}
}

func (m *member) kill() {
	_ = m.cmd.Process.Kill()
	_ = m.cmd.Wait()
}

func (c *cluster) dial(change func(*fabric.Config)) *fabric.Link {
	c.t.Helper()
	config := c.config
	if change != nil {
		change(&config)
	}
	l, err := fabric.Dial(c.t.Context(), config)
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(l.Close)
	return l
}

// copies checks how many copies the tenant's streams have.
func (c *cluster) copies(l *fabric.Link, want int) {
	c.t.Helper()
	have, _, err := fabric.Copies(c.t.Context(), l)
	if err != nil || slices.ContainsFunc(have, func(n int) bool { return n != want }) {
		c.t.Fatalf("copies %v, want %d: %v", have, want, err)
	}
}

// TestClusterLosesServers kills each server of a cluster in turn while work is
// done, the one that leads the work queue first. All is done, and each piece once.
// The streams were made with one copy before, as older versions made them.
func TestClusterLosesServers(t *testing.T) {
	c := newCluster(t)
	c.copies(c.dial(func(f *fabric.Config) { f.Replicas = 1 }), 1)
	var told atomic.Int64
	caller := c.dial(func(f *fabric.Config) {
		f.Told = func(text string) {
			told.Add(1)
			t.Log(text)
		}
	})
	c.copies(caller, 3)
	q, err := fabric.NewQueue(caller, fabric.QueueConfig{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(q.Close)
	ctx, leave := context.WithCancel(context.WithoutCancel(t.Context()))
	defer leave()
	var crewDone sync.WaitGroup
	for i := range 3 {
		link := c.dial(func(f *fabric.Config) { f.Name, f.User = fmt.Sprintf("w%d", i), fabric.WorkerUser("ada") })
		crewDone.Go(func() {
			_ = fabric.NewWorker(link, fabric.WorkerConfig{Slots: 2, Execute: upper}).Run(ctx) // a flush may fail when a server is gone
		})
	}
	const each = 60 // pieces of work a loss
	done := make(chan struct{}, each)
	piece := func(i int) {
		body := fmt.Appendf(nil, "piece %d", i)
		if i%7 == 0 { // too large for its message
			body = append(body, strings.Repeat(" large", 10_000)...)
		}
		r, err := q.Do(t.Context(), fabric.Work{Key: keyFor(body), Body: body})
		if err != nil || string(r.Body) != strings.ToUpper(string(body)) {
			t.Errorf("piece %d: %v", i, err)
		}
		done <- struct{}{}
	}
	for loss := range losses {
		victim := c.members[loss%3]
		if loss == 0 {
			_, leader, err := fabric.Copies(t.Context(), caller)
			if err != nil {
				t.Fatal(err)
			}
			victim = c.members[slices.IndexFunc(c.members, func(m *member) bool { return m.Name == leader })]
		}
		var pieces sync.WaitGroup
		slots := make(chan struct{}, 8)
		pieces.Go(func() {
			for i := range each {
				slots <- struct{}{}
				pieces.Go(func() { piece(loss*each + i); <-slots })
			}
		})
		for range 10 + 3*loss {
			<-done
		}
		begin := time.Now()
		victim.kill()
		pieces.Wait() // without it
		t.Logf("%s lost: the rest took %v", victim.Name, time.Since(begin).Round(time.Millisecond))
		for len(done) > 0 {
			<-done
		}
		c.start(victim)
		if err := fabric.Whole(t.Context(), caller); err != nil {
			t.Fatal(err)
		}
	}
	t.Log("whole again")
	leave()
	crewDone.Wait()
	t.Log("the crew left")
	first, last, err := fabric.ResultsEver(t.Context(), c.dial(nil))
	if err != nil || first != 1 || last != uint64(losses*each) {
		t.Errorf("results %d to %d, want 1 to %d: %v", first, last, losses*each, err)
	}
}

// TestTooFewServers asks a server that belongs to no cluster for three copies.
func TestTooFewServers(t *testing.T) {
	s := newSite(t, fabric.Quota{})
	config := s.config
	config.Replicas = 3
	_, err := fabric.Dial(t.Context(), config)
	var refused *fabric.DialError
	if !errors.As(err, &refused) || refused.ExitCode() != 3 || !strings.Contains(refused.Hint(), "no more copies than it has servers") {
		t.Fatalf("%v", err)
	}
	if have, _, err := fabric.Copies(t.Context(), s.dial(s.config)); err != nil || slices.ContainsFunc(have, func(n int) bool { return n != 1 }) {
		t.Errorf("copies %v: %v", have, err)
	}
}
