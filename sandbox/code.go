package sandbox

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"unsafe"

	"github.com/tetratelabs/wazero"

	"wb/internal/whole"
)

// wazero reads machine code from its cache by one system call for each function,
// of which clang has 136,000, and copies it, 350 MB for clang, into memory that it
// has just asked for, page by page. Both take most of the time of a process that
// compiles a small C program. So the engine stands between wazero and its cache:
// offsets are read at once, and the code of large modules lies in its file where
// a page begins, so that it is not read at all but mapped. Pages that nobody runs
// are then never in memory, and those that are belong to all processes together.
//
// wazero offers no way to do that, so its cache is exchanged by reflection. Where
// it does not look as expected it stays as it is, and loading takes longer.

// machineCode is what wazero wants of a cache: its internal filecache.Cache.
type machineCode interface {
	Get(key [32]byte) (content io.ReadCloser, ok bool, err error)
	Add(key [32]byte, content io.Reader) error
	Delete(key [32]byte) error
}

// codeCache is wazero's cache with large modules in files of another layout.
type codeCache struct {
	machineCode
	dir string
}

// mapCode puts a codeCache in the place of the cache that wazero made, if it can.
func mapCode(cache wazero.CompilationCache) {
	made := reflect.ValueOf(cache)
	if made.Kind() != reflect.Pointer || made.Elem().Kind() != reflect.Struct {
		return
	}
	field := made.Elem().FieldByName("fileCache")
	if !field.IsValid() || field.Kind() != reflect.Interface || !reflect.TypeFor[*codeCache]().Implements(field.Type()) {
		return
	}
	field = reflect.NewAt(field.Type(), unsafe.Pointer(field.UnsafeAddr())).Elem()
	below, ok := field.Interface().(machineCode)
	if !ok {
		return
	}
	files := reflect.ValueOf(below)
	if files.Kind() != reflect.Pointer || files.Elem().Kind() != reflect.Struct {
		return
	}
	if dir := files.Elem().FieldByName("dirPath"); dir.IsValid() && dir.Kind() == reflect.String {
		field.Set(reflect.ValueOf(&codeCache{below, dir.String()}))
	}
}

// mappedEnding is that of files whose code can be mapped, beside wazero's own.
const mappedEnding = ".mapped"

// mappedFrom is the size of code from which it is worth the pages it is rounded
// up to.
const mappedFrom = 1 << 20

func (c *codeCache) path(key [32]byte) string {
	return filepath.Join(c.dir, hex.EncodeToString(key[:])+mappedEnding)
}

// Get opens what is kept under a key.
func (c *codeCache) Get(key [32]byte) (io.ReadCloser, bool, error) {
	if f, err := os.Open(c.path(key)); err == nil {
		content, err := openMapped(f)
		if err == nil {
			return content, true, nil
		}
		_ = f.Close()
		_ = os.Remove(c.path(key)) // it is damaged
	}
	content, ok, err := c.machineCode.Get(key)
	if ok {
		content = buffered{bufio.NewReaderSize(content, 64<<10), content}
	}
	return content, ok, err
}

// buffered reads ahead.
type buffered struct {
	*bufio.Reader
	io.Closer
}

// Read fills p, as a file does that has enough left.
func (b buffered) Read(p []byte) (int, error) {
	n, err := io.ReadFull(b.Reader, p)
	if n > 0 {
		err = nil
	}
	return n, err
}

// Add keeps what wazero has compiled.
func (c *codeCache) Add(key [32]byte, content io.Reader) error {
	all, err := io.ReadAll(content)
	if err != nil {
		return err
	}
	from, size, ok := findCode(all)
	if !ok || size < mappedFrom {
		return c.machineCode.Add(key, bytes.NewReader(all))
	}
	return whole.File{Sync: true}.Make(c.path(key), func(f *os.File) error { return writeMapped(f, all, from, size) })
}

// Delete removes what wazero cannot use any more.
func (c *codeCache) Delete(key [32]byte) error {
	_ = os.Remove(c.path(key))
	return c.machineCode.Delete(key)
}

// findCode is where the code lies in what wazero keeps of a module: behind a name
// and a version, the number of functions and their offsets, and its own size
// (serializeCompiledModule in its wazevo/engine_cache.go).
func findCode(all []byte) (from, size int, ok bool) {
	const name = "WAZEVO"
	rest, ok := bytes.CutPrefix(all, []byte(name))
	if !ok || len(rest) == 0 || len(rest) < 1+int(rest[0])+4 {
		return 0, 0, false
	}
	rest = rest[1+int(rest[0]):]
	offsets := 8 * int(binary.LittleEndian.Uint32(rest))
	if rest = rest[4:]; len(rest) < offsets+8 {
		return 0, 0, false
	}
	code := binary.LittleEndian.Uint64(rest[offsets:])
	rest = rest[offsets+8:]
	return len(all) - len(rest), int(code), code <= uint64(len(rest))
}

// A mapped file is
//
//	magic [from, u64][size, u64] what stands before the code
//	(from the next page on) the code, what stands behind it
const mappedMagic = "wbcode1\n"

const mappedHead = len(mappedMagic) + 16

// codeAt is where in a mapped file the code begins.
func codeAt(from int) int { return pageUp(mappedHead + from) }

func pageUp(n int) int { const page = 64 << 10; return (n + page - 1) &^ (page - 1) }

func writeMapped(f *os.File, all []byte, from, size int) error {
	head := binary.LittleEndian.AppendUint64([]byte(mappedMagic), uint64(from))
	head = binary.LittleEndian.AppendUint64(head, uint64(size))
	head = append(head, all[:from]...)
	head = append(head, make([]byte, codeAt(from)-len(head))...)
	if _, err := f.Write(head); err != nil {
		return err
	}
	_, err := f.Write(all[from:])
	return err
}

// mappedContent reads a mapped file as wazero wrote it.
type mappedContent struct {
	file       *os.File
	at         int64 // in what wazero wrote
	from, size int64 // the code, there
	ahead      *bufio.Reader
}

func openMapped(f *os.File) (*mappedContent, error) {
	head := make([]byte, mappedHead)
	if _, err := io.ReadFull(f, head); err != nil {
		return nil, err
	}
	if string(head[:len(mappedMagic)]) != mappedMagic {
		return nil, fmt.Errorf("%s: another layout", f.Name())
	}
	m := &mappedContent{file: f, from: int64(binary.LittleEndian.Uint64(head[len(mappedMagic):])), size: int64(binary.LittleEndian.Uint64(head[len(mappedMagic)+8:]))}
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if m.from < 0 || m.size < 0 || m.from > info.Size() || m.size > info.Size() || int64(codeAt(int(m.from)))+m.size > info.Size() {
		return nil, fmt.Errorf("%s: cut short", f.Name())
	}
	m.ahead = bufio.NewReaderSize(io.LimitReader(f, m.from), 256<<10)
	return m, nil
}

// Read reads on. Who asks for all of the code at once, where a page begins, gets
// it mapped.
func (m *mappedContent) Read(p []byte) (n int, err error) {
	switch code := int64(codeAt(int(m.from))); {
	case m.at == m.from && int64(len(p)) == m.size && mapFile(p, m.file, code):
		n = len(p)
	case m.at < m.from:
		n, err = io.ReadFull(m.ahead, p[:min(int64(len(p)), m.from-m.at)])
	default:
		n, err = m.file.ReadAt(p, code+m.at-m.from)
	}
	m.at += int64(n)
	if n > 0 {
		err = nil
	}
	return n, err
}

func (m *mappedContent) Close() error { return m.file.Close() }
