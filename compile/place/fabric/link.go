package fabric

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Link is a connection to the server with the tenant's streams in place. It
// mends itself: while the server is away, calls wait until their context ends.
// It is safe for concurrent use.
type Link struct {
	config  Config
	names   Names
	conn    *nats.Conn
	js      jetstream.JetStream
	objects jetstream.ObjectStore
	// mended is told, without waiting, of every reconnection.
	mended chan struct{}
	quiet  silence

	mu      sync.Mutex
	streams map[string]jetstream.Stream
}

// Dial connects and sees to it that the tenant's streams exist. It fails when
// no server answers at all, when the token is refused, and when ctx ends.
func Dial(ctx context.Context, config Config) (*Link, error) {
	config, err := config.withDefaults()
	if err != nil {
		return nil, err
	}
	l := &Link{config: config, names: Names{config.Tenant}, mended: make(chan struct{}, 1), streams: map[string]jetstream.Stream{},
		quiet: silence{tell: config.Told, where: config.Where()}}
	options := []nats.Option{
		nats.Name(config.Name), nats.MaxReconnects(-1), nats.ReconnectWait(100 * time.Millisecond), nats.ReconnectJitter(100*time.Millisecond, time.Second),
		nats.PingInterval(3 * time.Second), nats.MaxPingsOutstanding(2), nats.Timeout(5 * time.Second),
		nats.CustomInboxPrefix("_INBOX." + inboxWord(config)),
		nats.DisconnectErrHandler(func(c *nats.Conn, err error) {
			if !c.IsClosed() {
				l.quiet.begins(err)
			}
		}),
		nats.ReconnectHandler(func(*nats.Conn) {
			l.quiet.ends()
			select {
			case l.mended <- struct{}{}:
			default:
			}
		}),
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}), // calls report their own errors
	}
	if config.Token != "" {
		options = append(options, nats.UserInfo(config.User, config.Token))
	}
	if config.Creds != "" {
		options = append(options, nats.UserCredentials(config.Creds))
	}
	server := config.URL
	if config.Within != nil {
		server = nats.DefaultURL // which is not looked up
		options = append(options, nats.InProcessServer(config.Within))
	} else if config.TLS != nil {
		options = append(options, nats.Secure(config.TLS))
	}
	if l.conn, err = nats.Connect(server, options...); err != nil {
		return nil, dialError(config, err)
	}
	if l.js, err = jetstream.New(l.conn, jetstream.WithDefaultTimeout(3*time.Second)); err == nil {
		err = l.ensureSoon(ctx)
	}
	if err != nil {
		l.conn.Close()
		return nil, dialError(config, err)
	}
	return l, nil
}

// inboxWord keeps the replies of the users of an account apart: a worker may
// not listen to what callers are told.
func inboxWord(c Config) string { return strings.Map(wordRune, c.User) }

func wordRune(r rune) rune {
	if r == '.' || r == '*' || r == '>' || r <= ' ' {
		return '_'
	}
	return r
}

// Close ends the connection. Work that waits for it fails.
func (l *Link) Close() { l.conn.Close() }

// Name is the name of this end.
func (l *Link) Name() string { return l.config.Name }

// ensureWait is how long the tenant's streams may be out of reach when a link
// begins: a cluster that lost a server chooses others in that time.
const ensureWait = 20 * time.Second

// ensureSoon is ensure, again while no server leads what it asks for.
func (l *Link) ensureSoon(ctx context.Context) error {
	soon, cancel := context.WithTimeout(ctx, ensureWait)
	defer cancel()
	var last, never error
	err := l.retry(soon, func(ctx context.Context) error {
		last = l.ensure(ctx)
		if errors.Is(last, jetstream.ErrJetStreamNotEnabled) || errors.Is(last, jetstream.ErrJetStreamNotEnabledForAccount) {
			never = last
			return nil
		}
		return last
	})
	if never != nil {
		return never
	}
	if err != nil && soon.Err() != nil && ctx.Err() == nil && last != nil {
		return &NoLeaderError{last}
	}
	return err
}

