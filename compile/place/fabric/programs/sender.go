package programs

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"wb/compile"
	"wb/compile/place/fabric"
	"wb/compile/place/remote"
	"wb/compile/toolchain"
	"wb/internal/diag"
	"wb/internal/sha"
	"wb/sandbox"
)

// Config says how a caller's runner goes about it.
type Config struct {
	Queue *fabric.Queue
	// Tools are the caller's toolchains, given to workers that have none.
	Tools *toolchain.Depot
	// Progress hears of toolchains that the caller itself must install first.
	Progress toolchain.Progress
	// Stayed hears of a program that did not travel, and why; nil need not.
	Stayed func(component, why string)
	// Fresh does everything again although results are kept.
	Fresh bool
	// Away refuses what cannot travel, where the user wants nothing of a document
	// to run in this process.
	Away bool
	// Gone is closed when no worker is left and none will come; nil when nobody
	// can tell.
	Gone <-chan struct{}
	// Here runs what stays; nil is this process, a program for each processor
	// at once.
	Here compile.Runner
}

// Sender runs programs on a fabric, and in this process what cannot travel.
type Sender struct {
	config Config
	slots  chan struct{} // of programs that stay
	salt   string
	share  *share
}

// New is a sender on the queue of config.
func New(config Config) *Sender {
	if config.Here == nil {
		config.Here = compile.Here
	}
	if config.Stayed == nil {
		config.Stayed = func(string, string) {}
	}
	r := &Sender{config: config, slots: make(chan struct{}, runtime.GOMAXPROCS(0)), share: newShare(config.Tools)}
	if config.Fresh {
		r.salt = time.Now().UTC().Format(time.RFC3339Nano)
	}
	return r
}

// Lazy is a runner that is made when the first program needs it: a run whose
// results are all kept starts no workers.
func Lazy(start func() (compile.Runner, error)) compile.Runner {
	return lazy(sync.OnceValues(start))
}

type lazy func() (compile.Runner, error)

func (l lazy) Execute(ctx context.Context, p *compile.Program) (*compile.Outcome, error) {
	r, err := l()
	if err != nil {
		return nil, err
	}
	return r.Execute(ctx, p)
}

// StayError says that a program cannot travel and must not run here.
type StayError struct {
	Component, Why string
	Pos            diag.Position
}

func (e *StayError) Error() string {
	return fmt.Sprintf("%s: %s cannot run elsewhere: %s", e.Pos, e.Component, e.Why)
}

// ExitCode is that of something not permitted.
func (e *StayError) ExitCode() int { return diag.ExitForbidden }

// Hint names a tier that can.
func (e *StayError) Hint() string { return "the tier process runs it in a child of this process" }

// Stays is why a program cannot travel, "" when it can.
func Stays(p *compile.Program) string {
	ties := remote.Ties{Session: p.Job.Session != "", Clock: p.Job.Caps.Clock, Random: p.Job.Caps.Random}
	if p.Job.Dock != nil {
		ties.Granted = p.Job.Dock.Capabilities()
	}
	return ties.Reason()
}

// Execute brings about a program's outcome.
func (r *Sender) Execute(ctx context.Context, p *compile.Program) (*compile.Outcome, error) {
	if why := Stays(p); why != "" {
		return r.here(ctx, p, why)
	}
	away, done := r.staffed(ctx)
	defer done()
	t := &trip{runner: r, program: p}
	out, err := remote.NewRunner(t, remote.Config{Ensure: r.ensure}).Execute(away, p)
	declined, quota := new(fabric.DeclinedError), new(fabric.QuotaError)
	if errors.As(err, &declined) || errors.As(err, &quota) {
		return r.here(ctx, p, err.Error())
	}
	if err != nil && errors.Is(context.Cause(away), errGone) {
		return nil, &GoneError{Component: p.ID, Pos: p.Source.Pos}
	}
	return out, err
}

// GoneError says that the workers that a program waited for have gone for good.
type GoneError struct {
	Component string
	Pos       diag.Position
}

func (e *GoneError) Error() string {
	return fmt.Sprintf("%s: %s has no worker left to run it", e.Pos, e.Component)
}

// ExitCode is that of something that cannot be reached.
func (e *GoneError) ExitCode() int { return diag.ExitUnavailable }

