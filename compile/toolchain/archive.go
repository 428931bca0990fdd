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
func extract(r io.Reader, dir string, limit int64, pick func(name string) string) (int, error) {
	files := 0
	for tr := tar.NewReader(r); ; {
		h, err := tr.Next()
		if errors.Is(err, io.EOF) {
			return files, nil
		}
		if err != nil {
			return files, fmt.Errorf("archive: %w", err)
		}
		name := pick(path.Clean(strings.TrimPrefix(h.Name, "./")))
		if name == "" {
			continue
		}
		if h.Typeflag != tar.TypeReg {
			return files, fmt.Errorf("archive: %s: not a regular file", h.Name)
		}
		if !fs.ValidPath(name) || !filepath.IsLocal(filepath.FromSlash(name)) {
			return files, fmt.Errorf("archive: %s: leaves the directory", h.Name)
		}
		if h.Size > limit {
			return files, fmt.Errorf("archive: %s: %s, more than the limit of %s", h.Name, size(h.Size), size(limit))
		}
		if err := writeFile(filepath.Join(dir, filepath.FromSlash(name)), tr); err != nil {
			return files, fmt.Errorf("archive: %w", err)
		}
		files++
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
