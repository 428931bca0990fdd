package golang

import (
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
	sandbox.Fixed
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
	if sandbox.Changing(flag) {
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
	return sandbox.FixedFile(archiveInfo(name, p), data), nil
}

func archiveInfo(name string, p *stdPackage) sandbox.FixedInfo {
	return sandbox.FixedInfo{Base: path.Base(name), Bytes: p.Size, Time: time.Unix(0, 0)}
}

// Stat describes an archive; every other name is a directory, which is enough
// for programs that only open archives.
func (s *stdFS) Stat(name string) (fs.FileInfo, error) {
	if p, err := s.find("stat", name); err == nil {
		return archiveInfo(name, p), nil
	}
	for p := range s.packages {
		if name == "." || strings.HasPrefix(p, name+"/") {
			return sandbox.FixedInfo{Base: path.Base(name), Dir: true, Time: time.Unix(0, 0)}, nil
		}
	}
	return nil, &fs.PathError{Op: "stat", Path: name, Err: fs.ErrNotExist}
}

// ReadDir lists nothing: neither program looks around.
func (s *stdFS) ReadDir(string) ([]fs.DirEntry, error) { return nil, nil }
