// Package whole writes files that are there whole or not at all: a file is written
// under another name beside its own, and then renamed. Whoever reads meanwhile sees
// the old file or the new one, and so does whoever comes after a crash.
package whole

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// File says how a file is made. The zero value is for its owner alone, in a
// directory that exists, and may still be on its way to the disk.
type File struct {
	// Mode is the file's; 0 is 0600.
	Mode fs.FileMode
	// Dirs makes directories that are missing, with this mode; 0 makes none.
	Dirs fs.FileMode
	// Sync has the contents on the disk before the file appears.
	Sync bool
}

// Write makes a file of data.
func (f File) Write(path string, data []byte) error {
	return f.Make(path, func(file *os.File) error {
		_, err := file.Write(data)
		return err
	})
}

// Make makes a file of what write puts into it.
func (f File) Make(path string, write func(*os.File) error) error {
	dir := filepath.Dir(path)
	if f.Dirs != 0 {
		if err := os.MkdirAll(dir, f.Dirs); err != nil {
			return err
		}
	}
	name := filepath.Base(path)
	temp, err := os.CreateTemp(dir, "."+name[:min(len(name), 64)]+".*.tmp") // with mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name()) // fails when the rename has succeeded
	err = write(temp)
	if err == nil && f.Mode != 0 {
		err = temp.Chmod(f.Mode)
	}
	if err == nil && f.Sync {
		err = temp.Sync()
	}
	if err := errors.Join(err, temp.Close()); err != nil {
		return err
	}
	return os.Rename(temp.Name(), path)
}