// ensure makes the tenant's streams where they are missing, and gives those that
// are there the copies that they lack.
func (l *Link) ensure(ctx context.Context) error {
	// The consumer is made last: where it is, all is.
	_, err := l.js.Consumer(ctx, l.names.WorkStream(), consumerName)
	if err == nil {
		return l.openObjects(ctx)
	}
	if !errors.Is(err, jetstream.ErrConsumerNotFound) && !errors.Is(err, jetstream.ErrStreamNotFound) {
		return err
	}
	q := l.config.Quota
	streams := []jetstream.StreamConfig{{
		Name: l.names.WorkStream(), Subjects: []string{l.names.Work("*")}, Storage: jetstream.FileStorage,
		// One message a key, removed when it is done; publishing is refused when
		// the queue is full.
		Retention: jetstream.WorkQueuePolicy, Discard: jetstream.DiscardNew, DiscardNewPerSubject: true, MaxMsgsPerSubject: 1,
		MaxMsgs: q.Messages, MaxBytes: q.MessageBytes, MaxAge: q.Objects, Duplicates: time.Second,
	}, {
		Name: l.names.ResultsStream(), Subjects: []string{l.names.Result("*"), l.names.Failure("*")}, Storage: jetstream.FileStorage,
		Discard: jetstream.DiscardOld, MaxMsgsPerSubject: 1, MaxBytes: q.ResultBytes, MaxAge: q.Keep, Duplicates: time.Second,
		// Whoever waits hears of what has been stored, and of nothing else.
		RePublish: &jetstream.RePublish{Source: l.names.subject("*", "*"), Destination: l.names.subject("done", "{{wildcard(1)}}", "{{wildcard(2)}}")},
	}, {
		Name: l.names.LogStream(), Subjects: []string{l.names.Log("*", "*")}, Storage: jetstream.FileStorage,
		Discard: jetstream.DiscardOld, MaxMsgsPerSubject: 1, MaxBytes: logBytes, MaxAge: 24 * time.Hour, Duplicates: time.Second,
	}}
	for _, config := range streams {
		if err := l.ensureStream(ctx, config); err != nil {
			return err
		}
	}
	_, err = l.js.ObjectStore(ctx, l.names.Objects())
	if errors.Is(err, jetstream.ErrBucketNotFound) || errors.Is(err, jetstream.ErrStreamNotFound) {
		err = l.withReplicas(func(n int) error {
			_, err := l.js.CreateObjectStore(ctx, jetstream.ObjectStoreConfig{Bucket: l.names.Objects(), Storage: jetstream.FileStorage,
				MaxBytes: q.ObjectBytes, TTL: q.Objects, Replicas: n})
			return err
		})
		if errors.Is(err, jetstream.ErrBucketExists) {
			err = nil // somebody was faster
		}
	}
	if err != nil {
		return fmt.Errorf("objects: %w", err)
	}
	if err := l.ensureConsumer(ctx); err != nil {
		return err
	}
	return l.openObjects(ctx)
}

// openObjects is the last step of ensure: the object store as it is once its
// stream has its copies.
func (l *Link) openObjects(ctx context.Context) (err error) {
	if err := l.copyAll(ctx); err != nil {
		return err
	}
	l.objects, err = l.js.ObjectStore(ctx, l.names.Objects())
	return err
}

// ensureStream makes a stream where it is missing. Where it has several copies
// only their leader is asked what is in it: another may be behind.
func (l *Link) ensureStream(ctx context.Context, config jetstream.StreamConfig) error {
	_, err := l.js.Stream(ctx, config.Name)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		err = l.withReplicas(func(n int) error {
			config.Replicas, config.AllowDirect = n, n == 1
			_, err := l.js.CreateStream(ctx, config)
			return err
		})
	}
	if errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) {
		err = nil // somebody was faster
	}
	if err != nil {
		return fmt.Errorf("stream %s: %w", config.Name, err)
	}
	return nil
}

// consumerName is the one consumer of the work queue, which all workers share.
const consumerName = "workers"

// ensureConsumer makes the consumer, which has as many copies as its stream.
func (l *Link) ensureConsumer(ctx context.Context) error {
	_, err := l.js.Consumer(ctx, l.names.WorkStream(), consumerName)
	if errors.Is(err, jetstream.ErrConsumerNotFound) {
		_, err = l.js.CreateConsumer(ctx, l.names.WorkStream(), jetstream.ConsumerConfig{
			Durable: consumerName, AckPolicy: jetstream.AckExplicitPolicy, AckWait: l.config.AckWait, MaxDeliver: -1,
			MaxAckPending: 1 << 16, MaxWaiting: 1 << 14,
		})
	}
	if errors.Is(err, jetstream.ErrConsumerExists) {
		err = nil
	}
	if err != nil {
		return fmt.Errorf("consumer of %s: %w", l.names.WorkStream(), err)
	}
	return nil
}

func processName() string {
	host, err := os.Hostname()
	if err != nil || host == "" {
		host = "localhost"
	}
	return fmt.Sprintf("%s/%d", host, os.Getpid())
}
