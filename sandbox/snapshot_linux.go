package sandbox

import (
	"bytes"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// fileImage is an image in an anonymous file. Restoring maps it over the
// guest's memory, privately: pages are shared until they are written to.
type fileImage struct {
	file *os.File
	size int
}

// newImage keeps a copy of memory. Pages of zeroes take no space.
func newImage(memory []byte) (image, error) {
	fd, err := unix.MemfdCreate("wb-snapshot", unix.MFD_CLOEXEC)
	if err != nil { // a kernel or a container without it
		return copyImage(bytes.Clone(memory)), nil
	}
	f := &fileImage{os.NewFile(uintptr(fd), "wb-snapshot"), len(memory)}
	if err := f.fill(memory); err != nil {
		f.close()
		return nil, err
	}
	return f, nil
}

func (f *fileImage) fill(memory []byte) error {
	if err := f.file.Truncate(int64(len(memory))); err != nil {
		return err
	}
	var zero [4096]byte
	for from := 0; from < len(memory); {
		to := from
		for to < len(memory) && !bytes.Equal(memory[to:to+len(zero)], zero[:]) {
			to += len(zero)
		}
		if to > from {
			if _, err := f.file.WriteAt(memory[from:to], int64(from)); err != nil {
				return err
			}
		}
		from = to + len(zero)
	}
	return nil
}

func (f *fileImage) restore(memory []byte) error {
	if err := remap(memory[:f.size], int(f.file.Fd()), 0); err != nil {
		return err
	}
	return remap(memory[f.size:], -1, unix.MAP_ANON|unix.MAP_NORESERVE)
}

// remap replaces the pages of memory by private ones of a file, or by zeroes.
func remap(memory []byte, fd, flags int) error {
	if len(memory) == 0 {
		return nil
	}
	_, err := unix.MmapPtr(fd, 0, unsafe.Pointer(&memory[0]), uintptr(len(memory)),
		unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_FIXED|flags)
	return err
}

func (f *fileImage) close() error { return f.file.Close() }
