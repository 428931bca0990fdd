package tier

import (
	"context"
)

// Available reports whether a tier can be used here: nil, or an
// [UnavailableError] with the reason.
func Available(ctx context.Context, config Config) error {
	switch config.Tier {
	case Instance, Process:
		return nil
	case Container:
		return containerAvailable(ctx, &config)
	case Node:
		return &UnavailableError{Tier: Node, Reason: "no queue of workers was named", Fix: "wb run --nats URL, with wb worker --nats URL on the other machines"}
	}
	_, err := Parse(string(config.Tier))
	return err
}
