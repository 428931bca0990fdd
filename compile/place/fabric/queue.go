package fabric

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nuid"
)

// Queue is a caller's end of the fabric. It is safe for concurrent use.
type Queue struct {
	link *Link
	id   string
	// window has a slot for each piece of work that may be under way.
	window chan struct{}
	notice func(Notice)
	check  func(key string, reply []byte) error
	// started asks workers to tell when they begin.
	started bool
	subs    []*nats.Subscription
	stop    chan struct{}

	mu      sync.Mutex
	waiting map[string][]*waiter
	calls   map[string]*call
}

// waiter is one Do that waits for a key.
type waiter struct {
	told chan struct{}
	// refused are the results of the key that were no good.
	refused []Try
	// stored is the result or failure that it was told of, nil when it ought to
	// look for itself; [Queue.mu] guards it.
	stored *nats.Msg
}

// call is work of this caller that workers may ask about.
type call struct {
	ctx    context.Context
	tag    string
	answer Answer
}

// Answer answers a question that a worker has about work. It may be called
// several times at once.
type Answer func(ctx context.Context, question []byte) ([]byte, error)

// Reply is the result of a piece of work.
type Reply struct {
	Body   []byte
	Worker string        // who made it
	Took   time.Duration // how long that took
	// Kept says that the result was there already.
	Kept bool
}

// QueueConfig says what a caller wants to hear.
type QueueConfig struct {
	// Notice hears of what happens, one call at a time or several; nil need not.
	Notice func(Notice)
	// Started asks for a notice of each beginning, which costs a message each.
	Started bool
	// Check refuses replies that are no good; a refused one is removed and the
	// work done again. Nil takes what has the right digest.
	Check func(key string, reply []byte) error
}

// NewQueue is a caller on a link. Close it before the link.
func NewQueue(l *Link, config QueueConfig) (*Queue, error) {
	q := &Queue{link: l, id: nuid.Next(), window: make(chan struct{}, l.config.Window), notice: config.Notice, check: config.Check, started: config.Started,
		stop: make(chan struct{}), waiting: map[string][]*waiter{}, calls: map[string]*call{}}
	if q.notice == nil {
		q.notice = func(Notice) {}
	}
	if q.check == nil {
		q.check = func(string, []byte) error { return nil }
	}
	n := l.names
	for subject, handle := range map[string]nats.MsgHandler{
		n.subject("done", "*", "*"): q.wake,
		n.Log(LogConflict, "*"):     q.conflict,
		n.Live(q.id):                q.live,
		n.Ask(q.id):                 func(m *nats.Msg) { go q.asked(m) },
	} {
		sub, err := l.conn.Subscribe(subject, handle)
		if err != nil {
			q.Close()
			return nil, fmt.Errorf("fabric: %w", err)
		}
		q.subs = append(q.subs, sub)
	}
	if err := l.conn.Flush(); err != nil {
		q.Close()
		return nil, fmt.Errorf("fabric: %w", err)
	}
	go q.look()
	return q, nil
}

// Close stops listening. Work that is under way ends with the context of its Do.
func (q *Queue) Close() {
	for _, sub := range q.subs {
		_ = sub.Unsubscribe() // the connection may be gone, and the subscription with it
	}
	select {
	case <-q.stop:
	default:
		close(q.stop)
	}
}

// look wakes all that wait now and then, and after a reconnection: they may
// have missed something.
func (q *Queue) look() {
	tick := time.NewTicker(q.link.config.Poll)
	defer tick.Stop()
	for {
		select {
		case <-q.stop:
			return
		case <-tick.C:
		case <-q.link.mended:
		}
		q.mu.Lock()
		for _, list := range q.waiting {
			for _, w := range list {
				w.tell()
			}
		}
		q.mu.Unlock()
	}
}

// wake passes on what was stored to those who wait for it.
func (q *Queue) wake(m *nats.Msg) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, w := range q.waiting[keyOf(m.Subject)] {
		w.stored = m
		w.tell()
	}
}

// heard is what a waiter was told of since it was asked last.
func (q *Queue) heard(w *waiter) *nats.Msg {
	q.mu.Lock()
	defer q.mu.Unlock()
	m := w.stored
	w.stored = nil
	return m
}

func (w *waiter) tell() {
	select {
	case w.told <- struct{}{}:
	default:
	}
}

