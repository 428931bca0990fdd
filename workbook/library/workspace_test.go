package library

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"wb/internal/diag"
	"wb/internal/identity"
)

// shelf is a library in a directory.
type shelf struct {
	t    *testing.T
	dir  string
	key  identity.Key
	work string // for checkouts
}

func newShelf(t *testing.T) *shelf {
	t.Helper()
	key, err := identity.FromSeed([]byte(strings.Repeat("k", 32)))
	if err != nil {
		t.Fatal(err)
	}
	s := &shelf{t, t.TempDir(), key, t.TempDir()}
	s.write("workspace.org", `#+TITLE: Reports
#+WORKSPACE: reports

* Sales analysis :member:
:PROPERTIES:
:PATH: sales/
:SCOPE: write
:END:
Prose that stays.
* One file :member:
:PROPERTIES:
:PATH: one.org
:SCOPE: write
:END:
* To be read :member:
:PROPERTIES:
:PATH: one.org
:END:
* No member
`)
	s.write("sales/a.org", "* A\n")
	s.write("sales/b.org", "* B\n")
	s.write("sales/data/c.csv", "1,2\n")
	s.write("sales/.wb/cache", "not taken")
	s.write("sales/events.org", "not taken")
	s.write("one.org", "* One\n")
	return s
}

func (s *shelf) path(name string) string { return filepath.Join(s.dir, filepath.FromSlash(name)) }

func (s *shelf) write(name, text string) { put(s.t, s.path(name), text) }

