package verify

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"wb/publish/fault"
	"wb/publish/manifest"
)

// maxSite bounds what is read of a site, in bytes.
const maxSite = 2 << 30

// ReadDir reads the files of a site from a directory. Symbolic links and
// devices are failures: what they lead to is not in the directory.
func ReadDir(dir string) (manifest.Files, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	files, total := manifest.Files{}, int64(0)
	err = fs.WalkDir(root.FS(), ".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || d.IsDir():
			return err
		case !d.Type().IsRegular():
			return &fault.Error{Code: fault.FileIrregular, Path: path, Text: "is no regular file"}
		}
		data, err := root.ReadFile(filepath.FromSlash(path))
		if total += int64(len(data)); total > maxSite {
			return fmt.Errorf("%s: more than %d bytes", dir, int64(maxSite))
		}
		files[path] = data
		return err
	})
	return files, err
}

// ErrNotLoopback says that only servers on this machine are asked.
var ErrNotLoopback = errors.New("only URLs of this machine are fetched; download the site and verify its directory")

// Fetch reads from a server on this machine what the manifest of the site at
// base lists, and the site's log. Files that are not listed cannot be found out
// over HTTP. Redirects are not followed.
func Fetch(ctx context.Context, base string) (manifest.Files, error) {
	u, err := url.Parse(base)
	if err != nil {
		return nil, err
	}
	if u.Scheme != "http" && u.Scheme != "https" || !loopback(u.Hostname()) {
		return nil, fmt.Errorf("%s: %w", base, ErrNotLoopback)
	}
	c := &client{base: u, http: &http.Client{Timeout: time.Minute,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}, files: manifest.Files{}}
	text, err := c.get(ctx, manifest.SitePath)
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
	for _, path := range manifest.LogPaths(s.Sequence) {
		if _, err := c.get(ctx, manifest.LogPrefix+path); err != nil {
			return nil, err
		}
	}
	return c.files, nil
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

type client struct {
	base  *url.URL
	http  *http.Client
	files manifest.Files
	total int64
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
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, at.String(), nil)
	if err != nil {
		return nil, 0, err
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return nil, 0, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, resp.StatusCode, nil
	}
	data, err = c.keep(resp.Body, as)
	return data, resp.StatusCode, err
}

func (c *client) keep(body io.Reader, path string) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(body, maxSite-c.total+1))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if c.total += int64(len(data)); c.total > maxSite {
		return nil, fmt.Errorf("the site has more than %d bytes", int64(maxSite))
	}
	c.files[path] = data
	return data, nil
}
