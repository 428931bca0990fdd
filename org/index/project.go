package index

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
)

// Locate says where the index for files below a path is kept: in .wb/index of
// the nearest directory at or above it that has a .wb, since that is a wb
// project; else, or when that .wb is not the user's own, in the user's cache,
// under a name made of the path. A query thus never makes a directory among
// somebody's notes. kind names the index, so that several can stand side by side.
func Locate(path, kind string) (string, error) {
	root, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	if real, err := filepath.EvalSymlinks(root); err == nil {
		root = real
	}
	if info, err := os.Stat(root); err == nil && !info.IsDir() {
		root = filepath.Dir(root)
	}
	for dir := root; ; dir = filepath.Dir(dir) {
		wb := filepath.Join(dir, ".wb")
		if info, err := os.Lstat(wb); err == nil && info.IsDir() && mine(info) && writable(wb) {
			return filepath.Join(wb, "index", kind), nil
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	id := sha256.Sum256([]byte(root))
	name := strings.Map(plain, filepath.Base(root)) + "-" + hex.EncodeToString(id[:8])
	return filepath.Join(cache, "wb", "index", name, kind), nil
}

func plain(r rune) rune {
	if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
		return r
	}
	return '_'
}

// writable tries to make a file, which is the only answer that counts: modes
// say nothing on read-only file systems.
func writable(dir string) bool {
	if _, err := os.Stat(filepath.Join(dir, "index")); err == nil {
		dir = filepath.Join(dir, "index")
	}
	f, err := os.CreateTemp(dir, ".probe-*")
	if err != nil {
		return false
	}
	f.Close()
	return os.Remove(f.Name()) == nil
}
