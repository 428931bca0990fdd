package tangle

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"wb/internal/value"
	"wb/org"
)

// fixtureDir finds the cases that real Emacs wrote: WB_FIXTURES, or
// ../shared/fixtures beside the repository.
func fixtureDir(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("WB_FIXTURES")
	if dir == "" {
		dir = filepath.Join("..", "..", "shared", "fixtures")
	}
	if _, err := os.Stat(filepath.Join(dir, "tangle")); err != nil {
		t.Skip("fixtures not found: set WB_FIXTURES to their directory")
	}
	return filepath.Join(dir, "tangle")
}

// TestFixtures tangles each case in an empty directory and compares the tree,
// modes included.
func TestFixtures(t *testing.T) {
	root := fixtureDir(t)
	entries, err := os.ReadDir(root)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if !entry.IsDir() {
			continue
		}
		t.Run(entry.Name(), func(t *testing.T) {
			from := filepath.Join(root, entry.Name())
			dir := t.TempDir()
			name := entry.Name() + ".org"
			text, err := os.ReadFile(filepath.Join(from, name))
			if err != nil {
				t.Fatal(err)
			}
			doc := filepath.Join(dir, name)
			if err := os.WriteFile(doc, text, 0o644); err != nil {
				t.Fatal(err)
			}
			out, err := Plan(context.Background(), org.Parse(text), Options{File: filepath.ToSlash(doc), Run: runForTest})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := out.Write(WriteOptions{}); err != nil {
				t.Fatal(err)
			}
			if err := os.Remove(doc); err != nil {
				t.Fatal(err)
			}
			compareTrees(t, readTree(t, dir), readTree(t, filepath.Join(from, "out")))
			modes, err := os.ReadFile(filepath.Join(from, "MODES"))
			if err != nil {
				t.Fatal(err)
			}
			for _, line := range strings.Split(strings.TrimSpace(string(modes)), "\n") {
				mode, path, _ := strings.Cut(line, " ")
				info, err := os.Stat(filepath.Join(dir, path))
				if err != nil {
					t.Error(err)
				} else if got := fmt.Sprintf("%o", info.Mode().Perm()); got != mode {
					t.Errorf("%s has mode %s, want %s", path, got, mode)
				}
			}
		})
	}
}

// readTree returns the files below a directory by slash path.
func readTree(t testing.TB, dir string) map[string]string {
	t.Helper()
	tree := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		rel, _ := filepath.Rel(dir, path)
		tree[filepath.ToSlash(rel)] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

func compareTrees(t testing.TB, got, want map[string]string) {
	t.Helper()
	for path, text := range want {
		if mine, ok := got[path]; !ok {
			t.Errorf("%s is missing", path)
		} else if mine != text {
			t.Errorf("%s differs:\n--- got\n%s--- want\n%s", path, mine, text)
		}
	}
	for path, text := range got {
		if _, ok := want[path]; !ok {
			t.Errorf("%s should not be there:\n%s", path, text)
		}
	}
}

// runForTest runs shell blocks with the machine's own sh. (Emacs Lisp needs no
// help.)
func runForTest(ctx context.Context, call Call) (value.Value, error) {
	b, ok := call.Node.Block()
	if !ok || b.Lang.Text != "sh" {
		return value.Nil(), fmt.Errorf("%s cannot be run here", call.Name)
	}
	out, err := exec.CommandContext(ctx, "sh", "-c", call.Doc.Text(b.Body)).Output()
	if err != nil {
		return value.Nil(), err
	}
	return value.OfString(strings.TrimSuffix(string(out), "\n")), nil
}
