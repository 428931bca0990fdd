package site

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// maxDigested is up to which size files are told apart by their contents; above, by
// their size and time.
const maxDigested = 1 << 20

// Inputs is a digest of all that the site of a directory is made of: the files below
// it, but for those of the output and of version control, and what the caches beside
// documents hold.
func Inputs(dir string, c Config) (string, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return "", err
	}
	defer root.Close()
	sum := sha256.New()
	output, err := filepath.Rel(dir, c.OutputDir(dir))
	if err != nil {
		output = c.Output
	}
	fmt.Fprintf(sum, "%q %+v\n", dir, c)
	err = fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case d.IsDir() && skipped(name, filepath.ToSlash(output)):
			return fs.SkipDir
		case d.IsDir():
			fmt.Fprintf(sum, "%q\n", name)
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return nil // gone since
		}
		fmt.Fprintf(sum, "%q %v %d ", name, info.Mode().Type(), info.Size())
		if !info.Mode().IsRegular() || info.Size() > maxDigested || strings.Contains(name, keptByRuns) {
			fmt.Fprintln(sum, info.ModTime().UnixNano())
			return nil
		}
		f, err := root.Open(filepath.FromSlash(name))
		if err != nil {
			return err
		}
		defer f.Close()
		one := sha256.New()
		_, err = io.Copy(one, f)
		fmt.Fprintf(sum, "%x\n", one.Sum(nil))
		return err
	})
	return hex.EncodeToString(sum.Sum(nil)), err
}

// keptByRuns is where caches beside documents have what runs came to.
const keptByRuns = ".wb/outcomes/"

// skipped reports whether nothing of a directory can be on a page: it is hidden, made by
// wb or of programs that others install.
func skipped(name, output string) bool {
	base := path.Base(name)
	switch {
	case name == "." || base == ".wb" || strings.Contains(name+"/", keptByRuns):
		return false
	case strings.Contains(name, ".wb/"):
		return true
	}
	return name == output || base == "node_modules" || strings.HasPrefix(base, ".")
}
