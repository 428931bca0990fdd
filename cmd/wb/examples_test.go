package main

import (
	"bytes"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// TestExamplesLint: no example has a mistake, but for those that show one. That it
// needs a capability is none: its text says how to grant it.
func TestExamplesLint(t *testing.T) {
	args := []string{"lint"}
	err := filepath.WalkDir("../../examples", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && d.Name() == "broken" {
			return fs.SkipDir
		}
		if filepath.Ext(path) == ".org" {
			args = append(args, path)
		}
		return nil
	})
	if err != nil || len(args) < 10 {
		t.Fatalf("%d examples, %v", len(args)-1, err)
	}
	var out, errs bytes.Buffer
	if code := run(t.Context(), args, stdio{strings.NewReader(""), &out, &errs}); code != 0 {
		t.Errorf("wb lint ends with %d\n%s%s", code, out.String(), errs.String())
	}
	for line := range strings.Lines(out.String() + errs.String()) {
		if !strings.HasPrefix(line, "    hint:") && !strings.Contains(line, ": not-granted ") {
			t.Error(line)
		}
	}
}
