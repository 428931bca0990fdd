package site

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "rewrite what testdata/check expects")

// unpack writes the files of an archive into a new directory.
func unpack(t *testing.T, files []txtar.File) string {
	t.Helper()
	dir := t.TempDir()
	for _, f := range files {
		at := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestCheck runs the archives in testdata/check: directories, and in the file
// "want" what is wrong with them.
func TestCheck(t *testing.T) {
	archives, err := filepath.Glob("testdata/check/*.txtar")
	if err != nil || len(archives) < 10 {
		t.Fatalf("%d archives: %v", len(archives), err)
	}
	for _, name := range archives {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			last := len(archive.Files) - 1
			if archive.Files[last].Name != "want" {
				t.Fatal("the last file is not want")
			}
			dir := unpack(t, archive.Files[:last])
			p, err := Open(dir, Ask{})
			if err != nil {
				t.Fatal(err)
			}
			defer p.Close()
			found, err := p.Check(context.Background(), nil)
			if err != nil {
				t.Fatal(err)
			}
			var got strings.Builder
			for _, d := range found {
				fmt.Fprintln(&got, strings.TrimPrefix(d.String(), dir+"/"))
				if d.Hint != "" {
					fmt.Fprintln(&got, "    hint:", d.Hint)
				}
			}
			for _, left := range p.Left {
				fmt.Fprintln(&got, "left out:", left)
			}
			if *update {
				archive.Files[last].Data = []byte(got.String())
				if err := os.WriteFile(name, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if want := string(archive.Files[last].Data); got.String() != want {
				t.Errorf("got\n%s\nwant\n%s", got.String(), want)
			}
		})
	}
}
