package fabric_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"wb/compile/place/fabric"
	"wb/compile/place/fabric/natsserver"
)

// TestLyingWorker stores results that are not what they say.
func TestLyingWorker(t *testing.T) {
	s := newSite(t, fabric.Quota{})
	var refused atomic.Int32
	q := s.queue(fabric.QueueConfig{
		Notice: func(n fabric.Notice) {
			if n.Kind == fabric.NoticeRefused && n.Worker == "liar" {
				refused.Add(1)
			}
		},
		Check: func(_ string, reply []byte) error {
			if bytes.HasPrefix(reply, []byte("garbage")) {
				return errors.New("it is garbage")
			}
			return nil
		},
	})
	liar := s.dial(s.config)
	if err := fabric.StoreLie(t.Context(), liar, key(0), "liar", []byte("not what the digest says")); err != nil {
		t.Fatal(err)
	}
	if err := fabric.StoreResult(t.Context(), liar, key(1), "liar", []byte("garbage")); err != nil {
		t.Fatal(err)
	}
	s.worker("honest", fabric.WorkerConfig{Execute: upper})
	for i := range 2 {
		if r, err := q.Do(t.Context(), fabric.Work{Key: key(i), Body: []byte("x")}); err != nil || string(r.Body) != "X" || r.Worker != "honest" {
			t.Errorf("%v %+v", err, r)
		}
	}
	if refused.Load() != 2 {
		t.Errorf("%d results were refused", refused.Load())
	}
}

// TestOnlyLiars has no worker whose results are any good: the work ends, and says whose
// they were.
func TestOnlyLiars(t *testing.T) {
	s := newSite(t, fabric.Quota{})
	q := s.queue(fabric.QueueConfig{Check: func(string, []byte) error { return errors.New("it is garbage") }})
	s.worker("liar", fabric.WorkerConfig{Execute: upper})
	_, err := q.Do(t.Context(), fabric.Work{Key: key(0), Body: []byte("x")})
	poison := new(fabric.PoisonError)
	if !errors.As(err, &poison) || len(poison.Tries) != 4 || !strings.Contains(err.Error(), "liar") || !strings.Contains(err.Error(), "it is garbage") {
		t.Errorf("%v", err)
	}
}

// TestBackpressure fills the queue while nobody works: callers wait, what the
// server keeps stays bounded, and all is done in the end.
func TestBackpressure(t *testing.T) {
	s := newSite(t, fabric.Quota{Messages: 10})
	full := make(chan struct{})
	var once sync.Once
	q := s.queue(fabric.QueueConfig{Notice: func(n fabric.Notice) {
		if n.Kind == fabric.NoticeFull {
			once.Do(func() { close(full) })
		}
	}})
	var all sync.WaitGroup
	all.Go(func() { s.done(q, 60, "pressure") })
	<-full
	if n := s.queued(); n > 10 {
		t.Errorf("%d messages wait in a queue of 10", n)
	}
	s.worker("w", fabric.WorkerConfig{Slots: 2, Execute: func(_ context.Context, j *fabric.Job) ([]byte, error) { return grind(j.Body), nil }})
	all.Wait()
}

// queued is how many messages the tenant's queue holds.
func (s *site) queued() uint64 {
	s.t.Helper()
	stream, err := s.jetstream().Stream(s.t.Context(), fabric.Names{Tenant: "ada"}.WorkStream())
	if err != nil {
		s.t.Fatal(err)
	}
	return stream.CachedInfo().State.Msgs
}

func (s *site) jetstream() jetstream.JetStream {
	s.t.Helper()
	conn, err := nats.Connect(s.server.URL(), nats.UserInfo("ada", s.tenant.Token))
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(conn.Close)
	js, err := jetstream.New(conn)
	if err != nil {
		s.t.Fatal(err)
	}
	return js
}

// TestWindow bounds what one caller has under way.
func TestWindow(t *testing.T) {
	s := newSite(t, fabric.Quota{})
	s.config.Window = 3
	q := s.queue(fabric.QueueConfig{})
	var all sync.WaitGroup
	all.Go(func() { s.done(q, 30, "window") })
	for s.queued() < 3 {
		time.Sleep(time.Millisecond)
	}
	most := s.queued()
	s.worker("w", fabric.WorkerConfig{Execute: func(_ context.Context, j *fabric.Job) ([]byte, error) {
		return grind(j.Body), nil
	}})
	all.Wait()
	if most != 3 {
		t.Errorf("%d messages at once, with a window of 3", most)
	}
}

