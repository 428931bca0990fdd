//go:build unix

package sandbox

import "golang.org/x/sys/unix"

// reserve maps size bytes of zeroed memory that is committed page by page when
// first touched.
func reserve(size uint64) ([]byte, error) {
	if size == 0 {
		return nil, nil
	}
	if size > maxArea {
		return nil, unix.ENOMEM
	}
	return unix.Mmap(-1, 0, int(size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON|noReserve)
}

// release unmaps what reserve mapped.
func release(area []byte) {
	if area != nil {
		unix.Munmap(area)
	}
}
