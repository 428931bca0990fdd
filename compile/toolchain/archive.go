package toolchain

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"strings"
)

// extract copies the regular files of a tar stream for which pick returns a
// name into dir, under that name. Links, devices and names that leave dir are
// never created; a file over limit bytes is an error.
func extract(r io.Reader, dir string, limit int64, pick func(name string) string) error {
	return walkTar(r, limit, pick, func(name string, r io.Reader) error {
		return writeFile(filepath.Join(dir, filepath.FromSlash(name)), r)
	})
}

// walkTar gives visit the regular files of a tar stream for which pick returns
// a name. A picked entry that is a link or device, has a name that leaves the directory
// or is over limit bytes is an error.
func walkTar(r io.Reader, limit int64, pick func(name string) string, visit func(name string, r io.Reader) error) error {
	for tr := tar.NewReader(r); ; {
		h, err := tr.Next()
		if errors.Is(err, io.EOF) { // a compressed stream has its checksum behind the last entry
			if _, err := io.Copy(io.Discard, io.LimitReader(r, limit)); err != nil {
				return fmt.Errorf("archive: %w", err)
			}
			return nil
		}
		if err != nil {
			return fmt.Errorf("archive: %w", err)
		}
		name := pick(path.Clean(strings.TrimPrefix(h.Name, "./")))
		if name == "" || h.Typeflag == tar.TypeDir {
			continue
		}
		if h.Typeflag != tar.TypeReg {
			return fmt.Errorf("archive: %s: not a regular file", h.Name)
		}
		if !fs.ValidPath(name) || !filepath.IsLocal(filepath.FromSlash(name)) {
			return fmt.Errorf("archive: %s: leaves the directory", h.Name)
		}
		if h.Size > limit {
			return fmt.Errorf("archive: %s: %s, more than the limit of %s", h.Name, size(h.Size), size(limit))
		}
		if err := visit(name, tr); err != nil {
			return fmt.Errorf("archive: %w", err)
		}
	}
}

// counting passes bytes on and tells a step about them.
type counting struct {
	io.Reader
	step Step
}

func (c counting) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.step.Add(int64(n))
	return n, err
}
