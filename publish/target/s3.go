package target

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io/fs"
	"maps"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"wb/internal/s3"
	"wb/proof/manifest"
	"wb/proof/releasedir"
	"wb/proof/verify"
)

// newS3 deploys to a bucket of S3, or of a server that is compatible with it. What
// changed is put there, first what pages load, then pages, then the site's manifest and
// log; what is gone is deleted last. A bucket shows each file as it comes: until the
// manifest is there, readers who verify are told.
func newS3(config Config) (place, error) {
	bucket, err := s3.Open(s3.Config{To: config.To, Endpoint: config.URL, Getenv: config.getenv()})
	if err != nil {
		return nil, err
	}
	sent, err := newSent(config, config.To, func(ctx context.Context, dir string, _ *bytes.Buffer) error {
		return putSite(ctx, bucket, dir)
	})
	return &inBucket{sent, bucket, config.AllowRollback}, err
}

// inBucket is a bucket that a site is sent to, from this machine or from others.
type inBucket struct {
	*sent
	bucket *s3.Bucket
	older  bool // releases that others went past may be deployed
}

// get reads the bucket as verifiers read a server.
func (b *inBucket) get(ctx context.Context, address string) (int, []byte, error) {
	name, err := url.PathUnescape(strings.TrimPrefix(address, bucketURL))
	if err != nil {
		return 0, nil, err
	}
	data, err := b.bucket.Get(ctx, name)
	if errors.Is(err, fs.ErrNotExist) {
		return http.StatusNotFound, nil, nil
	}
	return http.StatusOK, data, err
}

// bucketURL stands for the bucket's address, which only its client knows.
const bucketURL = "https://bucket.invalid/"

// List implements [Target]: what this machine keeps, and what readers see, which
// another machine may have sent.
func (b *inBucket) List(ctx context.Context) ([]Release, error) {
	all, err := b.sent.List(ctx)
	if err != nil {
		return nil, err
	}
	text, err := b.bucket.Get(ctx, manifest.SitePath)
	if errors.Is(err, fs.ErrNotExist) {
		return all, nil
	}
	if err != nil {
		return nil, err
	}
	shown, _, err := releasedir.Describe(text)
	if err != nil {
		return nil, err
	}
	kept := false
	for i := range all {
		all[i].Current = all[i].ID == shown.ID
		kept = kept || all[i].Current
	}
	if !kept {
		shown.Current = true
		all = append(all, shown)
		slices.SortStableFunc(all, func(x, y Release) int { return cmp.Compare(y.Sequence, x.Sequence) })
	}
	return all, nil
}

// current implements place.
func (b *inBucket) current(ctx context.Context) (manifest.Files, error) {
	return verify.Fetch(ctx, bucketURL, b.get)
}

// puts is how many files are under way at once.
const puts = 8

// putSite makes a bucket hold the site in a directory.
func putSite(ctx context.Context, bucket *s3.Bucket, dir string) error {
	files, err := verify.ReadDir(dir)
	if err != nil {
		return err
	}
	there, err := inManifest(ctx, bucket)
	if err != nil {
		return err
	}
	order := func(name string) int {
		switch {
		case name == manifest.SitePath:
			return 3
		case strings.HasPrefix(name, ".well-known/"):
			return 2
		case manifest.IsPage(name):
			return 1
		}
		return 0
	}
	for stage := range 4 {
		group, ctx := errgroup.WithContext(ctx)
		group.SetLimit(puts)
		for _, name := range slices.Sorted(maps.Keys(files)) {
			if order(name) != stage || stage < 2 && there[name] == manifest.SHA256(files[name]) {
				continue
			}
			group.Go(func() error { return bucket.PutAs(ctx, name, typeOf(name), files[name]) })
		}
		if err := group.Wait(); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(there)) {
		if _, stays := files[name]; !stays {
			if err := bucket.Delete(ctx, name); err != nil {
				return err
			}
		}
	}
	return nil
}

// inManifest are the digests of the files that the bucket's site lists.
func inManifest(ctx context.Context, bucket *s3.Bucket) (map[string]string, error) {
	text, err := bucket.Get(ctx, manifest.SitePath)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	site, err := manifest.ReadSite(text)
	if err != nil {
		return nil, err
	}
	there := map[string]string{}
	for _, f := range site.Files {
		there[f.Path] = f.SHA256
	}
	return there, nil
}

// typeOf is what a bucket says a file is, which it would not know by itself.
func typeOf(name string) string {
	return cmp.Or(types[strings.ToLower(path.Ext(name))], "application/octet-stream")
}

var types = map[string]string{".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".mjs": "text/javascript; charset=utf-8",
	".json": "application/json", ".xml": "application/xml", ".txt": "text/plain; charset=utf-8", ".svg": "image/svg+xml", ".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg",
	".gif": "image/gif", ".webp": "image/webp", ".avif": "image/avif", ".ico": "image/x-icon", ".pdf": "application/pdf", ".csv": "text/csv; charset=utf-8", ".wasm": "application/wasm",
	".woff": "font/woff", ".woff2": "font/woff2", ".mp3": "audio/mpeg", ".mp4": "video/mp4", ".webm": "video/webm", ".zip": "application/zip", ".gz": "application/gzip"}
