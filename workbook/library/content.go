package library

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Files are the files of a member: their SHA-256 in hex by slash path.
type Files map[string]string

// Digest names the files' content: the SHA-256, in hex, over each path and
// digest in order.
func (f Files) Digest() string {
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(f)) {
		fmt.Fprintf(h, "%d %s %s\n", len(name), name, f[name])
	}
	return hex.EncodeToString(h.Sum(nil))
}

// The bounds of a member.
const (
	maxFiles    = 10_000
	maxFileSize = 256 << 20
)

// kept are names that the host writes and that are not part of a member.
var kept = []string{"events.org", "_steps.jsonl", "_ledger.json", "approvals.org", "issues.org", Manifest}

// readTree are the files below a directory, or the one file that path is.
// Names that begin with a dot and what the host writes are left out; anything
// but files and directories is refused, since a link may lead anywhere.
func readTree(root string) (Files, error) {
	info, err := os.Lstat(root)
	if err != nil {
		return nil, err
	}
	files := Files{}
	add := func(file, name string) error {
		sum, err := digestFile(file)
		if err != nil {
			return err
		}
		if files[name] = sum; len(files) > maxFiles {
			return fmt.Errorf("%s: more than %d files", root, maxFiles)
		}
		return nil
	}
	if info.Mode().IsRegular() {
		return files, add(root, filepath.Base(root))
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("%s: neither a file nor a directory", root)
	}
	err = filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil || file == root:
			return err
		case strings.HasPrefix(d.Name(), "."):
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case d.IsDir():
			return nil
		case slices.Contains(kept, d.Name()):
			return nil
		case !d.Type().IsRegular():
			return fmt.Errorf("%s: neither a file nor a directory", file)
		}
		rel, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		return add(file, filepath.ToSlash(rel))
	})
	return files, err
}

func digestFile(file string) (string, error) {
	f, err := os.Open(file)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	n, err := io.Copy(h, io.LimitReader(f, maxFileSize+1))
	if err == nil && n > maxFileSize {
		err = fmt.Errorf("%s: larger than %d MiB", file, maxFileSize>>20)
	}
	return hex.EncodeToString(h.Sum(nil)), err
}

// Files are a member's files as they are now.
func (m *Member) Files() (Files, error) { return readTree(m.File()) }

// place is where a file of a member lies. A member that is one file has no
// other.
func (m *Member) place(name string) (string, error) {
	info, err := os.Lstat(m.File())
	if err == nil && info.Mode().IsRegular() {
		if name != path.Base(m.Path) {
			return "", fmt.Errorf("%s is one file, %s cannot be added to it", m.ID(), name)
		}
		return m.File(), nil
	}
	if !filepath.IsLocal(filepath.FromSlash(name)) {
		return "", fmt.Errorf("%s is not below %s", name, m.ID())
	}
	return filepath.Join(m.File(), filepath.FromSlash(name)), nil
}
