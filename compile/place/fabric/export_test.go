package fabric

import (
	"context"
	"strconv"

	"github.com/nats-io/nats.go"
)

// StoreResult stores a result as a worker would, for tests.
func StoreResult(ctx context.Context, l *Link, key, worker string, body []byte) error {
	m := &nats.Msg{Subject: l.names.Result(key), Header: nats.Header{}}
	m.Header.Set(headWorker, worker)
	if err := l.pack(ctx, m, body); err != nil {
		return err
	}
	_, err := l.keep(ctx, m)
	return err
}

// StoreLie stores a result whose digest is not that of its body, for tests.
func StoreLie(ctx context.Context, l *Link, key, worker string, body []byte) error {
	m := &nats.Msg{Subject: l.names.Result(key), Header: nats.Header{}, Data: body}
	m.Header.Set(headWorker, worker)
	m.Header.Set(headSHA256, digestOf([]byte("something else")))
	_, err := l.keep(ctx, m)
	return err
}

// ResultsEver are the numbers of the oldest and the newest result that was ever
// stored.
func ResultsEver(ctx context.Context, l *Link) (first, last uint64, err error) {
	stream, err := l.js.Stream(ctx, l.names.ResultsStream())
	if err != nil {
		return 0, 0, err
	}
	info, err := stream.Info(ctx)
	if err != nil {
		return 0, 0, err
	}
	return info.State.FirstSeq, info.State.LastSeq, nil
}

// Withdraw says that the message of a key at a place in the queue is withdrawn,
// as a caller says it, for tests.
func Withdraw(l *Link, key string, sequence uint64) error {
	return l.conn.Publish(l.names.Cancel(key), strconv.AppendUint(nil, sequence, 10))
}

// Post queues work that nobody waits for and returns its place, for tests.
func Post(ctx context.Context, l *Link, key, tag string) (sequence uint64, err error) {
	m := &nats.Msg{Subject: l.names.Work(key), Header: nats.Header{headTag: {tag}, headCaller: {"nobody"}, headCall: {"none"}}}
	if err := l.pack(ctx, m, nil); err != nil {
		return 0, err
	}
	ack, err := l.js.PublishMsg(ctx, m)
	if err != nil {
		return 0, err
	}
	return ack.Sequence, nil
}
