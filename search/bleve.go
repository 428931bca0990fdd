package search

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"wb/org/index"
)

// bleveStore is a [Backend] of bleve indexes that never change. What changed goes
// into a new shard, and a new manifest says which shards count; shards that are
// small or mostly out of date are put into the new one. Readers use the shards
// of the manifest they read and never wait; a killed writer leaves files
// that no manifest names.
type bleveStore struct {
	dir       string
	temporary bool // dir goes when the store is closed
	manifest  *manifest
	shards    []*shard // those of the manifest
	documents int      // of all files, and
	tokens    uint64   // their words
	vectors   *vectorCache
}

// openBleve opens the store in a directory; "" keeps it for this process alone.
func openBleve(dir string) (*bleveStore, error) {
	s := &bleveStore{dir: dir, manifest: &manifest{}}
	if dir == "" {
		temp, err := os.MkdirTemp("", "wb-search-")
		if err != nil {
			return nil, fmt.Errorf("search index: %w", err)
		}
		s.dir, s.temporary = temp, true
	} else if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("search index: %w", err)
	}
	s.vectors = &vectorCache{path: filepath.Join(s.dir, "vectors")}
	if err := s.load(); err != nil {
		s.Close()
		return nil, fmt.Errorf("search index: %w", err)
	}
	return s, nil
}

// loadTries is how often a manifest is read again because a shard that it names
// has gone meanwhile.
const loadTries = 5

// load reads the manifest and opens its shards.
func (s *bleveStore) load() error {
	for try := 1; ; try++ {
		m, err := readManifest(s.dir)
		if errors.Is(err, fs.ErrNotExist) {
			m, err = &manifest{}, nil
		}
		if err != nil {
			return err
		}
		err = s.use(m)
		if errors.Is(err, fs.ErrNotExist) && try < loadTries {
			continue
		}
		if errors.Is(err, fs.ErrNotExist) {
			err = errDamaged
		}
		return err
	}
}

// use opens the shards of a manifest that are not open and closes the others.
func (s *bleveStore) use(m *manifest) (err error) {
	open := map[string]*shard{}
	for _, sh := range s.shards {
		open[sh.name] = sh
	}
	shards := make([]*shard, len(m.shards))
	var fresh []*shard
	defer func() {
		if r := recover(); r != nil { // bleve trusts its files
			err = errDamaged
		}
		if err != nil {
			for _, sh := range fresh {
				sh.close()
			}
		}
	}()
	for i, name := range m.shards {
		if shards[i] = open[name]; shards[i] == nil {
			if shards[i], err = openShard(s.dir, name); err != nil {
				return err
			}
			fresh = append(fresh, shards[i])
		}
		files := make([]int64, shards[i].files())
		for k := range files {
			files[k] = -1
		}
		shards[i].file = files
	}
	s.documents, s.tokens = 0, 0
	for n, f := range m.files {
		if f.shard >= len(shards) || int(f.number) >= len(shards[f.shard].file) || int(f.documents) != shards[f.shard].headings(f.number) {
			return errDamaged
		}
		shards[f.shard].file[f.number] = int64(n)
		s.documents += int(f.documents)
		s.tokens += f.tokens
	}
	for _, sh := range s.shards {
		if !slices.Contains(shards, sh) {
			sh.close()
		}
	}
	s.manifest, s.shards = m, shards
	return nil
}

// Close gives the shards back.
func (s *bleveStore) Close() error {
	for _, sh := range s.shards {
		sh.close()
	}
	s.shards = nil
	if s.temporary {
		return os.RemoveAll(s.dir)
	}
	return nil
}

// Files are all files in the store, by path.
func (s *bleveStore) Files(context.Context) (map[string]FileState, error) {
	files := make(map[string]FileState, len(s.manifest.files))
	for i, f := range s.manifest.files {
		files[f.path] = FileState{ID: int64(i), Stamp: f.stamp, Hash: f.hash}
	}
	return files, nil
}