// TestObjectQuota stores more than a tenant may keep.
func TestObjectQuota(t *testing.T) {
	s := newSite(t, fabric.Quota{ObjectBytes: 1 << 20})
	q := s.queue(fabric.QueueConfig{})
	_, err := q.Do(t.Context(), fabric.Work{Key: key(0), Body: bytes.Repeat([]byte("large"), 1<<20)})
	quota := new(fabric.QuotaError)
	if !errors.As(err, &quota) {
		t.Errorf("%v", err)
	}
	var ran atomic.Int32
	s.worker("w", fabric.WorkerConfig{Execute: func(ctx context.Context, j *fabric.Job) ([]byte, error) {
		switch ran.Add(1); j.Tag {
		case "blow up":
			return bytes.Repeat(j.Body, 1<<20), nil
		case "ask":
			return j.Ask(ctx, []byte("how much?"))
		}
		return upper(ctx, j)
	}})
	if _, err := q.Do(t.Context(), fabric.Work{Key: key(1), Body: []byte("small")}); err != nil {
		t.Errorf("work that fits: %v", err)
	}
	// What came of it, and what it asked for, may be too large as well; no other
	// worker would fare better.
	for i, tag := range []string{"blow up", "ask"} {
		ran.Store(0)
		_, err := q.Do(t.Context(), fabric.Work{Key: key(2 + i), Tag: tag, Body: []byte("small"), Answer: func(context.Context, []byte) ([]byte, error) {
			return bytes.Repeat([]byte("large"), 1<<20), nil
		}})
		if !errors.As(err, &quota) || ran.Load() != 1 {
			t.Errorf("%s: after %d tries %v", tag, ran.Load(), err)
		}
	}
}

// TestOldResultsMakeRoom fills the results: the oldest go, and are made again.
func TestOldResultsMakeRoom(t *testing.T) {
	s := newSite(t, fabric.Quota{ResultBytes: 128 << 10})
	var ran atomic.Int32
	s.worker("w", fabric.WorkerConfig{Execute: func(context.Context, *fabric.Job) ([]byte, error) {
		ran.Add(1)
		return bytes.Repeat([]byte("r"), 20<<10), nil
	}})
	q := s.queue(fabric.QueueConfig{})
	for _, i := range []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0} {
		if _, err := q.Do(t.Context(), fabric.Work{Key: key(i)}); err != nil {
			t.Fatal(err)
		}
	}
	if ran.Load() != 11 {
		t.Errorf("it ran %d times", ran.Load())
	}
}

// TestTenants tries to reach one tenant with the tokens of another.
func TestTenants(t *testing.T) {
	server, err := natsserver.Start(t.Context(), natsserver.Config{Dir: t.TempDir(), Tenants: []natsserver.Tenant{
		{Name: "ada"}, {Name: "bob", Quota: fabric.Quota{Messages: 5, MessageBytes: 1 << 20, ResultBytes: 1 << 20, ObjectBytes: 1 << 20}}}})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	ada, _ := server.Tenant("ada")
	bob, _ := server.Tenant("bob")
	dial := func(tenant, user, token string) (*fabric.Link, error) {
		return fabric.Dial(t.Context(), fabric.Config{URL: server.URL(), Tenant: tenant, User: user, Token: token})
	}
	refused := new(fabric.DialError)
	if _, err := dial("ada", "ada", bob.Token); !errors.As(err, &refused) || !refused.Refused {
		t.Errorf("bob's token as ada: %v", err)
	}
	// Bob's user in an account of his own may say ada's names, and reaches
	// streams of his own account by them, which his quota does not allow.
	conn, err := nats.Connect(server.URL(), nats.UserInfo("bob", bob.Token))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	names := fabric.Names{Tenant: "ada"}
	for _, stream := range []string{names.WorkStream(), names.ResultsStream(), "OBJ_" + names.Objects()} {
		if _, err := js.Stream(t.Context(), stream); !errors.Is(err, jetstream.ErrStreamNotFound) {
			t.Errorf("bob and %s: %v", stream, err)
		}
	}
	sub, err := conn.SubscribeSync(">")
	if err != nil {
		t.Fatal(err)
	}
	link, err := dial("ada", "ada", ada.Token)
	if err != nil {
		t.Fatal(err)
	}
	defer link.Close()
	if err := fabric.StoreResult(t.Context(), link, key(0), "w", []byte("ada's secret")); err != nil {
		t.Fatal(err)
	}
	if err := conn.Publish("after", nil); err != nil {
		t.Fatal(err)
	}
	for {
		m, err := sub.NextMsg(5 * time.Second)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(m.Subject, "wb.ada") {
			t.Errorf("bob hears %s", m.Subject)
		}
		if m.Subject == "after" {
			break
		}
	}
	// The account's limit holds whatever streams bob makes himself.
	if _, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: "GREEDY", Subjects: []string{"greedy"}, MaxBytes: 1 << 40}); err == nil {
		t.Error("bob reserved a terabyte")
	}
}

