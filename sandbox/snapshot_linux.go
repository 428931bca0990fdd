package sandbox

import (
	"bytes"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// fileImage is an image in a file, usually an anonymous one. Restoring maps it
// over the guest's memory, privately: pages are shared until they are written
// to.
type fileImage struct {
	file   *os.File
	offset int64 // where in the file it begins, a multiple of the page size
	size   int
}

// newImage keeps a copy of memory. Pages of zeroes take no space.
func newImage(memory []byte) (image, error) {
	fd, err := unix.MemfdCreate("wb-snapshot", unix.MFD_CLOEXEC)
	if err != nil { // a kernel or a container without it
		return copyImage(bytes.Clone(memory)), nil
	}
	f := &fileImage{os.NewFile(uintptr(fd), "wb-snapshot"), 0, len(memory)}
	if err := writeSparse(f.file, 0, memory); err != nil {
		f.close()
		return nil, err
	}
	return f, nil
}

// openImage uses a file that holds an image; it takes the file over.
func openImage(file *os.File, offset, size int64) (image, error) {
	return &fileImage{file, offset, int(size)}, nil
}

func (f *fileImage) restore(memory []byte) error {
	if err := remap(memory[:f.size], int(f.file.Fd()), f.offset, 0); err != nil {
		return err
	}
	return remap(memory[f.size:], -1, 0, unix.MAP_ANON|unix.MAP_NORESERVE)
}

// remap replaces the pages of memory by private ones of a file, or by zeroes.
func remap(memory []byte, fd int, offset int64, flags int) error {
	if len(memory) == 0 {
		return nil
	}
	_, err := unix.MmapPtr(fd, offset, unsafe.Pointer(&memory[0]), uintptr(len(memory)),
		unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_FIXED|flags)
	return err
}

func (f *fileImage) bytes() ([]byte, error) {
	memory := make([]byte, f.size)
	_, err := f.file.ReadAt(memory, f.offset)
	return memory, err
}

func (f *fileImage) close() error { return f.file.Close() }