// Update takes in changes and drops files: it makes a shard of what is new, and
// then a manifest.
func (s *bleveStore) Update(ctx context.Context, changes iter.Seq2[Change, error], gone []string) error {
	u := &update{store: s, gone: gone, entries: map[string]fileEntry{}, changes: map[string]Change{}}
	defer u.drop()
	if changes != nil {
		for c, err := range changes {
			if err == nil {
				err = u.add(c)
			}
			if err != nil {
				return err
			}
		}
	}
	if err := u.absorb(ctx); err != nil {
		return err
	}
	if u.builder != nil {
		if err := u.builder.close(ctx); err != nil {
			return fmt.Errorf("search index: %w", err)
		}
	}
	return u.commit(ctx)
}

// update is a change of the store in the making.
type update struct {
	store    *bleveStore
	gone     []string
	changes  map[string]Change
	entries  map[string]fileEntry // of the new shard
	headings int                  // in it
	name     string
	builder  *shardBuilder
	absorbed map[string]bool // shards that are put into the new one
	kept     bool
}

func (u *update) add(c Change) error {
	u.changes[c.Path] = c
	if c.File == nil {
		return nil
	}
	if u.builder == nil {
		dir, err := os.MkdirTemp(u.store.dir, "shard-")
		if err != nil {
			return fmt.Errorf("search index: %w", err)
		}
		u.name = filepath.Base(dir)
		if u.builder, err = newShardBuilder(dir); err != nil {
			return fmt.Errorf("search index: %w", err)
		}
	}
	number, tokens, err := u.builder.add(c.File)
	if err != nil {
		return fmt.Errorf("search index: %w", err)
	}
	u.headings += len(c.File.documents)
	u.entries[c.Path] = fileEntry{path: c.Path, stamp: c.State.Stamp, hash: c.State.Hash, number: number,
		documents: uint32(len(c.File.documents)), tokens: tokens, synonyms: c.File.synonyms}
	return nil
}

// absorb reads the files of small shards, and of those that are mostly out of
// date, into the new one: as long as a shard has at most twice the headings that
// are in the new one by then. A file is so read again a few times only.
func (u *update) absorb(ctx context.Context) error {
	if u.builder == nil {
		return nil
	}
	m := u.store.manifest
	type candidate struct {
		shard, live, all int
		files            []int
	}
	list := make([]candidate, len(m.shards))
	for i, sh := range u.store.shards {
		list[i].shard, list[i].all = i, len(sh.docs)
	}
	for i, f := range m.files {
		if _, changed := u.entries[f.path]; !changed && !slices.Contains(u.gone, f.path) {
			c := &list[f.shard]
			c.files = append(c.files, i)
			c.live += int(f.documents)
		}
	}
	slices.SortFunc(list, func(a, b candidate) int { return cmp.Compare(a.live, b.live) })
	an := &analyzer{}
	u.absorbed = map[string]bool{}
	for _, c := range list {
		if c.live > 2*u.headings && 2*c.live > c.all {
			continue
		}
		for _, i := range c.files {
			f := m.files[i]
			info, err := os.Stat(f.path)
			if err != nil {
				continue // gone, or not to be read: it stays where it is
			}
			change := Change{Path: f.path, State: FileState{Stamp: index.Fingerprint(info, time.Now())}, Was: f.hash}
			if change, err = read(an, change); err != nil {
				continue
			}
			if err := u.add(change); err != nil {
				return err
			}
			if ctx.Err() != nil {
				return ctx.Err()
			}
		}
	}
	return nil
}

// lockWait is how long a writer waits for another one that replaces the
// manifest, which takes some milliseconds.
const lockWait = 3 * time.Second

