package orgfile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"wb/org"
)

func write(t *testing.T, path, text string, mode os.FileMode) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func open(t *testing.T, path string) *File {
	t.Helper()
	f, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// onlyFiles fails if the directory holds anything else, such as a temporary
// file.
func onlyFiles(t *testing.T, dir string, names ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var have []string
	for _, e := range entries {
		have = append(have, e.Name())
	}
	if strings.Join(have, " ") != strings.Join(names, " ") {
		t.Errorf("directory holds %v, want %v", have, names)
	}
}

func TestApplyKeepsModeAndOtherBytes(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.org")
	write(t, path, "* TODO a  \r\n* b", 0o640)
	f := open(t, path)
	for h := range f.Doc.Headlines() {
		edits, err := org.SetKeyword(h, "DONE")
		if err != nil {
			t.Fatal(err)
		}
		if f, err = f.Apply(edits); err != nil {
			t.Fatal(err)
		}
		break
	}
	if got := read(t, path); got != "* DONE a  \r\n* b" || f.Doc.Source() != got {
		t.Errorf("file holds %q, document %q", got, f.Doc.Source())
	}
	if info, _ := os.Stat(path); info.Mode().Perm() != 0o640 {
		t.Errorf("mode is %v", info.Mode())
	}
	onlyFiles(t, dir, "a.org")
}

func TestWriteAfterWrite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.org")
	write(t, path, "a", 0o600)
	f := open(t, path)
	for _, text := range []string{"b", "", "longer than before\n"} {
		next, err := f.Write([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if f = next; read(t, path) != text {
			t.Fatalf("file holds %q, want %q", read(t, path), text)
		}
	}
}

func TestConflicts(t *testing.T) {
	for name, meanwhile := range map[string]func(dir, path string){
		"changed":   func(_, path string) { write(t, path, "changed", 0o600) },
		"longer":    func(_, path string) { write(t, path, "one\n\n", 0o600) },
		"truncated": func(_, path string) { write(t, path, "", 0o600) },
		"removed":   func(_, path string) { os.Remove(path) },
		"moved link": func(dir, path string) {
			write(t, filepath.Join(dir, "b.org"), "one\n", 0o600)
			os.Remove(path)
			os.Symlink("b.org", path)
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "a.org")
			write(t, path, "one\n", 0o600)
			f := open(t, path)
			meanwhile(dir, path)
			_, err := f.Write([]byte("two\n"))
			var conflict *ConflictError
			if !errors.As(err, &conflict) || conflict.Path != path {
				t.Fatalf("got %v, want a conflict", err)
			}
			if got, err := os.ReadFile(path); err == nil && string(got) == "two\n" {
				t.Error("the file was written all the same")
			}
		})
	}
}

func TestSameContentsAreNotWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.org")
	write(t, path, "one\n", 0o600)
	before, _ := os.Stat(path)
	if _, err := open(t, path).Write([]byte("one\n")); err != nil {
		t.Fatal(err)
	}
	if after, _ := os.Stat(path); !os.SameFile(before, after) {
		t.Error("the file was replaced")
	}
}

func TestSymlinkStays(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "real"), 0o700); err != nil {
		t.Fatal(err)
	}
	target := filepath.Join(dir, "real", "a.org")
	write(t, target, "one", 0o600)
	link := filepath.Join(dir, "link.org")
	if err := os.Symlink("real/a.org", link); err != nil {
		t.Skip(err)
	}
	if _, err := open(t, link).Write([]byte("two")); err != nil {
		t.Fatal(err)
	}
	if info, _ := os.Lstat(link); info.Mode()&os.ModeSymlink == 0 {
		t.Error("the link became a file")
	}
	if got := read(t, target); got != "two" {
		t.Errorf("target holds %q", got)
	}
	onlyFiles(t, filepath.Join(dir, "real"), "a.org")
}

func TestOnlyRegularFiles(t *testing.T) {
	if _, err := Read(t.TempDir()); err == nil {
		t.Error("read a directory")
	}
	if _, err := os.Stat("/dev/null"); err == nil {
		if _, err := Read("/dev/null"); err == nil {
			t.Error("read a device")
		}
	}
}

func TestReadOnlyFileIsNotReplaced(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("root may write everything")
	}
	path := filepath.Join(t.TempDir(), "a.org")
	write(t, path, "one", 0o400)
	if _, err := open(t, path).Write([]byte("two")); !errors.Is(err, os.ErrPermission) {
		t.Errorf("got %v, want permission denied", err)
	}
}

// TestWritersExcludeEachOther lets many writers add a line each, reading the
// file anew after each conflict: no line may get lost.
func TestWritersExcludeEachOther(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.org")
	write(t, path, "", 0o600)
	const writers, each = 4, 10
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for i := range each {
				for {
					f, err := Read(path)
					if err != nil {
						t.Error(err)
						return
					}
					_, err = f.Write(fmt.Appendf([]byte(f.Doc.Source()), "writer %d line %d\n", w, i))
					var conflict *ConflictError
					if errors.As(err, &conflict) {
						continue
					}
					if err != nil {
						t.Error(err)
						return
					}
					break
				}
			}
		})
	}
	wg.Wait()
	if lines := strings.Count(read(t, path), "\n"); lines != writers*each {
		t.Errorf("file has %d lines, want %d", lines, writers*each)
	}
}

