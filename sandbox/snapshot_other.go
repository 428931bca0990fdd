//go:build !linux

package sandbox

import (
	"bytes"
	"os"
)

// newImage keeps a copy of memory.
func newImage(memory []byte) (image, error) { return copyImage(bytes.Clone(memory)), nil }

// openImage reads a file that holds an image; it takes the file over.
func openImage(file *os.File, offset, size int64) (image, error) {
	defer file.Close()
	memory := make([]byte, size)
	_, err := file.ReadAt(memory, offset)
	return copyImage(memory), err
}