func (q *Queue) wait(key string) *waiter {
	w := &waiter{told: make(chan struct{}, 1)}
	q.mu.Lock()
	q.waiting[key] = append(q.waiting[key], w)
	q.mu.Unlock()
	return w
}

func (q *Queue) leave(key string, w *waiter) {
	q.mu.Lock()
	defer q.mu.Unlock()
	list := q.waiting[key]
	for i := range list {
		if list[i] == w {
			list = append(list[:i:i], list[i+1:]...)
			break
		}
	}
	if len(list) == 0 {
		delete(q.waiting, key)
	} else {
		q.waiting[key] = list
	}
}

// Work is a caller's piece of work.
type Work struct {
	// Key names it: a digest in hex of all that may change its reply.
	Key  string
	Body []byte
	// Tag is the caller's name for it, in notices.
	Tag string
	// Answer answers questions about it; nil has no answers.
	Answer Answer
}

// Do has work done and returns its reply. Work with the same key that is
// already queued, under way or done, for whomever, is joined and not repeated.
//
// The error is ctx's, a *PoisonError, a *DeclinedError, a *QuotaError when the
// work is larger than there is room for, or one of the connection. When ctx ends
// the work is withdrawn, unless it was joined.
func (q *Queue) Do(ctx context.Context, w Work) (*Reply, error) {
	if err := checkKey(w.Key); err != nil {
		return nil, err
	}
	select {
	case q.window <- struct{}{}:
		defer func() { <-q.window }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	waiter := q.wait(w.Key)
	defer q.leave(w.Key, waiter)
	if reply, err := q.result(ctx, w.Key); reply != nil || err != nil {
		return reply, err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	id := q.register(ctx, w)
	defer q.unregister(id)
	for {
		seq, own, err := q.post(ctx, w, id)
		if err != nil {
			if ctx.Err() != nil {
				q.retract(w.Key, id) // it may be queued all the same
			}
			return nil, err
		}
		reply, again, err := q.await(ctx, w, waiter, seq)
		if err != nil && own {
			q.withdraw(w.Key, seq) // it may be queued again behind a failure
		}
		if !again {
			return reply, err
		}
		if len(waiter.refused) >= q.link.config.MaxTries {
			return nil, &PoisonError{w.Key, waiter.refused}
		}
	}
}

// Forget removes the stored reply to a key.
func (q *Queue) Forget(ctx context.Context, key string) error {
	return q.link.retry(ctx, func(ctx context.Context) error {
		m, err := q.link.last(ctx, q.link.names.Result(key))
		if m == nil || err != nil {
			return err
		}
		return q.link.remove(ctx, q.link.names.ResultsStream(), m.Sequence)
	})
}

// Link is the queue's connection.
func (q *Queue) Link() *Link { return q.link }

func (q *Queue) register(ctx context.Context, w Work) string {
	id := nuid.Next()
	q.mu.Lock()
	q.calls[id] = &call{ctx: ctx, tag: w.Tag, answer: w.Answer}
	q.mu.Unlock()
	return id
}

func (q *Queue) unregister(id string) {
	q.mu.Lock()
	delete(q.calls, id)
	q.mu.Unlock()
}

// post puts work into the queue. It returns where its message stands there, and
// whether that is ours and not one that was there.
func (q *Queue) post(ctx context.Context, w Work, id string) (seq uint64, own bool, err error) {
	m := &nats.Msg{Subject: q.link.names.Work(w.Key), Header: nats.Header{}}
	m.Header.Set(headCaller, q.id)
	m.Header.Set(headCall, id)
	m.Header.Set(headTag, w.Tag)
	if q.started {
		m.Header.Set(headStarted, "1")
	}
	if err := q.link.retry(ctx, func(ctx context.Context) error { return q.link.pack(ctx, m, w.Body) }); err != nil {
		return 0, false, err
	}
	pause := 20 * time.Millisecond
	for said := false; ; {
		err := q.link.retry(ctx, func(ctx context.Context) error {
			// Not cut short when ctx ends: whoever does not know whether the server
			// has the message cannot withdraw it.
			sending, cancel := context.WithTimeout(context.WithoutCancel(ctx), publishWait)
			defer cancel()
			ack, err := q.link.js.PublishMsg(sending, m)
			if err == nil {
				seq = ack.Sequence
			}
			return err
		})
		switch {
		case err == nil:
			return seq, true, nil
		case isFull(err, "maximum messages per subject"):
			// Ours too, when the server has it and its answer was lost.
			return q.queuedBy(ctx, w.Key, id)
		case !isFull(err, "maximum"):
			return 0, false, fmt.Errorf("fabric: %w", quotaError(err))
		case isFull(err, "maximum bytes") && int64(len(m.Data)) > q.link.config.Quota.MessageBytes:
			return 0, false, &QuotaError{err}
		}
		if !said {
			q.notice(Notice{Kind: NoticeFull, Key: w.Key, Tag: w.Tag, Text: err.Error()})
			said = true
		}
		if err := sleep(ctx, pause); err != nil {
			return 0, false, err
		}
		pause = min(2*pause, time.Second)
	}
}

// publishWait is how long the server may take to say that it has a message.
const publishWait = 3 * time.Second

func isFull(err error, text string) bool {
	api := new(jetstream.APIError)
	return errors.As(err, &api) && int(api.ErrorCode) == codeStoreFailed && strings.Contains(api.Description, text)
}

// await waits for a result, or for the failure of the message at seq or a later
// one. again says that the work has to be posted once more.
func (q *Queue) await(ctx context.Context, w Work, waiter *waiter, seq uint64) (reply *Reply, again bool, err error) {
	if seq == 0 {
		waiter.tell() // what was queued is gone already
	}
	for {
		select {
		case <-ctx.Done():
			return nil, false, ctx.Err()
		case <-waiter.told:
		}
		m := q.heard(waiter)
		if m != nil && m.Subject == q.link.names.subject("done", "result", w.Key) {
			if reply := q.taken(ctx, w, m.Header, m.Data); reply != nil {
				return reply, false, nil
			}
		}
		// Asked first: work that is neither queued nor done later on is gone, with
		// a queue that was emptied or a result that had to make room.
		queued, err := q.queued(ctx, w.Key)
		if err != nil {
			return nil, false, err
		}
		reply, err := q.take(ctx, w, &waiter.refused)
		if reply != nil || err != nil {
			return reply, false, err
		}
		failed, err := q.failed(ctx, w.Key)
		if err != nil {
			return nil, false, err
		}
		if failed == nil || failed.Sequence < seq {
			if queued > 0 {
				continue
			}
			return nil, true, nil
		}
		switch failed.Kind {
		case failedWithdrawn:
			return nil, true, nil
		case failedDeclined:
			return nil, false, &DeclinedError{w.Key, failed.Tries}
		case failedQuota:
			return nil, false, &QuotaError{errors.New(failed.Why)}
		}
		return nil, false, &PoisonError{w.Key, failed.Tries}
	}
}

// result is the stored reply to a key; one that is no good is removed.
func (q *Queue) result(ctx context.Context, key string) (*Reply, error) {
	reply, err := q.take(ctx, Work{Key: key}, new([]Try))
	if reply != nil {
		reply.Kept = true
	}
	return reply, err
}

// take is the result of a key as it is stored, nil when there is none that is
// any good; such a one is added to refused.
func (q *Queue) take(ctx context.Context, w Work, refused *[]Try) (reply *Reply, err error) {
	err = q.link.retry(ctx, func(ctx context.Context) error {
		stored, err := q.link.last(ctx, q.link.names.Result(w.Key))
		if stored == nil || err != nil {
			return err
		}
		if reply, err = q.open(ctx, w, stored.Header, stored.Data); err == nil || !errors.As(err, new(*badResult)) {
			return err
		}
		worker := stored.Header.Get(headWorker)
		q.notice(Notice{Kind: NoticeRefused, Key: w.Key, Tag: w.Tag, Worker: worker, Text: err.Error()})
		*refused = append(*refused, Try{Worker: worker, At: time.Now().UTC(), Why: "its result was refused: " + err.Error()})
		return q.link.remove(ctx, q.link.names.ResultsStream(), stored.Sequence)
	})
	return reply, err
}

// taken is a result that this caller was told of; nil when it has to look at
// what is stored.
func (q *Queue) taken(ctx context.Context, w Work, header nats.Header, data []byte) *Reply {
	reply, err := q.open(ctx, w, header, data)
	if err != nil {
		return nil
	}
	return reply
}

// badResult says that a result is not what it should be.
type badResult struct{ err error }

func (e *badResult) Error() string { return e.err.Error() }
func (e *badResult) Unwrap() error { return e.err }

// open reads a result message.
func (q *Queue) open(ctx context.Context, w Work, header nats.Header, data []byte) (*Reply, error) {
	body, err := q.link.unpack(ctx, header, data)
	if errors.Is(err, ErrDigest) || errors.Is(err, jetstream.ErrObjectNotFound) {
		return nil, &badResult{err}
	}
	if err != nil {
		return nil, err
	}
	if err := q.check(w.Key, body); err != nil {
		return nil, &badResult{err}
	}
	took, _ := strconv.ParseInt(header.Get(headTook), 10, 64) // 0 when unknown
	return &Reply{Body: body, Worker: header.Get(headWorker), Took: time.Duration(took) * time.Microsecond}, nil
}

// failed is the failure stored for a key, nil when there is none.
func (q *Queue) failed(ctx context.Context, key string) (f *failure, err error) {
	err = q.link.retry(ctx, func(ctx context.Context) error {
		stored, err := q.link.last(ctx, q.link.names.Failure(key))
		if stored == nil || err != nil {
			return err
		}
		f = new(failure)
		return json.Unmarshal(stored.Data, f)
	})
	return f, err
}

// queued is where the message of a key stands in the queue, 0 when there is
// none.
func (q *Queue) queued(ctx context.Context, key string) (seq uint64, err error) {
	seq, _, err = q.queuedBy(ctx, key, "")
	return seq, err
}

// queuedBy is queued, and whether the message is that of a call.
func (q *Queue) queuedBy(ctx context.Context, key, call string) (seq uint64, own bool, err error) {
	err = q.link.retry(ctx, func(ctx context.Context) error {
		m, err := q.link.last(ctx, q.link.names.Work(key))
		seq, own = 0, false
		if m != nil {
			seq, own = m.Sequence, m.Header.Get(headCall) == call
		}
		return err
	})
	return seq, own, err
}

// withdraw cancels work without a waiting caller. It has a moment of
// its own, since the context that it was wanted in is over.
func (q *Queue) withdraw(key string, seq uint64) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	q.mu.Lock()
	others := len(q.waiting[key]) > 1
	q.mu.Unlock()
	if others {
		return
	}
	if stream, err := q.link.js.Stream(ctx, q.link.names.WorkStream()); err == nil {
		_ = stream.Purge(ctx, jetstream.WithPurgeSubject(q.link.names.Work(key))) // it may be done meanwhile
	}
	_ = q.link.conn.Publish(q.link.names.Cancel(key), strconv.AppendUint(nil, seq, 10))
	_ = q.link.fail(ctx, key, failure{Kind: failedWithdrawn, Why: "cancelled by its caller", Sequence: seq}) // others look for themselves in time
}

// retract withdraws the message of a call that ended before the server said that
// it has it.
func (q *Queue) retract(key, id string) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	m, err := q.link.last(ctx, q.link.names.Work(key))
	if err == nil && m != nil && m.Header.Get(headCall) == id {
		q.withdraw(key, m.Sequence)
	}
}

