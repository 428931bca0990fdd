// Package toolchain keeps the compilers and tools that lanes run in the
// sandbox: wasm modules and their libraries, each installed once per user and
// checked against a digest pinned in the source of wb.
//
// A [Recipe] says what a toolchain is and where its files come from; lanes
// register theirs with a [Depot]. [Depot.Ensure] answers with an installed
// [Toolchain], installing it first when it must. An installation happens in a
// directory of its own, under a lock that other processes respect, and becomes
// visible by one rename after its digests and its self-test are right; half an
// installation is never seen. What is there needs no network again.
//
//	<store>/clang/22.0.0-1f2e3d4c5b6a/manifest.json   version and start of the pin
//	<store>/clang/22.0.0-1f2e3d4c5b6a/llvm.core.wasm
//	<store>/.locks/clang.lock  .work/clang-*  .downloads/
//
// This is one of the few packages that start operating-system processes: the
// npm, apt-get and go clients of the user, with the user's own registry
// settings and fixed arguments. Nothing from a workbook reaches them.
package toolchain

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"wb/internal/sha"
)

// Toolchain is an installed toolchain. It is a value: copy it freely.
type Toolchain struct {
	Name    string
	Version string
	// Digest names the content, SHA-256 in hex. It is part of every key of
	// what the toolchain builds.
	Digest string
	// Dir holds the files; treat it as read-only.
	Dir   string
	Files []File
	// BuiltWith names the local compiler of toolchains built here ("go1.26.8").
	BuiltWith string
	Installed time.Time
}

// File is one installed file, by slash path below the toolchain's directory.
type File struct {
	Path   string `json:"path"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

// Path is where an installed file lies in the host's file system.
func (t Toolchain) Path(name string) string { return filepath.Join(t.Dir, filepath.FromSlash(name)) }

// ReadFile reads an installed file and checks that its bytes are still the
// ones that were installed.
func (t Toolchain) ReadFile(name string) ([]byte, error) {
	i := slices.IndexFunc(t.Files, func(f File) bool { return f.Path == name })
	if i < 0 {
		return nil, fmt.Errorf("toolchain %s: %w", t.Name, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist})
	}
	data, err := os.ReadFile(t.Path(name))
	if err != nil {
		return nil, fmt.Errorf("toolchain %s: %w", t.Name, err)
	}
	if got := sha.Hex(data); got != t.Files[i].SHA256 {
		return nil, &IntegrityError{Tool: t.Name, What: name, Want: t.Files[i].SHA256, Got: got}
	}
	return data, nil
}

// SHA256 is the digest of an installed file in hex, "" for an unknown
// name.
func (t Toolchain) SHA256(name string) string {
	for _, f := range t.Files {
		if f.Path == name {
			return f.SHA256
		}
	}
	return ""
}

// Size is the sum of the installed files, in bytes.
func (t Toolchain) Size() int64 {
	var n int64
	for _, f := range t.Files {
		n += f.Size
	}
	return n
}

const manifestName = "manifest.json"

// manifest describes an installation; it is written last of all files.
type manifest struct {
	Name      string    `json:"name"`
	Version   string    `json:"version"`
	Pin       string    `json:"pin"`
	Digest    string    `json:"digest"`
	BuiltWith string    `json:"built_with,omitempty"`
	Installed time.Time `json:"installed"`
	Files     []File    `json:"files"`
}

func (m *manifest) toolchain(dir string) Toolchain {
	return Toolchain{Name: m.Name, Version: m.Version, Digest: m.Digest, Dir: dir, Files: m.Files, BuiltWith: m.BuiltWith, Installed: m.Installed}
}

// readManifest loads what is installed in dir and checks cheaply, by size,
// that all of it is there.
func readManifest(dir string) (*manifest, error) {
	data, err := os.ReadFile(filepath.Join(dir, manifestName))
	if err != nil {
		return nil, err
	}
	var m manifest
	if err := json.Unmarshal(data, &m); err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, manifestName), err)
	}
	for _, f := range m.Files {
		if !fs.ValidPath(f.Path) {
			return nil, fmt.Errorf("%s: bad path %q", filepath.Join(dir, manifestName), f.Path)
		}
		info, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(f.Path)))
		if err != nil {
			return nil, err
		}
		if !info.Mode().IsRegular() || info.Size() != f.Size {
			return nil, fmt.Errorf("%s: size %d, installed with %d", filepath.Join(dir, f.Path), info.Size(), f.Size)
		}
	}
	return &m, nil
}

// writeManifest describes the files now in dir and flushes everything to disk.
func writeManifest(dir string, r *Recipe, builtWith string) (*manifest, error) {
	files, err := hashTree(dir)
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, errors.New("nothing was installed")
	}
	m := &manifest{Name: r.Name, Version: r.Version, Pin: r.Pin(), Digest: r.Pin(), BuiltWith: builtWith, Installed: time.Now().UTC().Truncate(time.Second), Files: files}
	if !r.Origin.Reproducible() {
		m.Digest = contentDigest(m.Pin, files)
	}
	data, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return nil, err
	}
	return m, writeFile(filepath.Join(dir, manifestName), strings.NewReader(string(data)+"\n"))
}

// contentDigest names files together with the pin they were made under.
func contentDigest(pin string, files []File) string {
	h := sha256.New()
	fmt.Fprintf(h, "%s\n", pin)
	for _, f := range files {
		fmt.Fprintf(h, "%s %q\n", f.SHA256, f.Path)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// hashTree lists the regular files below dir, by path. Anything else than a
// file or directory is refused.
func hashTree(dir string) ([]File, error) {
	var files []File
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		if !entry.Type().IsRegular() {
			return fmt.Errorf("%s: not a regular file", path)
		}
		name, err := filepath.Rel(dir, path)
		if err != nil || name == manifestName {
			return err
		}
		digest, size, err := sha.File(path)
		files = append(files, File{Path: filepath.ToSlash(name), Size: size, SHA256: digest})
		return err
	})
	slices.SortFunc(files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	return files, err
}

// writeFile creates path, which must not exist, and flushes it.
func writeFile(path string, r io.Reader) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, r)
	return errors.Join(err, f.Sync(), f.Close())
}

// HashFiles is the SHA-256, in hex, over the names and bytes of files.
func HashFiles(files map[string][]byte) string {
	h := sha256.New()
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(h, "%q %x\n", name, sha256.Sum256(files[name]))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// HashText is the SHA-256, in hex, over texts and where each ends.
func HashText(texts ...string) string {
	h := sha256.New()
	for _, text := range texts {
		fmt.Fprintf(h, "%d %s", len(text), text)
	}
	return hex.EncodeToString(h.Sum(nil))
}
