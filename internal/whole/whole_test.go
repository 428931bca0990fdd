package whole

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

func TestWrite(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "new", "a.txt")
	if err := (File{}).Write(path, nil); !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("in a directory that is missing: %v", err)
	}
	for _, c := range []struct {
		how  File
		text string
		mode fs.FileMode
	}{
		{File{Dirs: 0o700}, "one", 0o600},
		{File{Mode: 0o644, Sync: true}, "two", 0o644},
		{File{}, "three", 0o600},
	} {
		if err := c.how.Write(path, []byte(c.text)); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(path)
		info, _ := os.Stat(path)
		if err != nil || string(data) != c.text || info.Mode() != c.mode {
			t.Errorf("%+v: %q, %v, %v", c.how, data, info.Mode(), err)
		}
	}
}

func TestFailureLeavesTheOldFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.txt")
	if err := (File{}).Write(path, []byte("old")); err != nil {
		t.Fatal(err)
	}
	full := errors.New("the disk is full")
	err := File{Mode: 0o644, Sync: true}.Make(path, func(f *os.File) error {
		_, err := f.WriteString("half")
		return errors.Join(err, full)
	})
	if !errors.Is(err, full) {
		t.Fatal(err)
	}
	data, _ := os.ReadFile(path)
	left, _ := os.ReadDir(filepath.Dir(path))
	if string(data) != "old" || len(left) != 1 {
		t.Errorf("%q in %v", data, left)
	}
}
