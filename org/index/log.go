package index

import (
	"context"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"os"
	"strconv"
	"time"
)

// LogFormat says how an append-only file is cut into parts that each get a
// block of their own.
type LogFormat struct {
	// Cut returns where the first part of src ends: at a place where another
	// part may begin, at or soon after PartSize, or at the end of src.
	Cut func(src []byte) int
	// Build makes the block of a part. It is called from several goroutines.
	Build func(src []byte) ([]byte, error)
	// PartSize is how big parts are, about, in bytes.
	PartSize int
}

// Part is one part of a log: the bytes [Start, End) of the file.
type Part struct {
	Start, End int64
	Block      []byte
}

// Log finds or builds the blocks of a file that only grows. When it has grown,
// the parts before are checked by their checksums and only what is new is
// built, together with the last part unless that is full. A file that was
// changed otherwise is built again from the first part that differs. Log must
// not be called concurrently.
func (v *View) Log(ctx context.Context, path string, format LogFormat) ([]Part, error) {
	start := time.Now()
	seen := start.UnixNano()
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	old := v.parts(path)
	v.Stats.Files++
	if n := len(old); n > 0 && old[0].fresh(info) && old[n-1].end == info.Size() {
		v.Stats.Fresh++
		return v.list(old), nil
	}
	l := &logReader{view: v, format: format, file: f, size: info.Size(), stamp: stampOf(info), seen: seen}
	kept, err := l.keep(ctx, old)
	if err != nil {
		return nil, err
	}
	refs, blocks, err := l.build(ctx, kept)
	if err != nil {
		return nil, err
	}
	for i := range kept {
		kept[i].stamp, kept[i].seen = l.stamp, seen
	}
	if len(refs) == 0 { // young, but as it was
		v.Stats.Hashed++
	} else {
		v.Stats.Built++
	}
	v.Stats.Read += time.Since(start)
	v.dirty = true
	first := len(v.paths)
	for i, e := range append(kept, refs...) {
		e.path = partName(path, i)
		v.paths, v.refs, v.built = append(v.paths, e.path), append(v.refs, e), append(v.built, nil)
		if i >= len(kept) {
			v.built[first+i] = blocks[i-len(kept)]
		}
	}
	for i := len(kept) + len(refs); ; i++ { // parts of a file that has shrunk
		e, ok := v.man.files[partName(path, i)]
		if !ok {
			break
		}
		v.gone = append(v.gone, e.path)
	}
	out := make([]Part, 0, len(kept)+len(refs))
	for i := first; i < len(v.paths); i++ {
		out = append(out, Part{v.refs[i].start, v.refs[i].end, v.Block(i)})
	}
	return out, nil
}

// partName is the key of a part; no path has a NUL.
func partName(path string, i int) string { return path + "\x00" + strconv.Itoa(i) }

// parts are the parts that the manifest knows.
func (v *View) parts(path string) []entry {
	var out []entry
	end := int64(0)
	for i := 0; ; i++ {
		e, ok := v.man.files[partName(path, i)]
		if !ok || e.start != end {
			return out
		}
		end = e.end
		out = append(out, e)
	}
}

func (v *View) list(parts []entry) []Part {
	out := make([]Part, len(parts))
	for i, e := range parts {
		out[i] = Part{e.start, e.end, v.maps[e.segment].data[e.offset : e.offset+e.length : e.offset+e.length]}
	}
	return out
}

type logReader struct {
	view   *View
	format LogFormat
	file   *os.File
	size   int64
	stamp  stamp
	seen   int64
}

// keep returns the parts that still stand in the file, from the first on; the
// last one only if it is full or the file ends with it.
func (l *logReader) keep(ctx context.Context, old []entry) ([]entry, error) {
	same := make([]bool, len(old))
	errs := make([]error, len(old))
	parallel(ctx, len(old), func(i int) {
		if old[i].end > l.size {
			return
		}
		sum, err := l.checksum(old[i].start, old[i].end)
		same[i], errs[i] = sum == binary.LittleEndian.Uint32(old[i].hash[:]), err
	})
	if err := errors.Join(append(errs, ctx.Err())...); err != nil {
		return nil, err
	}
	n := 0
	for n < len(old) && same[n] {
		n++
	}
	if n > 0 && old[n-1].end < l.size && old[n-1].end-old[n-1].start < int64(l.format.PartSize) {
		n--
	}
	return append([]entry(nil), old[:n]...), nil
}

func (l *logReader) checksum(from, to int64) (uint32, error) {
	buf := make([]byte, 256<<10)
	sum := uint32(0)
	for from < to {
		n, err := l.file.ReadAt(buf[:min(int64(len(buf)), to-from)], from)
		sum = crc32.Update(sum, castagnoli, buf[:n])
		from += int64(n)
		if err != nil && !(errors.Is(err, io.EOF) && from == to) {
			return 0, err
		}
	}
	return sum, nil
}

// build reads what follows the parts that were kept, a few parts at a time,
// and builds their blocks.
func (l *logReader) build(ctx context.Context, kept []entry) ([]entry, [][]byte, error) {
	at := int64(0)
	if n := len(kept); n > 0 {
		at = kept[n-1].end
	}
	var refs []entry
	var blocks [][]byte
	for at < l.size && ctx.Err() == nil {
		batch := min(int64(8*l.format.PartSize), l.size-at)
		src := make([]byte, batch)
		if _, err := io.ReadFull(io.NewSectionReader(l.file, at, batch), src); err != nil {
			return nil, nil, err // it shrank while it was read
		}
		first := len(refs)
		var pieces [][]byte
		for len(src) > 0 {
			n := l.format.Cut(src)
			if n == len(src) && at+int64(n) < l.size && len(pieces) > 0 {
				break // may go on behind the batch
			}
			e := entry{stamp: l.stamp, seen: l.seen, start: at, end: at + int64(n)}
			binary.LittleEndian.PutUint32(e.hash[:], crc32.Checksum(src[:n], castagnoli))
			refs, pieces = append(refs, e), append(pieces, src[:n])
			src, at = src[n:], at+int64(n)
		}
		errs := make([]error, len(pieces))
		blocks = append(blocks, make([][]byte, len(pieces))...)
		parallel(ctx, len(pieces), func(i int) { blocks[first+i], errs[i] = l.format.Build(pieces[i]) })
		for _, p := range pieces {
			l.view.Stats.Bytes += int64(len(p))
		}
		if err := errors.Join(errs...); err != nil {
			return nil, nil, err
		}
	}
	return refs, blocks, ctx.Err()
}
