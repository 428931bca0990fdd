//go:build wasip1

package main

import (
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"unsafe"

	"wb/compile/shell/interp"
)

// The functions of the host; compile/shell/calls.go has the other side. Those
// that return int32 return a WASI error number, 0 for success.

//go:wasmimport wb config
func hostConfig(to unsafe.Pointer, room uint32) uint32

//go:wasmimport wb open
func hostOpen(path unsafe.Pointer, n uint32, flags uint32, out unsafe.Pointer) int32

//go:wasmimport wb pipe
func hostPipe(unbounded uint32, out unsafe.Pointer) int32

//go:wasmimport wb bytes
func hostBytes(data unsafe.Pointer, n uint32, out unsafe.Pointer) int32

//go:wasmimport wb read
func hostRead(h int32, p unsafe.Pointer, n uint32, done unsafe.Pointer) int32

//go:wasmimport wb read_until
func hostReadUntil(h int32, delim uint32, p unsafe.Pointer, n uint32, done unsafe.Pointer) int32

//go:wasmimport wb write
func hostWrite(h int32, p unsafe.Pointer, n uint32) int32

//go:wasmimport wb close
func hostClose(h int32)

//go:wasmimport wb spawn
func hostSpawn(request unsafe.Pointer, n uint32, pid unsafe.Pointer) int32

//go:wasmimport wb wait
func hostWait(pid int32) int32

//go:wasmimport wb known
func hostKnown(name unsafe.Pointer, n uint32) int32

//go:wasmimport wb mode
func hostMode(path unsafe.Pointer, n uint32) int32

//go:wasmimport wb tools
func hostTools(to unsafe.Pointer, room uint32) uint32

// Flags of hostOpen.
const (
	openRead = 1 << iota
	openWrite
	openCreate
	openTruncate
	openAppend
)

// Error numbers of hostSpawn's own.
const (
	noCommand = 1000 + iota
	tooMany
	tooDeep
)

// config is what a run starts with.
type config struct {
	args, env []string
	dir       string
}

func readConfig() config {
	buf := make([]byte, hostConfig(nil, 0))
	hostConfig(pointer(buf), uint32(len(buf)))
	var c config
	c.args, buf = readStrings(buf)
	c.env, buf = readStrings(buf)
	dir, _ := readStrings(buf)
	c.dir = dir[0]
	return c
}

// readStrings reads a count and that many strings, each with its length.
func readStrings(b []byte) (list []string, rest []byte) {
	count, n := binary.Uvarint(b)
	b = b[n:]
	for range count {
		size, n := binary.Uvarint(b)
		list = append(list, string(b[n:n+int(size)]))
		b = b[n+int(size):]
	}
	return list, b
}

func appendStrings(b []byte, list []string) []byte {
	b = binary.AppendUvarint(b, uint64(len(list)))
	for _, s := range list {
		b = binary.AppendUvarint(b, uint64(len(s)))
		b = append(b, s...)
	}
	return b
}

func pointer(b []byte) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(b)) }

func failure(errno int32) error {
	switch syscall.Errno(errno) {
	case 0:
		return nil
	case syscall.EPIPE:
		return interp.ErrBrokenPipe
	case noCommand:
		return interp.ErrNoCommand
	case tooMany:
		return errors.New("too many processes at once")
	case tooDeep:
		return errors.New("commands start each other too deeply")
	}
	return syscall.Errno(errno)
}

// kernel is the host as the interpreter wants it.
type kernel struct{}

func (kernel) Open(path string, flags int) (interp.Handle, error) {
	var f uint32
	switch flags & (os.O_RDONLY | os.O_WRONLY | os.O_RDWR) {
	case os.O_WRONLY:
		f = openWrite
	case os.O_RDWR:
		f = openRead | openWrite
	default:
		f = openRead
	}
	for _, m := range []struct {
		from int
		to   uint32
	}{{os.O_CREATE, openCreate}, {os.O_TRUNC, openTruncate}, {os.O_APPEND, openAppend}} {
		if flags&m.from != 0 {
			f |= m.to
		}
	}
	var h int32
	name := []byte(path)
	err := failure(hostOpen(pointer(name), uint32(len(name)), f, unsafe.Pointer(&h)))
	return interp.Handle(h), err
}

func (kernel) Pipe(unbounded bool) (r, w interp.Handle, err error) {
	var ends [2]int32
	var u uint32
	if unbounded {
		u = 1
	}
	err = failure(hostPipe(u, unsafe.Pointer(&ends)))
	return interp.Handle(ends[0]), interp.Handle(ends[1]), err
}

func (kernel) Bytes(data []byte) (interp.Handle, error) {
	var h int32
	err := failure(hostBytes(pointer(data), uint32(len(data)), unsafe.Pointer(&h)))
	return interp.Handle(h), err
}

func (kernel) Read(h interp.Handle, p []byte) (int, error) {
	var n uint32
	if err := failure(hostRead(int32(h), pointer(p), uint32(len(p)), unsafe.Pointer(&n))); err != nil {
		return 0, err
	}
	if n == 0 {
		return 0, io.EOF
	}
	return int(n), nil
}

func (kernel) ReadUntil(h interp.Handle, delim byte, p []byte) (int, error) {
	var n uint32
	if err := failure(hostReadUntil(int32(h), uint32(delim), pointer(p), uint32(len(p)), unsafe.Pointer(&n))); err != nil {
		return 0, err
	}
	if n == 0 {
		return 0, io.EOF
	}
	return int(n), nil
}

func (kernel) Write(h interp.Handle, p []byte) error {
	return failure(hostWrite(int32(h), pointer(p), uint32(len(p))))
}

func (kernel) Close(h interp.Handle) { hostClose(int32(h)) }

func (kernel) Spawn(argv, env []string, dir string, streams [3]interp.Handle) (int, error) {
	b := make([]byte, 0, 1024)
	for _, h := range streams {
		b = binary.LittleEndian.AppendUint32(b, uint32(h))
	}
	b = appendStrings(b, argv)
	b = appendStrings(b, env)
	b = appendStrings(b, []string{dir})
	var pid int32
	err := failure(hostSpawn(pointer(b), uint32(len(b)), unsafe.Pointer(&pid)))
	return int(pid), err
}

func (kernel) Wait(pid int) int { return int(hostWait(int32(pid))) }

func (kernel) Known(name string) bool {
	b := []byte(name)
	return hostKnown(pointer(b), uint32(len(b))) != 0
}

func (kernel) Mode(path string) (fs.FileMode, bool) {
	b := []byte(path)
	mode := hostMode(pointer(b), uint32(len(b)))
	return fs.FileMode(mode), mode >= 0
}

func (kernel) Tools() []string {
	b := make([]byte, hostTools(nil, 0))
	hostTools(pointer(b), uint32(len(b)))
	return strings.Fields(string(b))
}