func put(t *testing.T, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// text is a file's content, "" when it is not there.
func text(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return string(data)
}

func (s *shelf) open() *Library {
	s.t.Helper()
	l, err := Open(Config{Dirs: []string{s.dir}, Key: s.key, Journals: filepath.Join(s.work, "journals")})
	if err != nil {
		s.t.Fatal(err)
	}
	return l
}

func (s *shelf) member(name string) (*Library, *Member) {
	s.t.Helper()
	l := s.open()
	m, err := l.Member(name)
	if err != nil {
		s.t.Fatal(err)
	}
	return l, m
}

func (s *shelf) status(name string) Status {
	s.t.Helper()
	l, m := s.member(name)
	status, _, err := l.Status(m)
	if err != nil {
		s.t.Fatal(err)
	}
	return status
}

// out checks a member out into a new directory.
func (s *shelf) out(name, to string) string {
	s.t.Helper()
	l, m := s.member(name)
	dir := filepath.Join(s.work, to)
	if _, _, err := l.CheckOut(m, dir); err != nil {
		s.t.Fatal(err)
	}
	return dir
}

func TestRoundTrip(t *testing.T) {
	s := newShelf(t)
	if got := s.status("sales-analysis"); got != StatusUnsigned {
		t.Errorf("at first: %s", got)
	}
	dir := s.out("reports/sales-analysis", "w")
	files, err := readTree(dir)
	if err != nil || !slices.Equal(slices.Sorted(maps.Keys(files)), []string{"a.org", "b.org", "data/c.csv"}) {
		t.Errorf("taken out: %v %v", files, err)
	}
	put(t, filepath.Join(dir, "a.org"), "* A, better\n")
	put(t, filepath.Join(dir, "new/d.org"), "* D\n")
	if err := os.Remove(filepath.Join(dir, "b.org")); err != nil {
		t.Fatal(err)
	}
	done, err := s.open().CheckIn(dir, false)
	if err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(done.Added, done.Changed, done.Removed) != "[new/d.org] [a.org] [b.org]" {
		t.Errorf("%+v", done)
	}
	if text(t, s.path("sales/a.org")) != "* A, better\n" || text(t, s.path("sales/new/d.org")) != "* D\n" || text(t, s.path("sales/b.org")) != "" {
		t.Error("the library does not have what was brought back")
	}
	manifest := text(t, s.path("workspace.org"))
	for _, want := range []string{":SOURCE_SHA256: ", ":SIGNED_BY: ", s.key.DID(), ":SIGNATURE: ", ":CHECKED_IN: ", "Prose that stays.", ":PATH: sales/"} {
		if !strings.Contains(manifest, want) {
			t.Errorf("the manifest has no %s:\n%s", want, manifest)
		}
	}
	if got := s.status("sales-analysis"); got != StatusSigned {
		t.Errorf("afterwards: %s", got)
	}
	if again, err := s.open().CheckIn(dir, false); err != nil || !again.Nothing() {
		t.Errorf("again: %+v %v", again, err)
	}
	if text(t, s.path("workspace.org")) != manifest {
		t.Error("a check-in of nothing changed the manifest")
	}
	s.write("sales/a.org", "* A, behind its back\n")
	if got := s.status("sales-analysis"); got != StatusChanged {
		t.Errorf("changed: %s", got)
	}
	s.write("workspace.org", strings.Replace(manifest, ":CHECKED_IN: [2", ":CHECKED_IN: [1", 1))
	if got := s.status("sales-analysis"); got != StatusForged {
		t.Errorf("with another time: %s", got)
	}
	l, m := s.member("sales-analysis")
	if _, _, err := l.CheckOut(m, filepath.Join(s.work, "forged")); !errors.As(err, new(*ForgedError)) {
		t.Errorf("checking out what is forged: %v", err)
	}
}

func TestOneFile(t *testing.T) {
	s := newShelf(t)
	dir := s.out("one-file", "w")
	put(t, filepath.Join(dir, "one.org"), "* One, better\n")
	if _, err := s.open().CheckIn(dir, false); err != nil {
		t.Fatal(err)
	}
	if got := text(t, s.path("one.org")); got != "* One, better\n" {
		t.Errorf("%q", got)
	}
	put(t, filepath.Join(dir, "two.org"), "* Two\n")
	if _, err := s.open().CheckIn(dir, false); err == nil {
		t.Error("a second file was added to a member that is one")
	}
}

func TestReadOnly(t *testing.T) {
	s := newShelf(t)
	dir := s.out("to-be-read", "w")
	put(t, filepath.Join(dir, "one.org"), "* Mine\n")
	if _, err := s.open().CheckIn(dir, false); !errors.As(err, new(*ScopeError)) {
		t.Errorf("%v", err)
	}
	if text(t, s.path("one.org")) != "* One\n" {
		t.Error("it was written all the same")
	}
}

// TestConflict changes one file on both sides, and others on one.
func TestConflict(t *testing.T) {
	s := newShelf(t)
	mine, other := s.out("sales-analysis", "mine"), s.out("sales-analysis", "other")
	put(t, filepath.Join(other, "a.org"), "* A of others\n")
	put(t, filepath.Join(other, "b.org"), "* B of others\n")
	if _, err := s.open().CheckIn(other, false); err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(mine, "a.org"), "* A of mine\n")
	put(t, filepath.Join(mine, "data/c.csv"), "3,4\n")
	_, err := s.open().CheckIn(mine, false)
	conflict := new(ConflictError)
	if !errors.As(err, &conflict) || !slices.Equal(conflict.Files, []string{"a.org"}) || conflict.ExitCode() != 6 {
		t.Fatalf("%v", err)
	}
	for file, want := range map[string]string{
		s.path("sales/a.org"): "* A of others\n", s.path("sales/data/c.csv"): "1,2\n", filepath.Join(mine, "a.org"): "* A of mine\n",
		filepath.Join(mine, "a.org.library"): "* A of others\n", filepath.Join(mine, "b.org"): "* B\n",
	} {
		if got := text(t, file); got != want {
			t.Errorf("%s holds %q, want %q", file, got, want)
		}
	}
	// The library goes on while the author merges: what was merged is stale.
	put(t, filepath.Join(other, "a.org"), "* A of others, later\n")
	if _, err := s.open().CheckIn(other, false); err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(mine, "a.org"), "* A of both\n")
	if _, err := s.open().CheckIn(mine, true); !errors.As(err, &conflict) {
		t.Errorf("a merge with what has changed since: %v", err)
	}
	if got := text(t, filepath.Join(mine, "a.org.library")); got != "* A of others, later\n" {
		t.Errorf("the library's version is %q", got)
	}
	done, err := s.open().CheckIn(mine, true)
	if err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(done.Changed, done.Updated) != "[a.org data/c.csv] [b.org]" {
		t.Errorf("%+v", done)
	}
	if text(t, s.path("sales/a.org")) != "* A of both\n" || text(t, filepath.Join(mine, "b.org")) != "* B of others\n" {
		t.Error("the merge is not in the library, or the library's file not here")
	}
}

// TestNothingIsLost has several authors change files at random and bring them
// back, conflicts and all: whatever anybody wrote is in the library, in a
// checkout, or was replaced by somebody who had seen it.
func TestNothingIsLost(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	s := newShelf(t)
	var dirs []string
	for i := range 3 {
		dirs = append(dirs, s.out("sales-analysis", fmt.Sprint("author", i)))
	}
	names := []string{"a.org", "b.org", "data/c.csv", "new.org"}
	for n := range 60 {
		dir := dirs[r.IntN(len(dirs))]
		name := names[r.IntN(len(names))]
		file := filepath.Join(dir, filepath.FromSlash(name))
		if r.IntN(3) > 0 {
			put(t, file, text(t, file)+fmt.Sprintf("line %d\n", n))
			continue
		}
		before := text(t, s.path("sales/"+name))
		_, err := s.open().CheckIn(dir, false)
		conflict := new(ConflictError)
		switch {
		case errors.As(err, &conflict):
			for _, f := range conflict.Files { // merge: the lines of both
				at := filepath.Join(dir, filepath.FromSlash(f))
				put(t, at, union(text(t, at+".library"), text(t, at)))
			}
			if _, err := s.open().CheckIn(dir, true); err != nil {
				t.Fatal(err)
			}
		case err != nil:
			t.Fatal(err)
		}
		if after := text(t, s.path("sales/"+name)); !contains(after, before) {
			t.Fatalf("step %d: the library's %s was\n%sand is\n%s", n, name, before, after)
		}
	}
	for _, dir := range dirs {
		if _, err := s.open().CheckIn(dir, false); err != nil && !errors.As(err, new(*ConflictError)) {
			t.Fatal(err)
		}
	}
	if got := s.status("sales-analysis"); got != StatusSigned {
		t.Errorf("in the end: %s", got)
	}
}

