//go:build !unix

package sandbox

import "errors"

// reserve takes size bytes from the heap. Without lazily committed memory only
// small areas are taken ahead of need; larger memories grow by copying.
func reserve(size uint64) ([]byte, error) {
	if size > maxArea {
		return nil, errors.ErrUnsupported
	}
	return make([]byte, size), nil
}

func release([]byte) {}
