package toolchain

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// Limits of one package of :deps, unpacked.
const (
	maxDepFile = 16 << 20
	maxDep     = 128 << 20
)

// depFiles are the files of packages that this process has read, by integrity.
type depFiles map[string]map[string][]byte

// keptFile reports whether programs can make use of a package's file.
func keptFile(name string) bool {
	switch path.Ext(name) {
	case ".js", ".mjs", ".cjs", ".json", ".ts", ".mts", ".cts", ".node", ".gyp":
		return true
	}
	return false
}

// FetchNPM puts packages into the cache that are not there, all with one call
// of npm. Their digests are checked whatever registry they came from, and no
// script of theirs ever runs.
func (s *Depot) FetchNPM(ctx context.Context, packages []Package, progress Progress) error {
	missing := s.missing(packages)
	if len(missing) == 0 {
		return nil
	}
	unlock, err := s.lock(ctx, npmTool, orSilent(progress))
	if err != nil {
		return err
	}
	defer unlock()
	if missing = s.missing(packages); len(missing) == 0 { // another process was faster
		return nil
	}
	return s.fetchNPM(ctx, missing, orSilent(progress))
}

func (s *Depot) missing(packages []Package) []Package {
	var missing []Package
	for _, p := range packages {
		same := func(q Package) bool { return q.Integrity == p.Integrity }
		if !exists(s.tarball(p)) && !slices.ContainsFunc(missing, same) {
			missing = append(missing, p)
		}
	}
	return missing
}

// tarball is where the cache has a package. Its digest is its name, so it may
// come from and go to any other cache.
func (s *Depot) tarball(p Package) string {
	sum, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(p.Integrity, "sha512-"))
	return filepath.Join(s.dir, ".packages", hex.EncodeToString(sum)+".tgz")
}

func (s *Depot) fetchNPM(ctx context.Context, missing []Package, progress Progress) (err error) {
	dir, err := s.workDir(npmTool)
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	args := []string{"pack", "--ignore-scripts", "--no-update-notifier", "--loglevel=error", "--"}
	text := fmt.Sprintf("fetching %d packages", len(missing))
	if len(missing) == 1 {
		text = "fetching " + missing[0].Name + "@" + missing[0].Version
	}
	for _, p := range missing {
		if err := p.check(); err != nil {
			return fmt.Errorf("npm: %w", err)
		}
		args = append(args, p.Name+"@"+p.Version)
	}
	step := progress.Begin(npmTool, text, 0)
	defer func() { step.Done(err) }()
	if _, err := run(ctx, npmTool, dir, nil, "npm", args, npmMissing); err != nil {
		return explainNPM(err, args[5:])
	}
	return s.keepTarballs(dir, missing)
}

// keepTarballs moves what npm has fetched to where its digest says.
func (s *Depot) keepTarballs(dir string, wanted []Package) error {
	made, err := filepath.Glob(filepath.Join(dir, "*.tgz"))
	if err != nil {
		return fmt.Errorf("npm: %w", err)
	}
	if err := os.MkdirAll(filepath.Join(s.dir, ".packages"), 0o755); err != nil {
		return fmt.Errorf("npm: %w", err)
	}
	got := make(map[string]string) // by name-version
	for _, file := range made {
		data, err := os.ReadFile(file)
		if err != nil {
			return fmt.Errorf("npm: %w", err)
		}
		integrity := integrityOf(data)
		got[strings.TrimSuffix(filepath.Base(file), ".tgz")] = integrity
		if slices.ContainsFunc(wanted, func(p Package) bool { return p.Integrity == integrity }) {
			if err := os.Rename(file, s.tarball(Package{Integrity: integrity})); err != nil {
				return fmt.Errorf("npm: %w", err)
			}
		}
	}
	for _, p := range wanted {
		if !exists(s.tarball(p)) {
			base := strings.NewReplacer("@", "", "/", "-").Replace(p.Name) + "-" + p.Version
			return &IntegrityError{Tool: npmTool, What: p.Name + "@" + p.Version, Want: p.Integrity, Got: got[base]}
		}
	}
	return nil
}

func integrityOf(data []byte) string {
	sum := sha512.Sum512(data)
	return "sha512-" + base64.StdEncoding.EncodeToString(sum[:])
}

// PackageFiles are the files of a package by slash path, those that a program
// can import or a type checker read. It is fetched when the cache does not have
// it. The map is shared: do not change it.
func (s *Depot) PackageFiles(ctx context.Context, p Package, progress Progress) (map[string][]byte, error) {
	s.mu.Lock()
	files := s.packages[p.Integrity]
	s.mu.Unlock()
	if files != nil {
		return files, nil
	}
	if err := s.FetchNPM(ctx, []Package{p}, progress); err != nil {
		return nil, err
	}
	data, err := os.ReadFile(s.tarball(p))
	if err != nil {
		return nil, fmt.Errorf("npm: %w", err)
	}
	if got := integrityOf(data); got != p.Integrity {
		os.Remove(s.tarball(p))
		return nil, &IntegrityError{Tool: npmTool, What: p.Name + "@" + p.Version, Want: p.Integrity, Got: got}
	}
	if files, err = unpackPackage(data); err != nil {
		return nil, fmt.Errorf("npm: %s@%s: %w", p.Name, p.Version, err)
	}
	s.mu.Lock()
	s.packages[p.Integrity] = files
	s.mu.Unlock()
	return files, nil
}

// unpackPackage reads a tarball into memory.
func unpackPackage(tarball []byte) (map[string][]byte, error) {
	zr, err := gzip.NewReader(bytes.NewReader(tarball))
	if err != nil {
		return nil, err
	}
	files, room := make(map[string][]byte), int64(maxDep)
	pick := func(name string) string {
		_, inside, _ := strings.Cut(name, "/") // the tarball has one top directory, usually "package"
		if !fs.ValidPath(inside) || !keptFile(inside) {
			return ""
		}
		return inside
	}
	err = walkTar(io.LimitReader(zr, 2*maxDep), maxDepFile, pick, func(name string, r io.Reader) error {
		data, err := io.ReadAll(r)
		if room -= int64(len(data)); err == nil && room < 0 {
			err = errors.New("more than " + size(maxDep))
		}
		files[name] = data
		return err
	})
	return files, err
}
