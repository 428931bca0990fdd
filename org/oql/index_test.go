package oql

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"wb/internal/test/corpus"
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

func indexed(tb testing.TB, store *index.Cache, dir string, text ...string) *Corpus {
	tb.Helper()
	q, err := Parse(strings.Join(text, " "))
	if err != nil {
		tb.Fatal(err)
	}
	c, err := ReadIndexed(context.Background(), store, []string{dir}, q, nil)
	if err != nil {
		tb.Fatal(err)
	}
	return c
}

// settled indexes a directory, waiting until its files are too old to have
// changed unnoticed.
func settled(tb testing.TB, dir string) *index.Cache {
	store := index.Open(filepath.Join(tb.TempDir(), "index"), PackVersion)
	for {
		c := indexed(tb, store, dir)
		fresh := c.IndexStats().Fresh == c.IndexStats().Files
		if err := c.Close(); err != nil {
			tb.Fatal(err)
		}
		if fresh {
			return store
		}
		time.Sleep(100 * time.Millisecond)
	}
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
	store := settled(b, dir)
	for name, text := range benchQueries {
		q, err := Parse(text)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			rows := 0
			defer reportCPU(b)()
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
		defer reportCPU(b)()
		for b.Loop() {
			c, err := ReadPaths(context.Background(), []string{dir}, nil)
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
		defer reportCPU(b)()
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
	store := settled(b, dir)
	files, _ := filepath.Glob(filepath.Join(dir, "*", "note-0100.org"))
	defer reportCPU(b)()
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

// The answers through the index are those without it.
func TestIndexedAgrees(t *testing.T) {
	dir := notes(t, corpus.Size{Files: 10, Headlines: 150, Bytes: 70_000, Seed: 5})
	writeEvents(t, filepath.Join(dir, "events.org"), 1000)
	store := index.Open(filepath.Join(t.TempDir(), "index"), PackVersion)
	plain, err := ReadPaths(context.Background(), []string{dir}, nil)
	if err != nil {
		t.Fatal(err)
	}
	ask := func(c *Corpus, q *Query) string {
		res, err := Run(context.Background(), q, Options{Corpus: c, Now: time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC)})
		if err != nil {
			return "error: " + err.Error()
		}
		var b strings.Builder
		res.Write(&b, "ndjson")
		return b.String()
	}
	for round, queries := range [][]string{agreeing, agreeing} {
		for _, text := range queries {
			q, err := Parse(text)
			if err != nil {
				t.Errorf("%s: %v", text, err)
				continue
			}
			c := indexed(t, store, dir, text)
			if round == 1 && c.IndexStats().Built > 0 {
				t.Errorf("built again: %+v", *c.IndexStats())
			}
			want, got := ask(plain, q), ask(c, q)
			if want != got {
				t.Errorf("round %d: %s\n%s", round, text, firstDifference(want, got))
			}
			if round == 0 && want == "" {
				t.Errorf("%s finds nothing, which says nothing", text)
			}
			if err := c.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func firstDifference(want, got string) string {
	a, b := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return "want " + a[i] + "\n got " + b[i]
		}
	}
	return "want " + strconv.Itoa(len(a)) + " lines, got " + strconv.Itoa(len(b))
}

func writeEvents(tb testing.TB, path string, n int) {
	f, err := os.Create(path)
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	if err := corpus.Events(f, n, 1); err != nil {
		tb.Fatal(err)
	}
}

// agreeing are queries that together use every screen and every column.
var agreeing = []string{
	"", "todo:", "todo:NEXT,WAITING", "done:", "!done: level:2", "category:garden,events", "category:", "level:>2", "level:1,2",
	"priority:A", "priority:>=B", "(priority)", "!priority:A | limit 400", "heading:garden", "heading:GARDEN,in", `heading-regexp:^gar.*n`,
	`regexp:par[st]er`, `regexp:"sandbox +[a-k]"`, `(regexp "^\\*\\* ")`, "sandbox firmware", "query garden", "olp:garden", "olps:garden",
	"property:OWNER", "property:owner,ada", "(property \"OWNER\" \"ada\" :inherit t)", "property:ITEM", "(or (habit) (todo))", "effort:>1:00", "effort:0:30",
	"link:", "link:example", "(link :target \"example\")", "src:", "src:lang=python", "src:lang=go", "!blocked: todo:",
	"tags:work", "tags:", "tags:run", "tags:run,work", "tags-all:run,session", "itags:work", "ltags:work", "itags:", "ltags:", "tags*:^w", "!tags:",
	"ts:", "ts-active:", "ts-inactive:from=2025-06-01", "clocked:", "clocked:from=2025-01-01", "closed:", "deadline:", "deadline:to=2025-01-01",
	"deadline:auto", "scheduled:on=2025-03-03 | count", "planning:with-time=t", "scheduled:with-time=nil",
	`(and (todo) (parent (level 1)))`, `(ancestors (tags "work"))`, `(children (todo "DONE"))`, `(descendants (priority "A"))`, `(not (parent))`,
	`(or (todo "NEXT") (heading "garden") (property "OWNER"))`, `(not (or (todo) (tags)))`, `(and)`, `(unless (todo) (tags "work"))`,
	"cost:>200", "cost:!=3", "owner:~^a", "owner:!~^a | count", "title:~garden", "state:TODO", "path:note-000", "id:~00 | count",
	"from:blocks lang:python", "from:links", "from:tables | sort -rows | limit 5", "from:blocks | group lang | count | sort -count",
	"| group state | count", "| group state, category | count, first title, max level | limit 50", "tags:work | sort -title | select title, line, state",
	"| group owner | count, sum cost, avg cost, p95 cost, min cost, max cost, count-distinct id, list level",
	// events
	"tag:tool_call exit:!=0 | group tool | count, p95 dur_ms | sort -p95", "from:events | group kind | count, sum dur_ms, p50 dur_ms, p99 dur_ms",
	"from:events lang:python dur_ms:>100 | group lang, cache | count, avg dur_ms, max fuel, min fuel, first component, last component",
	"from:events exit:1", "from:events | sort -dur_ms | limit 20 | select title, line, dur_ms, fuel, run", "from:runs", "from:runs status:ok | count",
	"from:events sandbox", "from:events regexp:jq", "from:events args:~jq | count", "from:events kind:tool_call | count", "from:events !kind:tool_call | count",
	"from:events tool:!=shell | count", "from:events tags:run | count", "from:events itags:run | count", "from:events ltags:tool_call | count",
	"from:events property:TOOL,shell | count", "from:events property:TOOL | count", "from:events ts:>2024-01-02 | count", "from:events todo: | count",
	"from:events level:2 | count", "from:events level:1 | count", "from:events heading:start | count", "from:events olp:run | count",
	"from:events !tool:shell exit:0 | group agent, tool | count, count-distinct run, list exit | limit 3", "from:events | group run | count | limit 20",
	"from:events effort:>1 | count", "from:events title:~step | group step | count | sort step | limit 5", "from:events call:>100 call:<110 | count",
}

// eventsBench is a log of a million events, made once and kept for the next
// run of the benchmark.
func eventsBench(b *testing.B) string {
	dir := filepath.Join(os.TempDir(), "wb-bench-events")
	path := filepath.Join(dir, "events.org")
	if info, err := os.Stat(path); err == nil && info.Size() > 200<<20 {
		return path
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		b.Fatal(err)
	}
	writeEvents(b, path, 1_000_000)
	return path
}

func BenchmarkEvents(b *testing.B) {
	path := eventsBench(b)
	store := index.Open(filepath.Join(b.TempDir(), "index"), PackVersion)
	start := time.Now()
	c := indexed(b, store, path, "from:events")
	read := c.IndexStats().Read
	if err := c.Close(); err != nil {
		b.Fatal(err)
	}
	for c = indexed(b, store, path, "from:events"); c.IndexStats().Fresh == 0; c = indexed(b, store, path, "from:events") {
		c.Close()
		time.Sleep(100 * time.Millisecond)
	}
	b.Logf("read %v", read)
	b.Logf("cold: %v for %d MB, index %d MB", time.Since(start).Round(time.Millisecond), treeSize(b, path)>>20, treeSize(b, store.Dir())>>20)
	for name, text := range map[string]string{
		"filter": "tag:tool_call exit:!=0 dur_ms:>1000 tool:shell | count",
		"group":  "from:events | group tool | count, p95 dur_ms | sort -p95",
		"group2": "from:events | group lang, cache | count, avg fuel, p50 dur_ms, p95 dur_ms, max dur_ms",
		"rows":   "from:events dur_ms:>10000 exit:1 | limit 10",
		"text":   "from:events sandbox firmware | count",
		"runs":   "from:runs | group status | count",
	} {
		q, err := Parse(text)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			defer reportCPU(b)()
			for b.Loop() {
				c := indexed(b, store, path, text)
				if c.IndexStats().Built > 0 {
					b.Fatal(*c.IndexStats())
				}
				if _, err := Run(context.Background(), q, Options{Corpus: c}); err != nil {
					b.Fatal(err)
				}
				c.Close()
			}
		})
	}
}
