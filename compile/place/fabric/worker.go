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
)

// Executor does work. The reply must depend on nothing but the work and what
// was answered to its questions. It is called by several goroutines at once.
//
// A *Declined leaves the work to other workers; any other error counts as a
// failed try. When ctx ends it returns soon.
type Executor func(ctx context.Context, job *Job) (reply []byte, err error)

// Job is a piece of work as its worker has it.
type Job struct {
	Key  string
	Tag  string
	Body []byte
	// Ask puts a question to the caller. An error that is [ErrCallerGone] means
	// that nobody waits any more.
	Ask func(ctx context.Context, question []byte) ([]byte, error)
}

// Declined says that a worker cannot do a piece of work that others may.
type Declined struct{ Reason string }

func (e *Declined) Error() string { return e.Reason }

// ErrCallerGone says that the caller of a piece of work does not answer.
var ErrCallerGone = errors.New("the caller is gone")

var (
	errCancelled = errors.New("cancelled by its caller")
	errLeaving   = errors.New("the worker is leaving")
)

// WorkerConfig says how much a worker does and what it tells.
type WorkerConfig struct {
	// Slots is how much work it does at once (1).
	Slots int
	// Execute does it.
	Execute Executor
	// Grace is how long work may go on when the worker has been told to leave
	// (30 s); then it goes back to the queue.
	Grace time.Duration
	// Same reports whether two replies to the same work say the same although
	// their bytes differ, such as in how long it took; nil compares bytes.
	Same func(a, b []byte) bool
	// Told hears of each piece of work that ended; nil need not.
	Told func(Ended)
}

// Ended is the end of a piece of work at a worker.
type Ended struct {
	Key, Tag string
	Took     time.Duration
	Stored   bool  // the result is this worker's
	Err      error // why there is none, or why it did not count
}

// Worker takes work off a tenant's queue.
type Worker struct {
	link   *Link
	config WorkerConfig

	mu      sync.Mutex
	running map[string]*running // by key
	// withdrawn is where the messages stood that were withdrawn lately, by key: a
	// withdrawal can overtake the message that it is about.
	withdrawn map[string]uint64
	done      int
}

// running is work that a worker has begun.
type running struct {
	sequence uint64 // of its message in the queue
	cancel   context.CancelCauseFunc
}

// mostWithdrawn is how many withdrawals a worker remembers: far more than can
// be on their way at once.
const mostWithdrawn = 16 << 10

// NewWorker is a worker on a link.
func NewWorker(l *Link, config WorkerConfig) *Worker {
	config.Slots = max(1, config.Slots)
	if config.Grace == 0 {
		config.Grace = 30 * time.Second
	}
	if config.Told == nil {
		config.Told = func(Ended) {}
	}
	return &Worker{link: l, config: config, running: map[string]*running{}, withdrawn: map[string]uint64{}}
}

// Run works until ctx ends, then finishes what it has begun, gives back what
// takes longer than the grace, and returns.
func (w *Worker) Run(ctx context.Context) error {
	n := w.link.names
	for subject, handle := range map[string]nats.MsgHandler{
		n.Cancel("*"): func(m *nats.Msg) { w.cancel(keyOf(m.Subject), m.Data) },
		n.Roll():      w.answerRoll,
	} {
		sub, err := w.link.conn.Subscribe(subject, handle)
		if err != nil {
			return fmt.Errorf("fabric: %w", err)
		}
		defer sub.Unsubscribe()
	}
	// Work outlives ctx by the grace.
	working, stop := context.WithCancelCause(context.WithoutCancel(ctx))
	defer stop(nil)
	context.AfterFunc(ctx, func() { time.AfterFunc(w.config.Grace, func() { stop(errLeaving) }) })
	var slots sync.WaitGroup
	var failed error
	for range w.config.Slots {
		// A slot asks for a message when it is free and not before, so others
		// have what it could not begin at once.
		pull, err := newPuller(w.link)
		if err != nil {
			failed = fmt.Errorf("fabric: %w", err)
			break
		}
		slots.Go(func() {
			for m := pull.next(ctx); m != nil; m = pull.next(ctx) {
				w.handle(working, m)
			}
			pull.stop(w.leaveBehind)
		})
	}
	slots.Wait()
	return errors.Join(failed, w.link.conn.FlushTimeout(2*time.Second))
}

