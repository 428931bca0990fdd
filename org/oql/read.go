package oql

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"wb/internal/diag"
	"wb/org"
)

// Presets says which settings hold for a file outside of it. Nil stands for none.
type Presets func(path string) org.Presets

// Of are the settings of a file.
func (p Presets) Of(path string) org.Presets {
	if p == nil {
		return org.Presets{}
	}
	return p(path)
}

// ReadPaths parses the org files among paths, directories included, in
// parallel. Files come in path order; hidden directories are left out.
func ReadPaths(ctx context.Context, paths []string, presets Presets) (*Corpus, error) {
	names, err := Files(paths)
	if err != nil {
		return nil, err
	}
	files := make([]*File, len(names))
	errs := make([]error, len(names))
	next := make(chan int)
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(names)) {
		wg.Go(func() {
			for i := range next {
				files[i], errs[i] = readFile(names[i], presets)
			}
		})
	}
	for i := range names {
		if ctx.Err() != nil {
			break
		}
		next <- i
	}
	close(next)
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	return &Corpus{Files: files}, ctx.Err()
}

func readFile(name string, presets Presets) (*File, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	if len(data) >= largeText {
		return Unpack(name, PackText(name, bytesString(data), presets.Of(name))), nil
	}
	return Flatten(name, org.ParseWith(data, presets.Of(name))), nil
}

// Files expands directories to the .org files below them.
func Files(paths []string) ([]string, error) {
	var names []string
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			names = append(names, path)
			continue
		}
		err = filepath.WalkDir(path, func(name string, entry fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return fmt.Errorf("read %s: %w", name, err)
			case entry.IsDir() && name != path && strings.HasPrefix(entry.Name(), "."):
				return filepath.SkipDir
			case entry.Type().IsRegular() && filepath.Ext(name) == ".org":
				names = append(names, name)
			}
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// OutsideError is a (from …) that names a path outside the directory a query
// may read.
type OutsideError struct{ Source Source }

func (e *OutsideError) Error() string {
	return fmt.Sprintf("query:%d:%d: %s is outside the directory this query may read", e.Source.Pos.Line, e.Source.Pos.Col, e.Source.Name)
}

// Hint says what to do instead.
func (e *OutsideError) Hint() string {
	return "give the file as an argument of its own, before the query"
}

// ExitCode is that of what is not permitted.
func (e *OutsideError) ExitCode() int { return diag.ExitForbidden }

// OpenBelow opens the files and directories a query names, as long as they lie
// in dir with all symbolic links followed.
func OpenBelow(dir string) func(context.Context, Source) (*Corpus, error) {
	return openBelow(dir, func(ctx context.Context, paths []string) (*Corpus, error) { return ReadPaths(ctx, paths, nil) })
}

func openBelow(dir string, read func(context.Context, []string) (*Corpus, error)) func(context.Context, Source) (*Corpus, error) {
	return func(ctx context.Context, s Source) (*Corpus, error) {
		if !filepath.IsLocal(filepath.FromSlash(s.Name)) {
			return nil, &OutsideError{s}
		}
		root, err := filepath.EvalSymlinks(dir)
		if err != nil {
			return nil, err
		}
		path, err := filepath.EvalSymlinks(filepath.Join(root, filepath.FromSlash(s.Name)))
		if errors.Is(err, fs.ErrNotExist) {
			return nil, errorf(s.Pos, suggest(s.Name, RowKinds), "source %q is not a file, directory or row kind (%s)", s.Name, strings.Join(RowKinds, " "))
		}
		if err != nil {
			return nil, err
		}
		if rel, err := filepath.Rel(root, path); err != nil || !filepath.IsLocal(rel) {
			return nil, &OutsideError{s}
		}
		return read(ctx, []string{path})
	}
}
