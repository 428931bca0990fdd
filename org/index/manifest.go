package index

import (
	"context"
	"encoding/binary"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// entry says which block belongs to a file.
type entry struct {
	path string
	stamp
	seen    int64 // when the file was read, in nanoseconds
	hash    [32]byte
	start   int64 // of a log's part: which bytes it is made of
	end     int64
	segment string
	offset  uint64
	length  uint64
	sum     uint32 // of the block
}

// stamp tells, without reading a file, that it has not changed.
type stamp struct {
	size         int64
	mtime, ctime int64 // nanoseconds; ctime is 0 where there is none
	inode        uint64
}

// racyWindow is how coarse file times may be: a change less than this after a
// reading may leave the same times.
const racyWindow = 2 * time.Second

// fresh reports whether the file is surely the one that was read.
func (e *entry) fresh(info fs.FileInfo) bool {
	return e.stamp == stampOf(info) && max(e.mtime, e.ctime)+int64(racyWindow) < e.seen
}

// key identifies a block: contents and base name, since a maker may
// use the name (org's category does), but not the directory.
func (e *entry) key() string { return string(e.hash[:]) + filepath.Base(e.path) }

// manifest is the table of contents of a cache.
type manifest struct {
	files    map[string]entry
	byHash   map[string]entry // made when first asked for
	segments []string
	proofs   map[string]proof // of segments
	raw      []byte           // as read, to notice changes
}

// proof is how a segment looked when its blocks were last known to be whole.
// While it looks the same, their checksums are not computed again.
type proof struct {
	stamp
	seen int64
}

func emptyManifest() *manifest {
	return &manifest{files: map[string]entry{}, proofs: map[string]proof{}}
}

// trusts reports whether a segment is surely as it was written: like a file, it
// is not while a change could have left its times the same.
func (m *manifest) trusts(segment string, s stamp) bool {
	p := m.proofs[segment]
	return p.stamp == s && max(p.mtime, p.ctime)+int64(racyWindow) < p.seen
}

// hashes is byHash. It must be called once before it is used concurrently.
func (m *manifest) hashes() map[string]entry {
	if m.byHash == nil {
		m.byHash = make(map[string]entry, len(m.files))
		for _, e := range m.files {
			if e.end == 0 {
				m.byHash[e.key()] = e
			}
		}
	}
	return m.byHash
}

func (m *manifest) add(e entry) {
	m.files[e.path] = e
	if m.byHash != nil && e.end == 0 {
		m.byHash[e.key()] = e
	}
}

// dropTorn forgets blocks that lie outside their segments or are not what was
// written, which only damage from outside can cause. It reports whether there
// is something to write: damage, or a segment that has been proven.
func (m *manifest) dropTorn(ctx context.Context, maps map[string]*mapping) (dirty bool) {
	doubted := map[string]bool{}
	for name, s := range maps {
		if doubted[name] = !m.trusts(name, s.stamp); doubted[name] {
			m.proofs[name] = proof{s.stamp, time.Now().UnixNano()}
			dirty = dirty || m.trusts(name, s.stamp)
		}
	}
	var check []entry
	drop := func(e entry) {
		delete(m.files, e.path)
		delete(m.byHash, e.key())
		dirty = true
	}
	for _, e := range m.files {
		s := maps[e.segment]
		switch {
		case s == nil || e.offset+e.length < e.offset || e.offset+e.length > uint64(len(s.data)):
			drop(e)
		case doubted[e.segment]:
			check = append(check, e)
		}
	}
	whole := make([]bool, len(check))
	parallel(ctx, len(check), func(i int) {
		e := check[i]
		whole[i] = crc32.Checksum(maps[e.segment].data[e.offset:e.offset+e.length], castagnoli) == e.sum
	})
	for i, e := range check {
		if !whole[i] {
			drop(e)
		}
	}
	return dirty
}

const (
	manifestName  = "manifest"
	manifestMagic = "wb-index 3\n"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// readManifest reads the manifest. One that cannot be read, is damaged or of
// another version is as good as an empty one: without an index every answer is
// the same.
func (s *Cache) readManifest() *manifest {
	raw, err := os.ReadFile(filepath.Join(s.dir, manifestName))
	if err != nil {
		return emptyManifest()
	}
	m := emptyManifest()
	if !m.decode(raw, s.version) {
		m = emptyManifest()
	}
	m.raw = raw
	return m
}

// encode writes: magic, version, segments, entries, checksum.
func (m *manifest) encode(version uint32) []byte {
	out := binary.LittleEndian.AppendUint32([]byte(manifestMagic), version)
	str := func(s string) { out = append(binary.AppendUvarint(out, uint64(len(s))), s...) }
	out = binary.AppendUvarint(out, uint64(len(m.segments)))
	number := map[string]uint64{}
	for i, s := range m.segments {
		str(s)
		number[s] = uint64(i)
		p := m.proofs[s]
		for _, n := range []int64{p.size, p.mtime, p.ctime, p.seen, int64(p.inode)} {
			out = binary.AppendVarint(out, n)
		}
	}
	out = binary.AppendUvarint(out, uint64(len(m.files)))
	for _, e := range m.files {
		str(e.path)
		for _, n := range []int64{e.size, e.mtime, e.ctime, e.seen, e.start, e.end} {
			out = binary.AppendVarint(out, n)
		}
		out = append(out, e.hash[:]...)
		for _, n := range []uint64{e.inode, number[e.segment], e.offset, e.length, uint64(e.sum)} {
			out = binary.AppendUvarint(out, n)
		}
	}
	return binary.LittleEndian.AppendUint32(out, crc32.Checksum(out, castagnoli))
}

// decode reads what encode wrote and reports whether it is that.
func (m *manifest) decode(raw []byte, version uint32) bool {
	const tail = 4
	n := len(raw) - tail
	if n < len(manifestMagic)+4 || string(raw[:len(manifestMagic)]) != manifestMagic ||
		crc32.Checksum(raw[:n], castagnoli) != binary.LittleEndian.Uint32(raw[n:]) ||
		binary.LittleEndian.Uint32(raw[len(manifestMagic):]) != version {
		return false
	}
	text := string(raw[:n]) // one copy; paths are parts of it
	at := len(manifestMagic) + 4
	unsigned := func() uint64 { v, k := binary.Uvarint(raw[at:]); at += k; return v }
	signed := func() int64 { v, k := binary.Varint(raw[at:]); at += k; return v }
	str := func() string { l := int(unsigned()); at += l; return text[at-l : at] }
	for range unsigned() {
		name := str()
		m.segments = append(m.segments, name)
		var p proof
		p.size, p.mtime, p.ctime, p.seen, p.inode = signed(), signed(), signed(), signed(), uint64(signed())
		m.proofs[name] = p
	}
	count := int(unsigned())
	m.files, m.byHash = make(map[string]entry, count), nil
	for range count {
		e := entry{path: str()}
		e.size, e.mtime, e.ctime, e.seen, e.start, e.end = signed(), signed(), signed(), signed(), signed(), signed()
		at += copy(e.hash[:], raw[at:])
		e.inode = unsigned()
		e.segment = m.segments[unsigned()]
		e.offset, e.length, e.sum = unsigned(), unsigned(), uint32(unsigned())
		m.add(e)
	}
	return true
}
