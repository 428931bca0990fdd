package toolchain

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

// Sources is a place of the user's that has the archives toolchains are made of, each
// under the name its publisher gave it: a directory, or an http or https address to
// which the name is appended. It serves machines without npm or apt-get, and those
// that may ask one server only. Nothing of it is trusted: the pinned digests decide.
type Sources string

// check says what is wrong with a place before anything is looked for there.
func (s Sources) check() error {
	switch {
	case s == "" || s.remote():
		return nil
	case strings.Contains(string(s), "://"):
		return fmt.Errorf("sources %s: neither a directory nor an address that begins with https:// or http://", s)
	}
	info, err := os.Stat(string(s))
	switch {
	case err != nil:
		return fmt.Errorf("sources: %w", err)
	case !info.IsDir():
		return fmt.Errorf("sources %s: not a directory", s)
	}
	return nil
}

func (s Sources) remote() bool {
	return strings.HasPrefix(string(s), "https://") || strings.HasPrefix(string(s), "http://")
}

// at is where the archive of that name lies.
func (s Sources) at(name string) string {
	if s.remote() {
		return strings.TrimRight(string(s), "/") + "/" + url.PathEscape(name)
	}
	return filepath.Join(string(s), name)
}

// open opens an archive. What the place has not is fs.ErrNotExist.
func (s Sources) open(ctx context.Context, name string) (io.ReadCloser, int64, error) {
	if s.remote() {
		return openURL(ctx, s.at(name))
	}
	f, err := os.Open(s.at(name))
	if err != nil {
		return nil, 0, err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, 0, err
	}
	return f, info.Size(), nil
}

// openURL reads what a server has at an address, of which it says the length or -1.
func openURL(ctx context.Context, at string) (io.ReadCloser, int64, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, at, nil)
	if err != nil {
		return nil, 0, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, 0, err
	}
	switch resp.StatusCode {
	case http.StatusOK:
		return resp.Body, resp.ContentLength, nil
	case http.StatusNotFound, http.StatusGone:
		err = fs.ErrNotExist
	default:
		err = errors.New(resp.Status)
	}
	resp.Body.Close()
	return nil, 0, fmt.Errorf("%s: %w", at, err)
}

// fromElsewhere copies an archive from the user's own place to where downloads are kept, and
// reports whether the place has it. The caller checks the digest.
func (j *Job) fromElsewhere(ctx context.Context, name, archive string) (found bool, err error) {
	if j.Sources == "" {
		return false, nil
	}
	r, length, err := j.Sources.open(ctx, name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, j.unavailable(ctx, name, err)
	}
	defer r.Close()
	step := j.Step("fetching "+j.Sources.at(name), max(length, 0))
	defer func() { step.Done(err) }()
	dir, err := j.scratch()
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(dir)
	part := filepath.Join(dir, "part")
	if err := writeFile(part, counting{r, step}); err != nil {
		return false, j.unavailable(ctx, name, err)
	}
	return true, os.Rename(part, archive)
}

// unavailable is the error of a place that does not answer as it should.
func (j *Job) unavailable(ctx context.Context, name string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return &UnavailableError{Tool: j.Tool, Command: "fetch " + j.Sources.at(name), Err: err,
		Fix: "check the place given with --sources or WB_SOURCES, then: wb toolchain install " + j.Tool}
}
