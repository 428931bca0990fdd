package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestVerbTable compares docs/cli.org with the verbs there are.
func TestVerbTable(t *testing.T) {
	text, err := os.ReadFile("../../docs/cli.org")
	if err != nil {
		t.Fatal(err)
	}
	var documented []string
	for _, m := range regexp.MustCompile(`(?m)^\| ~wb ([a-z]+)`).FindAllStringSubmatch(string(text), -1) {
		documented = append(documented, m[1])
	}
	for _, verb := range verbs() {
		if i := slices.Index(documented, verb.name); i >= 0 {
			documented = slices.Delete(documented, i, i+1)
			continue
		}
		t.Errorf("docs/cli.org does not have wb %s", verb.name)
	}
	for _, verb := range documented {
		t.Errorf("docs/cli.org has wb %s, which does not exist", verb)
	}
}

// TestDocumentsRun runs those pages of the documentation that show results of
// their own code: what they show is what a run writes.
func TestDocumentsRun(t *testing.T) {
	for _, name := range []string{"quickjs", "clang", "shell"} {
		switch installed, err := toolchainCondition("toolchain:" + name); {
		case err != nil:
			t.Fatal(err)
		case !installed:
			t.Skipf("wb toolchain install %s", name)
		}
	}
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	pages, err := filepath.Glob("../../docs/*.org")
	if err != nil {
		t.Fatal(err)
	}
	dir, ran := t.TempDir(), 0
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(text, []byte("\n#+RESULTS: ")) {
			continue
		}
		ran++
		name := filepath.Join(dir, filepath.Base(page))
		if err := os.WriteFile(name, text, 0o644); err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if code := run(context.Background(), []string{"run", name}, stdio{strings.NewReader(""), &out, &out}); code != 0 {
			t.Errorf("%s: exit %d\n%s", page, code, out.String())
		}
		after, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(after, text) {
			t.Errorf("%s shows other results than a run gives; wb run writes them", page)
		}
	}
	if ran < 2 {
		t.Errorf("%d pages show results", ran)
	}
}
