package remote

import (
	"context"
	"errors"
	"fmt"

	"wb/compile"
	"wb/internal/diag"
)

// Transport carries a request to a peer and brings its reply. While the peer is
// at work it asks questions, which answer answers, several at once if it likes.
// RoundTrip returns when there is a reply, when ctx ends, and when the peer is
// lost: then with an error that says so in words for the author of a document.
// It is safe for concurrent use.
type Transport interface {
	RoundTrip(ctx context.Context, t Trip) (reply []byte, err error)
}

// Trip is one request on its way.
type Trip struct {
	// Component says in messages whose request this is, and Session names the
	// session it belongs to, "" when it belongs to none.
	Component, Session string
	Request            []byte
	// Work is a decoded Request, for transports that decide by limits or
	// keys.
	Work   *Request
	Answer func(ctx context.Context, question []byte) []byte
}

// Config says how a runner goes about it.
type Config struct {
	// Ensure provides a toolchain before a request that needs it leaves, since
	// peers may have no network; nil leaves that to them.
	Ensure func(ctx context.Context, toolchain string) error
	// Sessions says that the transport takes all requests of a session to one
	// peer. Otherwise a program of a session is refused.
	Sessions bool
}

// NewRunner runs programs through a transport.
func NewRunner(t Transport, config Config) compile.Runner { return &runner{t, config} }

type runner struct {
	transport Transport
	config    Config
}

// SessionError says that a live session cannot travel.
type SessionError struct {
	Component string
	Pos       diag.Position
}

func (e *SessionError) Error() string {
	return fmt.Sprintf("%s: %s belongs to a :session, which cannot run elsewhere", e.Pos, e.Component)
}

// Hint says what to do about it.
func (e *SessionError) Hint() string { return ":session none, or the tier instance or process" }

// Execute sends the program away and brings back what became of it.
func (r *runner) Execute(ctx context.Context, p *compile.Program) (*compile.Outcome, error) {
	if p.Job.Session != "" && !r.config.Sessions {
		return nil, &SessionError{Component: p.ID, Pos: p.Source.Pos}
	}
	if r.config.Ensure != nil {
		for _, name := range p.Lane.Info().Toolchains {
			if err := r.config.Ensure(ctx, name); err != nil {
				return nil, err
			}
		}
	}
	request := NewRequest(p)
	data, err := request.Encode()
	if err != nil {
		return nil, err
	}
	answers := &Answerer{Tree: p.Job.Files, Dock: p.Job.Dock, Stdout: p.Job.Stdout, Stderr: p.Job.Stderr}
	message, err := r.transport.RoundTrip(ctx, Trip{Component: p.ID, Session: p.Job.Session, Request: data, Work: request, Answer: answers.Answer})
	if err != nil {
		return nil, err
	}
	reply, err := DecodeReply(message)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.ID, err)
	}
	return Settle(answers.rest(p), reply)
}

// Settle makes a reply the program's outcome: it tells of the build, applies
// what was written to the job's tree, and passes output on.
func Settle(p *compile.Program, reply *Reply) (*compile.Outcome, error) {
	if reply.Built && p.Built != nil {
		p.Built(reply.Warnings, reply.Build)
	}
	if err := settleFiles(p, reply); err != nil {
		return nil, fmt.Errorf("%s: files that came back: %w", p.ID, err)
	}
	if reply.Failure != nil {
		return reply.Failure.printed(), reply.Failure.Err()
	}
	for _, out := range []struct {
		to   interface{ Write([]byte) (int, error) }
		data []byte
	}{{p.Job.Stdout, reply.Outcome.Stdout}, {p.Job.Stderr, reply.Outcome.Stderr}} {
		if out.to != nil {
			if _, err := out.to.Write(out.data); err != nil {
				return nil, err
			}
		}
	}
	return reply.Outcome, nil
}

// settleFiles applies what the program wrote.
func settleFiles(p *compile.Program, reply *Reply) error {
	if len(reply.Changes.Removed)+len(reply.Changes.Entries) == 0 {
		return nil
	}
	if p.Job.Files == nil {
		return errors.New("no tree was given for them")
	}
	return reply.Changes.Apply(p.Job.Files)
}
