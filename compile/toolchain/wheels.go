package toolchain

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"wb/internal/lazyregexp"
	"wb/internal/sha"
	"wb/internal/whole"
)

// wheelTool is the member of the lock file that pins wheels of Python, and whom
// messages about them name:
//
//	"python": {"tabulate==0.9.0": {"file": "tabulate-0.9.0-py3-none-any.whl", "sha256": "…"}}
const wheelTool = "python"

// wheelPin is a pinned wheel.
type wheelPin struct {
	File   string `json:"file"`
	SHA256 string `json:"sha256"`
}

var (
	wheelSpec   = lazyregexp.New(`^([a-z0-9](?:[a-z0-9-]*[a-z0-9])?)==([A-Za-z0-9][A-Za-z0-9.!+_-]*)$`)
	wheelFile   = lazyregexp.New(`^[A-Za-z0-9_.!+-]+\.whl$`)
	wheelDigest = lazyregexp.New(`^[0-9a-f]{64}$`)
	wheelDashes = lazyregexp.New(`[-_.]+`)
)

// wheelKey is NAME==VERSION as the lock file has it: names in one spelling.
func wheelKey(spec string) string {
	name, version, _ := strings.Cut(strings.ReplaceAll(spec, " ", ""), "==")
	return strings.ToLower(wheelDashes.ReplaceAllString(name, "-")) + "==" + version
}

// wheels are the pins of a lock file.
func (l *lockFile) wheels() (map[string]wheelPin, error) {
	pins := make(map[string]wheelPin)
	if text := l.rest[wheelTool]; text != nil {
		if err := json.Unmarshal(text, &pins); err != nil {
			return nil, fmt.Errorf("%s: python: %w", l.path, err)
		}
	}
	for spec, pin := range pins {
		if !wheelSpec.MatchString(spec) || !wheelFile.MatchString(pin.File) || !wheelDigest.MatchString(pin.SHA256) {
			return nil, fmt.Errorf("%s: python: %q is not a pinned wheel", l.path, spec)
		}
	}
	return pins, nil
}

// KeepWheel pins a wheel of pure Python in a lock file, as NAME==VERSION, and
// keeps its content. One that is pinned with another digest is refused.
func (s *Depot) KeepWheel(ctx context.Context, lockPath, spec, file string, content []byte, progress Progress) error {
	key := wheelKey(spec)
	if !wheelSpec.MatchString(key) || !wheelFile.MatchString(file) {
		return &DepsError{spec, "not the name and version of a wheel", "write NAME==VERSION"}
	}
	unlock, err := s.lock(ctx, wheelTool, orSilent(progress))
	if err != nil {
		return err
	}
	defer unlock()
	lock, err := readLockFile(lockPath)
	if err != nil {
		return err
	}
	pins, err := lock.wheels()
	if err != nil {
		return err
	}
	got := sha.Hex(content)
	pinned, known := pins[key]
	if known && pinned.SHA256 != got {
		return &IntegrityError{Tool: wheelTool, What: key, Want: pinned.SHA256, Got: got}
	}
	if _, err := unpackWheel(content); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	if err := os.MkdirAll(filepath.Join(s.dir, ".packages"), 0o755); err != nil {
		return err
	}
	if err := (whole.File{}).Write(s.wheel(got), content); err != nil || known {
		return err
	}
	pins[key] = wheelPin{file, got}
	if lock.rest[wheelTool], err = json.Marshal(pins); err != nil {
		return err
	}
	return lock.write()
}

// wheel is where the cache has a wheel.
func (s *Depot) wheel(digest string) string {
	return filepath.Join(s.dir, ".packages", digest+".whl")
}

// ResolveWheels are the wheels that a lock file pins for NAME==VERSION. Nothing is
// fetched: a block with the net does that.
func (s *Depot) ResolveWheels(specs []string, lockPath string) ([]Package, error) {
	lock, err := readLockFile(lockPath)
	if err != nil {
		return nil, err
	}
	pins, err := lock.wheels()
	if err != nil {
		return nil, err
	}
	var found []Package
	for _, spec := range specs {
		key := wheelKey(spec)
		pin, ok := pins[key]
		if !ok {
			continue
		}
		name, version, _ := strings.Cut(key, "==")
		found = append(found, Package{Path: pin.File, Name: name, Version: version, Integrity: "sha256-" + pin.SHA256})
	}
	return found, nil
}

// WheelFiles are the files of a pinned wheel by slash path.
func (s *Depot) WheelFiles(p Package) (map[string][]byte, error) {
	digest := strings.TrimPrefix(p.Integrity, "sha256-")
	if !wheelDigest.MatchString(digest) {
		return nil, fmt.Errorf("python: %s has no digest", p.Name)
	}
	spec := p.Name + "==" + p.Version
	data, err := os.ReadFile(s.wheel(digest))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &DepsError{spec, "it is pinned, but missing on this machine", "a shell block with :uses net fetches it: pip-fetch " + spec}
	}
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(data)
	if got := hex.EncodeToString(sum[:]); got != digest {
		return nil, &IntegrityError{Tool: wheelTool, What: spec, Want: digest, Got: got}
	}
	return unpackWheel(data)
}

// unpackWheel reads a wheel into memory. What is not a file of pure Python has no
// use here and is left out, as are names that lead elsewhere.
func unpackWheel(data []byte) (map[string][]byte, error) {
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, errors.New("is no wheel")
	}
	files, room := make(map[string][]byte), int64(maxDep)
	for _, f := range archive.File {
		if !fs.ValidPath(f.Name) || f.FileInfo().IsDir() || strings.Contains(f.Name, "\\") || path.Ext(f.Name) == ".so" || path.Ext(f.Name) == ".pyd" {
			continue
		}
		r, err := f.Open()
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		content, err := io.ReadAll(io.LimitReader(r, maxDepFile+1))
		if err := errors.Join(err, r.Close()); err != nil {
			return nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		if room -= int64(len(content)); len(content) > maxDepFile || room < 0 {
			return nil, fmt.Errorf("%s: the wheel is larger than %s", f.Name, size(maxDep))
		}
		files[f.Name] = content
	}
	return files, nil
}
