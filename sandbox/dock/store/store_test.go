package store

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

var small = Limits{Keys: 3, Value: 10, KeysBytes: 25, Depth: 2, Queues: 2, Message: 10, File: 10, Volume: 25, Files: 3, Variables: 2, VariableOf: 40, Name: 20, Rows: 4}

func seal() ([]byte, error) { return bytes.Repeat([]byte{7}, 32), nil }

func open(t *testing.T) *Store {
	t.Helper()
	s := Open(Config{Dir: t.TempDir(), Seal: seal, Limits: small})
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// overLimit checks that err is a LimitError.
func overLimit(t *testing.T, what string, err error) {
	t.Helper()
	var limit *LimitError
	if !errors.As(err, &limit) {
		t.Errorf("%s: one over the limit gives %v", what, err)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestKV(t *testing.T) {
	s, ctx := open(t), t.Context()
	if _, found, err := s.Get(ctx, "a", "k"); found || err != nil {
		t.Fatal(found, err)
	}
	must(t, s.Put(ctx, "a", "k", []byte{0xff, 0}))
	must(t, s.Put(ctx, "b", "k", []byte("other")))
	must(t, s.Put(ctx, "a", "k", nil))
	if v, found, err := s.Get(ctx, "a", "k"); !found || len(v) != 0 || err != nil {
		t.Error("an empty value:", v, found, err)
	}
	must(t, s.Put(ctx, "a", "k", bytes.Repeat([]byte("x"), 10)))
	overLimit(t, "value", s.Put(ctx, "a", "k", bytes.Repeat([]byte("x"), 11)))
	must(t, s.Put(ctx, "a", "l", bytes.Repeat([]byte("x"), 10)))
	must(t, s.Put(ctx, "a", "m", bytes.Repeat([]byte("x"), 5)))
	overLimit(t, "bytes of all values", s.Put(ctx, "a", "m", bytes.Repeat([]byte("x"), 6)))
	overLimit(t, "keys", s.Put(ctx, "a", "n", nil))
	must(t, s.Put(ctx, "b", "n", nil)) // another scope has room
	must(t, s.Delete(ctx, "a", "l"))
	must(t, s.Put(ctx, "a", strings.Repeat("n", 20), nil))
	overLimit(t, "name", s.Put(ctx, "a", strings.Repeat("n", 21), nil))
	var name *NameError
	for _, bad := range []string{"", "a\x00b", "a\nb"} {
		if err := s.Put(ctx, "a", bad, nil); !errors.As(err, &name) {
			t.Errorf("key %q: %v", bad, err)
		}
	}
	keys, err := s.Keys(ctx, "a", "")
	must(t, err)
	if want := []string{"k", "m", strings.Repeat("n", 20)}; !slices.Equal(keys, want) {
		t.Error(keys, want)
	}
	if keys, err = s.Keys(ctx, "a", "m"); err != nil || !slices.Equal(keys, []string{"m"}) {
		t.Error(keys, err)
	}
	if keys, err = s.Keys(ctx, "a", "\xff\xff"); err != nil || len(keys) != 0 {
		t.Error(keys, err)
	}
}

func TestQueue(t *testing.T) {
	s, ctx := open(t), t.Context()
	must(t, s.Push(ctx, "a", "q", []byte("1")))
	must(t, s.Push(ctx, "a", "q", bytes.Repeat([]byte("x"), 10)))
	overLimit(t, "depth", s.Push(ctx, "a", "q", []byte("3")))
	overLimit(t, "message", s.Push(ctx, "a", "r", bytes.Repeat([]byte("x"), 11)))
	must(t, s.Push(ctx, "a", "r", nil))
	overLimit(t, "queues", s.Push(ctx, "a", "s", nil))
	if n, err := s.Length(ctx, "a", "q"); n != 2 || err != nil {
		t.Error(n, err)
	}
	if m, found, err := s.Pop(ctx, "a", "q"); string(m) != "1" || !found || err != nil {
		t.Error(m, found, err)
	}
	if _, found, err := s.Pop(ctx, "b", "q"); found || err != nil {
		t.Error("another scope has the message", err)
	}
	must(t, s.Push(ctx, "a", "q", []byte("3")))
}

// TestQueueOnce takes every message exactly once, whoever takes them.
func TestQueueOnce(t *testing.T) {
	dir := t.TempDir()
	first, second := Open(Config{Dir: dir}), Open(Config{Dir: dir})
	defer first.Close()
	defer second.Close()
	const n = 60
	for i := range n {
		must(t, first.Push(t.Context(), "a", "q", fmt.Appendf(nil, "%d", i)))
	}
	var mu sync.Mutex
	seen := map[string]int{}
	var all sync.WaitGroup
	for _, s := range []*Store{first, second, first, second} {
		all.Go(func() {
			for {
				m, found, err := s.Pop(context.Background(), "a", "q")
				if err != nil {
					t.Error(err)
				}
				if !found {
					return
				}
				mu.Lock()
				seen[string(m)]++
				mu.Unlock()
			}
		})
	}
	all.Wait()
	for i := range n {
		if seen[fmt.Sprint(i)] != 1 {
			t.Errorf("message %d was taken %d times", i, seen[fmt.Sprint(i)])
		}
	}
}

func TestVolumes(t *testing.T) {
	s, ctx := open(t), t.Context()
	must(t, s.WriteFile(ctx, "a/b.txt", bytes.Repeat([]byte("x"), 10)))
	overLimit(t, "file", s.WriteFile(ctx, "c", bytes.Repeat([]byte("x"), 11)))
	must(t, s.WriteFile(ctx, "c", bytes.Repeat([]byte("x"), 10)))
	must(t, s.WriteFile(ctx, "d", bytes.Repeat([]byte("x"), 5)))
	overLimit(t, "volume", s.WriteFile(ctx, "d", bytes.Repeat([]byte("x"), 6)))
	overLimit(t, "files", s.WriteFile(ctx, "e", nil))
	must(t, s.WriteFile(ctx, "memory:e", []byte("é")))
	must(t, s.WriteFile(ctx, "tmp:e", []byte{0xff}))
	if v, found, err := s.ReadFile(ctx, "workspace:a/./b.txt"); len(v) != 10 || !found || err != nil {
		t.Error(v, found, err)
	}
	names, err := s.ListFiles(ctx, "memory:")
	if err != nil || !slices.Equal(names, []string{"memory:e"}) {
		t.Error(names, err)
	}
	columns, rows, err := s.Query(ctx, "SELECT volume, path, content FROM vfs WHERE volume <> 'workspace' ORDER BY 1")
	if err != nil || fmt.Sprint(columns, rows) != "[volume path content] [[memory e é] [tmp e /w==]]" {
		t.Error(columns, rows, err)
	}
	must(t, s.ClearVolume(ctx, "tmp"))
	if _, found, _ := s.ReadFile(ctx, "tmp:e"); found {
		t.Error("tmp was not cleared")
	}
	var name *NameError
	for _, bad := range []string{"", "/", "..", "a/../../b", "memory:", "memory:../x", "a\x00", `a\b`, "dir/", "\xff"} {
		if err := s.WriteFile(ctx, bad, nil); !errors.As(err, &name) {
			t.Errorf("path %q: %v", bad, err)
		}
	}
}

// TestQueryOnly lets no question do more than ask about the table.
func TestQueryOnly(t *testing.T) {
	s, ctx := open(t), t.Context()
	must(t, s.WriteFile(ctx, "a", []byte("1")))
	for _, bad := range []string{
		"DELETE FROM vfs", "INSERT INTO vfs VALUES('tmp','x','y',1)", "DROP TABLE vfs", "PRAGMA database_list", "ATTACH 'x' AS y",
		"SELECT 1; DELETE FROM vfs", "WITH x AS (SELECT 1) DELETE FROM vfs", "SELECT * FROM pragma_database_list", `SELECT * FROM "PRAGMA_database_list"`,
		"VACUUM INTO '/tmp/x'", "SELECT load_extension('x')", "SELECT zeroblob(1000000000)", "SELECT randomblob(900000000)", "",
		"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n", "SELECT * FROM nothing",
	} {
		if _, rows, err := s.Query(ctx, bad); err == nil {
			t.Errorf("%s: %v", bad, rows)
		}
	}
	values := "VALUES (1), (2), (3), (4)"
	if _, rows, err := s.Query(ctx, values); len(rows) != 4 || err != nil {
		t.Error(rows, err)
	}
	_, _, err := s.Query(ctx, values+", (5)")
	overLimit(t, "rows", err)
	must(t, s.WriteFile(ctx, "b", []byte("2"))) // the store can still write
	if v, _, _ := s.ReadFile(ctx, "a"); string(v) != "1" {
		t.Error("the file changed:", v)
	}
}

func TestVariables(t *testing.T) {
	s, ctx := open(t), t.Context()
	must(t, s.SetVar(ctx, "a", "plain", Plain, []byte("value")))
	must(t, s.SetVar(ctx, "a", "key", Secret, bytes.Repeat([]byte("k"), 40)))
	overLimit(t, "secret", s.SetVar(ctx, "a", "key", Secret, bytes.Repeat([]byte("k"), 41)))
	overLimit(t, "variables", s.SetVar(ctx, "a", "third", Plain, nil))
	if v, found, err := s.Var(ctx, "a", "plain"); v.Value != "value" || !found || err != nil {
		t.Error(v, found, err)
	}
	if v, _, err := s.Var(ctx, "a", "key"); v.Value != "" || v.Size != 40 || v.Kind != Secret || err != nil {
		t.Error(v, err)
	}
	got, found, err := s.Sign(ctx, "a", "key", []byte("data"))
	h := hmac.New(sha256.New, bytes.Repeat([]byte("k"), 40))
	h.Write([]byte("data"))
	if !bytes.Equal(got, h.Sum(nil)) || !found || err != nil {
		t.Error("HMAC:", got, found, err)
	}
	if _, found, err := s.Sign(ctx, "a", "plain", nil); found || err != nil {
		t.Error("a plain variable signs", err)
	}
	was, err := s.UnsetVar(ctx, "a", "plain")
	if !was || err != nil {
		t.Error(was, err)
	}
	must(t, s.SetVar(ctx, "a", "ed", Ed25519, nil))
	public, _, err := s.Public(ctx, "a", "ed")
	must(t, err)
	signature, _, err := s.Sign(ctx, "a", "ed", []byte("data"))
	if err != nil || !ed25519.Verify(public, []byte("data"), signature) {
		t.Error("Ed25519:", err)
	}
	if _, found, err := s.Expand(ctx, "a", "ed"); found || err != nil {
		t.Error("a signing key is sent", err)
	}
	for _, bad := range []string{"", "1a", "a b", "a}}", "é", strings.Repeat("a", 129)} {
		if err := s.SetVar(ctx, "a", bad, Plain, nil); err == nil {
			t.Errorf("variable %q", bad)
		}
	}
	if err := s.SetVar(ctx, "a", "ed", Ed25519, make([]byte, 31)); err == nil {
		t.Error("a seed of 31 bytes")
	}
}

// TestSealed looks for a secret in the files, and moves it where it must not
// open.
func TestSealed(t *testing.T) {
	const canary = "canary-Zk3-in-no-file"
	dir := t.TempDir()
	s := Open(Config{Dir: dir, Seal: seal})
	must(t, s.SetVar(t.Context(), "a", "key", Secret, []byte(canary)))
	must(t, s.SetVar(t.Context(), "a", "other", Secret, []byte("x")))
	db, err := s.open(t.Context(), dockFile)
	must(t, err)
	_, err = db.Exec(`UPDATE variable SET value = (SELECT value FROM variable WHERE name = 'key') WHERE name = 'other'`)
	must(t, err)
	if _, _, err := s.Sign(t.Context(), "a", "other", nil); err == nil || strings.Contains(err.Error(), canary) {
		t.Error("a moved secret:", err)
	}
	must(t, s.Close())
	must(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		if bytes.Contains(data, []byte(canary)) {
			t.Errorf("%s holds the secret", path)
		}
		info, _ := d.Info()
		if info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s may be read by others: %v", path, info.Mode())
		}
		return err
	}))
	wrong := Open(Config{Dir: dir, Seal: func() ([]byte, error) { return make([]byte, 32), nil }})
	defer wrong.Close()
	if _, found, err := wrong.Sign(t.Context(), "a", "key", nil); found || err == nil {
		t.Error("opened with another key")
	}
}
