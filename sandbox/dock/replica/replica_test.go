package replica

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"wb/internal/diag"
	"wb/sandbox/dock/store"
)

// newStore is an empty store.
func newStore(t *testing.T) *store.Store {
	t.Helper()
	s := store.Open(store.Config{Dir: t.TempDir()})
	t.Cleanup(func() { s.Close() })
	return s
}

func newTarget(t *testing.T) Target {
	t.Helper()
	to, err := Open(Config{To: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	return to
}

func put(t *testing.T, s *store.Store, key, value string) {
	t.Helper()
	if err := s.Put(t.Context(), "t", key, []byte(value)); err != nil {
		t.Fatal(err)
	}
}

// kept is the value of a key, "" for none.
func kept(t *testing.T, s *store.Store, key string) string {
	t.Helper()
	value, _, err := s.Get(t.Context(), "t", key)
	if err != nil {
		t.Fatal(err)
	}
	return string(value)
}

func copyOf(t *testing.T, to Target, s *store.Store) *Generation {
	t.Helper()
	g, err := Copy(t.Context(), to, Source{s, "default", "/p"})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// restored is a new store that a copy of /p was restored into.
func restored(t *testing.T, from Target, c Choice) *store.Store {
	t.Helper()
	c.Tenant, c.Dir = "default", "/p"
	g, err := Find(t.Context(), from, c)
	if err != nil {
		t.Fatal(err)
	}
	s := newStore(t)
	if err := Restore(t.Context(), from, g, s); err != nil {
		t.Fatal(err)
	}
	return s
}

// TestCopyAndRestore copies a store through three changes and restores it, the newest
// generation and an older one, into stores that were used before.
func TestCopyAndRestore(t *testing.T) { copyAndRestore(t, newTarget(t)) }

func copyAndRestore(t *testing.T, to Target) {
	s := newStore(t)
	if g := copyOf(t, to, s); g != nil {
		t.Fatalf("a store that nobody has used was copied: %+v", g)
	}
	put(t, s, "a", "1")
	if err := s.WriteFile(t.Context(), "memory:big", bytes.Repeat([]byte("incompressible? no"), 40_000)); err != nil {
		t.Fatal(err)
	}
	first := copyOf(t, to, s)
	if again := copyOf(t, to, s); again.Number != first.Number {
		t.Errorf("nothing has changed, and generation %d was made", again.Number)
	}
	chunks, err := to.List(t.Context(), first.Line+"/chunks")
	if err != nil || len(chunks) < 10 {
		t.Fatalf("%d chunks, %v", len(chunks), err)
	}
	put(t, s, "a", "2")
	second := copyOf(t, to, s)
	if second.Number != 2 || second.Line != first.Line {
		t.Fatalf("%+v", second)
	}
	if more, err := to.List(t.Context(), first.Line+"/chunks"); err != nil || len(more)-len(chunks) > 2 {
		t.Errorf("one value changed, and %d chunks were copied: %v", len(more)-len(chunks), err)
	}
	for n, want := range map[int]string{0: "2", 1: "1", 2: "2"} {
		back := restored(t, to, Choice{Generation: n})
		data, _, err := back.ReadFile(t.Context(), "memory:big")
		if got := kept(t, back, "a"); got != want || len(data) != 18*40_000 || err != nil {
			t.Errorf("generation %d: a = %q, %d bytes, %v", n, got, len(data), err)
		}
		put(t, back, "b", "goes on") // the triggers that count are there, too
	}
}

// TestLines restores on a second machine, which goes on in a line of its own.
func TestLines(t *testing.T) {
	to := newTarget(t)
	first := newStore(t)
	put(t, first, "a", "1")
	one := copyOf(t, to, first)
	second := restored(t, to, Choice{})
	put(t, second, "a", "2")
	two := copyOf(t, to, second)
	if two.Line == one.Line || two.From != one.Line || two.Number != 2 {
		t.Fatalf("%+v goes on with %+v", two, one)
	}
	if got := kept(t, restored(t, to, Choice{}), "a"); got != "2" {
		t.Errorf("the newest is %q", got)
	}
	if got := kept(t, restored(t, to, Choice{Generation: 1}), "a"); got != "1" {
		t.Errorf("before it was restored: %q", got)
	}
	other := newStore(t) // a machine that began anew
	put(t, other, "a", "3")
	copyOf(t, to, other)
	_, err := Find(t.Context(), to, Choice{Tenant: "default", Dir: "/p"})
	if err == nil || !strings.Contains(diag.HintOf(err), Short(two.Line)) || strings.Contains(diag.HintOf(err), Short(one.Line)) {
		t.Errorf("two lines to choose from: %v (%s)", err, diag.HintOf(err))
	}
	if got := kept(t, restored(t, to, Choice{Line: Short(one.Line)}), "a"); got != "1" {
		t.Errorf("the first line has %q", got)
	}
	if _, err := Find(t.Context(), to, Choice{Tenant: "other", Dir: "/p"}); diag.ExitOf(err) != diag.ExitNotFound {
		t.Errorf("another tenant's: %v", err)
	}
}

// TestDamage changes, cuts and removes each file of a copy in turn. Nothing of it is
// restored then, and the store stays as it was.
func TestDamage(t *testing.T) {
	to := newTarget(t)
	s := newStore(t)
	put(t, s, "a", strings.Repeat("text ", 30_000))
	copyOf(t, to, s)
	tried := 0
	err := filepath.WalkDir(to.String(), func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		whole, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		flipped := bytes.Clone(whole)
		flipped[len(whole)/2] ^= 4
		for what, data := range map[string][]byte{"flipped": flipped, "cut": whole[:len(whole)-1], "gone": nil} {
			tried++
			if data == nil {
				os.Remove(path)
			} else if err := os.WriteFile(path, data, 0o600); err != nil {
				return err
			}
			here := newStore(t)
			put(t, here, "a", "mine")
			g, err := Find(t.Context(), to, Choice{Tenant: "default", Dir: "/p"})
			if err == nil {
				err = Restore(t.Context(), to, g, here)
			}
			var damage *DamageError
			if gone := what == "gone" && diag.ExitOf(err) == diag.ExitNotFound; !errors.As(err, &damage) && !gone {
				t.Errorf("%s %s: %v", path, what, err)
			}
			if got := kept(t, here, "a"); got != "mine" {
				t.Errorf("%s %s: the store holds %.20q", path, what, got)
			}
		}
		return os.WriteFile(path, whole, 0o600)
	})
	if err != nil || tried < 6 {
		t.Fatal(tried, err)
	}
	if got := kept(t, restored(t, to, Choice{}), "a"); len(got) != 150_000 {
		t.Errorf("%d bytes", len(got))
	}
}

// broken is a target that fails after so many writes.
type broken struct {
	Target
	left int
	mu   sync.Mutex
}

func (b *broken) Put(ctx context.Context, name string, data []byte) error {
	b.mu.Lock()
	b.left--
	failed := b.left < 0
	b.mu.Unlock()
	if failed {
		return errors.New("the line is cut")
	}
	return b.Target.Put(ctx, name, data)
}

// TestCut ends copying after each number of writes: what was copied before is still
// there, and the next copy is whole.
func TestCut(t *testing.T) {
	to := newTarget(t)
	s := newStore(t)
	put(t, s, "a", "0")
	copyOf(t, to, s)
	for n := range 6 {
		value := fmt.Sprint(n, strings.Repeat(" and more", 10_000*(n+1)))
		before := kept(t, s, "a")
		put(t, s, "a", value)
		_, err := Copy(t.Context(), &broken{Target: to, left: n % 3}, Source{s, "default", "/p"})
		want := before
		if err == nil {
			want = value
		}
		if got := kept(t, restored(t, to, Choice{}), "a"); got != want {
			t.Errorf("cut after %d writes (%v): %.20q", n%3, err, got)
		}
		copyOf(t, to, s)
		if got := kept(t, restored(t, to, Choice{}), "a"); got != value {
			t.Errorf("the copy after that: %.20q", got)
		}
	}
}

// TestWhileWriting copies a store that others write to without a pause. Each copy is a
// state between two transactions: what the triggers count is what is there.
func TestWhileWriting(t *testing.T) {
	to := newTarget(t)
	s := newStore(t)
	put(t, s, "first", "")
	ctx, stop := context.WithCancel(t.Context())
	var writers sync.WaitGroup
	for w := range 3 {
		writers.Go(func() {
			for n := 0; ctx.Err() == nil; n++ {
				if err := s.Put(ctx, "t", fmt.Sprintf("%d-%d", w, n%50), make([]byte, n%3000)); err != nil && ctx.Err() == nil {
					t.Error(err)
				}
			}
		})
	}
	for n := range 8 {
		copyOf(t, to, s)
		back := restored(t, to, Choice{})
		keys, err := back.Keys(t.Context(), "t", "")
		if err != nil {
			t.Fatal(err)
		}
		var bytes int64
		for _, k := range keys {
			bytes += int64(len(kept(t, back, k)))
		}
		if rows, total := counted(t, back); rows != int64(len(keys)) || total != bytes {
			t.Errorf("copy %d: %d keys of %d bytes, counted as %d of %d", n, len(keys), bytes, rows, total)
		}
	}
	stop()
	writers.Wait()
}

// counted is what the triggers of a store have counted.
func counted(t *testing.T, s *store.Store) (rows, bytes int64) {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(s.Dir(), string(store.Dock)))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.QueryRow(`SELECT rows, bytes FROM kv_total`).Scan(&rows, &bytes); err != nil {
		t.Fatal(err)
	}
	return rows, bytes
}

// TestFollow copies by itself, and what is left at the end.
func TestFollow(t *testing.T) {
	to := &broken{Target: newTarget(t), left: 1 << 30}
	var copier *Copier
	s := store.Open(store.Config{Dir: t.TempDir(), Changed: func() { copier.Changed() }})
	defer s.Close()
	failures := make(chan error, 10)
	copier = Follow(t.Context(), to, Source{s, "default", "/p"}, 10*time.Millisecond, func(err error) { failures <- err })
	put(t, s, "a", "1")
	copied := func() string {
		list, err := Lines(t.Context(), to, "default", "/p")
		if err != nil || len(list) == 0 {
			return ""
		}
		return kept(t, restored(t, to, Choice{}), "a")
	}
	for copied() != "1" {
		time.Sleep(5 * time.Millisecond)
	}
	to.mu.Lock()
	to.left = 0
	to.mu.Unlock()
	put(t, s, "a", "2")
	if err := <-failures; !strings.Contains(err.Error(), "cut") {
		t.Error(err)
	}
	to.mu.Lock()
	to.left = 1 << 30
	to.mu.Unlock()
	for copied() != "2" { // tried again
		time.Sleep(5 * time.Millisecond)
	}
	put(t, s, "a", "3")
	if err := copier.Close(t.Context()); err != nil || copied() != "3" {
		t.Errorf("closed: %v, %q", err, copied())
	}
}

// TestThin keeps the newest, hours of a day and days of a month, and what they are
// made of.
func TestThin(t *testing.T) {
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	var list []entry
	for n := range 40 * 24 * 4 { // each quarter of an hour for 40 days
		list = append(list, entry{number: n, at: now.Add(-time.Duration(40*24*4-n) * 15 * time.Minute)})
	}
	left := len(list) - len(thin(list, now))
	if left < 16+20+29 || left > 16+25+32 {
		t.Errorf("%d are left", left)
	}

	to := newTarget(t)
	s := newStore(t)
	var last *Generation
	for n := range thinEvery {
		put(t, s, "a", fmt.Sprint(n))
		last = copyOf(t, to, s)
	}
	all, err := entries(t.Context(), to, last.Line)
	if err != nil || len(all) != 17 { // 16, and one of this hour
		t.Errorf("%d generations, %v", len(all), err)
	}
	for _, e := range all {
		if back := restored(t, to, Choice{Generation: e.number}); kept(t, back, "a") != fmt.Sprint(e.number-1) {
			t.Errorf("generation %d holds %q", e.number, kept(t, back, "a"))
		}
	}
}