// leaveBehind gives back a message that came when the worker was leaving.
func (w *Worker) leaveBehind(m *nats.Msg) {
	a := assigned(m)
	if a == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), w.link.config.AckWait)
	defer cancel()
	var err error
	if a.tries, err = w.tries(ctx, a.key); err == nil {
		w.giveBack(ctx, a, errLeaving)
	}
}

// assignment is a message while it is worked on.
type assignment struct {
	*nats.Msg
	key, tag, caller, call string
	sequence               uint64 // in the queue
	deliveries             int
	tries                  []Try // before this one
}

// assigned reads a message of the queue; nil when it is none.
func assigned(m *nats.Msg) *assignment {
	meta, err := m.Metadata()
	if err != nil {
		return nil
	}
	h := m.Header
	return &assignment{Msg: m, key: keyOf(m.Subject), tag: h.Get(headTag), caller: h.Get(headCaller), call: h.Get(headCall),
		sequence: meta.Sequence.Stream, deliveries: int(meta.NumDelivered)}
}

// handle works off one message.
func (w *Worker) handle(working context.Context, m *nats.Msg) {
	a := assigned(m)
	if a == nil {
		return
	}
	ctx, cancel := context.WithCancelCause(working)
	defer cancel(nil)
	w.mu.Lock()
	w.running[a.key] = &running{a.sequence, cancel}
	if w.withdrawn[a.key] >= a.sequence {
		cancel(errCancelled)
	}
	w.mu.Unlock()
	defer func() {
		w.mu.Lock()
		delete(w.running, a.key)
		w.done++
		w.mu.Unlock()
	}()
	stop := w.heartbeat(a)
	defer stop()

	start := time.Now()
	stored, err := w.work(ctx, a)
	if cause := context.Cause(ctx); err != nil && cause != nil {
		err = cause
	}
	end := Ended{Key: a.key, Tag: a.tag, Took: time.Since(start), Stored: stored, Err: err}
	if err == nil {
		_ = a.Ack() // if it gets lost, the next who gets the message finds the result
	} else {
		w.giveBack(context.WithoutCancel(ctx), a, err)
	}
	w.config.Told(end)
}

// heartbeat says that a message is being worked on, until stop.
func (w *Worker) heartbeat(a *assignment) (stop func()) {
	done := make(chan struct{})
	go func() {
		tick := time.NewTicker(w.link.config.AckWait / 4)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				_ = a.InProgress() // when it gets lost others take over, which is harmless
			}
		}
	}()
	return func() { close(done) }
}

// work brings a message's result about, unless it is there, and stores it.
func (w *Worker) work(ctx context.Context, a *assignment) (stored bool, err error) {
	if there, err := w.lookBefore(ctx, a); there || err != nil {
		return false, err
	}
	job := &Job{Key: a.key, Tag: a.tag, Ask: func(ctx context.Context, question []byte) ([]byte, error) { return w.ask(ctx, a, question) }}
	if err := w.link.retry(ctx, func(ctx context.Context) error {
		job.Body, err = w.link.unpack(ctx, a.Header, a.Data)
		return err
	}); err != nil {
		if errors.Is(err, jetstream.ErrObjectNotFound) {
			return false, ErrCallerGone // it is stored again by who still wants it
		}
		return false, fmt.Errorf("its body: %w", err)
	}
	if a.Header.Get(headStarted) != "" {
		w.tell(a, NoticeStarted, "")
	}
	start := time.Now()
	reply, err := w.config.Execute(ctx, job)
	if err != nil {
		return false, err
	}
	return w.store(ctx, a, reply, time.Since(start))
}

// lookBefore reports whether there is nothing to do: work that was delivered or
// asked for before may be done. It refuses what has failed too often.
func (w *Worker) lookBefore(ctx context.Context, a *assignment) (there bool, err error) {
	err = w.link.retry(ctx, func(ctx context.Context) error {
		m, err := w.link.last(ctx, w.link.names.Result(a.key))
		there = m != nil
		return err
	})
	if there || err != nil || a.deliveries == 1 {
		return there, err
	}
	if a.tries, err = w.tries(ctx, a.key); err != nil {
		return false, err
	}
	for len(a.tries) < a.deliveries-1 { // those who did not say why are gone
		a.tries = append(a.tries, Try{At: time.Now().UTC()})
	}
	if w.poisonous(a) || len(a.tries) >= maxDeclined+w.link.config.MaxTries+w.link.config.MaxSilent {
		return false, errEnough
	}
	w.tell(a, NoticeRetry, a.tries[len(a.tries)-1].String())
	// From here on this worker is the one that fell silent, until it says
	// otherwise.
	return false, w.saveTries(ctx, a.key, append(a.tries, Try{Worker: w.link.config.Name, At: time.Now().UTC()}))
}

