package fabric_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"wb/compile/place/fabric"
	"wb/compile/place/fabric/natsserver"
)

// site is a server of this test with one tenant, and connections to it.
type site struct {
	t      *testing.T
	server *natsserver.Server
	tenant natsserver.Tenant
	config fabric.Config // of callers
	// finished is how much work done has seen the end of.
	finished atomic.Int64
}

// Workers are patient in it: on a busy machine even one that lives may be silent
// for a while.
func newSite(t *testing.T, quota fabric.Quota) *site { return newSiteWith(t, quota, time.Minute) }

// newHastySite is one where work is taken from a worker that is silent for a
// second, for tests of what happens then.
func newHastySite(t *testing.T) *site { return newSiteWith(t, fabric.Quota{}, time.Second) }

func newSiteWith(t *testing.T, quota fabric.Quota, ackWait time.Duration) *site {
	t.Helper()
	server, err := natsserver.Start(t.Context(), natsserver.Config{Dir: t.TempDir(), Tenants: []natsserver.Tenant{{Name: "ada", Quota: quota}}, AckWait: ackWait})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	tenant, _ := server.Tenant("ada")
	return &site{t: t, server: server, tenant: tenant, config: fabric.Config{URL: server.URL(), Tenant: "ada", Token: tenant.Token, AckWait: ackWait, Poll: time.Second, Quota: quota}}
}

func (s *site) dial(config fabric.Config) *fabric.Link {
	s.t.Helper()
	l, err := fabric.Dial(s.t.Context(), config)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(l.Close)
	return l
}

func (s *site) queue(config fabric.QueueConfig) *fabric.Queue {
	s.t.Helper()
	q, err := fabric.NewQueue(s.dial(s.config), config)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(q.Close)
	return q
}

// worker runs a worker until the test ends or leave is called.
func (s *site) worker(name string, config fabric.WorkerConfig) (leave func()) {
	s.t.Helper()
	c := s.config
	c.Name, c.User, c.Token = name, fabric.WorkerUser("ada"), s.tenant.WorkerToken
	w := fabric.NewWorker(s.dial(c), config)
	ctx, cancel := context.WithCancel(context.WithoutCancel(s.t.Context()))
	done := make(chan error, 1)
	go func() { done <- w.Run(ctx) }()
	leave = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			s.t.Errorf("worker %s: %v", name, err)
		}
	})
	s.t.Cleanup(leave)
	return leave
}

// key is a key that n gives.
func key(n int) string { return fmt.Sprintf("%064x", n+1) }

func upper(_ context.Context, j *fabric.Job) ([]byte, error) { return bytes.ToUpper(j.Body), nil }

func TestWorkIsDone(t *testing.T) {
	s := newSite(t, fabric.Quota{})
	var ran atomic.Int32
	for i := range 3 {
		s.worker(fmt.Sprintf("w%d", i), fabric.WorkerConfig{Slots: 2, Execute: func(ctx context.Context, j *fabric.Job) ([]byte, error) {
			ran.Add(1)
			return upper(ctx, j)
		}})
	}
	q := s.queue(fabric.QueueConfig{})
	do := func(round int) {
		var all sync.WaitGroup
		for i := range 50 {
			all.Go(func() {
				body := strings.Repeat(fmt.Sprintf("work %d ", i), 1+i*400) // the larger ones are objects
				r, err := q.Do(t.Context(), fabric.Work{Key: key(i), Body: []byte(body), Tag: "t"})
				if err != nil {
					t.Errorf("work %d: %v", i, err)
				} else if string(r.Body) != strings.ToUpper(body) {
					t.Errorf("work %d: %d bytes are wrong", i, len(r.Body))
				} else if r.Kept != (round > 0) || r.Worker == "" {
					t.Errorf("work %d in round %d: kept %v by %q", i, round, r.Kept, r.Worker)
				}
			})
		}
		all.Wait()
	}
	do(0)
	do(1)
	if ran.Load() != 50 {
		t.Errorf("50 pieces of work ran %d times", ran.Load())
	}
}

func TestSameWorkIsDoneOnce(t *testing.T) {
	s := newSite(t, fabric.Quota{})
	var ran atomic.Int32
	begin := make(chan struct{})
	s.worker("w", fabric.WorkerConfig{Slots: 4, Execute: func(ctx context.Context, j *fabric.Job) ([]byte, error) {
		ran.Add(1)
		<-begin
		return upper(ctx, j)
	}})
	var all sync.WaitGroup
	for range 5 {
		q := s.queue(fabric.QueueConfig{}) // five callers
		all.Go(func() {
			if _, err := q.Do(t.Context(), fabric.Work{Key: key(0), Body: []byte("x")}); err != nil {
				t.Error(err)
			}
		})
	}
	for ran.Load() == 0 {
		time.Sleep(time.Millisecond)
	}
	close(begin)
	all.Wait()
	if ran.Load() != 1 {
		t.Errorf("it ran %d times", ran.Load())
	}
}

