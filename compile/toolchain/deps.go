package toolchain

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"wb/internal/lazyregexp"
)

// Package is one package of the npm registry, pinned by its digest.
type Package struct {
	// Path is where import finds it: "node_modules/lodash".
	Path      string `json:"path"`
	Name      string `json:"name"`
	Version   string `json:"version"`
	Integrity string `json:"integrity"` // "sha512-" and base64
}

// DepsError says that packages a block asks for cannot be used.
type DepsError struct {
	Spec   string // the package as the author wrote it
	Reason string
	Tip    string
}

func (e *DepsError) Error() string { return fmt.Sprintf(":deps %s: %s", e.Spec, e.Reason) }

// Hint says what to do instead, "" when there is nothing.
func (e *DepsError) Hint() string { return e.Tip }

// npmSpec is the only form of text from a workbook that reaches the npm client:
// a package of the registry, perhaps with a version or a range of versions.
// Paths, URLs, git repositories and options do not match.
var npmSpec = lazyregexp.New(`^((?:@[a-z0-9~][a-z0-9._~-]*/)?[a-z0-9~][a-zA-Z0-9._~-]*)(@(?:[~^]|[<>]=?|=)?[a-zA-Z0-9][a-zA-Z0-9.+-]*|@\*)?$`)

const npmTool = "npm"

// ResolveOptions say where packages are pinned.
type ResolveOptions struct {
	Lock    string // the lock file, see [LockName]
	Keep    bool   // the lock file is only read
	Offline bool   // nothing is looked up: what is not pinned has no answer
}

// ResolveNPM pins the packages that specs name ("lodash", "zod@3", "@scope/x")
// and everything they need: as the lock file has them, else as the registry has
// them now, which is then written to the lock file. Without specs there are
// none.
func (s *Depot) ResolveNPM(ctx context.Context, specs []string, o ResolveOptions, progress Progress) ([]Package, error) {
	specs, err := checkSpecs(specs)
	if err != nil || len(specs) == 0 {
		return nil, err
	}
	unlock, err := s.lock(ctx, npmTool, orSilent(progress))
	if err != nil {
		return nil, err
	}
	defer unlock()
	lock, err := readLockFile(o.Lock)
	if err != nil {
		return nil, err
	}
	if pinned := lock.npm[lockKey(specs)]; pinned != nil || o.Offline {
		return pinned, nil
	}
	pinned, err := s.resolveNow(ctx, lock.prefer(specs), orSilent(progress))
	if err != nil || o.Keep {
		return pinned, err
	}
	lock.npm[lockKey(specs)] = pinned
	return pinned, lock.write()
}

// checkSpecs sorts specs and drops repetitions.
func checkSpecs(specs []string) ([]string, error) {
	specs = slices.Clone(specs)
	slices.Sort(specs)
	specs = slices.Compact(specs)
	for _, spec := range specs {
		if !npmSpec.MatchString(spec) {
			return nil, &DepsError{spec, "not the name of an npm package", "write name, name@version or @scope/name@version; nothing is fetched from paths, URLs or git"}
		}
	}
	return specs, nil
}

// specName is the package a spec names, without a version.
func specName(spec string) string { return npmSpec.FindStringSubmatch(spec)[1] }

// resolveNow asks npm which packages specs stand for. No script runs and
// nothing is installed.
func (s *Depot) resolveNow(ctx context.Context, specs []string, progress Progress) (pinned []Package, err error) {
	dir, err := s.workDir(npmTool)
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "package.json"), []byte(`{"private":true}`), 0o644); err != nil {
		return nil, fmt.Errorf("npm: %w", err)
	}
	step := progress.Begin(npmTool, "looking up "+strings.Join(specs, " "), 0)
	defer func() { step.Done(err) }()
	args := []string{"install", "--package-lock-only", "--ignore-scripts", "--no-audit", "--no-fund", "--no-update-notifier", "--loglevel=error", "--save-exact", "--"}
	if _, err := run(ctx, npmTool, dir, nil, "npm", append(args, specs...), npmMissing); err != nil {
		return nil, explainNPM(err, specs)
	}
	data, err := os.ReadFile(filepath.Join(dir, "package-lock.json"))
	if err != nil {
		return nil, fmt.Errorf("npm: %w", err)
	}
	return readNPMLock(data, specs)
}

const npmMissing = "install Node.js, which brings npm"

// explainNPM finds the package in what npm says.
func explainNPM(err error, specs []string) error {
	var failed *UnavailableError
	if !errors.As(err, &failed) {
		return err
	}
	for _, spec := range specs {
		for code, reason := range map[string]string{"E404": "the registry has no such package", "ETARGET": "the registry has no such version"} {
			if strings.Contains(failed.Output, code) && (len(specs) == 1 || strings.Contains(failed.Output, specName(spec))) {
				return &DepsError{spec, reason, ""}
			}
		}
	}
	failed.Fix = "check the network and the registry settings of npm; packages in wb.lock and the cache need neither"
	return err
}

// readNPMLock reads the packages of a package-lock.json. Those for another
// platform or for development are not used.
func readNPMLock(data []byte, specs []string) ([]Package, error) {
	var lock struct {
		Packages map[string]struct {
			Name, Version, Integrity string
			Link, Optional, Dev      bool
		}
	}
	if err := json.Unmarshal(data, &lock); err != nil {
		return nil, fmt.Errorf("npm: package-lock.json: %w", err)
	}
	var pinned []Package
	for at, p := range lock.Packages {
		if at == "" || p.Optional || p.Dev {
			continue
		}
		_, name, _ := cutLast(at, "node_modules/")
		if p.Name != "" {
			name = p.Name
		}
		if p.Link || !strings.HasPrefix(p.Integrity, "sha512-") {
			return nil, &DepsError{strings.Join(specs, " "), fmt.Sprintf("it needs %s, which has no sha512 digest in the registry", name), "only packages from the registry are fetched"}
		}
		pinned = append(pinned, Package{Path: at, Name: name, Version: p.Version, Integrity: p.Integrity})
	}
	slices.SortFunc(pinned, func(a, b Package) int { return strings.Compare(a.Path, b.Path) })
	if len(pinned) == 0 {
		return nil, errors.New("npm: package-lock.json names no package")
	}
	return pinned, nil
}

func cutLast(text, sep string) (before, after string, found bool) {
	i := strings.LastIndex(text, sep)
	if i < 0 {
		return "", text, false
	}
	return text[:i], text[i+len(sep):], true
}

func orSilent(p Progress) Progress {
	if p == nil {
		return Silent
	}
	return p
}
