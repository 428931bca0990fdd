package fabric

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// mostReplicas is how many copies a cluster keeps by default: with three,
// any one server may be lost and the other two still agree.
const mostReplicas = 3

// replicas are the numbers of copies to try, the best first. A server that
// belongs to no cluster has one.
func (l *Link) replicas() []int {
	switch {
	case l.config.Replicas > 0:
		return []int{l.config.Replicas}
	case l.conn.ConnectedClusterName() == "":
		return []int{1}
	}
	return []int{mostReplicas, 2, 1}
}

// withReplicas calls do with each number of copies until the cluster has servers
// enough for it.
func (l *Link) withReplicas(do func(n int) error) (err error) {
	for _, n := range l.replicas() {
		if err = do(n); !isTooFew(err) {
			return err
		}
	}
	return fmt.Errorf("%d copies: %w", l.config.Replicas, err)
}

// Codes of the server that mean that it has no place for so many copies.
const (
	codeNoPeers       = 10005 // the cluster has too few servers, or too few with room
	codeNotClustered  = 10074 // the server belongs to no cluster
	codeInsufficient  = 10023 // the same as codeNoPeers, from older servers
	codeNotAvailable  = 10008 // no server leads the cluster now
	codeNotLeader     = 10009 // this one does not
	codeStreamOffline = 10118
	codeWorkerOffline = 10119 // the consumer
)

func isTooFew(err error) bool {
	api := new(jetstream.APIError)
	if !errors.As(err, &api) {
		return false
	}
	switch int(api.ErrorCode) {
	case codeNoPeers, codeNotClustered, codeInsufficient:
		return true
	}
	return false
}

// copy brings a stream that is there to the number of copies it ought to have
// and waits until they are whole. Without a configured number, a stream never
// loses copies, and one that cannot have more stays as it is.
func (l *Link) copy(ctx context.Context, name string) error {
	stream, err := l.js.Stream(ctx, name)
	if err != nil {
		return err
	}
	config := stream.CachedInfo().Config
	asked := l.config.Replicas > 0
	err = l.withReplicas(func(n int) error {
		if config.Replicas == n || !asked && config.Replicas > n {
			return nil
		}
		config.Replicas, config.AllowDirect = n, n == 1
		_, err := l.js.UpdateStream(ctx, config)
		return err
	})
	if err != nil && asked {
		return err
	}
	return l.whole(ctx, name)
}

// wholeWait is how long copies may take to be made.
const wholeWait = 20 * time.Second

// whole waits until a stream has a leader and all its copies are up to date, so
// that from then on a server may be lost. A server that is away already is not
// waited for long: the others do without it.
func (l *Link) whole(ctx context.Context, name string) error {
	ctx, cancel := context.WithTimeout(ctx, wholeWait)
	defer cancel()
	for {
		stream, err := l.js.Stream(ctx, name)
		if err == nil && current(stream.CachedInfo()) {
			return nil
		}
		if err != nil && !passing(err) {
			return err
		}
		if sleep(ctx, 100*time.Millisecond) != nil {
			return nil
		}
	}
}

// current reports whether a stream's copies are all up to date, but for those of
// servers that are away.
func current(info *jetstream.StreamInfo) bool {
	if info.Config.Replicas == 1 {
		return true
	}
	if info.Cluster == nil || info.Cluster.Leader == "" || len(info.Cluster.Replicas) < info.Config.Replicas-1 {
		return false
	}
	for _, peer := range info.Cluster.Replicas {
		if !peer.Current && !peer.Offline {
			return false
		}
	}
	return true
}

// copyAll brings every stream of the tenant to its number of copies. Workers
// leave that to callers, who may.
func (l *Link) copyAll(ctx context.Context) error {
	if l.config.User == WorkerUser(l.config.Tenant) || l.conn.ConnectedClusterName() == "" && l.config.Replicas == 0 {
		return nil
	}
	for _, name := range []string{l.names.WorkStream(), l.names.ResultsStream(), l.names.LogStream(), l.names.objectStream()} {
		if err := l.retry(ctx, func(ctx context.Context) error { return l.copy(ctx, name) }); err != nil {
			return fmt.Errorf("stream %s: %w", name, err)
		}
	}
	return nil
}
