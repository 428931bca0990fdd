package target

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"wb/internal/diag"
	"wb/proof/manifest"
	"wb/proof/sign"
	"wb/proof/verify"
)

// newestPath is the object that keeps the log of the newest release while readers see
// an older one: machines that know only the bucket would number the next release anew.
const newestPath = ".well-known/wb-newest.json"

// published implements historian: others may have deployed there.
func (b *inBucket) published(ctx context.Context) (manifest.Files, error) {
	text, err := b.bucket.Get(ctx, newestPath)
	if errors.Is(err, fs.ErrNotExist) {
		return verify.FetchHistory(ctx, bucketURL, b.get)
	}
	if err != nil {
		return nil, err
	}
	var history manifest.Files
	if err := json.Unmarshal(text, &history); err != nil {
		return nil, fmt.Errorf("%s: %w", newestPath, err)
	}
	return history, nil
}

// deploy implements place. What other machines released there stays in the log.
func (b *inBucket) deploy(ctx context.Context, s *site) (Release, error) {
	newest, err := b.published(ctx)
	if err != nil {
		return Release{}, err
	}
	if there, goesOn := continues(s.files, newest); !goesOn && !b.older {
		return Release{}, &ForkError{b.Name(), there, s.release.Sequence}
	}
	release, err := b.sent.deploy(ctx, s)
	if err != nil {
		return release, err
	}
	return release, b.showsNewest(ctx)
}

// showsNewest takes away what is not needed while readers see the newest release.
func (b *inBucket) showsNewest(ctx context.Context) error {
	if err := b.bucket.Delete(ctx, newestPath); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// rollback implements place. A release that is not among those of the bucket's log
// is not shown, whoever kept it.
func (b *inBucket) rollback(ctx context.Context, to Release) error {
	newest, err := b.published(ctx)
	if err != nil {
		return err
	}
	kept, err := verify.ReadDir(b.dir.ReleasePath(to.ID))
	if err != nil {
		return err
	}
	if there, before := continues(newest, kept); !before {
		return &ForkError{b.Name(), there, to.Sequence}
	}
	if _, same := continues(kept, newest); same {
		if err := b.sent.rollback(ctx, to); err != nil {
			return err
		}
		return b.showsNewest(ctx)
	}
	text, err := json.Marshal(sign.History(newest))
	if err != nil {
		return err
	}
	if err := b.bucket.PutAs(ctx, newestPath, typeOf(newestPath), text); err != nil {
		return err
	}
	return b.sent.rollback(ctx, to)
}

// continues reports whether the log of one site begins with that of another, and how
// many releases the longer of both has. A site without a log begins every one.
func continues(files, before manifest.Files) (releases int, ok bool) {
	old, err := logOf(before)
	if err != nil || old == nil {
		return 0, err == nil
	}
	log, err := logOf(files)
	if err != nil || log == nil || log.Len() < old.Len() {
		return old.Len(), false
	}
	return log.Len(), log.Origin == old.Origin && log.RootAt(old.Len()) == old.RootAt(old.Len())
}

// logOf is a site's log of releases, nil when there is no site.
func logOf(files manifest.Files) (*manifest.Releases, error) {
	if files[manifest.SitePath] == nil {
		return nil, nil
	}
	s, err := manifest.ReadSite(files[manifest.SitePath])
	if err != nil {
		return nil, err
	}
	log := manifest.Files{}
	for path, data := range files {
		if name, ok := strings.CutPrefix(path, manifest.LogPrefix); ok {
			log[name] = data
		}
	}
	return manifest.ReadReleases(log, s.IdentityDID, s.IssuerDID)
}

// ForkError is a release that went another way than those of the place.
type ForkError struct {
	Place           string
	There, Sequence int // releases in the log there, and the number of this one
}

func (e *ForkError) Error() string {
	return fmt.Sprintf("%s: release %d of this machine is none of the %d in the log there", e.Place, e.Sequence, e.There)
}

// Hint says how to go on.
func (e *ForkError) Hint() string {
	return "another machine released there: publish again, which goes on from its log"
}

// ExitCode is that of a conflict.
func (e *ForkError) ExitCode() int { return diag.ExitConflict }
