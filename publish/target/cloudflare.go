package target

import (
	"bytes"
	"context"
	"fmt"
	"path/filepath"

	"wb/internal/trace"
	"wb/proof/manifest"
	"wb/publish/target/client"
)

// cloudflare deploys to Cloudflare Pages with the user's wrangler, which sends
// what changed and makes it visible as a whole. Releases are kept on this
// machine, in the state directory, so that rolling back is deploying again.
type cloudflare struct {
	*local
	project, branch string
}

func newCloudflare(config Config) (*cloudflare, error) {
	if config.Project == "" {
		return nil, &ConfigError{"the target cloudflare-pages needs a project", "#+PUBLISH_PROJECT: NAME"}
	}
	c := &cloudflare{project: config.Project, branch: config.Branch}
	if c.branch == "" {
		c.branch = "main"
	}
	if config.Dir == "" {
		state, err := trace.StateDir(config.getenv())
		if err != nil {
			return nil, err
		}
		// a digest: what a project is called is no name of a file
		config.Dir = filepath.Join(state, "published", "cloudflare-"+manifest.SHA256([]byte(c.project + " " + c.branch))[:16])
	}
	var err error
	c.local, err = newLocal(config)
	return c, err
}

func (c *cloudflare) Name() string { return Cloudflare + " " + c.project + " " + c.branch }

func (c *cloudflare) deploy(ctx context.Context, s *site) (Release, error) {
	unlock, err := c.dir.Lock()
	if err != nil {
		return Release{}, err
	}
	defer unlock()
	if err := c.put(ctx, s); err != nil {
		return Release{}, err
	}
	if err := c.upload(ctx, s.release.ID); err != nil {
		return Release{}, err
	}
	if err := c.dir.Prune(); err != nil {
		return Release{}, err
	}
	info, err := c.dir.Info(s.release.ID)
	info.Current = true
	return info, err
}

// upload deploys a release that is kept, and remembers that it is the one that
// readers see.
func (c *cloudflare) upload(ctx context.Context, id string) error {
	var said bytes.Buffer
	if err := client.Wrangler(ctx, c.dir.ReleasePath(id), c.project, c.branch, &said); err != nil {
		if said.Len() > 0 {
			return fmt.Errorf("%w\n%s", err, bytes.TrimSpace(said.Bytes()))
		}
		return err
	}
	return c.dir.Switch(id)
}

func (c *cloudflare) rollback(ctx context.Context, to Release) error {
	unlock, err := c.dir.Lock()
	if err != nil {
		return err
	}
	defer unlock()
	return c.upload(ctx, to.ID)
}
