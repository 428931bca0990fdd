//go:build unix

package sandbox

import (
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

// mapFile puts a file's bytes, from an offset where a page begins, in the place of
// the memory p, and reports whether it could. What p is protected against later
// protects them.
func mapFile(p []byte, f *os.File, offset int64) bool {
	page := os.Getpagesize()
	if uintptr(unsafe.Pointer(unsafe.SliceData(p)))%uintptr(page) != 0 || offset%int64(page) != 0 {
		return false
	}
	_, err := unix.MmapPtr(int(f.Fd()), offset, unsafe.Pointer(unsafe.SliceData(p)), uintptr(len(p)),
		unix.PROT_READ, unix.MAP_PRIVATE|unix.MAP_FIXED)
	return err == nil
}