// What a killed writer left beside a file goes with the next write of that file;
// what belongs to other files, to the author or to a journal stays.
// Whoever looks for the changes of the dead while others write leaves the
// changes of the living alone: no journal vanishes under its writer, and no file
// that was written twice looks like a conflict.
func TestRecoverAmongTheLiving(t *testing.T) {
	dir := t.TempDir()
	journals := filepath.Join(dir, "journals")
	paths := []string{filepath.Join(dir, "a.org"), filepath.Join(dir, "b.org")}
	for _, path := range paths {
		if err := os.WriteFile(path, []byte("* first\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	replace := func(text string) error {
		var writes []Replacement
		for _, path := range paths {
			f, err := Read(path)
			if err != nil {
				return err
			}
			writes = append(writes, Replacement{File: f, New: []byte(text)})
		}
		return WriteAll(journals, writes)
	}
	var all sync.WaitGroup
	for writer := range 3 {
		all.Go(func() {
			for n := range 30 {
				err := replace(fmt.Sprintf("* %d of %d\n", n, writer))
				if _, ok := errors.AsType[*ConflictError](err); err != nil && !ok {
					t.Error(err)
				}
			}
		})
		all.Go(func() {
			for range 100 {
				if _, err := Recover(journals); err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
}

func TestSweepAfterKill(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.org")
	write(t, path, "* A\n", 0o644)
	stay := []string{".a.org.1.2.tmp", ".a.org.12.staged", ".a.org.draft.tmp", ".a.org.tmp", ".b.org.12.tmp"}
	for _, name := range append([]string{".a.org.12.tmp", ".a.org.3948573945.tmp"}, stay...) {
		write(t, filepath.Join(dir, name), "* half", 0o644)
	}
	f := open(t, path)
	if locked, _, err := openLocked(path); err != nil || !locks(locked) {
		t.Skipf("no locks here: %v", err)
	} else {
		locked.Close()
	}
	if _, err := f.Apply([]org.Edit{{Start: 0, End: 0, New: "text\n"}}); err != nil {
		t.Fatal(err)
	}
	if got := read(t, path); got != "text\n* A\n" {
		t.Errorf("wrote %q", got)
	}
	onlyFiles(t, dir, append(stay, "a.org")...)
}

// TestSweepStaged: what a writer staged that was killed before it had a journal
// goes with the next change in the directory, and nothing else does.
func TestSweepStaged(t *testing.T) {
	dir, journals := t.TempDir(), t.TempDir()
	path := filepath.Join(dir, "a.org")
	write(t, path, "* A\n", 0o644)
	write(t, filepath.Join(dir, "b.org"), "* B\n", 0o644)
	stay := []string{".b.org.7.staged", ".c.org.3.staged", ".b.org.x.staged", "b.org.3.staged", ".b.org.8.conflict", "b.org"}
	for _, name := range append([]string{".a.org.12.staged", ".b.org.3948573945.staged"}, stay[:5]...) {
		write(t, filepath.Join(dir, name), "* half", 0o644)
	}
	write(t, filepath.Join(journals, "set-1.journal"), `{"files":[{"temp":"`+filepath.Join(dir, ".b.org.7.staged")+`"}]}`, 0o600)
	f := open(t, path)
	if locked, _, err := openLocked(path); err != nil || !locks(locked) {
		t.Skipf("no locks here: %v", err)
	} else {
		locked.Close()
	}
	if err := WriteAll(journals, []Replacement{{f, []byte("* New\n")}}); err != nil {
		t.Fatal(err)
	}
	if got := read(t, path); got != "* New\n" {
		t.Errorf("wrote %q", got)
	}
	onlyFiles(t, dir, slices.Sorted(slices.Values(append(stay, "a.org")))...)
}

// Two names of one file are changed together: the lock of the one is that of the other.
func TestWriteBothNames(t *testing.T) {
	dir := t.TempDir()
	one, other := filepath.Join(dir, "one.org"), filepath.Join(dir, "other.org")
	if err := os.WriteFile(one, []byte("* a\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(one, other); err != nil {
		t.Skip("no hard links here: ", err)
	}
	var writes []Replacement
	for _, path := range []string{one, other} {
		f, err := Read(path)
		if err != nil {
			t.Fatal(err)
		}
		writes = append(writes, Replacement{File: f, New: []byte("* b\n")})
	}
	if err := WriteAll(filepath.Join(dir, "journals"), writes); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{one, other} {
		if text, err := os.ReadFile(path); err != nil || string(text) != "* b\n" {
			t.Errorf("%s: %q %v", path, text, err)
		}
	}
}
