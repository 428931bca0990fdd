// Package grants remembers what a user granted and took back. A document only
// asks; what it gets is what the user said, for this run on the command line or
// for good with wb trust, which is remembered here by the digest of what the
// document does, in the user's configuration and never beside the document.
//
// A document that changes is another one: its trust is gone until the user looks
// at it again. A revocation takes back everything that was granted to a
// principal before it, also in runs that are under way, which look here before
// every call.
package grants

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"wb/internal/whole"
)

// Trust is a user's lasting grant to a document.
type Trust struct {
	Digest string    `json:"digest"` // of what the document does
	File   string    `json:"file"`   // where it was then, an absolute path
	Grants []string  `json:"grants"` // sorted
	At     time.Time `json:"at"`
}

// Revocation takes back what a principal was granted before At.
type Revocation struct {
	Principal  string    `json:"principal"`            // a workbook's absolute path, an agent's id or a signer's did
	Capability string    `json:"capability,omitempty"` // "" is every one
	At         time.Time `json:"at"`
}

// content is the file.
type content struct {
	Trusted []Trust         `json:"trusted"`
	Signers []TrustedSigner `json:"signers,omitempty"`
	Revoked []Revocation    `json:"revoked"`
}

// File is the file of grants. It is safe for concurrent use by several
// processes: it is replaced as a whole, and read again when it has changed.
type File struct {
	path string
	now  func() time.Time

	mu    sync.Mutex
	stamp stamp
	last  content
}

// stamp tells one version of the file from another.
type stamp struct {
	size  int64
	mtime time.Time
	info  fs.FileInfo
}

// Dir is where the user's configuration lies: WB_CONFIG_DIR, else wb in the
// user's configuration directory.
func Dir(getenv func(string) string) (string, error) {
	if dir := getenv("WB_CONFIG_DIR"); dir != "" {
		return filepath.Abs(dir)
	}
	if dir := getenv("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "wb"), nil
	}
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", fmt.Errorf("no configuration directory: %w; hint: set WB_CONFIG_DIR", err)
	}
	return filepath.Join(dir, "wb"), nil
}

// Open is the store in a directory; nothing is read yet. now is the clock, nil
// the system's.
func Open(dir string, now func() time.Time) *File {
	if now == nil {
		now = time.Now
	}
	return &File{path: filepath.Join(dir, "grants.json"), now: now}
}

// load reads the file when it has changed.
func (s *File) load() (content, error) {
	info, err := os.Stat(s.path)
	if errors.Is(err, fs.ErrNotExist) {
		s.stamp, s.last = stamp{}, content{}
		return content{}, nil
	}
	if err != nil {
		return content{}, err
	}
	if s.stamp.info != nil && os.SameFile(s.stamp.info, info) && s.stamp.size == info.Size() && s.stamp.mtime.Equal(info.ModTime()) {
		return s.last, nil
	}
	data, err := os.ReadFile(s.path)
	if err != nil {
		return content{}, err
	}
	var c content
	if err := json.Unmarshal(data, &c); err != nil {
		return content{}, fmt.Errorf("%s: %w", s.path, err)
	}
	s.stamp, s.last = stamp{info.Size(), info.ModTime(), info}, c
	return c, nil
}

// change replaces the file with what do makes of its content.
func (s *File) change(do func(*content)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := os.MkdirAll(filepath.Dir(s.path), 0o700); err != nil {
		return err
	}
	release, err := lock(s.path + ".lock")
	if err != nil {
		return err
	}
	defer release()
	c, err := s.load()
	if err != nil {
		return err
	}
	c.Trusted, c.Signers, c.Revoked = slices.Clone(c.Trusted), slices.Clone(c.Signers), slices.Clone(c.Revoked)
	do(&c)
	data, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return err
	}
	if err := (whole.File{Sync: true}).Write(s.path, append(data, '\n')); err != nil {
		return err
	}
	s.stamp = stamp{}
	return nil
}

// staleLock is the age at which a lock counts as abandoned.
const staleLock = 10 * time.Second

