//go:build long

package main

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"wb/compile/place/fabric"
	"wb/internal/test/natstest"
)

const (
	clusterTrials     = 4
	clusterComponents = 200
	// clusterRounds make a component take about a quarter of a second, so that a run on
	// an idle machine lasts until all servers have been killed.
	clusterRounds = 2_000_000
)

// TestClusterRun runs a workbook over three servers and as many workers, four times, and
// meanwhile kills each server in turn at a moment that nobody chose, the one that
// leads the work queue first. Documents are those of a run in one process, and each
// component has one result.
func TestClusterRun(t *testing.T) {
	c := newCrew(t, 3, 3)
	text := sums(clusterComponents, clusterRounds, "")
	alone, took := c.alone(text)
	t.Logf("in one process: %v", took.Round(100*time.Millisecond))
	for trial := range clusterTrials {
		before := c.stored()
		away, fates, ran := c.amid(text)
		c.same(away, alone)
		where := c.ended(away, clusterComponents)
		if where["the caller"] > 0 {
			t.Errorf("%d components ran at the caller", where["the caller"])
		}
		if n := c.stored() - before; n != clusterComponents {
			t.Errorf("%d results were stored, of %d components", n, clusterComponents)
		}
		t.Logf("trial %d: %s; %v; components by worker %v", trial+1, strings.Join(fates, ", "), ran.Round(100*time.Millisecond), where)
		if t.Failed() {
			return
		}
	}
}

// amid runs a workbook while servers are killed. It says what became of them.
func (c *crew) amid(text string) (dir string, fates []string, took time.Duration) {
	c.t.Helper()
	dir = c.book(text)
	cmd := c.wb(dir, "run", "book.org", "--force", "--nats", c.servers.URL())
	said, err := cmd.StderrPipe()
	if err != nil {
		c.t.Fatal(err)
	}
	begin := time.Now()
	if err := cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	var ended atomic.Int64
	killed := make(chan []string, 1)
	over := make(chan struct{})
	go func() { killed <- c.killInTurn(&ended, over) }()
	lines := bufio.NewScanner(said)
	var last []string
	for lines.Scan() {
		if strings.HasPrefix(lines.Text(), "✓ ") {
			ended.Add(1)
		} else {
			last = append(last, lines.Text())
		}
	}
	err = cmd.Wait()
	took = time.Since(begin)
	close(over)
	fates = <-killed
	if err != nil {
		c.t.Fatalf("%v\n%s", err, strings.Join(last, "\n"))
	}
	return dir, fates, took
}

// killInTurn kills each server once while a run goes on, by what is done and not by the
// clock, so that something gets done between two murders however slow the machine is.
// The next one is killed when the others are whole again.
func (c *crew) killInTurn(ended *atomic.Int64, over <-chan struct{}) (fates []string) {
	victims := slices.Clone(c.servers.Members)
	rand.Shuffle(len(victims), func(i, j int) { victims[i], victims[j] = victims[j], victims[i] })
	for i := range victims {
		until := int64(1 + rand.IntN(clusterComponents/5) + i*clusterComponents/4)
		for ended.Load() < until && !isClosed(over) {
			time.Sleep(time.Millisecond)
		}
		time.Sleep(time.Duration(rand.IntN(300)) * time.Millisecond)
		role := ""
		if leader := c.leader(); i == 0 || leader == victims[i].Name {
			at := slices.IndexFunc(victims, func(m *natstest.Member) bool { return m.Name == leader })
			victims[i], victims[at] = victims[at], victims[i]
			role = " (leader)"
		}
		if isClosed(over) {
			c.t.Errorf("the run was over before %s was killed", victims[i].Name)
			return fates
		}
		victims[i].Kill()
		fates = append(fates, fmt.Sprintf("%s%s killed after %d", victims[i].Name, role, ended.Load()))
		time.Sleep(time.Duration(rand.IntN(3000)) * time.Millisecond)
		if err := victims[i].Start(); err != nil {
			c.t.Error(err)
		}
		c.whole()
	}
	return fates
}

func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// streams are those of the tenant.
func (c *crew) streams() []string {
	n := fabric.Names{Tenant: fabric.DefaultTenant}
	return []string{n.WorkStream(), n.ResultsStream(), n.LogStream(), "OBJ_" + n.Objects()}
}

// leader is the server that leads the work queue.
func (c *crew) leader() string {
	for {
		if stream, err := c.js.Stream(c.t.Context(), c.streams()[0]); err == nil && stream.CachedInfo().Cluster.Leader != "" {
			return stream.CachedInfo().Cluster.Leader
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// whole waits until every server is there with all that it ought to have.
func (c *crew) whole() {
	for _, name := range c.streams() {
		for try := 0; ; try++ {
			stream, err := c.js.Stream(c.t.Context(), name)
			if err == nil {
				cluster := stream.CachedInfo().Cluster
				if cluster != nil && cluster.Leader != "" && len(cluster.Replicas) == 2 &&
					!slices.ContainsFunc(cluster.Replicas, func(p *jetstream.PeerInfo) bool { return p.Offline || !p.Current }) {
					break
				}
			}
			if try == 1200 {
				c.t.Errorf("%s is not whole after a minute: %v", name, err)
				break
			}
			time.Sleep(50 * time.Millisecond)
		}
	}
}