func TestQuestions(t *testing.T) {
	s := newSite(t, fabric.Quota{})
	s.worker("w", fabric.WorkerConfig{Execute: func(ctx context.Context, j *fabric.Job) ([]byte, error) {
		a, err := j.Ask(ctx, []byte("small"))
		if err != nil {
			return nil, err
		}
		b, err := j.Ask(ctx, bytes.Repeat([]byte("large"), 100_000))
		if err != nil {
			return nil, err
		}
		if _, err := j.Ask(ctx, []byte("bad")); err == nil || err.Error() != "no such thing" {
			return nil, fmt.Errorf("asking for bad: %v", err)
		}
		return fmt.Appendf(nil, "%s %d", a, len(b)), nil
	}})
	q := s.queue(fabric.QueueConfig{})
	r, err := q.Do(t.Context(), fabric.Work{Key: key(0), Answer: func(_ context.Context, question []byte) ([]byte, error) {
		if string(question) == "bad" {
			return nil, errors.New("no such thing")
		}
		return append([]byte("re:"), question...), nil
	}})
	if err != nil || string(r.Body) != "re:small 500003" {
		t.Errorf("%v, %s", err, r.Body)
	}
}

func TestPoison(t *testing.T) {
	s := newSite(t, fabric.Quota{})
	for i := range 2 {
		s.worker(fmt.Sprintf("w%d", i), fabric.WorkerConfig{Execute: func(ctx context.Context, j *fabric.Job) ([]byte, error) {
			if j.Tag == "bad" {
				return nil, errors.New("it burns")
			}
			return upper(ctx, j)
		}})
	}
	q := s.queue(fabric.QueueConfig{})
	_, err := q.Do(t.Context(), fabric.Work{Key: key(0), Tag: "bad"})
	poison := new(fabric.PoisonError)
	if !errors.As(err, &poison) || len(poison.Tries) != 4 || !strings.Contains(err.Error(), "it burns") {
		t.Errorf("%v", err)
	}
	if r, err := q.Do(t.Context(), fabric.Work{Key: key(1), Body: []byte("good")}); err != nil || string(r.Body) != "GOOD" {
		t.Errorf("after it: %v", err)
	}
	// Asked for again, when what was wrong is mended, it starts anew.
	if r, err := q.Do(t.Context(), fabric.Work{Key: key(0), Body: []byte("well")}); err != nil || string(r.Body) != "WELL" {
		t.Errorf("again: %v", err)
	}
}

func TestDeclined(t *testing.T) {
	s := newSite(t, fabric.Quota{})
	no := func(context.Context, *fabric.Job) ([]byte, error) {
		return nil, &fabric.Declined{Reason: "no compiler"}
	}
	s.worker("w0", fabric.WorkerConfig{Execute: no})
	var declined atomic.Int32
	q := s.queue(fabric.QueueConfig{Notice: func(n fabric.Notice) {
		if n.Kind == fabric.NoticeDeclined && n.Worker == "w0" && n.Text == "no compiler" {
			declined.Add(1)
		}
	}})
	done := make(chan error, 1)
	go func() {
		_, err := q.Do(t.Context(), fabric.Work{Key: key(0), Body: []byte("x")})
		done <- err
	}()
	for declined.Load() < 2 {
		time.Sleep(time.Millisecond)
	}
	s.worker("w1", fabric.WorkerConfig{Execute: upper})
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestConflict(t *testing.T) {
	s := newSite(t, fabric.Quota{})
	heard := make(chan fabric.Notice, 10)
	q := s.queue(fabric.QueueConfig{Notice: func(n fabric.Notice) { heard <- n }})
	// The first worker is cut off while it works and comes back late with
	// something else: here its place is taken by storing a result behind it.
	other := s.queue(fabric.QueueConfig{})
	_ = other
	begun, finish := make(chan struct{}), make(chan struct{})
	var once sync.Once
	s.worker("slow", fabric.WorkerConfig{Execute: func(context.Context, *fabric.Job) ([]byte, error) {
		once.Do(func() { close(begun) })
		<-finish
		return []byte("mine"), nil
	}})
	go q.Do(t.Context(), fabric.Work{Key: key(0), Body: []byte("x")})
	<-begun
	if err := fabric.StoreResult(t.Context(), s.dial(s.config), key(0), "fast", []byte("yours")); err != nil {
		t.Fatal(err)
	}
	close(finish)
	for n := range heard {
		if n.Kind == fabric.NoticeConflict {
			if !strings.Contains(n.Text, "fast") || !strings.Contains(n.Text, "slow") {
				t.Errorf("%s", n.Text)
			}
			break
		}
	}
	if r, err := q.Do(t.Context(), fabric.Work{Key: key(0)}); err != nil || string(r.Body) != "yours" {
		t.Errorf("the first does not stand: %v %s", err, r.Body)
	}
}
