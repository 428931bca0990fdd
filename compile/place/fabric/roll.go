package fabric

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
)

// Roll asks the tenant's workers who they are and waits so long for answers.
// Workers come sorted by name.
func (l *Link) Roll(ctx context.Context, wait time.Duration) ([]Member, error) {
	inbox := l.conn.NewInbox()
	sub, err := l.conn.SubscribeSync(inbox)
	if err != nil {
		return nil, err
	}
	defer sub.Unsubscribe()
	if err := l.conn.PublishRequest(l.names.Roll(), inbox, nil); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	var members []Member
	for {
		m, err := sub.NextMsgWithContext(ctx)
		if errors.Is(err, nats.ErrNoResponders) || err != nil && ctx.Err() != nil {
			break
		}
		if err != nil {
			return nil, err
		}
		var one Member
		if json.Unmarshal(m.Data, &one) == nil && one.Name != "" {
			members = append(members, one)
		}
	}
	slices.SortFunc(members, func(a, b Member) int { return strings.Compare(a.Name, b.Name) })
	return members, nil
}
