// Package natstest runs NATS servers as processes of their own, so that tests can kill
// them: servers as anybody sets them up, alone or as a cluster, without accounts and
// without a word of wb.
//
// The process is the test's own binary, started again: TestMain calls [Serve] first.
package natstest

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// memberVar is the environment variable that makes a process a server.
const memberVar = "NATSTEST_MEMBER"

// Member is one server.
type Member struct {
	Name, Dir string
	// Port is for clients, Routes for other members, Monitor for questions about
	// what it carries.
	Port, Routes, Monitor int
	Others                []int // ports of the members for each other; none alone

	mu  sync.Mutex
	cmd *exec.Cmd
}

// Serve is a server for as long as its standard input is open, where the environment
// says so, and ends the process; else it does nothing.
func Serve() {
	text := os.Getenv(memberVar)
	if text == "" {
		return
	}
	if err := serve(text); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

func serve(text string) error {
	var m Member
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		return err
	}
	options := &server.Options{ServerName: m.Name, Host: "127.0.0.1", Port: m.Port, HTTPHost: "127.0.0.1", HTTPPort: m.Monitor,
		NoLog: true, NoSigs: true, JetStream: true, StoreDir: m.Dir}
	if len(m.Others) > 0 {
		options.Cluster = server.ClusterOpts{Name: "cluster", Host: "127.0.0.1", Port: m.Routes}
	}
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

// Cluster is servers that know each other, or one alone.
type Cluster struct{ Members []*Member }

// New starts so many servers, which end with the test.
func New(t testing.TB, n int) *Cluster {
	t.Helper()
	c := &Cluster{}
	ports := freePorts(t, 3*n)
	for i := range n {
		m := &Member{Name: fmt.Sprintf("s%d", i+1), Dir: filepath.Join(t.TempDir(), "js"), Port: ports[i], Routes: ports[n+i], Monitor: ports[2*n+i]}
		if n > 1 {
			m.Others = ports[n : 2*n]
		}
		c.Members = append(c.Members, m)
	}
	for _, m := range c.Members {
		if err := m.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(m.Kill)
	}
	return c
}

// URL is where clients find the servers, all of them.
func (c *Cluster) URL() string {
	var urls []string
	for _, m := range c.Members {
		urls = append(urls, fmt.Sprintf("nats://127.0.0.1:%d", m.Port))
	}
	return strings.Join(urls, ",")
}

// Named is the member of that name.
func (c *Cluster) Named(name string) *Member {
	for _, m := range c.Members {
		if m.Name == name {
			return m
		}
	}
	return nil
}

// freePorts are ports that nobody listens on.
func freePorts(t testing.TB, n int) (ports []int) {
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

// Start starts a server, with what it kept if it was killed.
func (m *Member) Start() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), memberVar+"="+string(text))
	cmd.Stderr = os.Stderr
	if _, err := cmd.StdinPipe(); err != nil { // it ends with this process
		return err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "ready\n" {
		return errors.Join(fmt.Errorf("%s: %q %w", m.Name, line, err), cmd.Process.Kill(), cmd.Wait())
	}
	m.cmd = cmd
	return nil
}

// Kill kills it by SIGKILL: it has no time for anything.
func (m *Member) Kill() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.cmd != nil {
		_ = m.cmd.Process.Kill()
		_ = m.cmd.Wait()
		m.cmd = nil
	}
}

// Pid is the process of a server that runs.
func (m *Member) Pid() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.cmd.Process.Pid
}

// Load is what a server has carried since it started.
type Load struct {
	InMessages  int64 `json:"in_msgs"`
	OutMessages int64 `json:"out_msgs"`
	InBytes     int64 `json:"in_bytes"`
	OutBytes    int64 `json:"out_bytes"`
	Memory      int64 `json:"mem"` // bytes
}

// Load asks a server what it has carried.
func (m *Member) Load() (load Load, err error) {
	r, err := http.Get(fmt.Sprintf("http://127.0.0.1:%d/varz", m.Monitor))
	if err != nil {
		return load, err
	}
	defer r.Body.Close()
	return load, json.NewDecoder(r.Body).Decode(&load)
}
