package oql

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"wb/internal/corpus"
	"wb/org/index"
)

// notes writes a corpus once per test binary and size.
func notes(tb testing.TB, size corpus.Size) string {
	tb.Helper()
	dir := tb.TempDir()
	if err := corpus.Write(dir, size); err != nil {
		tb.Fatal(err)
	}
	return dir
}

func indexed(tb testing.TB, store *index.Store, dir string) *Corpus {
	tb.Helper()
	c, err := ReadIndexed(context.Background(), store, []string{dir})
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

var benchQueries = map[string]string{
	"todo":     "todo:NEXT tags:work",
	"heading":  "heading:garden",
	"property": "property:OWNER,ada",
	"rifle":    "sandbox firmware",
	"regexp":   `regexp:par[st]er`,
	"deadline": "deadline:from=2025-01-01,to=2025-02-01",
	"compare":  "effort:>3:00 | group state | count",
	"blocks":   "from:blocks lang:python | count",
	"parent":   `(and (todo "NEXT") (parent (todo "DONE")))`,
	"all":      "| group state | count",
}

func BenchmarkWarm(b *testing.B) {
	dir := notes(b, corpus.Size{})
	store := index.Open(filepath.Join(b.TempDir(), "index"), PackVersion)
	if err := indexed(b, store, dir).Close(); err != nil {
		b.Fatal(err)
	}
	for name, text := range benchQueries {
		q, err := Parse(text)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			rows := 0
			for b.Loop() {
				c := indexed(b, store, dir)
				res, err := Run(context.Background(), q, Options{Corpus: c})
				if err != nil {
					b.Fatal(err)
				}
				rows = len(res.Rows)
				c.Close()
			}
			b.ReportMetric(float64(rows), "rows")
		})
	}
}

func BenchmarkCold(b *testing.B) {
	dir := notes(b, corpus.Size{})
	b.Run("query", func(b *testing.B) {
		q, _ := Parse("todo:NEXT tags:work")
		for b.Loop() {
			c, err := ReadPaths(context.Background(), []string{dir})
			if err != nil {
				b.Fatal(err)
			}
			if _, err := Run(context.Background(), q, Options{Corpus: c}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("index", func(b *testing.B) {
		var size int64
		for b.Loop() {
			at := filepath.Join(b.TempDir(), "index")
			if err := indexed(b, index.Open(at, PackVersion), dir).Close(); err != nil {
				b.Fatal(err)
			}
			size = treeSize(b, at)
		}
		b.ReportMetric(float64(size)/float64(treeSize(b, dir)), "size/source")
	})
}

func treeSize(tb testing.TB, dir string) (size int64) {
	filepath.WalkDir(dir, func(_ string, e os.DirEntry, err error) error {
		if info, err := e.Info(); err == nil && !e.IsDir() {
			size += info.Size()
		}
		return err
	})
	return size
}

// One file of the corpus changes: what the next query costs more.
func BenchmarkChange(b *testing.B) {
	dir := notes(b, corpus.Size{})
	store := index.Open(filepath.Join(b.TempDir(), "index"), PackVersion)
	if err := indexed(b, store, dir).Close(); err != nil {
		b.Fatal(err)
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*", "note-0100.org"))
	for b.Loop() {
		f, err := os.OpenFile(files[0], os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			b.Fatal(err)
		}
		f.WriteString("* more\n")
		f.Close()
		c := indexed(b, store, dir)
		if c.IndexStats().Built != 1 {
			b.Fatal(*c.IndexStats())
		}
		if err := c.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
