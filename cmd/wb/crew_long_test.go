//go:build long

package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"wb/compile/lanes"
	"wb/compile/place/fabric"
	"wb/internal/test/lanetest"
	"wb/internal/test/natstest"
	"wb/internal/trace"
)

// crew is servers, workers that have joined them and a user, each in processes of
// their own.
type crew struct {
	t       *testing.T
	env     []string
	servers *natstest.Cluster
	workers []*exec.Cmd
	js      jetstream.JetStream
}

func newCrew(t *testing.T, servers, workers int) *crew {
	t.Helper()
	env := lanetest.Env(t)
	if _, err := lanes.New(env); err != nil {
		t.Fatal(err)
	}
	lanetest.Need(t, env, "quickjs", "lua")
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	c := &crew{t: t, servers: natstest.New(t, servers), env: append(os.Environ(), "HOME="+home, "XDG_CACHE_HOME="+cache, "XDG_STATE_HOME="+home+"/state",
		"XDG_CONFIG_HOME="+home+"/config", "NO_COLOR=1")}
	for i := range workers {
		cmd := c.wb(home, "worker", "--nats", c.servers.URL(), "--name", fmt.Sprintf("w%d", i+1), "--slots", "1", "--until-stdin-ends")
		said, err := cmd.StderrPipe()
		if err == nil {
			_, err = cmd.StdinPipe()
		}
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
		lines := bufio.NewScanner(said)
		if !lines.Scan() {
			t.Fatalf("worker %d: %v", i+1, lines.Err())
		}
		go func() {
			for lines.Scan() {
				t.Logf("w%d: %s", i+1, lines.Text())
			}
		}()
		c.workers = append(c.workers, cmd)
	}
	conn, err := nats.Connect(c.servers.URL(), nats.MaxReconnects(-1), nats.ReconnectWait(100*time.Millisecond))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	if c.js, err = jetstream.New(conn); err != nil {
		t.Fatal(err)
	}
	return c
}

// wb is wb in a directory, ready to start.
func (c *crew) wb(dir string, args ...string) *exec.Cmd {
	c.t.Helper()
	path, err := exec.LookPath("wb") // where testscript.Main has put it
	if err != nil {
		c.t.Fatal(err)
	}
	cmd := exec.Command(path, args...)
	cmd.Dir, cmd.Env = dir, c.env
	return cmd
}

// alone runs a workbook in one process.
func (c *crew) alone(text string) (dir string, took time.Duration) {
	c.t.Helper()
	dir = c.book(text)
	begin := time.Now()
	if out, err := c.wb(dir, "run", "book.org", "--quiet").CombinedOutput(); err != nil {
		c.t.Fatalf("alone: %v\n%s", err, out)
	}
	return dir, time.Since(begin)
}

// book writes a workbook into a directory of its own.
func (c *crew) book(text string) string {
	c.t.Helper()
	dir := c.t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "book.org"), []byte(text), 0o600); err != nil {
		c.t.Fatal(err)
	}
	return dir
}

// same checks that the documents in two directories are equal.
func (c *crew) same(one, other string) {
	c.t.Helper()
	a, err := os.ReadFile(filepath.Join(one, "book.org"))
	if err != nil {
		c.t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join(other, "book.org"))
	if err != nil {
		c.t.Fatal(err)
	}
	if !bytes.Equal(a, b) {
		c.t.Errorf("%s and %s differ", one, other)
	}
}

// ended says where each component of the run in a directory ended, by its record, and
// checks that each of n did so once.
func (c *crew) ended(dir string, n int) (where map[string]int) {
	c.t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, "events.org"))
	if err != nil {
		c.t.Fatal(err)
	}
	times, where := map[string]int{}, map[string]int{}
	for e := range trace.Events(text) {
		if e.Kind != trace.KindComponentEnd {
			continue
		}
		times[e.Component]++
		at := "the caller"
		for _, p := range e.Props {
			if p.Name == "WORKER" {
				at = p.Value
			}
		}
		where[at]++
	}
	if len(times) != n {
		c.t.Errorf("%d components ended, of %d", len(times), n)
	}
	for id, k := range times {
		if k != 1 {
			c.t.Errorf("%s ended %d times", id, k)
		}
	}
	return where
}

// stored is how many results were ever stored.
func (c *crew) stored() uint64 {
	c.t.Helper()
	for try := 0; ; try++ {
		stream, err := c.js.Stream(c.t.Context(), fabric.Names{Tenant: fabric.DefaultTenant}.ResultsStream())
		if err == nil {
			return stream.CachedInfo().State.LastSeq
		}
		if try == 100 {
			c.t.Fatal(err)
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// sums is a workbook of n components in two languages that sum up numbers, so many
// rounds each; a third of them need what another gave. No other seed has its results.
func sums(n, rounds int, seed string) string {
	var b strings.Builder
	for i := range n {
		use, with := "0", ""
		if i%3 == 0 && i >= 8 {
			use, with = "x", fmt.Sprintf(" :var x=c%d", i-8)
		}
		fmt.Fprintf(&b, "#+name: c%d\n", i)
		if i%2 == 0 {
			fmt.Fprintf(&b, "#+begin_src js%s\n// %s\nlet s = %d + %s\nfor (let j = 0; j < %d; j++) s = (s * 31 + j) %% 1000003\nreturn s\n#+end_src\n\n", with, seed, i, use, rounds)
		} else {
			fmt.Fprintf(&b, "#+begin_src lua%s\n-- %s\nlocal s = %d + %s\nfor j = 0, %d do s = (s * 31 + j) %% 1000003 end\nreturn s\n#+end_src\n\n", with, seed, i, use, rounds)
		}
	}
	return b.String()
}
