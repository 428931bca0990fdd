package search

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"wb/internal/sha"
	"wb/org/index"
	"wb/org/oql"
)

// Config says what is searched and where the index lies.
type Config struct {
	// Paths are files and directories; "." when empty.
	Paths []string
	// Dir is where the index lies. "" is the place of the project of the first
	// path: .wb/index/search, or the user's cache when there is no .wb that can
	// be written to. "-" keeps it in memory.
	Dir string
	// Embedder makes vectors; nil searches by words only.
	Embedder *Embedder
	// Presets are the settings of files that the files do not make; conditions of
	// queries heed them.
	Presets oql.Presets
	// Progress hears how many of the files that changed are read; nil need not.
	Progress func(read, of int)
	// Warn is told what went wrong without costing an answer; nil is silent.
	Warn func(error)
}

// Index answers searches over the files below some paths.
type Index struct {
	config Config
	dir    string // "" in memory
	store  Backend
	files  map[int64]string // the files searched, by their number, as they were named
}

// Stats says what a refresh had to do.
type Stats struct {
	Files   int           `json:"files"`   // searched
	Changed int           `json:"changed"` // read and analysed anew
	Removed int           `json:"removed"`
	Took    time.Duration `json:"-"`
}

// Open opens the index of a configuration and makes it when there is none. An
// index that is damaged or of another version is made anew; where none can be
// kept it is in memory.
func Open(ctx context.Context, config Config) (*Index, error) {
	if len(config.Paths) == 0 {
		config.Paths = []string{"."}
	}
	if config.Warn == nil {
		config.Warn = func(error) {}
	}
	if config.Progress == nil {
		config.Progress = func(int, int) {}
	}
	x := &Index{config: config, dir: config.Dir}
	switch config.Dir {
	case "":
		dir, err := index.Locate(config.Paths[0], "search")
		if err != nil {
			config.Warn(fmt.Errorf("search index is kept in memory: %w", err))
		}
		x.dir = dir
	case "-":
		x.dir = ""
	}
	return x, x.open(ctx)
}

func (x *Index) open(ctx context.Context) error {
	store, err := openBleve(x.dir)
	if x.dir != "" && damaged(err) {
		x.config.Warn(fmt.Errorf("%w; building it again", err))
		x.discard()
		store, err = openBleve(x.dir)
	}
	if err != nil && x.dir != "" && ctx.Err() == nil {
		x.config.Warn(fmt.Errorf("%w; this search keeps it in memory", err))
		x.dir = ""
		store, err = openBleve("")
	}
	if err != nil {
		return err
	}
	x.store = store
	return nil
}

// damaged reports whether an error says that the index cannot be used any
// more, as against being busy or unwritable.
func damaged(err error) bool {
	return errors.Is(err, errDamaged) || errors.Is(err, errOtherLayout)
}

// discard takes the index out of the way. The directory is renamed as a whole,
// so that no process ever sees a database beside the log of another one.
func (x *Index) discard() {
	dead := fmt.Sprintf("%s.discarded-%d-%d", x.dir, os.Getpid(), time.Now().UnixNano())
	if os.Rename(x.dir, dead) == nil {
		_ = os.RemoveAll(dead) // what stays is only waste
	}
}

// Close gives the index back.
func (x *Index) Close() error { return x.store.Close() }

// Dir is the directory of the index, "" for one in memory.
func (x *Index) Dir() string { return x.dir }

// Refresh reads the files that changed since they were indexed and forgets
// those that are gone.
func (x *Index) Refresh(ctx context.Context) (Stats, error) {
	start := time.Now()
	stats, err := x.refresh(ctx)
	if err != nil && x.dir != "" && ctx.Err() == nil && !isFileError(err) {
		// A damaged index is replaced; with a busy, full or read-only one
		// the answer comes from memory.
		x.store.Close()
		if damaged(err) {
			x.config.Warn(fmt.Errorf("search index: %w; building it again", err))
			x.discard()
		} else {
			x.config.Warn(fmt.Errorf("search index: %w; this search keeps it in memory", err))
			x.dir = ""
		}
		if err = x.open(ctx); err == nil {
			stats, err = x.refresh(ctx)
		}
	}
	stats.Took = time.Since(start)
	return stats, err
}

func isFileError(err error) bool {
	var e *fs.PathError
	return errors.As(err, &e)
}

