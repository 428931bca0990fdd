package tangle

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"testing"

	"wb/internal/test/emacs"
	"wb/org"
)

// A judged document is one that both Emacs and we have tangled.
type judged struct {
	name       string
	text       string
	emacs      map[string]string // path and mode → content
	emacsError string
}

// judge lets one Emacs tangle many documents, each in its own directory.
func judge(t testing.TB, documents map[string]string) []judged {
	t.Helper()
	e := emacs.Need(t)
	root := t.TempDir()
	var names []string
	for name := range documents {
		names = append(names, name)
	}
	sort.Strings(names)
	var list strings.Builder
	for _, name := range names {
		dir := filepath.Join(root, name)
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(dir, "doc.org")
		if err := os.WriteFile(file, []byte(documents[name]), 0o644); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(&list, file)
	}
	listFile := filepath.Join(root, "list")
	if err := os.WriteFile(listFile, []byte(list.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	e.Run(t, "testdata/tangle.el", listFile)
	var all []judged
	for _, name := range names {
		dir := filepath.Join(root, name)
		j := judged{name: name, text: documents[name]}
		if text, err := os.ReadFile(filepath.Join(dir, "doc.error")); err == nil {
			j.emacsError = string(text)
		}
		j.emacs = treeWithModes(t, dir)
		all = append(all, j)
	}
	return all
}

// treeWithModes reads what tangling left in a directory.
func treeWithModes(t testing.TB, dir string) map[string]string {
	tree := map[string]string{}
	for path, text := range readTree(t, dir) {
		if path == "doc.org" || path == "doc.error" {
			continue
		}
		info, err := os.Stat(filepath.Join(dir, filepath.FromSlash(path)))
		if err != nil {
			t.Fatal(err)
		}
		tree[fmt.Sprintf("%s (%o)", path, info.Mode().Perm())] = text
	}
	return tree
}

// tangleHere tangles a document in a new directory.
func tangleHere(t testing.TB, text string) (map[string]string, error) {
	dir := t.TempDir()
	file := filepath.Join(dir, "doc.org")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := Plan(context.Background(), org.Parse([]byte(text)), Options{File: filepath.ToSlash(file), Run: runForTest})
	if err != nil {
		return nil, err
	}
	if _, err := out.Write(WriteOptions{}); err != nil {
		return nil, err
	}
	return treeWithModes(t, dir), nil
}

// compareWithEmacs reports every document on which we disagree with Emacs.
func compareWithEmacs(t *testing.T, documents map[string]string) {
	agreed, failed := 0, 0
	for _, j := range judge(t, documents) {
		got, err := tangleHere(t, j.text)
		switch {
		case err != nil && j.emacsError != "":
			agreed++
			failed++
		case err != nil:
			t.Errorf("%s: we fail, Emacs does not: %v\n%s", j.name, err, numbered(j.text))
		case strings.Contains(j.emacsError, "stringp, nil") && warned(j.text, "Emacs cannot tangle"):
			agreed++ // an unclosed #+begin_src: we skip it and go on
		case j.emacsError != "" && strings.Contains(j.text, ":no-expand"):
			agreed++ // Emacs finds values for :var even where :no-expand drops them
		case j.emacsError != "":
			t.Errorf("%s: Emacs fails, we do not: %s\n%s", j.name, j.emacsError, numbered(j.text))
		default:
			if diff := treeDifference(got, j.emacs); diff != "" {
				t.Errorf("%s:\n%s\n%s", j.name, diff, numbered(j.text))
			} else {
				agreed++
			}
		}
	}
	t.Logf("%d of %d documents agree with Emacs, %d of them by failing in both", agreed, len(documents), failed)
	if failed > len(documents)/10 {
		t.Errorf("%d of %d documents cannot be tangled at all: the generator should be tamer", failed, len(documents))
	}
}

// warned reports whether planning the document warns of something.
func warned(text, what string) bool {
	out, err := Plan(context.Background(), org.ParseString(text), Options{File: "/d/doc.org", Run: runForTest})
	if err != nil {
		return false
	}
	for _, w := range out.Warnings {
		if strings.Contains(w.Msg, what) {
			return true
		}
	}
	return false
}

func treeDifference(got, want map[string]string) string {
	var b strings.Builder
	for path, text := range want {
		if mine, ok := got[path]; !ok {
			fmt.Fprintf(&b, "missing: %s\n%s", path, text)
		} else if mine != text {
			fmt.Fprintf(&b, "differs: %s\n--- ours\n%s--- Emacs\n%s", path, mine, text)
		}
	}
	for path, text := range got {
		if _, ok := want[path]; !ok {
			fmt.Fprintf(&b, "not in Emacs: %s\n%s", path, text)
		}
	}
	return b.String()
}

func numbered(text string) string {
	var b strings.Builder
	for i, line := range strings.Split(text, "\n") {
		fmt.Fprintf(&b, "%3d| %s\n", i+1, line)
	}
	return b.String()
}

// TestAgainstEmacs compares a few generated documents; -tags long does many,
// and WB_SEED moves on to others.
func TestAgainstEmacs(t *testing.T) {
	seedBase, _ := strconv.Atoi(os.Getenv("WB_SEED"))
	documents := map[string]string{}
	for seed := range generatedDocuments {
		documents[fmt.Sprintf("seed%05d", seed+seedBase)] = generate(int64(seed + seedBase))
	}
	compareWithEmacs(t, documents)
}
