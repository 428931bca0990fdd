package golang

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"wb/compile/toolchain"
	"wb/internal/sha"
	"wb/sandbox"
)

// stdFS is the standard library as the compiler and linker see it: PATH.a for
// every package, read from one large file when first opened and checked
// against its digest then.
type stdFS struct {
	sandbox.NoLinks
	file     string // the pack
	packages map[string]*stdPackage
	paths    []string // of those on offer, sorted

	linkConfig string // packagefile lines of all packages
}

type stdPackage struct {
	toolchain.StdPackage
	read func() ([]byte, error)
}

// openStd reads the index.
func openStd(t toolchain.Toolchain) (*stdFS, error) {
	text, err := t.ReadFile(toolchain.GoStdIndex)
	if err != nil {
		return nil, err
	}
	var index []toolchain.StdPackage
	if err := json.Unmarshal(text, &index); err != nil {
		return nil, fmt.Errorf("toolchain %s: %s: %w", t.Name, toolchain.GoStdIndex, err)
	}
	s := &stdFS{file: t.Path(toolchain.GoStd), packages: make(map[string]*stdPackage)}
	var config strings.Builder
	for _, p := range index {
		s.packages[p.Path] = &stdPackage{p, sync.OnceValues(func() ([]byte, error) { return s.readPackage(t.Name, p) })}
		if p.Offered {
			s.paths = append(s.paths, p.Path)
		}
		config.WriteString(configLine(p.Path))
	}
	s.linkConfig = config.String()
	return s, nil
}

// readPackage reads one archive out of the pack.
func (s *stdFS) readPackage(tool string, p toolchain.StdPackage) ([]byte, error) {
	f, err := os.Open(s.file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data := make([]byte, p.Size)
	if _, err := f.ReadAt(data, p.Offset); err != nil {
		return nil, err
	}
	if got := sha.Hex(data); got != p.SHA256 {
		return nil, &toolchain.IntegrityError{Tool: tool, What: p.Path, Want: p.SHA256, Got: got}
	}
	return data, nil
}

// configLine is how a package of the standard library stands in an importcfg.
func configLine(path string) string {
	return "packagefile " + path + "=" + stdDir + "/" + path + ".a\n"
}

// offers reports whether programs may import a package.
func (s *stdFS) offers(path string) bool { return s.packages[path] != nil && s.packages[path].Offered }

// named lists the packages on offer that are called name in a program,
// shortest path first, so that rand is math/rand before crypto/rand.
func (s *stdFS) named(name string) []string {
	var found []string
	for _, p := range s.paths {
		if s.packages[p].Name == name {
			found = append(found, p)
		}
	}
	slices.SortStableFunc(found, func(a, b string) int { return preference(a) - preference(b) })
	return found
}

// preference ranks packages of the same name: what a short program means.
func preference(path string) int {
	switch path {
	case "math/rand", "text/template", "text/scanner":
		return 0
	}
	return 1 + strings.Count(path, "/")
}

func (s *stdFS) find(op, name string) (*stdPackage, error) {
	if p := s.packages[strings.TrimSuffix(name, ".a")]; p != nil && strings.HasSuffix(name, ".a") {
		return p, nil
	}
	return nil, &fs.PathError{Op: op, Path: name, Err: fs.ErrNotExist}
}

// OpenFile opens the archive of a package.
func (s *stdFS) OpenFile(name string, flag int, _ fs.FileMode) (sandbox.File, error) {
	if flag&(os.O_WRONLY|os.O_RDWR|os.O_CREATE|os.O_TRUNC) != 0 {
		return nil, &fs.PathError{Op: "open", Path: name, Err: syscall.EROFS}
	}
	p, err := s.find("open", name)
	if err != nil {
		return nil, err
	}
	data, err := p.read()
	if err != nil {
		return nil, err
	}
	return stdFile{bytes.NewReader(data), stdInfo{path.Base(name), p.Size}}, nil
}

// Stat describes an archive; every other name is a directory, which is enough
// for programs that only open archives.
func (s *stdFS) Stat(name string) (fs.FileInfo, error) {
	if p, err := s.find("stat", name); err == nil {
		return stdInfo{path.Base(name), p.Size}, nil
	}
	for p := range s.packages {
		if name == "." || strings.HasPrefix(p, name+"/") {
			return stdInfo{path.Base(name), -1}, nil
		}
	}
	return nil, &fs.PathError{Op: "stat", Path: name, Err: fs.ErrNotExist}
}

// ReadDir lists nothing: neither program looks around.
func (s *stdFS) ReadDir(string) ([]fs.DirEntry, error) { return nil, nil }

func (s *stdFS) readOnly(op, name string) error {
	return &fs.PathError{Op: op, Path: name, Err: syscall.EROFS}
}

// Mkdir, Remove and Rename are refused.
func (s *stdFS) Mkdir(name string, _ fs.FileMode) error { return s.readOnly("mkdir", name) }

// Remove is refused.
func (s *stdFS) Remove(name string) error { return s.readOnly("remove", name) }

// Rename is refused.
func (s *stdFS) Rename(from, _ string) error { return s.readOnly("rename", from) }

// stdFile is an open archive.
type stdFile struct {
	*bytes.Reader
	info stdInfo
}

func (stdFile) Close() error                       { return nil }
func (f stdFile) Stat() (fs.FileInfo, error)       { return f.info, nil }
func (stdFile) WriteAt([]byte, int64) (int, error) { return 0, syscall.EROFS }
func (stdFile) Truncate(int64) error               { return syscall.EROFS }

// stdInfo describes an archive, or a directory where size is negative.
type stdInfo struct {
	name string
	size int64
}

func (i stdInfo) Name() string     { return i.name }
func (i stdInfo) Size() int64      { return max(0, i.size) }
func (stdInfo) ModTime() time.Time { return time.Unix(0, 0) }
func (i stdInfo) IsDir() bool      { return i.size < 0 }
func (stdInfo) Sys() any           { return nil }

func (i stdInfo) Mode() fs.FileMode {
	if i.IsDir() {
		return fs.ModeDir | 0o555
	}
	return 0o444
}