// commit replaces the manifest. What another process has done meanwhile stays,
// unless the file is as we read it.
func (u *update) commit(ctx context.Context) error {
	s := u.store
	unlock, err := s.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	now, err := readManifest(s.dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		now = &manifest{}
	case err != nil:
		return err
	}
	next := now.clone()
	next.shards = append(next.shards, u.name)
	place := next.byPath()
	for path, c := range u.changes {
		i, known := place[path]
		switch {
		case c.File == nil:
			if known && next.files[i].hash == c.State.Hash {
				next.files[i].stamp = c.State.Stamp
			}
			continue
		case !known && c.Was == "":
		case (!known || next.files[i].hash != c.Was) && !c.current():
			continue
		}
		e := u.entries[path]
		e.shard = len(next.shards) - 1
		if known {
			next.files[i] = e
		} else {
			next.files = append(next.files, e)
		}
	}
	next.files = slices.DeleteFunc(next.files, func(f fileEntry) bool { return slices.Contains(u.gone, f.path) })
	slices.SortFunc(next.files, func(a, b fileEntry) int { return strings.Compare(a.path, b.path) })
	next.tidy()
	if err := next.write(s.dir); err != nil {
		return err
	}
	u.kept = slices.Contains(next.shards, u.name)
	if err := s.use(next); err != nil {
		return err
	}
	s.sweep()
	return nil
}

// lock takes the right to replace the manifest.
func (s *bleveStore) lock(ctx context.Context) (unlock func(), err error) {
	for deadline := time.Now().Add(lockWait); ; {
		unlock, err = index.TryLock(filepath.Join(s.dir, "lock"))
		if err == nil || !errors.Is(err, index.ErrBusy) || time.Now().After(deadline) {
			return unlock, err
		}
		select {
		case <-time.After(2 * time.Millisecond):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// drop removes a shard that did not come to be.
func (u *update) drop() {
	if u.name != "" && !u.kept {
		_ = os.RemoveAll(filepath.Join(u.store.dir, u.name)) // what stays is only waste
	}
}

// sweepAge is how long a shard stays that no manifest names: a reader may be
// about to open it, or a writer to finish it.
const sweepAge = 10 * time.Minute

// sweep removes what is no longer used.
func (s *bleveStore) sweep() {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		name := e.Name()
		if slices.Contains(s.manifest.shards, name) || !strings.HasPrefix(name, "shard-") && !strings.HasPrefix(name, ".current.") {
			continue
		}
		if info, err := e.Info(); err == nil && (s.temporary || time.Since(info.ModTime()) > sweepAge) {
			_ = os.RemoveAll(filepath.Join(s.dir, name))
		}
	}
}

// Documents are those with the ids.
func (s *bleveStore) Documents(_ context.Context, ids []ID) ([]Found, error) {
	found := make([]Found, 0, len(ids))
	for _, id := range ids {
		if sh, d := s.document(id); d != nil {
			found = append(found, sh.found(id, s.manifest.files[id.File()].path, d))
		}
	}
	return found, nil
}

func (s *bleveStore) document(id ID) (*shard, *shardDoc) {
	n := id.File()
	if n < 0 || n >= int64(len(s.manifest.files)) {
		return nil, nil
	}
	f := &s.manifest.files[n]
	sh := s.shards[f.shard]
	if ordinal := int(id & (1<<ordinalBits - 1)); ordinal < sh.headings(f.number) {
		return sh, &sh.docs[int(sh.first[f.number])+ordinal]
	}
	return nil, nil
}

// Lines are the ids of a file's documents by the line of their heading.
func (s *bleveStore) Lines(_ context.Context, file int64) (map[int]ID, error) {
	lines := map[int]ID{}
	if file < 0 || file >= int64(len(s.manifest.files)) {
		return lines, nil
	}
	f := &s.manifest.files[file]
	for i := int(f.documents) - 1; i >= 0; i-- {
		id := makeID(file, i)
		if _, d := s.document(id); d != nil {
			lines[int(d.line)] = id
		}
	}
	return lines, nil
}

// Synonyms are the groups of phrases that glossaries declare to be the same.
func (s *bleveStore) Synonyms(context.Context) (groups [][]string, err error) {
	for _, f := range s.manifest.files {
		groups = append(groups, f.synonyms...)
	}
	return groups, nil
}

// Vector and SetVectors keep embeddings.
func (s *bleveStore) Vector(_ context.Context, key string) ([]float32, bool, error) {
	return s.vectors.get(key)
}

func (s *bleveStore) SetVectors(_ context.Context, vectors map[string][]float32) error {
	return s.vectors.set(vectors)
}
