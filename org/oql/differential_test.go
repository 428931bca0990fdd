package oql

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"wb/internal/test/corpus"
	"wb/org/index"
)

// differential compares answers through an index with answers without one,
// over files that change.
type differential struct {
	t     *testing.T
	rnd   *rand.Rand
	dir   string
	store *index.Cache
	now   time.Time
}

func newDifferential(t *testing.T, seed uint64) *differential {
	dir := notes(t, corpus.Size{Files: 12, Headlines: 200, Bytes: 300_000, Seed: seed})
	writeEvents(t, filepath.Join(dir, "events.org"), 1200)
	return &differential{
		t: t, rnd: rand.New(rand.NewPCG(seed, 7)), dir: dir,
		store: index.Open(filepath.Join(t.TempDir(), "index"), PackVersion),
		now:   time.Date(2026, 6, 1, 12, 0, 0, 0, time.UTC),
	}
}

func (d *differential) answer(c *Corpus, text string) string {
	d.t.Helper()
	q, err := Parse(text)
	if err != nil {
		d.t.Fatal(err)
	}
	res, err := Run(context.Background(), q, Options{Corpus: c, Now: d.now})
	if err != nil {
		return "error: " + err.Error()
	}
	var b strings.Builder
	res.Write(&b, "ndjson")
	return b.String()
}

// compare asks n queries both ways and returns what the index did last.
func (d *differential) compare(after string, n int) (stats index.Stats) {
	d.t.Helper()
	plain, err := ReadPaths(context.Background(), []string{d.dir}, nil)
	if err != nil {
		d.t.Fatal(err)
	}
	for range n {
		text := agreeing[d.rnd.IntN(len(agreeing))]
		c := indexed(d.t, d.store, d.dir, text)
		if want, got := d.answer(plain, text), d.answer(c, text); want != got {
			d.t.Fatalf("after %s: %s\n%s", after, text, firstDifference(want, got))
		}
		if err := c.Close(); err != nil {
			d.t.Fatalf("after %s: %v", after, err)
		}
		stats = *c.IndexStats()
	}
	return stats
}

func (d *differential) file() string {
	files, _ := filepath.Glob(filepath.Join(d.dir, "*", "*.org"))
	return files[d.rnd.IntN(len(files))]
}

func (d *differential) segments() []string {
	files, _ := filepath.Glob(filepath.Join(d.store.Dir(), "segment-*"))
	return files
}

// edits are what people and programs do to files.
var edits = map[string]func(d *differential){
	"append": func(d *differential) { d.append(d.file(), "* NEXT garden more :work:\nbody\n") },
	"append an event": func(d *differential) {
		d.append(filepath.Join(d.dir, "events.org"), "** step :tool_call:\n   :PROPERTIES:\n   :TOOL: shell\n   :EXIT: 1\n   :END:\n")
	},
	"truncate the log": func(d *differential) {
		path := filepath.Join(d.dir, "events.org")
		info, err := os.Stat(path)
		d.must(err)
		d.must(os.Truncate(path, info.Size()/2))
	},
	"replace": func(d *differential) {
		size := corpus.Size{Files: 12, Headlines: 200, Bytes: 300_000, Seed: d.rnd.Uint64()}
		name := d.file()
		d.must(os.WriteFile(name+".new", corpus.File(size, 1), 0o644))
		d.must(os.Rename(name+".new", name))
	},
	"same size": func(d *differential) { // times are all that tells
		name := d.file()
		src, err := os.ReadFile(name)
		d.must(err)
		d.must(os.WriteFile(name, []byte(strings.Replace(string(src), "garden", "kernel", 1)), 0o644))
	},
	"empty": func(d *differential) { d.must(os.WriteFile(d.file(), nil, 0o644)) },
	"new": func(d *differential) {
		d.must(os.WriteFile(filepath.Join(d.dir, fmt.Sprintf("new-%d.org", d.rnd.IntN(9))), []byte("* TODO new garden\n"), 0o644))
	},
	"delete": func(d *differential) {
		if name := filepath.Join(d.dir, fmt.Sprintf("new-%d.org", d.rnd.IntN(9))); d.rnd.IntN(2) == 0 {
			os.Remove(name)
		}
	},
	"rename": func(d *differential) { name := d.file(); d.must(os.Rename(name, name+".renamed.org")) },
}

