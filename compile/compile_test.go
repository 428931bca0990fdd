package compile

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"wb/internal/diag"
	"wb/internal/value"
)

// countingLane builds by repeating the body and counts how often.
type countingLane struct {
	info   Info
	builds atomic.Int32
	hold   chan struct{} // when not nil, Build waits for it
	fail   bool
}

func (l *countingLane) Info() Info          { return l.info }
func (l *countingLane) Fingerprint() string { return "counting 1" }

func (l *countingLane) Build(_ context.Context, src *Source) (*Artifact, error) {
	l.builds.Add(1)
	if l.hold != nil {
		<-l.hold
	}
	if l.fail {
		return nil, diag.Errorf(src.At(1, 1), "no")
	}
	return &Artifact{Lane: l.info.Name, Wasm: []byte(src.Body + "\n" + src.Body), Meta: map[string]string{"k": "v"},
		Warnings: []diag.Finding{{Pos: src.At(2, 3), Severity: diag.Warning, Message: "hm"}}}, nil
}

func (l *countingLane) Run(context.Context, *Artifact, *Job) (*Outcome, error) { return nil, nil }

func TestCacheBuildsOnceAndFollowsTheBlock(t *testing.T) {
	cache, err := OpenCache(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	inner := &countingLane{info: Info{Name: "x"}}
	src := Source{Pos: diag.Position{File: "a.org", Line: 10, Col: 3}, Body: "one\ntwo\n"}
	if _, err := Cached(inner, cache).Build(context.Background(), &src); err != nil {
		t.Fatal(err)
	}
	src.Pos = diag.Position{File: "b.org", Line: 20, Col: 1}
	art, err := Cached(inner, cache).Build(context.Background(), &src)
	if err != nil {
		t.Fatal(err)
	}
	if n := inner.builds.Load(); n != 1 {
		t.Errorf("built %d times", n)
	}
	if string(art.Wasm) != "one\ntwo\n\none\ntwo\n" || art.Meta["k"] != "v" {
		t.Errorf("artifact came back as %q %v", art.Wasm, art.Meta)
	}
	if got := art.Warnings[0].String(); got != "b.org:21:3: warning: hm" {
		t.Errorf("warning at %q", got)
	}
}

func TestDamagedCacheFileIsAMiss(t *testing.T) {
	cache, err := OpenCache(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	inner := &countingLane{info: Info{Name: "x"}}
	lane := Cached(inner, cache)
	src := Source{Body: "body"}
	if _, err := lane.Build(context.Background(), &src); err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob(filepath.Join(cache.Dir(), "*", "*.artifact"))
	if len(files) != 1 {
		t.Fatalf("files: %v", files)
	}
	for i, damage := range []func() error{
		func() error { return os.Truncate(files[0], 20) },
		func() error { return os.WriteFile(files[0], nil, 0o644) },
		func() error {
			data, err := os.ReadFile(files[0])
			data[len(data)-1] ^= 1
			return errors.Join(err, os.WriteFile(files[0], data, 0o644))
		},
	} {
		if err := damage(); err != nil {
			t.Fatal(err)
		}
		if art, err := lane.Build(context.Background(), &src); err != nil || string(art.Wasm) != "body\nbody" {
			t.Fatalf("damage %d: %v", i, err)
		}
		if n := inner.builds.Load(); int(n) != i+2 {
			t.Errorf("damage %d went unnoticed", i)
		}
	}
}

func TestUnusedArtifactsAreRemoved(t *testing.T) {
	cache, err := OpenCache(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	long := time.Now().Add(-40 * 24 * time.Hour)
	for _, key := range []string{"aa01", "bb02", "bb03"} {
		if err := cache.Put(key, &Artifact{Wasm: []byte(key)}); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(cache.path(key), long, long); err != nil {
			t.Fatal(err)
		}
	}
	if _, ok, err := cache.Get("bb02"); !ok || err != nil { // being used keeps it
		t.Fatal(ok, err)
	}
	if freed, err := cache.Collect(time.Now().Add(-keepFor)); err != nil || freed == 0 {
		t.Fatal(freed, err)
	}
	for key, want := range map[string]bool{"aa01": false, "bb02": true, "bb03": false} {
		if _, ok, _ := cache.Get(key); ok != want {
			t.Errorf("%s: there %v, want %v", key, ok, want)
		}
	}
}

func TestConcurrentBuildsAreShared(t *testing.T) {
	cache, err := OpenCache(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	inner := &countingLane{info: Info{Name: "x"}, hold: make(chan struct{})}
	lane := Cached(inner, cache)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if _, err := lane.Build(context.Background(), &Source{Body: "same"}); err != nil {
				t.Error(err)
			}
		})
	}
	close(inner.hold)
	wg.Wait()
	if n := inner.builds.Load(); n != 1 {
		t.Errorf("built %d times", n)
	}
}

func TestFailuresAreNotCached(t *testing.T) {
	cache, err := OpenCache(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	inner := &countingLane{info: Info{Name: "x"}, fail: true}
	lane := Cached(inner, cache)
	for range 2 {
		if _, err := lane.Build(context.Background(), &Source{}); err == nil {
			t.Fatal("built")
		}
	}
	inner.fail = false
	if _, err := lane.Build(context.Background(), &Source{}); err != nil {
		t.Fatal(err)
	}
}

func TestKey(t *testing.T) {
	base := func() *Source {
		return &Source{Body: "b", Shape: ShapeBabel, Args: map[string][]string{"flags": {"-O2"}},
			Vars: []Var{{Name: "x", Value: value.OfInt(2)}}, Results: []string{"value"}}
	}
	key := base().Key("f")
	moved := base()
	moved.Pos = diag.Position{File: "other.org", Line: 7}
	if moved.Key("f") != key {
		t.Error("moving the block changes its key")
	}
	for name, change := range map[string]func(*Source){
		"body":       func(s *Source) { s.Body += " " },
		"shape":      func(s *Source) { s.Shape = ShapeCommand },
		"arg":        func(s *Source) { s.Args["flags"] = []string{"-O1"} },
		"arg name":   func(s *Source) { s.Args = map[string][]string{"libs": {"-O2"}} },
		"arg split":  func(s *Source) { s.Args["flags"] = []string{"-O", "2"} },
		"float":      func(s *Source) { s.Vars[0].Value = value.OfFloat(2) },
		"string":     func(s *Source) { s.Vars[0].Value = value.OfString("2") },
		"list":       func(s *Source) { s.Vars[0].Value = value.OfList(value.OfInt(2)) },
		"file":       func(s *Source) { s.Files = map[string][]byte{"x.h": nil} },
		"deps":       func(s *Source) { s.Deps = []string{"p"} },
		"more words": func(s *Source) { s.Results = append(s.Results, "table") },
	} {
		s := base()
		change(s)
		if s.Key("f") == key {
			t.Errorf("%s is not part of the key", name)
		}
	}
	if base().Key("g") == key {
		t.Error("the fingerprint is not part of the key")
	}
}

func TestRegistry(t *testing.T) {
	js := &countingLane{info: Info{Name: "js", Aliases: []string{"javascript", "node"}}}
	c := &countingLane{info: Info{Name: "c", Aliases: []string{"C"}}}
	r, err := NewRegistry(js, c)
	if err != nil {
		t.Fatal(err)
	}
	for word, want := range map[string]Lane{"js": js, "node": js, "JavaScript": js, "C": c, "c": c} {
		if got, ok := r.Lookup(word); !ok || got != want {
			t.Errorf("Lookup(%q) = %v", word, got)
		}
	}
	if _, ok := r.Lookup("cobol"); ok {
		t.Error("found cobol")
	}
	for word, want := range map[string]string{"javascrpt": "javascript", "jss": "js", "haskell": "", "ndoe": "node", "zz": ""} {
		if got := r.Nearest(word); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", word, got, want)
		}
	}
	for _, lang := range []string{"R", "java", "json", "css"} { // languages of their own
		if got := r.Nearest(lang); got != "" {
			t.Errorf("Nearest(%q) = %q", lang, got)
		}
	}
	if all := r.All(); len(all) != 2 || all[0].Info().Name != "c" {
		t.Errorf("All: %v", all)
	}
	if _, err := NewRegistry(js, &countingLane{info: Info{Name: "node"}}); err == nil {
		t.Error("two lanes claim node")
	}
}

func TestPositions(t *testing.T) {
	src := &Source{Pos: diag.Position{File: "a.org", Line: 5, Col: 3}, Body: "x\ny\n"}
	for want, got := range map[string]diag.Position{"a.org:5:3": src.At(1, 1), "a.org:6:6": src.At(2, 4), "a.org:6:3": src.At(99, 1), "a.org:5:4": src.At(0, 2)} {
		if got.String() != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	src.Lines = []diag.Position{{File: "a.org", Line: 5, Col: 1}, {File: "a.org", Line: 40, Col: 5}}
	if got := src.At(2, 2).String(); got != "a.org:40:6" {
		t.Errorf("noweb line at %s", got)
	}
	err := diag.Errorf(src.At(1, 1), "bad %s", "thing").WithHint("do better")
	if err.Error() != "a.org:5:1: error: bad thing" || err.Hint() != "do better" {
		t.Errorf("%v / %s", err, err.Hint())
	}
}
