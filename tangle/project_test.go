package tangle

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// project is a directory with a document, for tests.
type project struct {
	t   testing.TB
	dir string
	Project
}

func newProject(t testing.TB, doc string) *project {
	p := &project{t: t, dir: t.TempDir()}
	p.Records.State = filepath.Join(t.TempDir(), "state")
	p.write("doc.org", doc)
	return p
}

func (p *project) path(name string) string { return filepath.Join(p.dir, filepath.FromSlash(name)) }

func (p *project) write(name, text string) {
	p.t.Helper()
	if err := os.MkdirAll(filepath.Dir(p.path(name)), 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(p.path(name), []byte(text), 0o644); err != nil {
		p.t.Fatal(err)
	}
}

func (p *project) read(name string) string {
	p.t.Helper()
	text, err := os.ReadFile(p.path(name))
	if err != nil {
		p.t.Fatal(err)
	}
	return string(text)
}

func (p *project) tangle() (*Report, error) { return p.Tangle(context.Background(), p.path("doc.org")) }

func (p *project) mustTangle() *Report {
	p.t.Helper()
	report, err := p.tangle()
	if err != nil {
		p.t.Fatal(err)
	}
	return report
}

func (p *project) detangle(names ...string) *Recovery {
	p.t.Helper()
	for i, name := range names {
		names[i] = p.path(name)
	}
	all, err := p.Project.Detangle(context.Background(), names, true)
	if err != nil || len(all) != 1 {
		p.t.Fatalf("%d documents, %v", len(all), err)
	}
	return all[0]
}

const twoFiles = "#+begin_src sh :tangle a.sh\necho a\n#+end_src\n#+begin_src sh :tangle b.sh :tangle-mode o700\necho b\n#+end_src\n"

func TestTangleTouchesOnlyWhatChanged(t *testing.T) {
	p := newProject(t, twoFiles)
	p.mustTangle()
	long := time.Now().Add(-time.Hour).Truncate(time.Second)
	for _, name := range []string{"a.sh", "b.sh"} {
		if err := os.Chtimes(p.path(name), long, long); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(p.path("b.sh"), 0o600); err != nil {
		t.Fatal(err)
	}
	p.write("doc.org", strings.Replace(twoFiles, "echo a", "echo A", 1))
	report := p.mustTangle()
	if report.Changes[0].Action != Changed || report.Changes[1].Action != Chmod {
		t.Errorf("%v %v", report.Changes[0].Action, report.Changes[1].Action)
	}
	info, err := os.Stat(p.path("b.sh"))
	if err != nil || !info.ModTime().Equal(long) || info.Mode().Perm() != 0o700 {
		t.Errorf("b.sh: %v %v", info, err)
	}
	if p.read("a.sh") != "echo A\n" {
		t.Error("a.sh was not written")
	}
	if entries, _ := os.ReadDir(p.dir); len(entries) != 3 {
		t.Errorf("left behind: %v", entries)
	}
}

func TestCompareWritesNothing(t *testing.T) {
	p := newProject(t, twoFiles)
	report, err := p.Compare(context.Background(), p.path("doc.org"))
	if err != nil || !report.Differs() {
		t.Fatalf("%v %v", report, err)
	}
	if want := "--- /dev/null\n+++ a.sh\n@@ -0,0 +1 @@\n+echo a\n"; !strings.Contains(report.Diff(), want) {
		t.Errorf("got %s", report.Diff())
	}
	if entries, _ := os.ReadDir(p.dir); len(entries) != 1 {
		t.Errorf("written: %v", entries)
	}
}

func TestTangleStaysInside(t *testing.T) {
	block := func(path string) string { return "#+begin_src sh :tangle " + path + " :mkdirp yes\nx\n#+end_src\n" }
	for _, path := range []string{"../out.sh", "/tmp/wb-tangle-out.sh", "sub/../../out.sh"} {
		p := newProject(t, block("ok.sh")+block(path))
		if _, err := p.tangle(); !errors.Is(err, ErrOutside) {
			t.Errorf("%s: %v", path, err)
		}
		if _, err := os.Stat(p.path("ok.sh")); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: ok.sh was written although another file was refused", path)
		}
	}
	p := newProject(t, block("sub/in.sh"))
	p.write("elsewhere/x", "")
	p.dir = filepath.Join(p.dir, "work")
	p.write("doc.org", block("../out.sh"))
	p.Write.AllowOutside = true
	if p.mustTangle(); p.read("../out.sh") != "x\n" {
		t.Error("not written although it was allowed")
	}
}

func TestTangleDoesNotFollowLinks(t *testing.T) {
	outside := t.TempDir()
	victim := filepath.Join(outside, "victim")
	if err := os.WriteFile(victim, []byte("precious\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, target := range []string{"link.sh", "dir/file.sh"} {
		p := newProject(t, "#+begin_src sh :tangle "+target+"\nx\n#+end_src\n")
		if err := os.Symlink(victim, p.path("link.sh")); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(outside, p.path("dir")); err != nil {
			t.Fatal(err)
		}
		if _, err := p.tangle(); !errors.Is(err, ErrSymlink) {
			t.Errorf("%s: %v", target, err)
		}
	}
	if text, _ := os.ReadFile(victim); string(text) != "precious\n" {
		t.Errorf("the link was followed: %s", text)
	}
	if _, err := os.Stat(filepath.Join(outside, "file.sh")); !errors.Is(err, fs.ErrNotExist) {
		t.Error("the link to a directory was followed")
	}
}

func TestTangleNeedsItsDirectory(t *testing.T) {
	p := newProject(t, "#+begin_src sh :tangle new/a.sh\nx\n#+end_src\n")
	if _, err := p.tangle(); err == nil || !strings.Contains(err.Error(), ":mkdirp yes") {
		t.Errorf("%v", err)
	}
}

// A file without a directory is named and keeps no other from being written; a
// directory that :mkdirp makes for one file is there for all.
func TestTangleWritesTheOthers(t *testing.T) {
	p := newProject(t, "#+begin_src sh :tangle new/a.sh\nx\n#+end_src\n#+begin_src sh :tangle b.sh\ny\n#+end_src\n"+
		"#+begin_src sh :tangle made/c.sh\nz\n#+end_src\n#+begin_src sh :tangle made/deep/d.sh :mkdirp yes\nz\n#+end_src\n")
	report, err := p.tangle()
	if err == nil || !strings.Contains(err.Error(), "doc.org:1:1: new/a.sh: directory") {
		t.Errorf("%v", err)
	}
	if report == nil || len(report.Changes) != 3 {
		t.Errorf("%+v", report)
	}
	for _, name := range []string{"b.sh", "made/c.sh", "made/deep/d.sh"} {
		if p.read(name) == "" {
			t.Errorf("%s is not written", name)
		}
	}
}

func TestTangleKeepsEditedText(t *testing.T) {
	p := newProject(t, twoFiles)
	p.mustTangle()
	p.write("a.sh", "echo mine\n")
	report := p.mustTangle()
	if p.read("a.sh") != "echo a\n" {
		t.Error("a.sh was not tangled")
	}
	if len(report.Kept) != 1 || report.Kept[0].File != "a.sh" {
		t.Fatalf("%+v", report.Kept)
	}
	if text, _ := os.ReadFile(report.Kept[0].Copy); string(text) != "echo mine\n" {
		t.Errorf("kept %q", text)
	}
}

func TestDetangleFiles(t *testing.T) {
	p := newProject(t, twoFiles)
	p.mustTangle()
	p.write("a.sh", "echo mine\n")
	p.write("b.sh", "echo b\necho more\n")
	if r := p.detangle("a.sh"); len(r.Applied) != 1 || len(r.Conflicts) != 0 || !strings.Contains(r.Diff(), "+echo mine") {
		t.Errorf("%+v", r.Detangled)
	}
	if got := p.read("doc.org"); !strings.Contains(got, "echo mine") || strings.Contains(got, "more") {
		t.Errorf("only a.sh should have come back:\n%s", got)
	}
	if r := p.detangle("doc.org"); len(r.Applied) != 1 || len(r.Conflicts) != 0 {
		t.Errorf("%+v", r.Detangled)
	}
	if report := p.mustTangle(); report.Differs() || len(report.Kept) > 0 {
		t.Errorf("after detangling nothing is left to tangle: %+v", report.Changes)
	}
}

// A conflict stays in the edited file and shows again; what could be brought
// back is not shown twice.
func TestDetangleConflictStays(t *testing.T) {
	p := newProject(t, twoFiles+"#+begin_src sh :tangle a.sh\necho second\n#+end_src\n")
	p.mustTangle()
	p.write("a.sh", "echo mine\n\necho 2nd\n")
	p.write("doc.org", strings.Replace(p.read("doc.org"), "echo a", "echo theirs", 1))
	for round := range 2 {
		r := p.detangle("a.sh")
		if len(r.Conflicts) != 1 || len(r.Applied) != 1-round {
			t.Fatalf("round %d: %+v", round, r.Detangled)
		}
	}
	if got := p.read("doc.org"); !strings.Contains(got, "echo theirs") || !strings.Contains(got, "echo 2nd") {
		t.Errorf("%s", got)
	}
	report := p.mustTangle()
	if len(report.Kept) != 1 {
		t.Error("the conflicting text was overwritten without a copy")
	}
}

func TestRecordsLieBesideTheDocumentWhenTheyMay(t *testing.T) {
	p := newProject(t, twoFiles)
	if err := os.Mkdir(p.path(".wb"), 0o755); err != nil {
		t.Fatal(err)
	}
	p.mustTangle()
	if entries, err := os.ReadDir(p.path(".wb/tangle-map")); err != nil || len(entries) != 2 {
		t.Fatalf("%v %v", entries, err)
	}
	// The whole directory may be moved.
	moved := filepath.Join(t.TempDir(), "moved")
	if err := os.Rename(p.dir, moved); err != nil {
		t.Fatal(err)
	}
	p.dir = moved
	p.write("a.sh", "echo mine\n")
	if r := p.detangle("a.sh"); len(r.Applied) != 1 {
		t.Errorf("%+v", r.Detangled)
	}
}

func TestDetangleFindsTheDocumentByItsLinks(t *testing.T) {
	p := newProject(t, "* H\n#+begin_src sh :tangle sub/a.sh :comments link :mkdirp yes\necho a\n#+end_src\n")
	p.mustTangle()
	p.Records = Records{}
	p.write("sub/a.sh", strings.Replace(p.read("sub/a.sh"), "echo a", "echo b", 1))
	if r := p.detangle("sub/a.sh"); len(r.Applied) != 1 {
		t.Errorf("%+v", r.Detangled)
	}
	p.write("other.sh", "x\n")
	if _, err := p.Project.Detangle(context.Background(), []string{p.path("other.sh")}, true); !errors.Is(err, ErrSource) {
		t.Errorf("%v", err)
	}
}

func TestSyncGoesBothWays(t *testing.T) {
	p := newProject(t, twoFiles)
	sync := func() *Synced {
		t.Helper()
		s, err := p.Sync(context.Background(), p.path("doc.org"))
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	if s := sync(); s.Recovery != nil || p.read("a.sh") != "echo a\n" {
		t.Errorf("first: %+v", s)
	}
	p.write("a.sh", "echo from file\n")
	p.write("doc.org", strings.Replace(p.read("doc.org"), "echo b", "echo from doc", 1))
	if s := sync(); s.Recovery == nil || len(s.Recovery.Conflicts) > 0 {
		t.Errorf("second: %+v", s.Recovery)
	}
	if doc := p.read("doc.org"); !strings.Contains(doc, "from file") || p.read("b.sh") != "echo from doc\n" || p.read("a.sh") != "echo from file\n" {
		t.Errorf("not both ways:\n%s", doc)
	}
	p.write("a.sh", "echo mine\n")
	p.write("doc.org", strings.Replace(p.read("doc.org"), "from file", "theirs", 1))
	if s := sync(); s.Recovery == nil || len(s.Recovery.Conflicts) != 1 || p.read("a.sh") != "echo mine\n" {
		t.Errorf("a conflict must leave the file alone: %+v", s.Recovery)
	}
}
