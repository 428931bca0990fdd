// Package sha names contents by their SHA-256 in hex.
package sha

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
)

// Hex is the SHA-256 of data, in 64 digits.
func Hex[T ~string | ~[]byte](data T) string {
	sum := sha256.Sum256([]byte(data))
	return hex.EncodeToString(sum[:])
}

// File is the SHA-256 of what a file holds, and how many bytes these are.
func File(path string) (digest string, size int64, err error) {
	f, err := os.Open(path)
	if err != nil {
		return "", 0, err
	}
	defer f.Close()
	sum := sha256.New()
	size, err = io.Copy(sum, f)
	return hex.EncodeToString(sum.Sum(nil)), size, err
}
