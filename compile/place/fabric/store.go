package fabric

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// retry calls do until it succeeds, fails for good, or ctx ends. What passes is
// a server that is away or slow.
//
// What do gets has no deadline, so that a request whose answer was lost is given
// up after the client library's own time, and asked again.
func (l *Link) retry(ctx context.Context, do func(ctx context.Context) error) error {
	pause := 50 * time.Millisecond
	for {
		err := do(undated{ctx})
		if err == nil || !passing(err) {
			l.quiet.ends()
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		l.quiet.begins(err)
		if l.conn.IsClosed() {
			return fmt.Errorf("fabric: %w", err)
		}
		if err := sleep(ctx, pause); err != nil {
			return err
		}
		pause = min(2*pause, 2*time.Second)
	}
}

// undated is a context whose deadline cannot be seen. It ends when it ends.
type undated struct{ context.Context }

func (undated) Deadline() (time.Time, bool) { return time.Time{}, false }

// passing reports whether an error may be gone when the server is back.
func passing(err error) bool {
	for _, e := range []error{nats.ErrTimeout, nats.ErrNoResponders, nats.ErrDisconnected, nats.ErrConnectionClosed, nats.ErrConnectionReconnecting,
		nats.ErrReconnectBufExceeded, nats.ErrStaleConnection, jetstream.ErrNoStreamResponse, jetstream.ErrJetStreamNotEnabled, jetstream.ErrAsyncPublishTimeout,
		jetstream.ErrTooManyStalledMsgs, context.DeadlineExceeded} {
		if errors.Is(err, e) {
			return true
		}
	}
	api := new(jetstream.APIError)
	if !errors.As(err, &api) {
		return false
	}
	switch int(api.ErrorCode) {
	case codeNotAvailable, codeNotLeader, codeStreamOffline, codeWorkerOffline:
		return true
	}
	return api.Code == 503 && int(api.ErrorCode) != codeStoreFailed && !isTooFew(err)
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// last is the message stored under a subject, nil when there is none.
func (l *Link) last(ctx context.Context, subject string) (*jetstream.RawStreamMsg, error) {
	stream, err := l.streamOf(ctx, subject)
	if err != nil {
		return nil, err
	}
	m, err := stream.GetLastMsgForSubject(ctx, subject)
	if errors.Is(err, nats.ErrNoResponders) {
		l.forget(stream) // how to ask it may have changed with its copies
	}
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return nil, nil
	}
	return m, err
}

// streamOf is the stream that keeps a subject, without asking the server.
func (l *Link) streamOf(ctx context.Context, subject string) (jetstream.Stream, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	name := l.names.LogStream()
	switch key := keyOf(subject); subject {
	case l.names.Result(key), l.names.Failure(key):
		name = l.names.ResultsStream()
	case l.names.Work(key):
		name = l.names.WorkStream()
	}
	if s := l.streams[name]; s != nil {
		return s, nil
	}
	s, err := l.js.Stream(ctx, name)
	if err != nil {
		return nil, err
	}
	l.streams[name] = s
	return s, nil
}

// forget drops what is known of a stream.
func (l *Link) forget(stream jetstream.Stream) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for name, s := range l.streams {
		if s == stream {
			delete(l.streams, name)
		}
	}
}

// remove deletes one message.
func (l *Link) remove(ctx context.Context, stream string, seq uint64) error {
	s, err := l.js.Stream(ctx, stream)
	if err != nil {
		return err
	}
	if err := s.DeleteMsg(ctx, seq); err != nil && !errors.Is(err, jetstream.ErrMsgNotFound) && !errors.Is(err, jetstream.ErrMsgDeleteUnsuccessful) {
		return err
	}
	return nil
}

// keep stores the result of a key unless there is one. It returns the one that
// stands when it is another's.
func (l *Link) keep(ctx context.Context, m *nats.Msg) (*jetstream.RawStreamMsg, error) {
	_, err := l.js.PublishMsg(ctx, m, jetstream.WithExpectLastSequencePerSubject(0))
	if !isTaken(err) {
		return nil, err
	}
	return l.last(ctx, m.Subject)
}

func isTaken(err error) bool {
	api := new(jetstream.APIError)
	return errors.As(err, &api) && (api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence || api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequenceConstant)
}

// fail stores that work ended without a result.
func (l *Link) fail(ctx context.Context, key string, f failure) error {
	_, err := l.js.Publish(ctx, l.names.Failure(key), mustJSON(f))
	return err
}
