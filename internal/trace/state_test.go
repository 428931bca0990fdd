package trace

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestIDs(t *testing.T) {
	now := noon
	ids := &IDs{Now: func() time.Time { return now }, Entropy: bytes.NewReader(bytes.Repeat([]byte{0xff}, 1000))}
	var made []string
	for i := range 50 {
		switch {
		case i == 20:
			now = now.Add(time.Millisecond)
		case i == 30:
			now = now.Add(-time.Hour) // the clock steps back
		}
		id, err := ids.New()
		if err != nil {
			t.Fatal(err)
		}
		made = append(made, id)
	}
	if !slices.IsSorted(made) || len(slices.Compact(slices.Clone(made))) != len(made) {
		t.Errorf("not increasing: %q", made)
	}
	if at, err := idTime(made[0]); err != nil || !at.Equal(noon) {
		t.Errorf("time of %s: %v, %v", made[0], at, err)
	}
	// The example of the ULID specification: 2016-07-30 23:54:10.259 UTC.
	if at, err := idTime("01ARZ3NDEKTSV4RRFFQ69G5FAV"); err != nil || at.UnixMilli() != 1469922850259 {
		t.Errorf("%v %v", at.UnixMilli(), err)
	}
	for _, bad := range []string{"", "01ARZ3NDEKTSV4RRFFQ69G5FA", "81ARZ3NDEKTSV4RRFFQ69G5FAV", "01ARZ3NDEKTSV4RRFFQ69G5FAU"} {
		if _, err := idTime(bad); err == nil {
			t.Errorf("%q is an id", bad)
		}
	}
	if _, err := (&IDs{Entropy: strings.NewReader("short")}).New(); err == nil {
		t.Error("an id without entropy")
	}
}

func TestBlobStore(t *testing.T) {
	s := NewBlobStore(filepath.Join(t.TempDir(), "blobs"))
	body := []byte("hello")
	const digest = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			put := s.Put
			if i%2 == 0 {
				put = s.PutSynced
			}
			if got, err := put(body); err != nil || got != digest {
				t.Errorf("%s %v", got, err)
			}
		})
	}
	wg.Wait()
	if got, err := s.Get(digest); err != nil || string(got) != "hello" {
		t.Errorf("%q %v", got, err)
	}
	if kept, err := filepath.Glob(filepath.Join(s.dir, "*", "*")); err != nil || len(kept) != 1 || kept[0] != s.path(digest) {
		t.Errorf("kept are %q, %v", kept, err)
	}
	if _, err := s.Get(strings.Repeat("0", 64)); !errors.Is(err, ErrNoBlob) {
		t.Errorf("missing: %v", err)
	}
	for _, bad := range []string{"", "../../../etc/passwd", strings.Repeat("A", 64), strings.Repeat("/", 64)} {
		if _, err := s.Get(bad); err == nil {
			t.Errorf("%q is a digest", bad)
		}
	}
	os.WriteFile(s.path(digest), []byte("jello"), 0o600)
	if _, err := s.Get(digest); err == nil || !strings.Contains(err.Error(), "changed") {
		t.Errorf("changed: %v", err)
	}
	os.WriteFile(s.path(digest), []byte("hel"), 0o600) // cut short: putting it again repairs it
	if _, err := s.Put(body); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Get(digest); err != nil || string(got) != "hello" {
		t.Errorf("repaired: %q %v", got, err)
	}
}