// union is the lines of both texts.
func union(a, b string) string {
	for line := range strings.Lines(b) {
		if !strings.Contains(a, line) {
			a += line
		}
	}
	return a
}

func contains(text, part string) bool {
	for line := range strings.Lines(part) {
		if !strings.Contains(text, line) {
			return false
		}
	}
	return true
}

// TestTwoAtOnce checks two directories in at the same time: one of them, or both
// after each other, never half of each.
func TestTwoAtOnce(t *testing.T) {
	s := newShelf(t)
	var dirs []string
	for i := range 4 {
		dir := s.out("sales-analysis", fmt.Sprint("w", i))
		for _, name := range []string{"a.org", "b.org"} {
			put(t, filepath.Join(dir, name), fmt.Sprintf("* by %d\n", i))
		}
		dirs = append(dirs, dir)
	}
	var all sync.WaitGroup
	errs := make([]error, len(dirs))
	for i, dir := range dirs {
		all.Go(func() { _, errs[i] = s.open().CheckIn(dir, false) })
	}
	all.Wait()
	won := 0
	for _, err := range errs {
		if err == nil {
			won++
		} else if !errors.As(err, new(*ConflictError)) {
			t.Errorf("%v", err)
		}
	}
	if a, b := text(t, s.path("sales/a.org")), text(t, s.path("sales/b.org")); won != 1 || a != b {
		t.Errorf("%d have won; the files are by %q and %q", won, a, b)
	}
	if got := s.status("sales-analysis"); got != StatusSigned {
		t.Errorf("in the end: %s", got)
	}
}

func TestManifests(t *testing.T) {
	s := newShelf(t)
	s.write("bad/workspace.org", `* Outside :member:
:PROPERTIES:
:PATH: ../sales
:END:
* Nowhere :member:
* Scoped :member:
:PROPERTIES:
:PATH: x.org
:SCOPE: everything
:END:
* Owned :member:
:PROPERTIES:
:PATH: x.org
:DID: did:web:example.com
:END:
* Fine :member:
:PROPERTIES:
:PATH: x.org
:END:
`)
	s.write("again/workspace.org", "#+WORKSPACE: Reports\n")
	l := s.open()
	var said []string
	for _, p := range l.Problems {
		said = append(said, strings.TrimPrefix(p.Error(), s.dir+string(filepath.Separator)))
	}
	for _, want := range []string{"bad/workspace.org:1:1: member Outside: ../sales is not below", "no :PATH: in the drawer of member Nowhere", `scope "everything"`, "member Owned: ", "a second workspace reports"} {
		if !slices.ContainsFunc(said, func(p string) bool { return strings.Contains(filepath.ToSlash(p), want) }) {
			t.Errorf("no problem %q among %q", want, said)
		}
	}
	if _, err := l.Member("bad/fine"); err != nil {
		t.Error(err)
	}
	if got := s.status("bad/fine"); got != StatusMissing {
		t.Errorf("%s", got)
	}
	if _, err := l.Member("nobody"); !errors.As(err, new(*diag.NotFoundError)) {
		t.Errorf("%v", err)
	}
}

// TestLinksLeadNowhere refuses members with links in them.
func TestLinksLeadNowhere(t *testing.T) {
	s := newShelf(t)
	if err := os.Symlink("/etc/hostname", s.path("sales/link")); err != nil {
		t.Skip(err)
	}
	l, m := s.member("sales-analysis")
	if _, _, err := l.CheckOut(m, filepath.Join(s.work, "w")); err == nil {
		t.Error("a link was followed or copied")
	}
}

// TestStranger has somebody sign who is not the member's owner.
func TestStranger(t *testing.T) {
	s := newShelf(t)
	dir := s.out("sales-analysis", "w")
	put(t, filepath.Join(dir, "a.org"), "* A\nmore\n")
	if _, err := s.open().CheckIn(dir, false); err != nil {
		t.Fatal(err)
	}
	owner := s.key.DID()
	var err error
	if s.key, err = identity.FromSeed([]byte(strings.Repeat("x", 32))); err != nil {
		t.Fatal(err)
	}
	if got := s.status("sales-analysis"); got != StatusStranger {
		t.Errorf("for another identity: %s", got)
	}
	s.write("workspace.org", strings.Replace(text(t, s.path("workspace.org")), ":SCOPE: write\n", ":SCOPE: write\n:DID: "+owner+"\n", 1))
	if got := s.status("sales-analysis"); got != StatusSigned {
		t.Errorf("with its owner's key in the drawer: %s", got)
	}
}