// poisonous reports whether work has had its chances.
func (w *Worker) poisonous(a *assignment) bool {
	failed, silent := counted(a.tries)
	return failed >= w.link.config.MaxTries || silent >= w.link.config.MaxSilent
}

// maxDeclined is how many workers may decline before callers are told.
const maxDeclined = 12

var errEnough = errors.New("it failed too often")

func (w *Worker) tries(ctx context.Context, key string) (tries []Try, err error) {
	err = w.link.retry(ctx, func(ctx context.Context) error {
		m, err := w.link.last(ctx, w.link.names.Log(LogTries, key))
		if m == nil || err != nil {
			return err
		}
		return json.Unmarshal(m.Data, &tries)
	})
	return tries, err
}

func (w *Worker) saveTries(ctx context.Context, key string, tries []Try) error {
	return w.link.retry(ctx, func(ctx context.Context) error {
		_, err := w.link.js.Publish(ctx, w.link.names.Log(LogTries, key), mustJSON(tries))
		return err
	})
}

// store keeps a reply as the key's result, if it is the first; another's must
// say the same.
func (w *Worker) store(ctx context.Context, a *assignment, reply []byte, took time.Duration) (stored bool, err error) {
	m := &nats.Msg{Subject: w.link.names.Result(a.key), Header: nats.Header{}}
	m.Header.Set(headWorker, w.link.config.Name)
	m.Header.Set(headTook, strconv.FormatInt(took.Microseconds(), 10))
	if err := w.link.retry(ctx, func(ctx context.Context) error { return w.link.pack(ctx, m, reply) }); err != nil {
		return false, err
	}
	var other *jetstream.RawStreamMsg
	if err := w.link.retry(ctx, func(ctx context.Context) error { other, err = w.link.keep(ctx, m); return err }); err != nil {
		return false, quotaError(err)
	}
	if other == nil {
		return true, nil
	}
	first, mine := other.Header.Get(headSHA256), m.Header.Get(headSHA256)
	firstWorker := other.Header.Get(headWorker)
	if first == mine {
		// Ours when the server stored it and its answer was lost.
		return firstWorker == w.link.config.Name, nil
	}
	if w.config.Same != nil {
		standing, err := w.link.unpack(ctx, other.Header, other.Data)
		if err == nil && w.config.Same(standing, reply) {
			return false, nil
		}
	}
	c := Conflict{Key: a.key, First: firstWorker, Second: w.link.config.Name, FirstSHA256: first, SecondSHA256: mine}
	err = w.link.retry(ctx, func(ctx context.Context) error {
		_, err := w.link.js.Publish(ctx, w.link.names.Log(LogConflict, a.key), mustJSON(c))
		return err
	})
	return false, err
}

// giveBack ends an assignment that brought no result: it returns to the queue
// for others, or ends for good.
func (w *Worker) giveBack(ctx context.Context, a *assignment, why error) {
	ctx, cancel := context.WithTimeout(ctx, w.link.config.AckWait)
	defer cancel()
	declined, quota := new(Declined), new(QuotaError)
	switch {
	case errors.As(why, &quota): // it would be no less elsewhere
		w.end(ctx, a, failure{Kind: failedQuota, Why: quota.Err.Error()})
		return
	case errors.Is(why, errCancelled), errors.Is(why, ErrCallerGone):
		w.end(ctx, a, failure{Kind: failedWithdrawn, Why: why.Error()})
		return
	case errors.Is(why, errEnough):
		kind := failedDeclined
		if w.poisonous(a) {
			kind = failedPoison
		}
		w.end(ctx, a, failure{Kind: kind, Tries: a.tries})
		return
	case errors.As(why, &declined):
		w.tell(a, NoticeDeclined, declined.Reason)
	}
	leaving := errors.Is(why, errLeaving)
	tries := append(a.tries, Try{Worker: w.link.config.Name, At: time.Now().UTC(), Why: why.Error(), Declined: declined.Reason != "" || leaving})
	if err := w.saveTries(ctx, a.key, tries); err != nil {
		return // the server is away: silence gives it back as well
	}
	failed, _ := counted(tries)
	delay := time.Duration(failed) * 100 * time.Millisecond
	if declined.Reason != "" {
		delay = 50 * time.Millisecond // time for another to be first
	}
	_ = a.NakWithDelay(delay) // silence gives it back as well
}

