package run

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"wb/internal/sha"
	"wb/internal/trace"
	"wb/internal/value"
	"wb/internal/whole"
	"wb/sandbox"
)

// cacheVersion changes when outcomes are computed or kept differently, so that
// those of older versions are not used.
const cacheVersion = "1"

// Digests identify everything a component's outcome depends on, one digest for each
// reason to run it again. Files are not among them: what a component reads
// from its files is known only afterwards, and is checked against the tree.
type Digests struct {
	Source    string            `json:"source"`           // code after noweb, header arguments, exec shape
	Inputs    map[string]string `json:"inputs,omitempty"` // by name
	Toolchain string            `json:"toolchain"`        // lane and compiler
	Profile   string            `json:"profile"`
	Caps      []string          `json:"caps,omitempty"`
	Session   string            `json:"session,omitempty"` // what ran before in the same session
}

// Key names the outcome: a digest over all the others.
func (d *Digests) Key() string {
	data, err := json.Marshal(d) // maps are written in order of their keys
	if err != nil {
		panic(err) // strings always marshal
	}
	return sha.Hex(append([]byte("wb outcome "+cacheVersion+"\n"), data...))
}

// differences lists what changed between two sets, in words.
func (d *Digests) differences(now *Digests) []string {
	var changed []string
	note := func(what, before, after string) {
		if before != after {
			changed = append(changed, fmt.Sprintf("%s changed (%s → %s)", what, short(before), short(after)))
		}
	}
	note("source", d.Source, now.Source)
	names := map[string]bool{}
	for name := range d.Inputs {
		names[name] = true
	}
	for name := range now.Inputs {
		names[name] = true
	}
	for _, name := range sortedKeys(names) {
		note("input "+name, d.Inputs[name], now.Inputs[name])
	}
	note("toolchain", d.Toolchain, now.Toolchain)
	note("profile", d.Profile, now.Profile)
	note("capabilities", strings.Join(d.Caps, " "), strings.Join(now.Caps, " "))
	note("the session before it", d.Session, now.Session)
	return changed
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// short abbreviates a digest for people.
func short(digest string) string {
	switch {
	case digest == "":
		return "none"
	case len(digest) == 64 && !strings.ContainsAny(digest, " /"):
		return digest[:12]
	}
	return digest
}

// digest computes what the outcome of p depends on.
func (p *program) digest() {
	src := *p.src
	src.Vars = nil
	d := &Digests{Inputs: map[string]string{}, Toolchain: p.lane.Fingerprint(), Profile: p.profile, Caps: p.caps}
	d.Source = src.Key("")
	if p.job.Dir != "" {
		d.Source = trace.Digest([]byte(d.Source + "\n" + p.job.Dir))
	}
	for _, v := range p.src.Vars {
		digest := v.Value.Digest()
		if v.ColNames != nil || v.RowNames != nil {
			names, err := json.Marshal([][]string{v.ColNames, v.RowNames})
			if err == nil {
				digest = trace.Digest(append([]byte(digest), names...))
			}
		}
		d.Inputs[v.Name] = digest
	}
	for _, in := range p.job.Inputs {
		d.Inputs[in.Name] = in.Value.Digest()
	}
	if len(p.job.Args) > 0 {
		d.Inputs["$@"] = trace.Digest([]byte(strings.Join(p.job.Args, "\x00")))
	}
	if len(p.job.Stdin) > 0 {
		d.Inputs["stdin"] = trace.Digest(p.job.Stdin)
	}
	p.digests = d
}

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

// recall finds the kept outcome of a program, or the reason why it must run.
func (r executor) recall(p *program) (*kept, string) {
	switch {
	case p.volatile != "":
		return nil, p.volatile
	case r.opts.Cache == nil:
		return nil, "nothing is kept"
	case r.opts.Force && !r.dry:
		return nil, "--force"
	}
	k := r.opts.Cache.get(p.digests.Key())
	if k == nil {
		return nil, r.opts.Cache.reason(r.opts.File, p.owner.ID, p.digests)
	}
	if changed := r.seenBy(p.owner).changedRead(k.Reads, k.Files); changed != nil {
		return nil, fmt.Sprintf("file %s changed", changed.Name)
	}
	return k, "nothing changed"
}

// keep stores an outcome. A cache that cannot be written costs time, not
// results: the run goes on and says so.
func (r executor) keep(p *program, k *kept) {
	if r.opts.Cache == nil {
		return
	}
	k.Digests = p.digests
	if err := r.opts.Cache.put(p.digests.Key(), k); err != nil {
		r.emit(trace.Event{Kind: trace.KindLog, Component: p.owner.ID, Error: err.Error()})
	}
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
