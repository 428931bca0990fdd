package compile

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"wb/internal/diag"
	"wb/internal/sha"
	"wb/internal/whole"
)

// Cache keeps artifacts on disk by [Source.Key], one file each, so that a
// block is compiled once per machine. Any number of processes may share the
// directory: files are written aside and renamed, and never changed after.
// A damaged file counts as a miss and is replaced. What was not used for
// [keepFor] is removed, once a day at most.
type Cache struct {
	dir     string
	below   *Cache // only read, may be nil
	collect sync.Once
}

// keepFor is how long an artifact stays that is not used.
const keepFor = 30 * 24 * time.Hour

const day = 24 * time.Hour

// OpenCache uses dir, or "wb/artifacts" in the user's cache directory when dir
// is empty.
func OpenCache(dir string) (*Cache, error) {
	if dir == "" {
		base, err := os.UserCacheDir()
		if err != nil {
			return nil, fmt.Errorf("artifact cache: %w", err)
		}
		dir = filepath.Join(base, "wb", "artifacts")
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("artifact cache: %w", err)
	}
	return &Cache{dir: dir}, nil
}

// Over is the cache with another one below it, which is only read.
func (c *Cache) Over(below *Cache) *Cache { return &Cache{dir: c.dir, below: below} }

// Dir is where the artifacts lie.
func (c *Cache) Dir() string { return c.dir }

func (c *Cache) path(key string) string { return filepath.Join(c.dir, key[:2], key+".artifact") }

// header is the first line of a cache file; the wasm follows as it is.
type header struct {
	Artifact *Artifact `json:"artifact"`
	Size     int       `json:"size"`
	SHA256   string    `json:"sha256"`
}

// Get returns the artifact stored under key, and false when there is none.
func (c *Cache) Get(key string) (*Artifact, bool, error) {
	data, err := os.ReadFile(c.path(key))
	if errors.Is(err, fs.ErrNotExist) {
		if c.below != nil {
			return c.below.Get(key)
		}
		return nil, false, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("artifact cache: %w", err)
	}
	line, wasm, found := bytes.Cut(data, []byte{'\n'})
	var h header
	if !found || json.Unmarshal(line, &h) != nil || h.Artifact == nil || h.Size != len(wasm) || h.SHA256 != sha.Hex(wasm) {
		return nil, false, nil
	}
	if len(wasm) > 0 {
		h.Artifact.Wasm = wasm
	}
	touch(c.path(key))
	return h.Artifact, true, nil
}

// touch sets a file's time to now when it is more than a day old. That it may
// fail, as in a read-only cache, only makes the file look unused.
func touch(path string) {
	now := time.Now()
	if info, err := os.Stat(path); err == nil && now.Sub(info.ModTime()) > day {
		_ = os.Chtimes(path, now, now)
	}
}

// Collect removes artifacts not used since before, and leftovers of dead
// processes. It returns the bytes it has freed.
func (c *Cache) Collect(before time.Time) (freed int64, err error) {
	files, err := filepath.Glob(filepath.Join(c.dir, "??", "*"))
	if err != nil {
		return 0, fmt.Errorf("artifact cache: %w", err)
	}
	for _, path := range files {
		info, err := os.Lstat(path)
		if err != nil || !info.ModTime().Before(before) {
			continue // gone already, or in use
		}
		if err := os.Remove(path); err == nil {
			freed += info.Size()
		}
	}
	return freed, nil
}

// collectDaily collects unless that has been done today, by any process.
func (c *Cache) collectDaily() {
	mark := filepath.Join(c.dir, "collected")
	if info, err := os.Stat(mark); err == nil && time.Since(info.ModTime()) < day {
		return
	}
	if os.WriteFile(mark, nil, 0o644) == nil {
		_, _ = c.Collect(time.Now().Add(-keepFor))
	}
}

// Put stores art under key.
func (c *Cache) Put(key string, art *Artifact) error {
	c.collect.Do(c.collectDaily)
	bare := *art
	bare.Wasm = nil
	line, err := json.Marshal(header{Artifact: &bare, Size: len(art.Wasm), SHA256: sha.Hex(art.Wasm)})
	if err != nil {
		return fmt.Errorf("artifact cache: %w", err)
	}
	if err := (whole.File{Dirs: 0o755}).Write(c.path(key), append(append(line, '\n'), art.Wasm...)); err != nil {
		return fmt.Errorf("artifact cache: %w", err)
	}
	return nil
}

// Cached is lane with its Build answered from cache where possible. Builds of
// the same source at the same time happen once. Warnings come back at the
// position the block has now, even when it has moved since it was compiled.
func Cached(lane Lane, cache *Cache) Lane {
	return &cachedLane{Lane: lane, cache: cache, building: make(map[string]*building)}
}

type cachedLane struct {
	Lane
	cache    *Cache
	mu       sync.Mutex
	building map[string]*building
}

// Unwrap is the lane behind the cache.
func (l *cachedLane) Unwrap() Lane { return l.Lane }

// building is one Build under way; done closes when art and err are set.
type building struct {
	done chan struct{}
	art  *Artifact
	err  error
}

func (l *cachedLane) Build(ctx context.Context, src *Source) (*Artifact, error) {
	key := src.Key(l.Fingerprint())
	for {
		l.mu.Lock()
		b, busy := l.building[key]
		if !busy {
			b = &building{done: make(chan struct{})}
			l.building[key] = b
		}
		l.mu.Unlock()
		if !busy {
			b.art, b.err = l.build(ctx, key, src)
			l.mu.Lock()
			delete(l.building, key)
			l.mu.Unlock()
			close(b.done)
			return b.art, b.err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-b.done:
		}
		// Only success is shared: the other build may have failed because its
		// own context ended, or at another place in the file.
		if b.err == nil {
			return b.art, nil
		}
	}
}

func (l *cachedLane) build(ctx context.Context, key string, src *Source) (*Artifact, error) {
	if art, ok, err := l.cache.Get(key); err == nil && ok {
		art.Warnings = rebase(art.Warnings, nowhere, src.Pos)
		return art, nil
	}
	art, err := l.Lane.Build(ctx, src)
	if err != nil {
		return nil, err
	}
	stored := *art
	stored.Warnings = rebase(art.Warnings, src.Pos, nowhere)
	if err := l.cache.Put(key, &stored); err != nil {
		return nil, err
	}
	return art, nil
}

// nowhere is the position a stored block pretends to have: far enough down that
// lines above it (from noweb references) stay positive.
var nowhere = diag.Position{Line: 1 << 20, Col: 1}

// rebase moves diagnostics of a block that stood at from to where it stands at
// to. Diagnostics in other files stay.
func rebase(list []diag.Finding, from, to diag.Position) []diag.Finding {
	moved := make([]diag.Finding, len(list))
	for i, d := range list {
		if d.Pos.File == from.File && d.Pos.Line > 0 {
			d.Pos = diag.Position{File: to.File, Line: d.Pos.Line - from.Line + to.Line, Col: d.Pos.Col - from.Col + to.Col}
		}
		moved[i] = d
	}
	return moved
}
