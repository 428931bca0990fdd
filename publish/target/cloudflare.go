package target

import (
	"bytes"
	"cmp"
	"context"

	"wb/publish/target/client"
)

// newCloudflare deploys to Cloudflare Pages with the user's wrangler, which sends
// what changed and makes it visible as a whole.
func newCloudflare(config Config) (*sent, error) {
	if config.Project == "" {
		return nil, &ConfigError{"the target cloudflare-pages needs a project", "#+PUBLISH_PROJECT: NAME"}
	}
	branch := cmp.Or(config.Branch, "main")
	return newSent(config, config.Project+" "+branch, func(ctx context.Context, dir string, said *bytes.Buffer) error {
		return client.Wrangler(ctx, dir, config.Project, branch, said)
	})
}
