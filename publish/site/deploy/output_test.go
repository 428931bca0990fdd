package deploy

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"wb/proof/manifest"
)

// TestUnfinished: a first release that was stopped at any file is gone on with, and a
// directory of somebody else's is refused.
func TestUnfinished(t *testing.T) {
	files := manifest.Files{"index.html": []byte("a"), manifest.SitePath: []byte("b"), manifest.LogPrefix + "checkpoint": []byte("c")}
	for stopped := range files {
		dir := t.TempDir()
		if err := (&Output{Dir: dir}).Write(files); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(filepath.Join(dir, unfinishedMark)); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the mark stays: %v", err)
		}
		if err := errors.Join(os.Remove(filepath.Join(dir, stopped)),
			os.WriteFile(filepath.Join(dir, unfinishedMark), nil, 0o644)); err != nil {
			t.Fatal(err)
		}
		o, err := OpenOutput(dir)
		if err != nil {
			t.Fatalf("without %s: %v", stopped, err)
		}
		if o.old[manifest.SitePath] != nil {
			t.Errorf("without %s: half a release counts", stopped)
		}
		if err := o.Write(files); err != nil {
			t.Fatal(err)
		}
		if o, err = OpenOutput(dir); err != nil || len(o.old) != len(files) {
			t.Errorf("without %s: %v of %d files: %v", stopped, len(o.old), len(files), err)
		}
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "mine.txt"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenOutput(dir); !errors.Is(err, ErrForeign) {
		t.Errorf("somebody else's: %v", err)
	}
}
