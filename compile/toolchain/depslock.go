package toolchain

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"wb/internal/whole"
)

// LockName is the file beside a workbook that pins the packages of its blocks.
// It belongs into version control.
const LockName = "wb.lock"

// lockFile is a parsed wb.lock:
//
//	{
//	  "version": 1,
//	  "npm": {
//	    "dayjs lodash@4": [
//	      {"path": "node_modules/dayjs", "name": "dayjs", "version": "1.11.13", "integrity": "sha512-…"},
//	      …
//	    ]
//	  }
//	}
//
// What a block asks for is the key, sorted; what it gets is everything below
// node_modules. Members for other registries are kept as they are.
type lockFile struct {
	path string
	npm  map[string][]Package
	rest map[string]json.RawMessage
}

const lockVersion = 1

// readLockFile reads a lock file; one that is not there is empty.
func readLockFile(path string) (*lockFile, error) {
	l := &lockFile{path: path, npm: make(map[string][]Package), rest: make(map[string]json.RawMessage)}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return l, nil
	}
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(data, &l.rest); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	version := 0
	if err := json.Unmarshal(l.rest["version"], &version); err != nil || version != lockVersion {
		return nil, fmt.Errorf("%s: version %s, this wb reads %d", path, l.rest["version"], lockVersion)
	}
	if npm := l.rest["npm"]; npm != nil {
		if err := json.Unmarshal(npm, &l.npm); err != nil {
			return nil, fmt.Errorf("%s: npm: %w", path, err)
		}
	}
	for key, packages := range l.npm {
		for _, p := range packages {
			if err := p.check(); err != nil {
				return nil, fmt.Errorf("%s: %s: %w", path, key, err)
			}
		}
	}
	return l, nil
}

// check refuses what could lead elsewhere: a lock file may come from a stranger.
func (p Package) check() error {
	_, name, below := cutLast(p.Path, "node_modules/")
	switch {
	case !below || name == "" || !fs.ValidPath(p.Path):
		return fmt.Errorf("path %q is not below node_modules", p.Path)
	case !npmSpec.MatchString(p.Name + "@" + p.Version):
		return fmt.Errorf("%q is not a package and its version", p.Name+"@"+p.Version)
	case !strings.HasPrefix(p.Integrity, "sha512-"):
		return fmt.Errorf("%s has no sha512 digest", p.Name)
	}
	return nil
}

func lockKey(specs []string) string { return strings.Join(specs, " ") }

// prefer gives specs the versions that other blocks of the workbook have for
// the same spec, so that all get the same.
func (l *lockFile) prefer(specs []string) []string {
	out := slices.Clone(specs)
	for key, packages := range l.npm {
		for _, known := range strings.Fields(key) {
			i := slices.Index(specs, known)
			if i < 0 || !npmSpec.MatchString(known) {
				continue
			}
			for _, p := range packages {
				if p.Path == "node_modules/"+specName(known) {
					out[i] = p.Name + "@" + p.Version
				}
			}
		}
	}
	return out
}

// write replaces the lock file.
func (l *lockFile) write() error {
	l.rest["version"] = json.RawMessage(fmt.Sprint(lockVersion))
	npm, err := json.Marshal(l.npm)
	if err != nil {
		return err
	}
	l.rest["npm"] = npm
	data, err := json.MarshalIndent(l.rest, "", "  ")
	if err != nil {
		return err
	}
	return whole.File{Mode: 0o644}.Write(l.path, append(data, '\n'))
}
