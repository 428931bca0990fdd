package verify

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"wb/proof/manifest"
)

// Getter makes one GET request and follows no redirect. Body is empty unless
// status is 200.
type Getter func(ctx context.Context, url string) (status int, body []byte, err error)

// Fetch reads from a server what the manifest of the site at base lists, and the
// site's log. Files that are not listed cannot be found out over HTTP.
func Fetch(ctx context.Context, base string, get Getter) (manifest.Files, error) {
	c, text, err := meet(ctx, base, get)
	if err != nil || text == nil {
		return c.files, err
	}
	s, err := manifest.ReadSite(text)
	if err != nil || s.CheckList() != nil {
		return c.files, nil // Site says what is wrong with it
	}
	for _, f := range s.Files {
		if _, err := c.get(ctx, f.Path); err != nil {
			return nil, err
		}
	}
	if err := c.getLog(ctx, s); err != nil {
		return nil, err
	}
	return c.files, nil
}

// FetchHistory reads of the site at base what its next release goes on from: the
// manifest, the key log and the log of releases. It is empty where no site is.
func FetchHistory(ctx context.Context, base string, get Getter) (manifest.Files, error) {
	c, text, err := meet(ctx, base, get)
	if err != nil || text == nil {
		return c.files, err
	}
	s, err := manifest.ReadSite(text)
	if err != nil {
		return nil, err
	}
	if _, err := c.get(ctx, manifest.KeysPath); err != nil {
		return nil, err
	}
	if err := c.getLog(ctx, s); err != nil {
		return nil, err
	}
	return c.files, nil
}

type client struct {
	base  *url.URL
	fetch Getter
	files manifest.Files
	total int64
}

// meet is a client of the site at base, with the text of its manifest, nil where
// no site is.
func meet(ctx context.Context, base string, get Getter) (*client, []byte, error) {
	c := &client{fetch: get, files: manifest.Files{}}
	var err error
	if c.base, err = url.Parse(base); err != nil {
		return c, nil, err
	}
	text, err := c.get(ctx, manifest.SitePath)
	return c, text, err
}

// getLog reads a site's log of releases.
func (c *client) getLog(ctx context.Context, s *manifest.Site) error {
	for _, path := range manifest.LogPaths(s.Sequence) {
		if _, err := c.get(ctx, manifest.LogPrefix+path); err != nil {
			return err
		}
	}
	return nil
}

// get reads one file; what is not there is nil. Servers lead /index.html to its
// directory, so that is where its bytes are asked for then.
func (c *client) get(ctx context.Context, path string) ([]byte, error) {
	data, status, err := c.try(ctx, path, path)
	if dir, ok := strings.CutSuffix(path, "index.html"); ok && err == nil && status/100 == 3 {
		data, _, err = c.try(ctx, dir, path)
	}
	return data, err
}

// try keeps what the server gives for one path as the file of another.
func (c *client) try(ctx context.Context, path, as string) (data []byte, status int, err error) {
	at := *c.base
	at.Path, at.RawPath = strings.TrimSuffix(c.base.Path, "/")+"/"+path, ""
	status, data, err = c.fetch(ctx, at.String())
	if err != nil || status != http.StatusOK {
		return nil, status, err
	}
	if c.total += int64(len(data)); c.total > maxSite {
		return nil, status, fmt.Errorf("the site has more than %d bytes", int64(maxSite))
	}
	c.files[as] = data
	return data, status, nil
}