// damages are what happens to an index that nobody looks after.
var damages = map[string]func(d *differential){
	"deleted":          func(d *differential) { d.must(os.RemoveAll(d.store.Dir())) },
	"no manifest":      func(d *differential) { os.Remove(filepath.Join(d.store.Dir(), "manifest")) },
	"segments deleted": func(d *differential) { d.eachSegment(func(s string, _ []byte) { d.must(os.Remove(s)) }) },
	"bytes changed": func(d *differential) {
		d.eachSegment(func(s string, data []byte) {
			for range 1 + d.rnd.IntN(50) {
				data[d.rnd.IntN(len(data))] ^= byte(1 + d.rnd.IntN(255))
			}
			d.must(os.WriteFile(s, data, 0o644))
		})
	},
	"overwritten": func(d *differential) {
		d.eachSegment(func(s string, data []byte) {
			for i := range data {
				data[i] = byte(d.rnd.Uint32())
			}
			d.must(os.WriteFile(s, data, 0o644))
		})
	},
	"cut short": func(d *differential) {
		d.eachSegment(func(s string, data []byte) { d.must(os.Truncate(s, int64(d.rnd.IntN(len(data))))) })
	},
	"manifest changed": func(d *differential) {
		name := filepath.Join(d.store.Dir(), "manifest")
		if data, err := os.ReadFile(name); err == nil && len(data) > 0 {
			data[d.rnd.IntN(len(data))] ^= 0x10
			d.must(os.WriteFile(name, data, 0o644))
		}
	},
	"swapped": func(d *differential) {
		if s := d.segments(); len(s) > 1 {
			d.must(os.Rename(s[0], s[0]+".x"))
			d.must(os.Rename(s[1], s[0]))
			d.must(os.Rename(s[0]+".x", s[1]))
		}
	},
	"touched": func(d *differential) {
		d.eachSegment(func(s string, _ []byte) { d.must(os.Chtimes(s, d.now, d.now)) })
	},
}

func (d *differential) must(err error) {
	d.t.Helper()
	if err != nil {
		d.t.Fatal(err)
	}
}

func (d *differential) append(name, text string) {
	f, err := os.OpenFile(name, os.O_APPEND|os.O_WRONLY, 0)
	d.must(err)
	_, err = f.WriteString(text)
	d.must(err)
	d.must(f.Close())
}

func (d *differential) eachSegment(do func(name string, data []byte)) {
	for _, s := range d.segments() {
		if data, err := os.ReadFile(s); err == nil && len(data) > 0 {
			do(s, data)
		}
	}
}

// The answers are the same whatever was edited, and whatever was done to the
// index: damage is found, and what it hit is parsed again.
func TestIndexAgreesAfterEditsAndDamage(t *testing.T) {
	for _, kind := range []map[string]func(*differential){edits, damages} {
		d := newDifferential(t, 11)
		d.compare("nothing", 3)
		for _, name := range slices.Sorted(maps.Keys(kind)) {
			kind[name](d)
			d.compare(name, 3)
		}
	}
}

// Damage costs only what it hit.
func TestDamageIsRepaired(t *testing.T) {
	d := newDifferential(t, 12)
	d.must(indexed(t, d.store, d.dir, "from:blocks").Close())
	d.eachSegment(func(s string, data []byte) {
		data[len(data)/2] ^= 1
		d.must(os.WriteFile(s, data, 0o644))
	})
	for _, want := range []int{1, 0} {
		c := indexed(t, d.store, d.dir, "from:blocks") // reads logs like any file
		stats := *c.IndexStats()
		d.must(c.Close())
		if stats.Built != want {
			t.Errorf("%d files were parsed again, want %d", stats.Built, want)
		}
	}
	d.compare("repair", 4)
}

// Where no index can be written, every answer is the one without an index.
func TestIndexUnwritable(t *testing.T) {
	d := newDifferential(t, 13)
	d.must(os.WriteFile(d.store.Dir(), []byte("a file where the index should be"), 0o644))
	if s := d.compare("a file in its place", 4); s.Skipped == "" {
		t.Errorf("nothing is said about it: %+v", s)
	}
	d = newDifferential(t, 14)
	d.compare("nothing", 1)
	d.must(os.Chmod(d.store.Dir(), 0o555))
	t.Cleanup(func() { os.Chmod(d.store.Dir(), 0o755) })
	edits["append"](d)
	s := d.compare("a read-only directory", 4)
	if os.Getuid() != 0 && s.Skipped == "" {
		t.Errorf("nothing is said about it: %+v", s)
	}
}

// Processes that index at the same time and are killed at any point change no
// answer.
func TestIndexAgreesAmongKilledProcesses(t *testing.T) {
	if dir := os.Getenv("OQL_KILL_DIR"); dir != "" {
		store := index.Open(os.Getenv("OQL_KILL_INDEX"), PackVersion)
		for n := 0; ; n++ {
			name := filepath.Join(dir, fmt.Sprintf("mine-%d.org", os.Getpid()%2))
			text := strings.Repeat(fmt.Sprintf("* TODO round %d :work:\n", n), 3000)
			os.WriteFile(name+".tmp", []byte(text), 0o644)
			os.Rename(name+".tmp", name)
			c := indexed(t, store, dir, "todo:")
			if err := c.Close(); err != nil {
				t.Fatal(err)
			}
			if n%5 == 4 {
				os.RemoveAll(store.Dir()) // deleted under the other one
			}
		}
	}
	d := newDifferential(t, 15)
	start := func() *exec.Cmd {
		cmd := exec.Command(os.Args[0], "-test.run=^TestIndexAgreesAmongKilledProcesses$")
		cmd.Env = append(os.Environ(), "OQL_KILL_DIR="+d.dir, "OQL_KILL_INDEX="+d.store.Dir())
		cmd.Stderr = os.Stderr
		d.must(cmd.Start())
		return cmd
	}
	for round := range 4 {
		a, b := start(), start()
		time.Sleep(time.Duration(30+17*round) * time.Millisecond)
		for _, cmd := range []*exec.Cmd{a, b} {
			cmd.Process.Kill()
			cmd.Wait()
		}
		d.compare(fmt.Sprintf("kill %d", round), 3)
	}
}
