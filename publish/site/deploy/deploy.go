// Package deploy turns a site that was laid out into a release: it signs the
// files into the output directory ([Output]), and says at which target the
// configuration wants them ([Target]).
//
// It is the half of publishing that has keys and tokens. The other half, which
// lays pages out (wb/publish/site, in the program wb-publish), has neither.
package deploy

import (
	"context"
	"fmt"
	"slices"

	"wb/internal/identity"
	"wb/proof/manifest"
	"wb/proof/sign"
	"wb/proof/verify"
	"wb/publish/leak"
	"wb/publish/site"
	"wb/publish/target"
	"wb/sandbox/dock/store"
)

// Target is where the configuration of the site in dir says that releases go.
// It is nil for a local target without a directory: such a site is published by
// whoever serves its output directory.
func Target(dir string, c site.Config, with Options) (target.Target, error) {
	if c.Target == target.Local && c.Dir == "" {
		return nil, nil
	}
	t := target.Config{Kind: c.Target, URL: c.Server, To: c.To, Site: c.Project, Remote: c.Remote, Branch: c.Branch, Domain: c.Domain,
		Project: c.Project, Keep: c.Keep, AllowLeak: with.AllowLeak, Secrets: with.Secrets, Issuer: with.Issuer}
	if c.Dir != "" {
		t.Dir = c.Path(dir, c.Dir)
	}
	t.Repo = c.Path(dir, c.Repo)
	return target.New(t)
}

// Options hold what a target needs besides the configuration.
type Options struct {
	AllowLeak []string      // files that may hold what looks like a secret
	Secrets   []leak.Secret // values that must not leave
	Issuer    *sign.Issuer
	// Record knows what was signed for the output directory before, when that no
	// longer does; nil knows nothing.
	Record *sign.Record
	// Seen are the releases that the user verified; none is signed that they
	// contradict. nil has seen nothing.
	Seen *verify.Memory
	// Continue reads the site whose releases the next one goes on from; nil is
	// what the target shows.
	Continue func(context.Context) (manifest.Files, error)
}

// Leaks looks for secrets in the files of a site.
func Leaks(files manifest.Files, with Options) error {
	return leak.Check(files, leak.Rules{Secrets: with.Secrets, Allow: with.AllowLeak})
}

// minSecret is how long a value must be for its presence to mean anything, in
// bytes.
const minSecret = 8

// Secrets are the values of the user's sealed variables, so that none of them
// leaves. Variables that anybody may read are not among them.
func Secrets(ctx context.Context, s *store.Store) ([]leak.Secret, error) {
	vars, err := s.Vars(ctx, identity.DefaultTenant)
	if err != nil {
		return nil, err
	}
	var out []leak.Secret
	for _, v := range vars {
		if v.Kind != store.Secret {
			continue
		}
		value, found, err := s.Expand(ctx, identity.DefaultTenant, v.Name)
		if err != nil {
			return nil, fmt.Errorf("the secret %s: %w", v.Name, err)
		}
		if found && len(value) >= minSecret {
			out = append(out, leak.Secret{Name: "the secret " + v.Name, Value: slices.Clone(value)})
		}
	}
	return out, nil
}
