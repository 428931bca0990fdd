// Package target puts signed sites where readers find them, and takes them back.
//
// A [Target] is one such place: a directory of this machine, a `wb serve` of
// one's own, a branch of a git repository, Cloudflare Pages, a bucket of S3, or a
// directory that rsync reaches. [New] makes one of a [Config]. Whatever the place, the
// gate lets nothing through but a valid signed site that is the next release of the one
// there and holds nothing private (wb/publish/leak).
package target

import (
	"context"
	"fmt"
	"os"
	"strings"

	"wb/internal/diag"
	"wb/proof/manifest"
	"wb/proof/releasedir"
	"wb/proof/sign"
	"wb/proof/verify"
	"wb/publish/leak"
)

// Release is one release of a site at a target.
type Release = releasedir.Info

// Target is a place that sites are deployed to.
type Target interface {
	// Name says which place, for people: "local /srv/www".
	Name() string
	// Deploy makes the signed site in dir what readers see, as a whole or not at
	// all, and gives its release.
	Deploy(ctx context.Context, dir string) (Release, error)
	// List gives the releases that are kept, newest first.
	List(ctx context.Context) ([]Release, error)
	// Rollback makes an earlier release what readers see, by its id, the
	// beginning of it, or its number; "" is the one before the current one.
	Rollback(ctx context.Context, id string) (Release, error)
	// History is what the next release goes on from, as [sign.History] gives
	// it; nil when nothing is published.
	History(ctx context.Context) (manifest.Files, error)
	// Status verifies what readers see now.
	Status(ctx context.Context) (*Status, error)
}

// Status is what a target shows its readers, verified.
type Status struct {
	Target   string         `json:"target"`
	Current  *Release       `json:"current"`  // nil when nothing is published
	Releases []Release      `json:"releases"` // that are kept, newest first
	Verdict  *verify.Report `json:"verdict"`  // on the current one
}

// The kinds of target, as publish.org names them.
const (
	Local      = "local"
	SelfHosted = "self-hosted"
	GHPages    = "gh-pages"
	Cloudflare = "cloudflare-pages"
	S3         = "s3"
	Rsync      = "rsync"
)

// Kinds are all of them; the first is the default.
func Kinds() []string { return []string{Local, SelfHosted, GHPages, Cloudflare, S3, Rsync} }

// Config says where to deploy. It holds no secret but Token, which comes from
// the environment.
type Config struct {
	Kind string // one of [Kinds]; "" is local

	Dir     string // local: the directory of releases; cloudflare-pages, s3 and rsync: where copies are kept
	URL     string // self-hosted: of the server, such as https://example.org; s3: of the endpoint
	To      string // s3: s3://BUCKET/PREFIX; rsync: user@host:/directory
	Site    string // self-hosted: the site's name there
	Token   string // self-hosted: what the server was given with --publish-token; "" is $WB_PUBLISH_TOKEN
	Repo    string // gh-pages: a directory in the work tree of the repository
	Remote  string // gh-pages: a name or URL; "" is origin
	Branch  string // gh-pages: "" is gh-pages; cloudflare-pages: "" is main
	Domain  string // gh-pages: of the site, for CNAME
	Project string // cloudflare-pages: its name there

	Keep      int           // releases that are kept; 0 is releasedir.DefaultKeep
	AllowLeak []string      // files that may hold what looks like a secret
	Secrets   []leak.Secret // values that must not leave
	// AllowRollback deploys a release older than the one that is there.
	AllowRollback bool
	// Issuer signs what a self-hosted server asks to be signed for rolling back.
	Issuer *sign.Issuer
	// Getenv reads the environment; nil is os.Getenv.
	Getenv func(string) string
}

func (c *Config) getenv() func(string) string {
	if c.Getenv != nil {
		return c.Getenv
	}
	return os.Getenv
}

// ConfigError says what is wrong with a configuration.
type ConfigError struct{ Text, Advice string }

func (e *ConfigError) Error() string { return e.Text }

// Hint says how to set it right.
func (e *ConfigError) Hint() string { return e.Advice }

// ExitCode is that of wrong usage.
func (e *ConfigError) ExitCode() int { return diag.ExitUsage }

// New makes the target that config describes. Nothing is contacted.
func New(config Config) (Target, error) {
	if _, err := newPlace(config); err != nil {
		return nil, err
	}
	return &gated{config}, nil
}

// newPlace makes what is behind the gate.
func newPlace(config Config) (place, error) {
	switch config.Kind {
	case "", Local:
		return newLocal(config)
	case SelfHosted:
		return newSelfHosted(config)
	case GHPages:
		return newGHPages(config)
	case Cloudflare:
		return newCloudflare(config)
	case S3:
		return newS3(config)
	case Rsync:
		return newRsync(config)
	}
	return nil, &ConfigError{fmt.Sprintf("unknown target %q", config.Kind), "targets are " + strings.Join(Kinds(), ", ")}
}
