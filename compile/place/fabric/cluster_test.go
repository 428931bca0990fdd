package fabric_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"wb/compile/place/fabric"
	"wb/internal/test/natstest"
)

// cluster is three servers.
type cluster struct {
	*natstest.Cluster
	t      *testing.T
	config fabric.Config
}

func newCluster(t *testing.T) *cluster {
	t.Helper()
	c := &cluster{Cluster: natstest.New(t, 3), t: t}
	c.config = fabric.Config{URL: c.URL(), Tenant: "ada", AckWait: 4 * time.Second, Poll: time.Second}
	return c
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
		victim := c.Members[loss%3]
		if loss == 0 {
			_, leader, err := fabric.Copies(t.Context(), caller)
			if err != nil {
				t.Fatal(err)
			}
			victim = c.Named(leader)
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
		victim.Kill()
		pieces.Wait() // without it
		t.Logf("%s lost: the rest took %v", victim.Name, time.Since(begin).Round(time.Millisecond))
		for len(done) > 0 {
			<-done
		}
		if err := victim.Start(); err != nil {
			t.Fatal(err)
		}
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
	if !errors.As(err, &refused) || refused.ExitCode() != 3 || !strings.Contains(refused.Hint(), "at most one copy per running server") {
		t.Fatalf("%v", err)
	}
	if have, _, err := fabric.Copies(t.Context(), s.dial(s.config)); err != nil || slices.ContainsFunc(have, func(n int) bool { return n != 1 }) {
		t.Errorf("copies %v: %v", have, err)
	}
}