func (x *Index) refresh(ctx context.Context) (Stats, error) {
	names, err := listFiles(x.config.Paths)
	if err != nil {
		return Stats{}, err
	}
	known, err := x.store.Files(ctx)
	if err != nil {
		return Stats{}, err
	}
	stats := Stats{Files: len(names)}
	byPath := make(map[string]string, len(names)) // absolute path to name
	var suspects []Change
	for _, name := range names {
		path, err := filepath.Abs(name)
		if err != nil {
			return stats, err
		}
		byPath[path] = name
		info, err := os.Stat(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue // removed since it was listed
		}
		if err != nil {
			return stats, err
		}
		stamp := index.Fingerprint(info, time.Now())
		if old, ok := known[path]; !ok || stamp == "" || old.Stamp != stamp {
			suspects = append(suspects, Change{Path: path, State: FileState{Stamp: stamp, Hash: old.Hash}, Was: old.Hash})
		}
	}
	gone, err := x.gone(known, byPath)
	if err != nil {
		return stats, err
	}
	stats.Removed = len(gone)
	var changes iter.Seq2[Change, error] = func(yield func(Change, error) bool) {
		done := 0
		for change, err := range readAll(ctx, suspects) {
			done++
			x.config.Progress(done, len(suspects))
			if err == nil && change.File == nil && change.State.Stamp == known[change.Path].Stamp {
				continue // too young to be told by its times, and still the same
			}
			if change.File != nil {
				stats.Changed++
			}
			if !yield(change, err) {
				return
			}
		}
	}
	if len(suspects) <= readAhead {
		if changes, err = collect(changes); err != nil {
			return stats, err
		}
	}
	if changes != nil || len(gone) > 0 {
		if err := x.store.Update(ctx, changes, gone); err != nil {
			return stats, err
		}
		if known, err = x.store.Files(ctx); err != nil {
			return stats, err
		}
	}
	x.files = make(map[int64]string, len(byPath))
	for path, name := range byPath {
		if state, ok := known[path]; ok {
			x.files[state.ID] = name
		}
	}
	return stats, nil
}

// gone are the indexed files below the searched directories that are not there
// any more.
func (x *Index) gone(known map[string]FileState, present map[string]string) (gone []string, err error) {
	for _, root := range x.config.Paths {
		dir, err := filepath.Abs(root)
		if err != nil {
			return nil, err
		}
		for path := range known {
			if _, ok := present[path]; !ok && strings.HasPrefix(path, strings.TrimSuffix(dir, "/")+string(filepath.Separator)) {
				if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
					gone = append(gone, path)
				}
			}
		}
	}
	return gone, nil
}

// readAll reads and analyses files in parallel and yields them in order. A
// file whose contents are what they were comes without documents. At most a
// few files per processor are in memory at once.
func readAll(ctx context.Context, suspects []Change) iter.Seq2[Change, error] {
	return func(yield func(Change, error) bool) {
		type outcome struct {
			change Change
			err    error
		}
		ctx, cancel := context.WithCancel(ctx)
		workers := min(runtime.GOMAXPROCS(0), len(suspects))
		results := make(chan chan outcome, 2*workers+1)
		var wg sync.WaitGroup
		wg.Go(func() {
			defer close(results)
			free := make(chan *analyzer, workers)
			for range workers {
				free <- &analyzer{}
			}
			for _, suspect := range suspects {
				result := make(chan outcome, 1)
				select {
				case results <- result:
				case <-ctx.Done():
					return
				}
				an := <-free
				wg.Go(func() {
					change, err := read(an, suspect)
					result <- outcome{change, err}
					free <- an
				})
			}
		})
		defer wg.Wait()
		defer cancel()
		for result := range results {
			o := <-result
			if errors.Is(o.err, fs.ErrNotExist) {
				continue
			}
			if !yield(o.change, o.err) {
				return
			}
		}
		if err := context.Cause(ctx); err != nil {
			yield(Change{}, err)
		}
	}
}

func read(an *analyzer, c Change) (Change, error) {
	src, err := os.ReadFile(c.Path)
	if err != nil {
		return c, err
	}
	hash := sha.Hex(src)
	if hash == c.State.Hash {
		return c, nil
	}
	c.State.Hash = hash
	c.File = an.analyze(Split(c.Path, src))
	return c, nil
}

// current reports whether the file is still as it was read.
func (c Change) current() bool {
	src, err := os.ReadFile(c.Path)
	digest := sha256.Sum256(src)
	return err == nil && hex.EncodeToString(digest[:]) == c.State.Hash
}

// readAhead is how many files are read before the index is locked: few enough
// for memory, and most often none of them turns out to have changed.
const readAhead = 64

// collect runs a sequence to its end and returns what it had; nil is nothing.
func collect(seq iter.Seq2[Change, error]) (iter.Seq2[Change, error], error) {
	var all []Change
	for c, err := range seq {
		if err != nil {
			return nil, err
		}
		all = append(all, c)
	}
	if len(all) == 0 {
		return nil, nil
	}
	return func(yield func(Change, error) bool) {
		for _, c := range all {
			if !yield(c, nil) {
				return
			}
		}
	}, nil
}
