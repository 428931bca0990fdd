package index

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"
)

// Builder makes the block of a file. It is called from several goroutines.
type Builder func(path string, src []byte) ([]byte, error)

// Cache is an index in a directory that need not exist yet.
type Cache struct {
	dir     string
	version uint32
	// Progress hears how many of the files that changed are read, by several
	// goroutines; nil need not.
	Progress func(read, of int)
}

// Open names a cache. The version says what its blocks mean: blocks of
// another version are not used, and replaced. Nothing is read or made yet.
func Open(dir string, version uint32) *Cache { return &Cache{dir: dir, version: version} }

// Dir is the cache's directory.
func (s *Cache) Dir() string { return s.dir }

// Stats say what a view took from the index and what it had to do.
type Stats struct {
	Files   int           // files asked for
	Fresh   int           // found by size and times alone
	Hashed  int           // read and hashed, and found by their hash
	Built   int           // read and built
	Bytes   int64         // of the files that were read
	Stat    time.Duration // to read the manifest and look at the files
	Read    time.Duration // to read, hash and build
	Commit  time.Duration // to write, once committed
	Skipped string        // why nothing was written, if it should have been
}

// View is a cache as one query sees it: one block per file.
type View struct {
	cache *Cache
	man   *manifest
	maps  map[string]*mapping
	paths []string
	refs  []entry  // of blocks in segments, where built is nil
	built [][]byte // blocks made by this view
	gone  []string // keys of blocks that nothing needs any more
	Stats Stats
	dirty bool
}

// View finds or builds the blocks of files. Paths are the keys of the index,
// so they should be absolute. Files that skip says are to be skipped have no
// block; a nil skip skips none.
func (s *Cache) View(ctx context.Context, paths []string, build Builder, skip func(i int, info fs.FileInfo) bool) (*View, error) {
	start := time.Now()
	v := &View{cache: s, paths: paths, maps: map[string]*mapping{}, refs: make([]entry, len(paths)), built: make([][]byte, len(paths))}
	v.load(ctx)
	stale, skipped := make([]bool, len(paths)), make([]bool, len(paths))
	errs := make([]error, len(paths))
	parallel(ctx, len(paths), func(i int) {
		info, err := os.Stat(fileOf(paths[i]))
		if err != nil {
			errs[i] = err
			return
		}
		if skip != nil && skip(i, info) {
			skipped[i] = true
			return
		}
		e, ok := v.man.files[paths[i]]
		v.refs[i] = e
		stale[i] = !ok || !e.fresh(info)
	})
	var todo []int
	for i := range paths {
		if !skipped[i] {
			v.Stats.Files++
		}
		if stale[i] && errs[i] == nil {
			todo = append(todo, i)
		}
	}
	v.Stats.Fresh, v.Stats.Stat = v.Stats.Files-len(todo), time.Since(start)
	start = time.Now()
	if len(todo) > 0 {
		v.man.hashes()
	}
	var mu sync.Mutex
	parallel(ctx, len(todo), func(k int) {
		i := todo[k]
		size, found, err := v.renew(i, build)
		errs[i] = err
		mu.Lock()
		defer mu.Unlock()
		v.Stats.Bytes += size
		if found {
			v.Stats.Hashed++
		} else {
			v.Stats.Built++
		}
		if s.Progress != nil {
			s.Progress(v.Stats.Hashed+v.Stats.Built, len(todo))
		}
	})
	v.dirty = v.dirty || len(todo) > 0
	v.Stats.Read = time.Since(start)
	err := errors.Join(errs...)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		v.Close()
		return nil, err
	}
	return v, nil
}

// Variant is the key of a block that is made of a file in another way than usual;
// how tells the ways apart.
func Variant(path, how string) string {
	sum := sha256.Sum256([]byte(how))
	return path + variantMark + hex.EncodeToString(sum[:8])
}

const variantMark = "\x00\x00"

// fileOf is the file that a key belongs to.
func fileOf(key string) string {
	path, _, _ := strings.Cut(key, variantMark)
	return path
}

// renew reads file i and finds its block by its hash, or builds it.
func (v *View) renew(i int, build Builder) (size int64, found bool, err error) {
	path := v.paths[i]
	file := fileOf(path)
	seen := time.Now()
	f, err := os.Open(file)
	if err != nil {
		return 0, false, err
	}
	defer f.Close()
	info, err := f.Stat() // before reading: a later change changes the times
	if err != nil {
		return 0, false, err
	}
	if !info.Mode().IsRegular() {
		return 0, false, &fs.PathError{Op: "read", Path: file, Err: errors.New("not a regular file")}
	}
	src, err := readAll(f, info.Size())
	if err != nil {
		return 0, false, err
	}
	e := entry{path: path, hash: sha256.Sum256(src), seen: seen.UnixNano(), stamp: stampOf(info)}
	e.size = int64(len(src))
	if old, ok := v.man.byHash[e.key()]; ok {
		e.segment, e.offset, e.length, e.sum = old.segment, old.offset, old.length, old.sum
		v.refs[i] = e
		return e.size, true, nil
	}
	v.refs[i] = e
	v.built[i], err = build(file, src)
	return e.size, false, err
}

// load reads the manifest and maps the segments it names; a writer may remove
// segments in between, then the manifest has changed and is read again.
func (v *View) load(ctx context.Context) {
	for range 5 {
		man := v.cache.readManifest()
		v.man = man
		missing := false
		for _, seg := range man.segments {
			if v.maps[seg] == nil {
				m, err := mapFile(filepath.Join(v.cache.dir, seg))
				if err != nil {
					missing = true
					break
				}
				v.maps[seg] = m
			}
		}
		if !missing {
			v.dirty = man.dropTorn(ctx, v.maps)
			return
		}
		v.unmap()
	}
	v.man = emptyManifest() // somebody deletes under us: do without
}

// Block is the block built from file i. It may lie in mapped memory: it must not
// be changed, nor used after Close.
func (v *View) Block(i int) []byte {
	if v.built[i] != nil {
		return v.built[i]
	}
	e := v.refs[i]
	return v.maps[e.segment].data[e.offset : e.offset+e.length : e.offset+e.length]
}

// Close releases the memory of the view.
func (v *View) Close() error {
	v.unmap()
	v.built = nil
	return nil
}

func (v *View) unmap() {
	for _, m := range v.maps {
		m.unmap()
	}
	clear(v.maps)
}

// parallel calls do for 0…n-1, on as many processors as there are.
func parallel(ctx context.Context, n int, do func(i int)) {
	const batch = 16
	var mu sync.Mutex
	next := 0
	take := func() (from, to int) {
		mu.Lock()
		defer mu.Unlock()
		from = next
		next = min(next+batch, n)
		if n < 8*batch { // few, and perhaps big ones
			next = min(from+1, n)
		}
		return from, next
	}
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), n) {
		wg.Go(func() {
			for from, to := take(); from < to && ctx.Err() == nil; from, to = take() {
				for i := from; i < to; i++ {
					do(i)
				}
			}
		})
	}
	wg.Wait()
}

func readAll(f *os.File, size int64) ([]byte, error) {
	buf := make([]byte, 0, size+512)
	for {
		n, err := f.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if errors.Is(err, io.EOF) {
			return buf, nil
		}
		if err != nil {
			return nil, err
		}
		if len(buf) == cap(buf) {
			buf = append(buf, 0)[:len(buf)]
		}
	}
}
