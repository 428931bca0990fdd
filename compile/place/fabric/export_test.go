package fabric

import (
	"context"
	"slices"
	"strconv"
	"time"

	"wb/internal/sha"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
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
	m.Header.Set(headSHA256, sha.Hex("something else"))
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

// Copies are the numbers of copies of the tenant's streams, and the name of the
// server that leads the work queue, for tests.
func Copies(ctx context.Context, l *Link) (copies []int, leader string, err error) {
	for _, name := range []string{l.names.ResultsStream(), l.names.LogStream(), l.names.objectStream(), l.names.WorkStream()} {
		stream, err := l.js.Stream(ctx, name)
		if err != nil {
			return nil, "", err
		}
		info := stream.CachedInfo()
		copies = append(copies, info.Config.Replicas)
		if info.Cluster != nil {
			leader = info.Cluster.Leader
		}
	}
	return copies, leader, nil
}

// Whole waits until all copies of the tenant's streams are up to date, for tests.
func Whole(ctx context.Context, l *Link) error {
	for _, name := range []string{l.names.WorkStream(), l.names.ResultsStream(), l.names.LogStream(), l.names.objectStream()} {
		for {
			stream, err := l.js.Stream(ctx, name)
			if err == nil && current(stream.CachedInfo()) && !anyAway(stream.CachedInfo()) {
				break
			}
			if err := sleep(ctx, 50*time.Millisecond); err != nil {
				return err
			}
		}
	}
	return nil
}

func anyAway(info *jetstream.StreamInfo) bool {
	return info.Cluster != nil && slices.ContainsFunc(info.Cluster.Replicas, func(p *jetstream.PeerInfo) bool { return p.Offline })
}