// end takes a message off the queue for good and says why. The failure is stored
// first: a worker that dies in between leaves a message that the next one ends.
func (w *Worker) end(ctx context.Context, a *assignment, f failure) {
	f.Sequence = a.sequence
	if err := w.link.retry(ctx, func(ctx context.Context) error { return w.link.fail(ctx, a.key, f) }); err != nil {
		return
	}
	_ = w.saveTries(ctx, a.key, nil) // asked for again, it starts anew
	_ = a.Term()                     // else the next who gets it ends it
}

// cancel stops the work of a key whose message stands at the place that said
// names, or before it. It remembers that, since the message may come only now.
func (w *Worker) cancel(key string, said []byte) {
	sequence, err := strconv.ParseUint(string(said), 10, 64)
	if err != nil {
		return // nothing that a queue of this version says
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.withdrawn) >= mostWithdrawn {
		clear(w.withdrawn)
	}
	w.withdrawn[key] = max(w.withdrawn[key], sequence)
	if r := w.running[key]; r != nil && r.sequence <= sequence {
		r.cancel(errCancelled)
	}
}

// tell reports to the caller, which may not listen.
func (w *Worker) tell(a *assignment, kind NoticeKind, text string) {
	_ = w.link.conn.Publish(w.link.names.Live(a.caller), mustJSON(Notice{Kind: kind, Key: a.key, Tag: a.tag, Worker: w.link.config.Name, Text: text}))
}

// ask puts a question to the caller. A link that is cut meanwhile is waited for.
func (w *Worker) ask(ctx context.Context, a *assignment, question []byte) (answer []byte, err error) {
	m := &nats.Msg{Subject: w.link.names.Ask(a.caller), Header: nats.Header{}}
	m.Header.Set(headCall, a.call)
	if err := w.link.retry(ctx, func(ctx context.Context) error { return w.link.pack(ctx, m, question) }); err != nil {
		return nil, err
	}
	deadline := time.Now().Add(askWait)
	for {
		once, cancel := context.WithTimeout(ctx, askWait)
		r, err := w.link.conn.RequestMsgWithContext(once, m)
		cancel()
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case errors.Is(err, nats.ErrNoResponders) && time.Now().After(deadline.Add(absent-askWait)):
			return nil, ErrCallerGone
		case err != nil && time.Now().After(deadline):
			return nil, fmt.Errorf("%w: %w", ErrCallerGone, err)
		case err != nil:
			if err := sleep(ctx, 100*time.Millisecond); err != nil {
				return nil, err
			}
			continue
		}
		if said := r.Header.Get(headError); said == errNobody {
			return nil, ErrCallerGone
		} else if full, ok := strings.CutPrefix(said, errFull); ok {
			return nil, &QuotaError{errors.New(full)}
		} else if said != "" {
			return nil, errors.New(said)
		}
		err = w.link.retry(ctx, func(ctx context.Context) error {
			answer, err = w.link.unpack(ctx, r.Header, r.Data)
			return err
		})
		return answer, err
	}
}

const (
	askWait = time.Minute     // for an answer, or for the link to mend
	absent  = 3 * time.Second // after which a caller that is not there is gone
)

// Member is a worker as it introduces itself.
type Member struct {
	Name  string `json:"name"`
	Slots int    `json:"slots"`
	Busy  int    `json:"busy"`
	Done  int    `json:"done"`
}

func (w *Worker) answerRoll(m *nats.Msg) {
	w.mu.Lock()
	me := Member{Name: w.link.config.Name, Slots: w.config.Slots, Busy: len(w.running), Done: w.done}
	w.mu.Unlock()
	_ = m.Respond(mustJSON(me))
}
