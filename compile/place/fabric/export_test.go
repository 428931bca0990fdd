package fabric

import (
	"context"

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
