package fabric

import (
	"context"
	"errors"
	"time"

	"github.com/nats-io/nats.go"
)

// puller takes messages off a tenant's queue, one at a time. Unlike the client
// library's it can stop without leaving a message behind that was on its way.
type puller struct {
	link *Link
	sub  *nats.Subscription
}

const (
	pullWait  = 30 * time.Second // how long a request for a message stands
	pullPulse = 5 * time.Second  // how often the server says that it does
)

func newPuller(l *Link) (*puller, error) {
	sub, err := l.conn.SubscribeSync(l.conn.NewInbox())
	if err != nil {
		return nil, err
	}
	return &puller{l, sub}, nil
}

// request asks the server for the next message.
func (p *puller) request() error {
	next := "$JS.API.CONSUMER.MSG.NEXT." + p.link.names.WorkStream() + "." + consumerName
	ask := struct {
		Batch     int           `json:"batch"`
		Expires   time.Duration `json:"expires"`
		Heartbeat time.Duration `json:"idle_heartbeat"`
	}{1, pullWait, pullPulse}
	return p.link.conn.PublishRequest(next, p.sub.Subject, mustJSON(ask))
}

// next waits for a message. It returns nil when ctx ends.
func (p *puller) next(ctx context.Context) *nats.Msg {
	for ctx.Err() == nil {
		if p.request() != nil {
			_ = sleep(ctx, 200*time.Millisecond) // the server is away; the connection mends itself
			continue
		}
		if m := p.answer(ctx); m != nil {
			return m
		}
	}
	return nil
}

// answer waits for a message until the request is over.
func (p *puller) answer(ctx context.Context) *nats.Msg {
	for {
		pulse, cancel := context.WithTimeout(ctx, 2*pullPulse+time.Second)
		m, err := p.sub.NextMsgWithContext(pulse)
		cancel()
		switch {
		case errors.Is(err, nats.ErrNoResponders):
			_ = sleep(ctx, 200*time.Millisecond)
			return nil
		case err != nil:
			return nil // no sign of life: the request is lost
		case len(m.Data) > 0 || m.Header.Get("Status") == "":
			return m
		case m.Header.Get("Status") == "100":
			continue // the pulse
		case m.Header.Get("Status") != "408": // anything but the end of the wait
			_ = sleep(ctx, 200*time.Millisecond)
		}
		return nil
	}
}

// stop takes no more messages. Those that were on their way go to left.
func (p *puller) stop(left func(*nats.Msg)) {
	if p.sub.Drain() != nil {
		return // the connection is gone, and with it what was on its way
	}
	for {
		m, err := p.sub.NextMsg(2 * time.Second)
		if err != nil {
			return
		}
		if m.Header.Get("Status") == "" {
			left(m)
		}
	}
}
