package vm

import (
	"errors"
	"io/fs"
	"testing"

	"wb/sandbox"
)

// Layers show all trees' files, and of one name that of the first tree.
func TestLayers(t *testing.T) {
	upper, lower := sandbox.NewMemFS(), sandbox.NewMemFS()
	for tree, files := range map[*sandbox.MemFS]map[string]string{upper: {"a/x": "upper", "b": "b"}, lower: {"a/x": "lower", "a/y": "y", "c/z": "z"}} {
		for name, text := range files {
			if err := tree.WriteFile(name, []byte(text)); err != nil {
				t.Fatal(err)
			}
		}
	}
	l := Layers(upper, lower)
	for name, want := range map[string]string{"a/x": "upper", "a/y": "y", "b": "b", "c/z": "z"} {
		if data, err := sandbox.ReadFile(l, name); err != nil || string(data) != want {
			t.Errorf("%s: %q, %v, want %q", name, data, err, want)
		}
	}
	entries, err := l.ReadDir("a")
	if err != nil || len(entries) != 2 || entries[0].Name() != "x" || entries[1].Name() != "y" {
		t.Errorf("a has %v, %v", entries, err)
	}
	if _, err := l.Stat("d"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("d: %v", err)
	}
	if err := l.Remove("b"); err == nil {
		t.Error("a file was removed")
	}
}
