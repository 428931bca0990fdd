package search

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// corpus writes n headings of ordinary length in files of fifty, and returns
// their directory and size. The words follow Zipf's law, as those of texts do.
func corpus(tb testing.TB, n int) (dir string, size int) {
	tb.Helper()
	dir = tb.TempDir()
	random := rand.New(rand.NewPCG(1, 2))
	zipf := rand.NewZipf(random, 1.1, 4, 30000)
	word := func() string {
		k := zipf.Uint64()
		syllables := []string{"ba", "con", "di", "er", "fu", "gra", "hel", "in", "jo", "ker", "lo", "mi", "nor", "op", "pre", "qua", "ran", "ster", "tion", "ur"}
		text := ""
		for k += 20; k > 0; k /= 20 {
			text += syllables[k%20]
		}
		return text
	}
	for file := 0; file*50 < n; file++ {
		var b strings.Builder
		fmt.Fprintf(&b, "#+TITLE: notes %d\n", file)
		for h := file * 50; h < min(n, file*50+50); h++ {
			fmt.Fprintf(&b, "%s %s %s\n", strings.Repeat("*", 1+h%3), word(), word())
			for range 20 + random.IntN(160) {
				b.WriteString(word() + " ")
			}
			b.WriteString("\n")
			if h%5 == 0 {
				fmt.Fprintf(&b, "#+begin_src python\n%s_%s = %s(%s)\n#+end_src\n", word(), word(), word(), word())
			}
		}
		size += b.Len()
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("n%04d.org", file)), []byte(b.String()), 0o644); err != nil {
			tb.Fatal(err)
		}
	}
	return dir, size
}

func openBench(b *testing.B, dir, at string) *Index {
	b.Helper()
	x, err := Open(b.Context(), Config{Paths: []string{dir}, Dir: at, Warn: func(err error) { b.Log(err) }})
	if err != nil {
		b.Fatal(err)
	}
	return x
}

// BenchmarkIndex indexes 10,000 headings from nothing.
func BenchmarkIndex(b *testing.B) {
	dir, size := corpus(b, 10000)
	b.SetBytes(int64(size))
	for b.Loop() {
		at := b.TempDir()
		x := openBench(b, dir, filepath.Join(at, "index"))
		if _, err := x.Refresh(b.Context()); err != nil {
			b.Fatal(err)
		}
		x.Close()
		total := int64(0)
		for _, path := range indexFiles(b, filepath.Join(at, "index"), "") {
			if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
				total += info.Size()
			}
		}
		b.ReportMetric(float64(total)/float64(size), "index/source")
	}
}

// BenchmarkRefresh finds that nothing changed, and that one file did.
func BenchmarkRefresh(b *testing.B) {
	dir, _ := corpus(b, 10000)
	x := openBench(b, dir, b.TempDir())
	defer x.Close()
	refresh := func() {
		if _, err := x.Refresh(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
	refresh()
	b.Run("nothing", func(b *testing.B) {
		for b.Loop() {
			refresh()
		}
	})
	b.Run("one", func(b *testing.B) {
		name := filepath.Join(dir, "n0001.org")
		src, err := os.ReadFile(name)
		if err != nil {
			b.Fatal(err)
		}
		for i := 0; b.Loop(); i++ {
			if err := os.WriteFile(name, fmt.Appendf(src, "\n* new %d\n", i), 0o644); err != nil {
				b.Fatal(err)
			}
			refresh()
		}
	})
}

// BenchmarkSearch answers queries of several kinds over 10,000 headings.
func BenchmarkSearch(b *testing.B) {
	dir, _ := corpus(b, 10000)
	x := openBench(b, dir, b.TempDir())
	defer x.Close()
	if _, err := x.Refresh(b.Context()); err != nil {
		b.Fatal(err)
	}
	for _, query := range []string{"grapre", "conba diba loba", `"conba diba"`, "pre*", "conbba", "helba -conba +diba"} {
		q, err := ParseQuery(query)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(query, func(b *testing.B) {
			for b.Loop() {
				if _, err := x.Search(b.Context(), q, Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
