package run

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"wb/internal/trace"
	"wb/internal/value"
	"wb/internal/whole"
	"wb/sandbox"
)

// kept is a program's outcome as the cache keeps it.
type kept struct {
	Digests *Digests      `json:"digests"`
	Value   value.Value   `json:"value"`
	Stdout  string        `json:"stdout,omitempty"`
	Stderr  string        `json:"stderr,omitempty"`
	Exit    int           `json:"exit,omitempty"`
	Usage   sandbox.Usage `json:"usage"`
	Reads   []read        `json:"reads,omitempty"`
	Files   []keptFile    `json:"files,omitempty"`

	blobs map[string][]byte // of Files, when it has just run
}

// Cache keeps the outcomes of components under a directory, usually .wb beside
// the workbook. It may be deleted at any time. Processes share it: a file is
// written aside and renamed, so that a reader finds all of it or nothing.
type Cache struct {
	dir string

	mu   sync.Mutex
	last map[string]map[string]lastRun // by workbook, then component: what ran last
}

// OpenCache uses a directory, which is made when something is first kept.
func OpenCache(dir string) *Cache { return &Cache{dir: dir} }

// CacheBeside is the cache of a workbook: .wb in its directory.
func CacheBeside(file string) *Cache { return OpenCache(filepath.Join(filepath.Dir(file), ".wb")) }

func (c *Cache) outcomePath(key string) string {
	return filepath.Join(c.dir, "outcomes", key[:2], key[2:]+".json")
}

func (c *Cache) blobs() *trace.BlobStore { return trace.NewBlobStore(filepath.Join(c.dir, "blobs")) }

func (c *Cache) blob(digest string) ([]byte, error) {
	if c == nil {
		return nil, errors.New("there is no cache")
	}
	return c.blobs().Get(digest)
}

// get finds an outcome. A damaged file counts as none.
func (c *Cache) get(key string) *kept {
	if c == nil {
		return nil
	}
	data, err := os.ReadFile(c.outcomePath(key))
	if err != nil {
		return nil
	}
	var k kept
	if json.Unmarshal(data, &k) != nil || k.Digests == nil || k.Digests.Key() != key {
		return nil
	}
	return &k
}

// put keeps an outcome and the files it made.
func (c *Cache) put(key string, k *kept) error {
	for name, data := range k.blobs {
		if _, err := c.blobs().Put(data); err != nil {
			return fmt.Errorf("cache: %s: %w", name, err)
		}
	}
	data, err := json.Marshal(k)
	if err != nil {
		return fmt.Errorf("cache: %w", err)
	}
	return writeKept(c.outcomePath(key), data)
}

// writeKept writes a file of the cache.
func writeKept(path string, data []byte) error {
	if err := (whole.File{Dirs: 0o755}).Write(path, data); err != nil {
		return fmt.Errorf("cache: %w", err)
	}
	return nil
}

// lastRun records a component's last run: what it depended on, for
// `wb why`, and text it left in the document that cannot be told from prose.
type lastRun struct {
	Digests *Digests `json:"digests,omitempty"`
	Wrote   string   `json:"wrote,omitempty"`
}

// statePath is where the last runs of a workbook are kept.
func (c *Cache) statePath(file string) string {
	return filepath.Join(c.dir, "last", filepath.Base(file)+".json")
}

// lastRuns reads what is known of the last runs of a workbook's components.
func (c *Cache) lastRuns(file string) map[string]lastRun {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	path := c.statePath(file)
	if runs, ok := c.last[path]; ok {
		return runs
	}
	runs := map[string]lastRun{}
	if data, err := os.ReadFile(path); err == nil {
		_ = json.Unmarshal(data, &runs) // damaged state explains nothing, which is all it is for
	} else if !errors.Is(err, fs.ErrNotExist) {
		return runs
	}
	if c.last == nil {
		c.last = map[string]map[string]lastRun{}
	}
	c.last[path] = runs
	return runs
}

// reason says why an outcome is not kept, by comparing with the last run.
func (c *Cache) reason(file, id string, now *Digests) string {
	before, ok := c.lastRuns(file)[id]
	if !ok || before.Digests == nil {
		return "it has not run yet"
	}
	if changed := before.Digests.differences(now); len(changed) > 0 {
		return strings.Join(changed, ", ")
	}
	return "its result is no longer kept"
}

// saveLast remembers the runs of components for next time.
func (c *Cache) saveLast(file string, now map[string]lastRun) error {
	if c == nil || len(now) == 0 {
		return nil
	}
	runs := c.lastRuns(file)
	c.mu.Lock()
	defer c.mu.Unlock()
	merged := map[string]lastRun{}
	for id, run := range runs {
		merged[id] = run
	}
	changed := false
	for id, run := range now {
		old, ok := merged[id]
		if ok && old.Wrote == run.Wrote && old.Digests != nil && run.Digests != nil && old.Digests.Key() == run.Digests.Key() {
			continue
		}
		merged[id] = run
		changed = true
	}
	if !changed {
		return nil
	}
	data, err := json.Marshal(merged)
	if err != nil {
		return fmt.Errorf("cache: %w", err)
	}
	if c.last == nil {
		c.last = map[string]map[string]lastRun{}
	}
	c.last[c.statePath(file)] = merged
	return writeKept(c.statePath(file), data)
}