// TestWorkerRights tries to do with a worker's token what only callers may.
func TestWorkerRights(t *testing.T) {
	s := newSite(t, fabric.Quota{})
	if err := fabric.StoreResult(t.Context(), s.dial(s.config), key(0), "w", []byte("r")); err != nil {
		t.Fatal(err)
	}
	denied := make(chan error, 100)
	conn, err := nats.Connect(s.server.URL(), nats.UserInfo(fabric.WorkerUser("ada"), s.tenant.WorkerToken), nats.CustomInboxPrefix("_INBOX."+fabric.WorkerUser("ada")),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { denied <- err }))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	n := fabric.Names{Tenant: "ada"}
	for _, subject := range []string{n.Work(key(1)), "$JS.API.STREAM.DELETE." + n.ResultsStream(), "$JS.API.STREAM.PURGE." + n.ResultsStream(),
		"$JS.API.STREAM.MSG.DELETE." + n.ResultsStream(), "$JS.API.STREAM.UPDATE." + n.WorkStream(), "$JS.API.STREAM.CREATE.OTHER", n.Cancel(key(0))} {
		if err := conn.Publish(subject, nil); err != nil {
			t.Fatal(err)
		}
		if err := <-denied; !strings.Contains(strings.ToLower(err.Error()), "permissions violation") {
			t.Errorf("%s: %v", subject, err)
		}
	}
	for _, subject := range []string{">", "_INBOX.>", "_INBOX.ada.>", n.Ask("*"), n.Work("*")} {
		if _, err := conn.SubscribeSync(subject); err != nil {
			t.Fatal(err)
		}
		if err := <-denied; !strings.Contains(strings.ToLower(err.Error()), "permissions violation") {
			t.Errorf("listening to %s: %v", subject, err)
		}
	}
}

// TestTenantsShareNothing asks for the same work as two tenants: one cannot tell
// from anything, how long it takes included, that the other has had it done, and
// one whose queue is full does not hold up the other.
func TestTenantsShareNothing(t *testing.T) {
	server, err := natsserver.Start(t.Context(), natsserver.Config{Dir: t.TempDir(), AckWait: time.Minute, Tenants: []natsserver.Tenant{
		{Name: "ada"}, {Name: "bob", Quota: fabric.Quota{Messages: 5}}}})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	ends := map[string]*site{}
	for _, tenant := range server.Tenants() {
		ends[tenant.Name] = &site{t: t, server: server, tenant: tenant,
			config: fabric.Config{URL: server.URL(), Tenant: tenant.Name, Token: tenant.Token, AckWait: time.Minute, Poll: time.Second, Quota: tenant.Quota}}
	}
	var ran atomic.Int32
	work := func(s *site, name string) {
		c := s.config
		c.Name, c.User, c.Token = name, fabric.WorkerUser(s.tenant.Name), s.tenant.WorkerToken
		w := fabric.NewWorker(s.dial(c), fabric.WorkerConfig{Execute: func(ctx context.Context, j *fabric.Job) ([]byte, error) {
			ran.Add(1)
			return upper(ctx, j)
		}})
		ctx, leave := context.WithCancel(context.WithoutCancel(t.Context()))
		ended := make(chan struct{})
		go func() { _ = w.Run(ctx); close(ended) }()
		t.Cleanup(func() { leave(); <-ended })
	}
	// Bob's queue is full, and nobody works for him.
	full := make(chan struct{})
	var once sync.Once
	bob := ends["bob"].queue(fabric.QueueConfig{Notice: func(n fabric.Notice) {
		if n.Kind == fabric.NoticeFull {
			once.Do(func() { close(full) })
		}
	}})
	var waiting sync.WaitGroup
	for i := range 20 {
		waiting.Go(func() {
			r, err := bob.Do(t.Context(), fabric.Work{Key: key(i), Body: []byte("same")})
			if err != nil || r.Kept || r.Worker != "bob's" {
				t.Errorf("bob's %d: %+v %v", i, r, err)
			}
		})
	}
	<-full
	work(ends["ada"], "ada's")
	ada := ends["ada"].queue(fabric.QueueConfig{})
	for i := range 20 {
		if r, err := ada.Do(t.Context(), fabric.Work{Key: key(i), Body: []byte("same")}); err != nil || r.Kept || r.Worker != "ada's" {
			t.Errorf("ada's %d: %+v %v", i, r, err)
		}
	}
	if n := ran.Load(); n != 20 {
		t.Errorf("with bob waiting, %d pieces were done", n)
	}
	work(ends["bob"], "bob's")
	waiting.Wait()
	if n := ran.Load(); n != 40 {
		t.Errorf("two tenants had 20 pieces done each, in all %d", n)
	}
}
