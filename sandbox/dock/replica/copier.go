package replica

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"sync"
	"time"

	"github.com/klauspost/compress/zstd"
	"golang.org/x/sync/errgroup"

	"wb/internal/sha"
	"wb/internal/trace"
	"wb/internal/whole"
	"wb/sandbox/dock/store"
)

// Source is a store that is copied, and whose it is.
type Source struct {
	Store       *store.Store
	Tenant, Dir string
}

// memory is what was copied of a store to a target, in a file beside the store.
type memory struct {
	path   string
	Last   Generation                 `json:"last"` // without a line where none was made yet
	Stamps map[store.Part]store.Stamp `json:"stamps"`
}

func recall(s *store.Store, to Target) memory {
	m := memory{path: filepath.Join(s.Dir(), "copied-"+sha.Hex(to.String())[:16]+".json")}
	text, err := os.ReadFile(m.path)
	if err != nil || json.Unmarshal(text, &m) != nil {
		return memory{path: m.path} // a new line begins
	}
	return m
}

func (m memory) keep() error {
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	return whole.File{Dirs: 0o700, Sync: true}.Write(m.path, text)
}

// Copy makes a generation of a store unless nothing has changed since the last one.
// It gives the last one, nil where there is nothing to copy.
func Copy(ctx context.Context, to Target, from Source) (*Generation, error) {
	if len(stampsOf(from.Store)) == 0 {
		return nil, nil
	}
	release, err := lock(ctx, from.Store)
	if err != nil {
		return nil, err
	}
	defer release()
	m := recall(from.Store, to)
	host, err := os.Hostname()
	if err != nil {
		return nil, err
	}
	if m.Last.Line != "" && m.Last.Host != host { // a state directory that was copied from another machine
		m.Last, m.Stamps = Generation{From: m.Last.Line, Number: m.Last.Number}, nil
	}
	if m.Last.Line == "" { // a store that was only looked into begins no line
		if empty, err := from.Store.Empty(ctx); empty || err != nil {
			return nil, err
		}
	}
	stamps := stampsOf(from.Store)
	if m.Last.Line != "" && maps.Equal(stamps, m.Stamps) {
		return &m.Last, nil
	}
	next, err := m.next(ctx, to)
	if err != nil {
		return nil, err
	}
	next.Host, next.Tenant, next.Dir, next.At = host, from.Tenant, from.Dir, time.Now().UTC().Truncate(time.Second)
	next.Files = map[store.Part]File{}
	if err := next.fill(ctx, to, from.Store, &m, stamps); err != nil {
		return nil, err
	}
	made := m.Last.Line != next.Line || !reflect.DeepEqual(m.Last.Files, next.Files)
	if !made { // touched, and the same
		last := m.Last
		next = &last
	} else if err := next.put(ctx, to); err != nil {
		return nil, err
	}
	settled := time.Now().Add(-2 * time.Second).UnixNano()
	for part, s := range stamps { // a file that was just written may change without its time
		if s.Time > settled || s.LogTime > settled {
			delete(stamps, part)
		}
	}
	m.Last, m.Stamps = *next, stamps
	if err := m.keep(); err != nil {
		return nil, err
	}
	if made && next.Number%thinEvery == 0 {
		err = clean(ctx, to, next.Line, next.At)
	}
	return next, err
}

// stampsOf are the stamps of the parts that are there.
func stampsOf(s *store.Store) map[store.Part]store.Stamp {
	stamps := map[store.Part]store.Stamp{}
	for _, part := range store.Parts {
		if stamp := s.Stamp(part); stamp != (store.Stamp{}) {
			stamps[part] = stamp
		}
	}
	return stamps
}

