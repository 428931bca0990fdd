package index

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

const (
	segmentPrefix = "segment-"
	lockName      = "lock"
	// minBytes is how much must have been read before an index is made.
	minBytes = 256 << 10
	// maxSegments is how many segments a cache has before small ones are joined.
	maxSegments = 8
)

// Commit keeps what the view had to build, for the next one. It does nothing
// when nothing was built, when another process is writing, or when the
// directory cannot be written to: [Stats.Skipped] says so, and the view is as
// good as before.
func (v *View) Commit() error {
	switch {
	case !v.dirty:
		return nil
	case v.man.raw == nil && v.Stats.Bytes < minBytes:
		v.Stats.Skipped = "too little to be worth an index"
		return nil
	}
	start := time.Now()
	defer func() { v.Stats.Commit = time.Since(start) }()
	if err := os.MkdirAll(v.cache.dir, 0o755); err != nil {
		v.Stats.Skipped = err.Error()
		return nil
	}
	unlock, err := TryLock(filepath.Join(v.cache.dir, lockName))
	if err != nil {
		v.Stats.Skipped = err.Error()
		return nil
	}
	defer unlock()
	err = v.commit()
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, fs.ErrNotExist) { // deleted under us, or read-only
		v.Stats.Skipped, err = err.Error(), nil
	}
	return err
}

// commit runs under the lock.
func (v *View) commit() error {
	man := v.cache.readManifest()
	if !bytes.Equal(man.raw, v.man.raw) { // another writer was faster; it may have removed our segments
		man.dropMissing(v.cache.dir)
	} else {
		man = v.man
	}
	w := &writer{cache: v.cache, view: v, man: man, name: segmentName()}
	for i := range v.paths {
		switch e := v.refs[i]; {
		case v.built[i] != nil:
			w.append(e, v.built[i])
		case slices.Contains(man.segments, e.segment):
			man.add(e)
		}
	}
	for _, path := range v.gone {
		delete(man.files, path)
	}
	w.join()
	if err := w.flush(); err != nil {
		return err
	}
	if err := writeFile(v.cache.dir, manifestName, [][]byte{man.encode(v.cache.version)}); err != nil {
		return err
	}
	v.dirty = false
	v.cache.sweep(man)
	return nil
}

// dropMissing forgets segments that are gone and blocks in them.
func (m *manifest) dropMissing(dir string) {
	m.segments = slices.DeleteFunc(m.segments, func(s string) bool {
		_, err := os.Stat(filepath.Join(dir, s))
		return err != nil
	})
	for path, e := range m.files {
		if !slices.Contains(m.segments, e.segment) {
			delete(m.files, path)
			delete(m.byHash, e.key())
		}
	}
}

// writer collects the blocks of a new segment.
type writer struct {
	cache *Cache
	view  *View
	man   *manifest
	name  string
	parts [][]byte
	size  uint64
}

var padding [8]byte

func (w *writer) append(e entry, block []byte) {
	e.segment, e.offset, e.length, e.sum = w.name, w.size, uint64(len(block)), crc32.Checksum(block, castagnoli)
	gap := -len(block) & 7
	w.parts = append(w.parts, block, padding[:gap])
	w.size += uint64(len(block) + gap)
	w.man.add(e)
}

// join moves blocks out of segments that are mostly dead or, when there are
// too many segments, out of all but the biggest. Files that no longer exist
// are forgotten on the way.
func (w *writer) join() {
	live := map[string]uint64{}
	for _, e := range w.man.files {
		live[e.segment] += e.length
	}
	many := len(w.man.segments) >= maxSegments
	biggest := ""
	for _, s := range w.man.segments {
		if live[s] > live[biggest] || biggest == "" {
			biggest = s
		}
	}
	move := map[string]bool{}
	for _, s := range w.man.segments {
		m := w.view.maps[s]
		if m == nil { // another writer's, not mapped here
			continue
		}
		dead := uint64(len(m.data)) - min(live[s], uint64(len(m.data)))
		move[s] = many && s != biggest || dead > live[s]+1<<20
	}
	for path, e := range w.man.files {
		if !move[e.segment] {
			continue
		}
		file, _, _ := strings.Cut(path, "\x00")
		if _, err := os.Lstat(file); err != nil {
			delete(w.man.files, path)
			delete(w.man.byHash, e.key())
			continue
		}
		w.append(e, w.view.maps[e.segment].data[e.offset:e.offset+e.length])
	}
	w.man.segments = slices.DeleteFunc(w.man.segments, func(s string) bool { return move[s] || live[s] == 0 })
}

func (w *writer) flush() error {
	if w.size == 0 {
		return nil
	}
	w.man.segments = append(w.man.segments, w.name)
	if err := writeFile(w.cache.dir, w.name, w.parts); err != nil {
		return err
	}
	info, err := os.Stat(filepath.Join(w.cache.dir, w.name))
	if err == nil {
		w.man.proofs[w.name] = proof{stampOf(info), time.Now().UnixNano()}
	}
	return err
}

func segmentName() string {
	var id [8]byte
	rand.Read(id[:])
	return segmentPrefix + hex.EncodeToString(id[:])
}

// writeFile makes a file that is whole or not there at all.
func writeFile(dir, name string, parts [][]byte) (err error) {
	temp, err := os.CreateTemp(dir, name+".*.tmp")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			temp.Close()
			os.Remove(temp.Name())
		}
	}()
	if err = writeParts(temp, parts); err != nil {
		return err
	}
	if err = temp.Sync(); err != nil {
		return err
	}
	if err = temp.Close(); err != nil {
		return err
	}
	return os.Rename(temp.Name(), filepath.Join(dir, name))
}

// writeParts gathers small parts, so that a segment takes few writes.
func writeParts(f *os.File, parts [][]byte) error {
	const chunk = 1 << 20
	buf := make([]byte, 0, chunk)
	for _, p := range parts {
		if len(buf)+len(p) > chunk {
			if _, err := f.Write(buf); err != nil {
				return err
			}
			buf = buf[:0]
		}
		if len(p) > chunk {
			if _, err := f.Write(p); err != nil {
				return err
			}
			continue
		}
		buf = append(buf, p...)
	}
	_, err := f.Write(buf)
	return err
}

// sweep removes what no manifest names: old segments, and what writers that
// died left behind. Only the holder of the lock may do that.
func (s *Cache) sweep(man *manifest) {
	files, err := os.ReadDir(s.dir)
	if err != nil {
		return
	}
	for _, f := range files {
		name := f.Name()
		if strings.HasSuffix(name, ".tmp") || strings.HasPrefix(name, segmentPrefix) && !slices.Contains(man.segments, name) {
			_ = os.Remove(filepath.Join(s.dir, name)) // the next writer tries again
		}
	}
}
