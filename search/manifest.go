package search

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"

	"wb/internal/whole"
)

// errDamaged is an index that cannot be read, errOtherLayout one that another
// version of wb has made.
var (
	errDamaged     = errors.New("the search index is damaged")
	errOtherLayout = errors.New("the search index was made by another version")
)

// layout names the form of the index and of the analysis: an index of another
// one is made anew.
const layout = "wb search 4\n"

// manifest says which shards make up the index and what is known of the files.
// It is replaced as a whole, by renaming: a reader sees one index or the next.
type manifest struct {
	shards []string
	files  []fileEntry
}

// fileEntry is a file of the index.
type fileEntry struct {
	path, stamp, hash string
	shard             int    // its place in shards
	number            uint32 // in the shard
	documents         uint32
	tokens            uint64
	synonyms          [][]string
}

func readManifest(dir string) (*manifest, error) {
	data, err := os.ReadFile(filepath.Join(dir, "current"))
	if err != nil {
		return nil, err
	}
	return decodeManifest(data)
}

func decodeManifest(data []byte) (*manifest, error) {
	body, ok := bytes.CutPrefix(data, []byte(layout))
	switch {
	case !ok && bytes.HasPrefix(data, []byte("wb search ")):
		return nil, errOtherLayout
	case !ok || len(body) < 4 || crc32.ChecksumIEEE(body[4:]) != binary.LittleEndian.Uint32(body):
		return nil, errDamaged
	}
	r := manifestReader{body[4:]}
	m := &manifest{}
	for range r.num() {
		m.shards = append(m.shards, r.str())
	}
	for range r.num() {
		f := fileEntry{path: r.str(), stamp: r.str(), hash: r.str(), shard: int(r.num()), number: uint32(r.num()), documents: uint32(r.num()), tokens: r.num()}
		for range r.num() {
			var group []string
			for range r.num() {
				group = append(group, r.str())
			}
			f.synonyms = append(f.synonyms, group)
		}
		m.files = append(m.files, f)
	}
	return m, nil
}

// manifestReader reads what [manifest.encode] wrote; the checksum was right.
type manifestReader struct{ data []byte }

func (r *manifestReader) num() uint64 {
	n, size := binary.Uvarint(r.data)
	r.data = r.data[max(size, 0):]
	return n
}

func (r *manifestReader) str() string {
	n := min(r.num(), uint64(len(r.data)))
	s := string(r.data[:n])
	r.data = r.data[n:]
	return s
}

func (m *manifest) encode() []byte {
	var b []byte
	num := func(n uint64) { b = binary.AppendUvarint(b, n) }
	str := func(s string) { b = append(binary.AppendUvarint(b, uint64(len(s))), s...) }
	num(uint64(len(m.shards)))
	for _, name := range m.shards {
		str(name)
	}
	num(uint64(len(m.files)))
	for _, f := range m.files {
		str(f.path)
		str(f.stamp)
		str(f.hash)
		for _, n := range []uint64{uint64(f.shard), uint64(f.number), uint64(f.documents), f.tokens, uint64(len(f.synonyms))} {
			num(n)
		}
		for _, group := range f.synonyms {
			num(uint64(len(group)))
			for _, word := range group {
				str(word)
			}
		}
	}
	out := append([]byte(layout), 0, 0, 0, 0)
	binary.LittleEndian.PutUint32(out[len(layout):], crc32.ChecksumIEEE(b))
	return append(out, b...)
}

// write makes the manifest the current one.
func (m *manifest) write(dir string) error {
	if err := (whole.File{}).Write(filepath.Join(dir, "current"), m.encode()); err != nil {
		return fmt.Errorf("write the search index: %w", err)
	}
	return nil
}

// clone copies a manifest so that it can be changed.
func (m *manifest) clone() *manifest {
	return &manifest{append([]string(nil), m.shards...), append([]fileEntry(nil), m.files...)}
}

// byPath finds the entries of the files.
func (m *manifest) byPath() map[string]int {
	index := make(map[string]int, len(m.files))
	for i := range m.files {
		index[m.files[i].path] = i
	}
	return index
}

// tidy drops the shards that no file is in.
func (m *manifest) tidy() {
	used := make([]int, len(m.shards))
	for _, f := range m.files {
		used[f.shard]++
	}
	var shards []string
	for i, name := range m.shards {
		if used[i] > 0 {
			used[i] = len(shards)
			shards = append(shards, name)
		}
	}
	for i := range m.files {
		m.files[i].shard = used[m.files[i].shard]
	}
	m.shards = shards
}
