package vm

import (
	"errors"
	"io/fs"
	"testing"

	"wb/sandbox"
)

// A tree behind a job's files is found by name, listed nowhere, and no file
// moves between the two.
func TestBehind(t *testing.T) {
	job, hidden := sandbox.NewMemFS(), sandbox.NewMemFS()
	for tree, name := range map[*sandbox.MemFS]string{job: "mine", hidden: "lib/file"} {
		if err := tree.WriteFile(name, []byte(name)); err != nil {
			t.Fatal(err)
		}
	}
	both := Behind(job, map[string]sandbox.FS{"/usr/share": hidden})
	for name, there := range map[string]bool{"mine": true, "usr/share": true, "usr/share/lib/file": true, "usr/shared": false, "lib/file": false} {
		if _, err := both.Stat(name); (err == nil) != there {
			t.Errorf("%s: %v", name, err)
		}
	}
	entries, err := both.ReadDir(".")
	if err != nil || len(entries) != 1 || entries[0].Name() != "mine" {
		t.Errorf("the listing is %v, %v", entries, err)
	}
	if err := both.Rename("mine", "usr/share/mine"); err == nil {
		t.Error("a file has moved behind the job")
	}
	if _, err := Behind(nil, nil).Stat("x"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without files: %v", err)
	}
}