// lock keeps other processes from changing the file meanwhile.
func lock(path string) (release func(), err error) {
	for deadline := time.Now().Add(2 * staleLock); ; {
		f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err == nil {
			return func() { _ = os.Remove(path) }, f.Close()
		}
		if !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
		if info, err := os.Stat(path); err == nil && time.Since(info.ModTime()) > staleLock {
			_ = os.Remove(path) // whoever held it is gone
			continue
		}
		if time.Now().After(deadline) {
			return nil, fmt.Errorf("%s is held by another process", path)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// Trust remembers grants for a document by the digest of what it does. What was
// remembered for the same digest or the same file is replaced.
func (s *File) Trust(digest, file string, grants []string) (Trust, error) {
	grants = slices.Compact(slices.Sorted(slices.Values(grants)))
	t := Trust{Digest: digest, File: file, Grants: grants, At: s.now().UTC()}
	return t, s.change(func(c *content) {
		c.Trusted = slices.DeleteFunc(c.Trusted, func(o Trust) bool { return o.Digest == digest || o.File == file })
		c.Trusted = append(c.Trusted, t)
	})
}

// Trusted returns a document's lasting grant; found is false when nothing
// was, or when it has changed since.
func (s *File) Trusted(digest string) (t Trust, found bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, err := s.load()
	if err != nil {
		return t, false, err
	}
	i := slices.IndexFunc(c.Trusted, func(o Trust) bool { return o.Digest == digest })
	if i < 0 {
		return t, false, nil
	}
	return c.Trusted[i], true, nil
}

// Changed reports whether a file was trusted with another content.
func (s *File) Changed(digest, file string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, err := s.load()
	return err == nil && slices.ContainsFunc(c.Trusted, func(o Trust) bool { return o.File == file && o.Digest != digest })
}

// List is everything that is remembered.
func (s *File) List() ([]Trust, []Revocation, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, err := s.load()
	return slices.Clone(c.Trusted), slices.Clone(c.Revoked), err
}

// keepRevocations is how long a revocation is kept: longer than any run lasts.
const keepRevocations = 30 * 24 * time.Hour

// Revoke takes back what a principal was granted so far: a capability, or all
// of them when it is "". It reports what trust is gone.
func (s *File) Revoke(principal, capability string) (gone []Trust, err error) {
	now := s.now().UTC()
	return gone, s.change(func(c *content) {
		for i, t := range c.Trusted {
			if t.File != principal && t.Digest != principal {
				continue
			}
			left := slices.DeleteFunc(slices.Clone(t.Grants), func(g string) bool { return capability == "" || Capability(g) == capability || g == capability })
			if len(left) != len(t.Grants) {
				gone = append(gone, t)
			}
			c.Trusted[i].Grants = left
		}
		c.Trusted = slices.DeleteFunc(c.Trusted, func(t Trust) bool { return len(t.Grants) == 0 })
		for i, t := range c.Signers {
			if t.DID == principal || t.Name == principal {
				c.Signers[i].Grants = t.without(capability)
			}
		}
		c.Signers = slices.DeleteFunc(c.Signers, func(t TrustedSigner) bool { return len(t.Grants) == 0 })
		c.Revoked = slices.DeleteFunc(c.Revoked, func(r Revocation) bool {
			return now.Sub(r.At) > keepRevocations || r.Principal == principal && r.Capability == capability
		})
		c.Revoked = append(c.Revoked, Revocation{principal, capability, now})
	})
}

// Revoked reports whether a principal's capability, granted at a time, has been
// taken back since. What cannot be read counts as taken back.
func (s *File) Revoked(principal, capability string, granted time.Time) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, err := s.load()
	return err != nil || slices.ContainsFunc(c.Revoked, func(r Revocation) bool {
		return r.Principal == principal && (r.Capability == "" || r.Capability == capability) && !r.At.Before(granted)
	})
}

// Capability is the capability of a grant: net of net:api.example.com.
func Capability(grant string) string {
	name, _, _ := strings.Cut(grant, ":")
	return name
}

// Ceiling is the set of grants that a holder may pass on to another who
// asks for others: what both have, the narrower of each.
func Ceiling(holds, asks []string) []string {
	var both []string
	for _, ask := range asks {
		for _, have := range holds {
			switch {
			case have == ask || covers(have, ask):
				both = append(both, ask)
			case covers(ask, have):
				both = append(both, have)
			}
		}
	}
	slices.Sort(both)
	return slices.Compact(both)
}

// covers reports whether one grant allows everything that another does.
func covers(wide, narrow string) bool {
	a, scope, scoped := strings.Cut(wide, ":")
	b, name, named := strings.Cut(narrow, ":")
	switch {
	case a != b:
		return false
	case !scoped:
		return true
	case !named:
		return false
	}
	prefix, ok := strings.CutSuffix(scope, "*")
	return ok && strings.HasPrefix(name, prefix) || scope == name
}
