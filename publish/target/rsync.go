package target

import (
	"bytes"
	"context"

	"wb/publish/target/client"
)

// newRsync deploys to a directory of another machine with the user's rsync and ssh. New
// files come to their places together, after all of them were sent; what is gone is
// deleted last.
func newRsync(config Config) (*sent, error) {
	if config.To == "" {
		return nil, &ConfigError{"the target rsync needs a destination", "#+PUBLISH_TO: user@example.org:/srv/www/site"}
	}
	return newSent(config, config.To, func(ctx context.Context, dir string, said *bytes.Buffer) error {
		return client.Rsync(ctx, dir, config.To, said)
	})
}