// Hint says where to look, and what else there is.
func (e *GoneError) Hint() string {
	return "the messages above say why the workers ended; without --workers programs run in this process"
}

var errGone = errors.New("no worker is left")

// staffed is ctx until the last worker has gone.
func (r *Sender) staffed(ctx context.Context) (_ context.Context, done func()) {
	ctx, end := context.WithCancelCause(ctx)
	go func() {
		select {
		case <-r.config.Gone:
			end(errGone)
		case <-ctx.Done():
		}
	}()
	return ctx, func() { end(nil) }
}

func (r *Sender) here(ctx context.Context, p *compile.Program, why string) (*compile.Outcome, error) {
	if r.config.Away {
		return nil, &StayError{Component: p.ID, Why: why, Pos: p.Source.Pos}
	}
	r.config.Stayed(p.ID, why)
	select {
	case r.slots <- struct{}{}:
		defer func() { <-r.slots }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return r.config.Here.Execute(ctx, p)
}

// ensure installs a toolchain whose content its recipe does not decide alone:
// until it is here, nobody can say which one is meant.
func (r *Sender) ensure(ctx context.Context, name string) error {
	if r.config.Tools == nil {
		return nil
	}
	_, err := r.config.Tools.Ensure(ctx, name, r.config.Progress)
	return err
}

// trip takes one program to a worker.
type trip struct {
	runner  *Sender
	program *compile.Program
}

// maxFollow bounds how many sets of files the results of one program are
// followed through.
const maxFollow = 16

// RoundTrip follows a request to the result that holds for this caller.
func (t *trip) RoundTrip(ctx context.Context, trip remote.Trip) ([]byte, error) {
	answers := &remote.Answerer{Tree: t.program.Job.Files, Dock: t.program.Job.Dock}
	key := sha.Hex(append(trip.Request, t.runner.salt...))
	// What the dock says depends on who asks, so what came of it is not kept.
	var personal atomic.Bool
	work := fabric.Work{Body: trip.Request, Tag: trip.Component, Answer: func(ctx context.Context, question []byte) ([]byte, error) {
		if name, ok := toolQuestion(question); ok {
			return t.runner.share.answer(ctx, t.runner.config.Queue.Link(), name)
		}
		if remote.AsksDock(question) {
			personal.Store(true)
		}
		return trip.Answer(ctx, question), nil
	}}
	for range maxFollow {
		work.Key = key
		done, err := t.runner.config.Queue.Do(ctx, work)
		if err != nil {
			return nil, err
		}
		reply, err := remote.DecodeReply(done.Body)
		if err != nil {
			return nil, fmt.Errorf("%s: what %s sent back: %w", trip.Component, done.Worker, err)
		}
		if !lasting(reply) || personal.Load() {
			if err := t.runner.config.Queue.Forget(ctx, key); err != nil {
				return nil, err
			}
			if done.Kept {
				continue // it may be better now
			}
		}
		if reply.Holds(ctx, answers) {
			if t.program.Placed != nil {
				t.program.Placed(done.Worker)
			}
			return done.Body, nil
		}
		key = follow(ctx, key, reply, answers)
	}
	return nil, fmt.Errorf("%s: its files changed during every attempt to run it", trip.Component)
}

// follow is the key under which to look next when the result under key was made
// with other files: the same program, and what this caller's files say to the
// questions that the program asked there. So results lie in a tree, at whose
// every fork stands what the program read first.
func follow(ctx context.Context, key string, reply *remote.Reply, answers *remote.Answerer) string {
	h := sha256.New()
	h.Write([]byte(key))
	for _, read := range reply.Reads {
		answer := answers.Digest(ctx, read.Question)
		fmt.Fprintf(h, "%d %s %s", len(read.Question), read.Question, answer)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// lasting reports whether a reply says something about the program: a time
// limit, for one, says more about the machine.
func lasting(reply *remote.Reply) bool {
	if reply.Failure == nil {
		return true
	}
	if limit := reply.Failure.Limit; limit != nil {
		return limit.Kind != sandbox.LimitTime
	}
	return reply.Failure.Build != nil || reply.Failure.Trap != nil || reply.Failure.Exited != nil || reply.Failure.Cap != nil || reply.Failure.Load != nil
}

// Check refuses replies that are none, for [fabric.QueueConfig].
func Check(_ string, reply []byte) error {
	_, err := remote.DecodeReply(reply)
	return err
}