// live hears what workers say of this caller's work.
func (q *Queue) live(m *nats.Msg) {
	var n Notice
	if json.Unmarshal(m.Data, &n) == nil {
		q.notice(n)
	}
}

// conflict hears of results that differ.
func (q *Queue) conflict(m *nats.Msg) {
	var c Conflict
	if json.Unmarshal(m.Data, &c) != nil {
		return
	}
	q.notice(Notice{Kind: NoticeConflict, Key: c.Key, Worker: c.Second, Text: c.Error()})
}

// asked answers a worker's question.
func (q *Queue) asked(m *nats.Msg) {
	q.mu.Lock()
	c := q.calls[m.Header.Get(headCall)]
	q.mu.Unlock()
	reply := &nats.Msg{Subject: m.Reply, Header: nats.Header{}}
	if c == nil || c.answer == nil {
		reply.Header.Set(headError, errNobody)
		_ = m.RespondMsg(reply) // the worker asks in vain, as it would without us
		return
	}
	question, err := q.link.unpack(c.ctx, m.Header, m.Data)
	var answer []byte
	if err == nil {
		answer, err = c.answer(c.ctx, question)
	}
	if err == nil {
		err = q.link.pack(c.ctx, reply, answer)
	}
	if err != nil {
		said := err.Error()
		if quota := new(QuotaError); errors.As(err, &quota) {
			said = errFull + quota.Err.Error()
		}
		reply.Header.Set(headError, said)
	}
	_ = m.RespondMsg(reply)
}

// errNobody is the answer to questions about work without a waiting caller.
const errNobody = "no caller waits for this work"

// errFull begins answers that did not fit into the tenant's quota.
const errFull = "no room: "
