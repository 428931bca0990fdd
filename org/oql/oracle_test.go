//go:build long

package oql

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"wb/internal/test/corpus"
)

// TestOracle compares the headings that wb and Emacs find for some hundred
// queries, made at random from what stands in the files. testdata/oracle.el
// evaluates org-ql's predicates as its manual describes them, with nothing but
// Org's own functions.
//
// The files are generated notes, this repository's own org files, Emacs' etc/ORG-NEWS
// and those below the directories in WB_ORG_CORPUS. WB_ORACLE names another
// elisp file to ask, such as one that calls org-ql itself.
func TestOracle(t *testing.T) {
	if _, err := exec.LookPath("emacs"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("no emacs: apt-get install emacs-nox")
		}
		t.Skip("no emacs: apt-get install emacs-nox")
	}
	files := oracleFiles(t)
	c, err := ReadPaths(context.Background(), files, nil)
	if err != nil {
		t.Fatal(err)
	}
	g := newQueries(c, 20261121)
	queries := g.all(oracleQueries, 8*leafCount)
	want := askEmacs(t, files, queries)
	now := naive(time.Now())
	agree, matches, found := 0, 0, 0
	asked := map[string]bool{}
	for i, text := range queries {
		q, err := Parse(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		notePredicates(q.Where, asked)
		res, err := Run(context.Background(), q, Options{Corpus: c, Now: now})
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		var got []string
		for _, p := range res.Places {
			got = append(got, fmt.Sprintf("%s:%d", p.Path, p.Line))
		}
		slices.Sort(got)
		matches += len(got)
		if len(got) > 0 {
			found++
		}
		if d := differing(want[i], got); d != "" {
			t.Errorf("%s\n%s", text, d)
			continue
		}
		agree++
	}
	for _, p := range predicates {
		if p.Group != "text" && !asked[p.Name] {
			t.Errorf("no query asks %s", p.Name)
		}
	}
	t.Logf("%d files, %d headings; %d of %d queries agree, %d of them find something, %d matches in all", len(files), headings(c), agree, len(queries), found, matches)
}

func headings(c *Corpus) (n int) {
	for _, f := range c.Files {
		n += f.Len()
	}
	return n
}

// differing shows headings that only one side finds.
func differing(want, got []string) string {
	var b strings.Builder
	show := func(label string, a, b2 []string) {
		n := 0
		for _, x := range a {
			if _, ok := slices.BinarySearch(b2, x); !ok {
				if n++; n <= 3 {
					fmt.Fprintf(&b, "  only %s: %s\n", label, x)
				}
			}
		}
		if n > 3 {
			fmt.Fprintf(&b, "  only %s: %d in all\n", label, n)
		}
	}
	show("Emacs", want, got)
	show("wb", got, want)
	return b.String()
}

// oracleFiles are the files to ask about.
func oracleFiles(t *testing.T) []string {
	dir := t.TempDir()
	var files []string
	size := corpus.Size{Files: 12, Headlines: 500, Bytes: 250_000, Seed: 3}
	for i := range size.Files {
		name := filepath.Join(dir, fmt.Sprintf("note-%02d.org", i))
		if err := os.WriteFile(name, corpus.File(size, i), 0o644); err != nil {
			t.Fatal(err)
		}
		files = append(files, name)
	}
	repo, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	roots := append([]string{filepath.Join(repo, "examples"), filepath.Join(repo, "docs"), filepath.Join(repo, "org", "oql", "testdata")}, filepath.SplitList(os.Getenv("WB_ORG_CORPUS"))...)
	for _, root := range roots {
		if _, err := os.Stat(root); err != nil {
			continue
		}
		more, err := Files([]string{root})
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range more {
			if info, err := os.Stat(f); err == nil && info.Size() < 60_000 {
				files = append(files, f)
			}
		}
	}
	if all := globAll("/usr/share/emacs/*/etc/ORG-NEWS", "/usr/local/share/emacs/*/etc/ORG-NEWS"); len(all) > 0 {
		text, err := os.ReadFile(all[0])
		if err != nil {
			t.Fatal(err)
		}
		name := filepath.Join(dir, "org-news.org")
		if err := os.WriteFile(name, text, 0o644); err != nil {
			t.Fatal(err)
		}
		files = append(files, name)
	}
	return files
}

func globAll(patterns ...string) (out []string) {
	for _, p := range patterns {
		names, _ := filepath.Glob(p)
		out = append(out, names...)
	}
	return out
}

// askEmacs returns, for each query, the sorted places of its matches.
func askEmacs(t *testing.T, files, queries []string) [][]string {
	t.Helper()
	oracle := os.Getenv("WB_ORACLE")
	if oracle == "" {
		oracle = "testdata/oracle.el"
	}
	answers := emacsOracle{file: oracle, call: "wb-oracle"}.ask(t, files, queries)
	places := make([][]string, len(answers))
	for i, a := range answers {
		places[i] = a.places
		if a.failed != "" {
			t.Errorf("%s: Emacs says %s", queries[i], a.failed)
		}
	}
	return places
}

// emacsOracle is a file of Emacs Lisp that answers queries.
type emacsOracle struct {
	file, call string
	load, env  []string // directories with packages, and variables
}

// emacsAnswer is what an oracle says of a query.
type emacsAnswer struct {
	places []string // of headings, sorted
	means  string   // the s-expression that words stand for
	failed string
}

// ask lets some processes at once answer a part of the queries each.
func (o emacsOracle) ask(t *testing.T, files, queries []string) []emacsAnswer {
	t.Helper()
	const processes = 3
	parts := make([][]emacsAnswer, processes)
	errs := make([]error, processes)
	dir := t.TempDir()
	var wait sync.WaitGroup
	for i := range processes {
		from, to := i*len(queries)/processes, (i+1)*len(queries)/processes
		wait.Go(func() {
			parts[i], errs[i] = o.some(filepath.Join(dir, fmt.Sprint("queries", i)), files, queries[from:to])
		})
	}
	wait.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	return slices.Concat(parts...)
}

// some lets one process answer queries, which are handed over in a file.
func (o emacsOracle) some(in string, files, queries []string) ([]emacsAnswer, error) {
	if len(queries) == 0 {
		return nil, nil
	}
	if err := os.WriteFile(in, []byte(strings.Join(queries, "\n")+"\n"), 0o644); err != nil {
		return nil, err
	}
	args := []string{"-Q", "--batch"}
	for _, dir := range o.load {
		args = append(args, "-L", dir)
	}
	cmd := exec.Command("emacs", append(append(args, "-l", o.file, "-f", o.call, in), files...)...)
	cmd.Env = append(os.Environ(), o.env...)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("emacs: %w\n%s", err, errs.String())
	}
	answers := make([]emacsAnswer, len(queries))
	n := -1
	for line := range strings.SplitSeq(strings.TrimSpace(string(out)), "\n") {
		switch {
		case strings.HasPrefix(line, "query "):
			fmt.Sscanf(line, "query %d", &n)
		case n < 0 || line == "":
		case strings.HasPrefix(line, "error "):
			answers[n].failed = line
		case strings.HasPrefix(line, "means "):
			answers[n].means = strings.TrimPrefix(line, "means ")
		default:
			answers[n].places = append(answers[n].places, line)
		}
	}
	for i := range answers {
		slices.Sort(answers[i].places)
	}
	return answers, nil
}