// lock waits until no other process copies a store.
func lock(ctx context.Context, s *store.Store) (release func(), err error) {
	for {
		release, ok, err := trace.NewState(s.Dir()).Lock("copying")
		if ok || err != nil {
			return release, err
		}
		select {
		case <-time.After(50 * time.Millisecond):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// next is the generation after the last. Where that is not at the target any more,
// nothing of it is believed to be there, and a new line begins.
func (m *memory) next(ctx context.Context, to Target) (*Generation, error) {
	if m.Last.Line != "" {
		list, err := entries(ctx, to, m.Last.Line)
		if err != nil {
			return nil, err
		}
		if n := len(list); n > 0 && list[n-1].number >= m.Last.Number {
			return &Generation{Format: format, Line: m.Last.Line, From: m.Last.From, Number: list[n-1].number + 1}, nil
		}
		m.Last.Files, m.Stamps = nil, nil
	}
	var id [8]byte
	if _, err := rand.Read(id[:]); err != nil {
		return nil, err
	}
	return &Generation{Format: format, Line: root + "/" + hex.EncodeToString(id[:]), From: m.Last.From, Number: m.Last.Number + 1}, nil
}

// fill brings the parts of a store to the target.
func (g *Generation) fill(ctx context.Context, to Target, s *store.Store, m *memory, stamps map[store.Part]store.Stamp) error {
	there := map[string]bool{}
	for _, f := range m.Last.Files {
		for _, sum := range f.Chunks {
			there[sum] = true
		}
	}
	for part, stamp := range stamps {
		if last, known := m.Last.Files[part]; known && stamp == m.Stamps[part] {
			g.Files[part] = last
			continue
		}
		file, err := send(ctx, to, g.Line, s, part, there)
		if err != nil {
			return err
		}
		g.Files[part] = file
	}
	return nil
}

// parallel is how many chunks are on their way at once.
const parallel = 8

// send brings the chunks of a part that are not there to the target. They are read in
// one transaction and leave after it, so that a slow target holds nobody up.
func send(ctx context.Context, to Target, line string, s *store.Store, part store.Part, there map[string]bool) (File, error) {
	spool, err := os.CreateTemp(s.Dir(), ".copying.*.tmp")
	if err != nil {
		return File{}, err
	}
	defer func() {
		spool.Close()
		os.Remove(spool.Name())
	}()
	type piece struct {
		sum    string
		offset int64
		size   int
	}
	var pieces []piece
	var file File
	var offset int64
	total, pack := sha256.New(), newEncoder()
	chunk := make([]byte, 0, chunkSize)
	flush := func() error {
		sum := sha.Hex(chunk)
		file.Chunks = append(file.Chunks, sum)
		file.Bytes += int64(len(chunk))
		total.Write(chunk)
		if !there[sum] {
			there[sum] = true
			packed := pack.EncodeAll(chunk, nil)
			if _, err := spool.Write(packed); err != nil {
				return err
			}
			pieces = append(pieces, piece{sum, offset, len(packed)})
			offset += int64(len(packed))
		}
		chunk = chunk[:0]
		return nil
	}
	err = s.Pages(ctx, part, func(page []byte) error {
		if len(chunk)+len(page) > chunkSize {
			if err := flush(); err != nil {
				return err
			}
		}
		chunk = append(chunk, page...)
		return nil
	})
	if err == nil && len(chunk) > 0 {
		err = flush()
	}
	if err != nil {
		return File{}, err
	}
	file.SHA256 = hex.EncodeToString(total.Sum(nil))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(parallel)
	for _, p := range pieces {
		group.Go(func() error {
			data, err := io.ReadAll(io.NewSectionReader(spool, p.offset, int64(p.size)))
			if err != nil {
				return err
			}
			return to.Put(ctx, chunkName(line, p.sum), data)
		})
	}
	return file, group.Wait()
}

// newEncoder packs chunks. Its options are right: that is no error of its user.
func newEncoder() *zstd.Encoder {
	e, _ := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	return e
}

// Copier copies a store whenever it has changed, until it is closed.
type Copier struct {
	to     Target
	from   Source
	every  time.Duration
	failed func(error)
	wake   chan struct{}
	stop   context.CancelFunc
	done   chan struct{}
	once   sync.Once
	err    error
}

// Follow begins to copy a store; failed hears of what goes wrong on the way, which is
// tried again.
func Follow(ctx context.Context, to Target, from Source, every time.Duration, failed func(error)) *Copier {
	ctx, stop := context.WithCancel(ctx)
	c := &Copier{to: to, from: from, every: every, failed: failed, wake: make(chan struct{}, 1), stop: stop, done: make(chan struct{})}
	go c.follow(ctx)
	return c
}

// Changed tells the copier of a change. It never waits.
func (c *Copier) Changed() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// slowest is how long a copier waits at most before it tries again.
const slowest = time.Minute

func (c *Copier) follow(ctx context.Context) {
	defer close(c.done)
	wait := c.every
	for {
		select {
		case <-c.wake:
		case <-ctx.Done():
			return
		}
		select { // what changes meanwhile goes along
		case <-time.After(wait):
		case <-ctx.Done():
			return
		}
		_, err := Copy(ctx, c.to, c.from)
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			if wait == c.every {
				c.failed(err)
			}
			wait = min(2*wait, slowest)
			c.Changed()
		default:
			wait = c.every
		}
	}
}

// Close copies what is left, as long as ctx allows, and ends the copier.
func (c *Copier) Close(ctx context.Context) error {
	c.once.Do(func() {
		c.stop()
		<-c.done
		_, c.err = Copy(ctx, c.to, c.from)
		if errors.Is(c.err, context.DeadlineExceeded) {
			c.err = errors.New("there was no time to copy what has changed last")
		}
	})
	return c.err
}