func TestJournal(t *testing.T) {
	state := NewState(t.TempDir())
	j, err := state.OpenJournal("run-a")
	if err != nil {
		t.Fatal(err)
	}
	for i, key := range []string{"a", "b", "a"} {
		kind := []EntryKind{EntryIntent, EntryModel, EntryEffect}[i]
		if e, err := j.Append(kind, key, []byte{byte('0' + i)}); err != nil || e.Seq != i {
			t.Fatalf("%+v %v", e, err)
		}
	}
	if e, ok := j.Find(EntryEffect, "a"); !ok || e.Seq != 2 {
		t.Errorf("%+v %v", e, ok)
	}
	if _, ok := j.Find(EntryEffect, "b"); ok {
		t.Error("an effect that never was")
	}
	if _, err := state.OpenJournal("run-a"); !errors.Is(err, ErrJournalBusy) {
		t.Errorf("opened twice: %v", err)
	}
	fork, err := state.OpenJournal("run-b")
	if err != nil {
		t.Fatal(err)
	}
	if err := j.CopyTo(fork, 2); err != nil {
		t.Fatal(err)
	}
	if e := fork.Entries(); len(e) != 2 || e[1].Run != "run-b" || e[1].Blob != j.Entries()[1].Blob {
		t.Errorf("fork: %+v", e)
	}
	if err := j.CopyTo(fork, 1); err == nil {
		t.Error("copied over a journal")
	}
	if err := errors.Join(j.Close(), fork.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := j.Append(EntryIntent, "c", nil); err == nil {
		t.Error("a closed journal takes entries")
	}
	path := filepath.Join(state.RunDir("run-a"), "journal.jsonl")
	whole := read(t, path)
	os.WriteFile(path, append(slices.Clone(whole), `{"seq":3,"ru`...), 0o600)
	if j, err = state.OpenJournal("run-a"); err != nil || len(j.Entries()) != 3 {
		t.Fatalf("torn: %v", err)
	}
	if e, err := j.Append(EntryApproval, "d", []byte("yes")); err != nil || e.Seq != 3 {
		t.Fatalf("after a torn line: %+v %v", e, err)
	}
	j.Close()
	if text := string(read(t, path)); !strings.HasPrefix(text, string(whole)+`{"seq":3,"run":"run-a","kind":"approval","key":"d","blob":"`) {
		t.Errorf("%s", text)
	}
	lines := bytes.SplitAfter(whole, newline)
	os.WriteFile(path, slices.Concat(lines[0], lines[2]), 0o600) // a line is gone
	var damage *JournalError
	if _, err := state.OpenJournal("run-a"); !errors.As(err, &damage) || damage.Line != 2 {
		t.Errorf("damaged: %v", err)
	}
	if _, err := state.OpenJournal("../x"); err == nil {
		t.Error("a run left the state directory")
	}
}

// An entry that cannot be written refuses the effect, and so does every later
// one: nobody knows what the file holds.
func TestJournalFailure(t *testing.T) {
	state := NewState(t.TempDir())
	j, err := state.OpenJournal("run-a")
	if err != nil {
		t.Fatal(err)
	}
	j.file.Close()
	for range 2 {
		if _, err := j.Append(EntryIntent, "a", nil); err == nil {
			t.Fatal("an entry that was not written was acknowledged")
		}
	}
	if len(j.Entries()) != 0 {
		t.Error("an entry that was not written counts")
	}
}

func TestStateDir(t *testing.T) {
	for want, env := range map[string]map[string]string{
		"/x":                   {"WB_STATE_DIR": "/x", "XDG_STATE_HOME": "/s", "HOME": "/h"},
		"/s/wb":                {"XDG_STATE_HOME": "/s", "HOME": "/h"},
		"/h/.local/state/wb":   {"HOME": "/h"},
		"/h/.local/state/wb/.": {"HOME": "/h", "XDG_STATE_HOME": "relative"},
	} {
		got, err := StateDir(func(name string) string { return env[name] })
		if err != nil || got != filepath.Clean(want) {
			t.Errorf("%v: %s %v", env, got, err)
		}
	}
}

// A directory that cannot be made is refused by its name, as not permitted; one that
// can be is made.
func TestReady(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(file, "wb")
	var refused *StateError
	if err := NewState(dir).Ready(); !errors.As(err, &refused) || refused.Dir != dir || refused.ExitCode() != 7 || !strings.Contains(refused.Hint(), dir) {
		t.Errorf("%v", err)
	}
	state := NewState(filepath.Join(t.TempDir(), "new", "wb"))
	if err := errors.Join(state.Ready(), state.Ready()); err != nil {
		t.Error(err)
	}
	if runs, err := state.Runs(); err != nil || len(runs) != 0 {
		t.Errorf("%v %v", runs, err)
	}
}

func TestRegister(t *testing.T) {
	state := NewState(t.TempDir())
	lease, err := state.Register(RunRecord{Run: "r1", Workbook: "/w/a.org", Started: noon})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := state.Register(RunRecord{Run: "r1"}); err == nil {
		t.Error("registered twice")
	}
	if _, err := state.Register(RunRecord{Run: "../r"}); err == nil {
		t.Error("left the state directory")
	}
	if runs, err := state.Runs(); err != nil || len(runs) != 1 || runs[0].Status != StatusRunning {
		t.Errorf("%v %+v", err, runs)
	}
	if err := lease.End("ok", noon.Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	if runs, err := state.Runs(); err != nil || len(runs) != 1 || runs[0].Status != "ok" || runs[0].Workbook != "/w/a.org" {
		t.Errorf("%v %+v", err, runs)
	}
	if runs, err := NewState(filepath.Join(t.TempDir(), "none")).Runs(); err != nil || runs != nil {
		t.Errorf("%v %+v", err, runs)
	}
}

// Short bodies stand in the entry, long ones and bytes that are not text are
// blobs, and journals from before bodies stood in entries are read.
func TestJournalBodies(t *testing.T) {
	state := NewState(t.TempDir())
	j, err := state.OpenJournal("run-a")
	if err != nil {
		t.Fatal(err)
	}
	old := []byte("from before")
	digest, err := state.Blobs().Put(old)
	if err != nil {
		t.Fatal(err)
	}
	bodies := [][]byte{nil, []byte("<short> & \u2028 \"plain\"\n"), {0xff, 0}, bytes.Repeat([]byte("long "), maxInline/4)}
	for _, body := range bodies {
		if _, err := j.Add(EntryEffect, "k", body); err != nil {
			t.Fatal(err)
		}
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(state.RunDir("run-a"), "journal.jsonl")
	whole := read(t, path)
	if n := bytes.Count(whole, []byte(`"body":`)); n != 2 {
		t.Errorf("%d bodies in entries, want 2:\n%.500s", n, whole)
	}
	os.WriteFile(path, append(whole, `{"seq":4,"run":"run-a","kind":"effect","key":"k","blob":"`+digest+"\"}\n"...), 0o600)
	if j, err = state.OpenJournal("run-a"); err != nil {
		t.Fatal(err)
	}
	for i, want := range append(bodies, old) {
		if got, err := j.Body(j.Entries()[i]); err != nil || !bytes.Equal(got, want) {
			t.Errorf("body %d is %.40q, want %.40q: %v", i, got, want, err)
		}
	}
	j.Close()
	os.WriteFile(path, bytes.Replace(whole, []byte("plain"), []byte("plane"), 1), 0o600)
	if j, err = state.OpenJournal("run-a"); err != nil {
		t.Fatal(err)
	}
	if _, err := j.Body(j.Entries()[1]); err == nil || !strings.Contains(err.Error(), "changed") {
		t.Errorf("a changed body was read: %v", err)
	}
	j.Close()
	// blocks of zeros where the power failed, with a whole line behind them
	lines := bytes.SplitAfter(whole, newline)
	os.WriteFile(path, slices.Concat(lines[0], lines[1], make([]byte, 700), lines[3]), 0o600)
	if j, err = state.OpenJournal("run-a"); err != nil || len(j.Entries()) != 2 {
		t.Fatalf("after a loss of power: %v", err)
	}
	if e, err := j.Append(EntryEffect, "k", nil); err != nil || e.Seq != 2 {
		t.Errorf("%+v %v", e, err)
	}
	j.Close()
	if j, err = state.OpenJournal("run-a"); err != nil || len(j.Entries()) != 3 {
		t.Errorf("opened again: %v", err)
	}
	j.Close()
}

// idTime is the moment a run id was made, to the millisecond.
func idTime(id string) (time.Time, error) {
	if len(id) != idLen || id[0] > '7' {
		return time.Time{}, fmt.Errorf("%q is not a run id", id)
	}
	var ms int64
	for i, c := range []byte(id) {
		digit := -1
		for k := range crockford {
			if crockford[k] == c {
				digit = k
			}
		}
		if digit < 0 {
			return time.Time{}, fmt.Errorf("%q is not a run id", id)
		}
		if i < 10 {
			ms = ms<<5 | int64(digit)
		}
	}
	return time.UnixMilli(ms), nil
}
