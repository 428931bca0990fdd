package verify

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"wb/proof/fault"
	"wb/proof/manifest"
)

// maxSite bounds what is read of a site, in bytes.
const maxSite = 2 << 30

// ReadDir reads the files of a site from a directory. Symbolic links and
// devices are failures: what they lead to is not in the directory.
func ReadDir(dir string) (manifest.Files, error) {
	return ReadTree(dir, func(string) bool { return true })
}

// ReadTree is [ReadDir] of the files and directories that keep keeps.
func ReadTree(dir string, keep func(path string) bool) (manifest.Files, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	files, total := manifest.Files{}, int64(0)
	err = fs.WalkDir(root.FS(), ".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err == nil && path != "." && !keep(path):
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case err != nil || d.IsDir():
			return err
		case !d.Type().IsRegular():
			return &fault.Error{Code: fault.FileIrregular, Path: path, Text: "is no regular file"}
		}
		data, err := root.ReadFile(filepath.FromSlash(path))
		if total += int64(len(data)); total > maxSite {
			return fmt.Errorf("%s: more than %d bytes", dir, int64(maxSite))
		}
		files[path] = data
		return err
	})
	return files, err
}
