package workdir_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"wb/agent/workdir"
)

func TestWrite(t *testing.T) {
	none := "\x00"
	for _, c := range []struct {
		name, file, base, new, now, want, says string
		change                                 workdir.Change
	}{
		{name: "as it was read", base: "a\n", new: "b\n", now: "a\n", want: "b\n"},
		{name: "both append", base: "a\n", new: "a\no\n", now: "a\nt\n", want: "a\nt\no\n"},
		{name: "no newline at the end", base: "a", new: "a\no", now: "a\nt", want: "a\nt\no"},
		{name: "in other lines", base: "1\n2\n3\n", new: "1\n2\nx\n", now: "0\n2\n3\n", want: "0\n2\nx\n"},
		{name: "in the same line", base: "1\n2\n3\n", new: "1\nx\n3\n", now: "1\ny\n3\n", want: "1\ny\n3\n", says: "changed since you read it, in line 2"},
		{name: "removed meanwhile", base: "1\n", new: "2\n", now: none, want: none, says: "removed since you read it"},
		{name: "removes", base: "1\n", now: "1\n", want: none, change: workdir.Change{Removed: true}},
		{name: "removes what changed", base: "1\n", now: "2\n", want: "2\n", says: "not removed", change: workdir.Change{Removed: true}},
		{name: "fresh", new: "x", now: none, want: "x", change: workdir.Change{Fresh: true}},
		{name: "made by two", new: "x\n", now: "y\n", want: "y\n", says: "somebody else created it", change: workdir.Change{Fresh: true}},
		{name: "made by two who append", new: "x\n", now: "y\n", want: "y\nx\n", change: workdir.Change{Fresh: true, Append: true}},
		{name: "again, made", base: "a\n", new: "a\no\n", now: "a\nt\no\nu\n", want: "a\nt\no\nu\n", change: workdir.Change{Again: true}},
		{name: "again, not made", base: "a\n", new: "a\no\n", now: "a\nt\n", want: "a\nt\no\n", change: workdir.Change{Again: true}},
		{name: "no text", base: "a\x00", new: "b\x00", now: "c\x00", want: "c\x00", says: "not text"},
		{name: "a heading", file: "a.org", base: "* TODO Buy\n", new: "* DONE Buy\n", now: "* TODO Buy milk :shop:\n", want: "* DONE Buy milk :shop:\n"},
		{name: "tags of both", file: "a.org", base: "* A :x:y:\n", new: "* A :x:y:o:\n", now: "* A :y:t:\n", want: "* A :y:t:o:\n"},
		{name: "two keywords", file: "a.org", base: "* TODO A\n", new: "* DONE A\n", now: "* WAIT A\n", want: "* WAIT A\n", says: "line 1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			if c.change.Name = c.file; c.file == "" {
				c.change.Name = "a.txt"
			}
			path := filepath.Join(dir, c.change.Name)
			if c.now != none {
				if err := os.WriteFile(path, []byte(c.now), 0o640); err != nil {
					t.Fatal(err)
				}
			}
			c.change.Base, c.change.New = []byte(c.base), []byte(c.new)
			_, err := workdir.Dir{Path: dir}.Write(c.change)
			var conflict *workdir.ConflictError
			if c.says == "" && err != nil || c.says != "" && (!errors.As(err, &conflict) || !strings.Contains(err.Error(), c.says)) {
				t.Errorf("it says %v", err)
			}
			got, err := os.ReadFile(path)
			if err != nil {
				got = []byte(none)
			} else if info, _ := os.Stat(path); c.now != none && info.Mode().Perm() != 0o640 {
				t.Errorf("the mode is %v", info.Mode())
			}
			if string(got) != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
			if all, _ := os.ReadDir(dir); len(all) > 1 {
				t.Errorf("left behind: %v", all)
			}
		})
	}
}

// Agents replace lines of a file while people append to it the way echo does: no
// line of anybody is lost.
func TestNobodyLosesALine(t *testing.T) {
	const agents, people, lines = 4, 2, 40
	dir := t.TempDir()
	path := filepath.Join(dir, "shared.txt")
	var begin strings.Builder
	for a := range agents {
		fmt.Fprintf(&begin, "agent %d: 0\nbetween\n", a)
	}
	if err := os.WriteFile(path, []byte(begin.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for a := range agents {
		group.Go(func() {
			for i := range lines {
				base, err := os.ReadFile(path)
				if err != nil {
					t.Error(err)
					return
				}
				changed := strings.Replace(string(base), fmt.Sprintf("agent %d: %d\n", a, i), fmt.Sprintf("agent %d: %d\n", a, i+1), 1)
				changed += fmt.Sprintf("agent %d wrote %d\n", a, i)
				if _, err := (workdir.Dir{Path: dir}).Write(workdir.Change{Name: "shared.txt", Base: base, New: []byte(changed)}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for p := range people {
		group.Go(func() {
			for i := range lines {
				base, _ := os.ReadFile(path)
				text := fmt.Sprintf("person %d wrote %d\n", p, i)
				if _, err := (workdir.Dir{Path: dir}).Write(workdir.Change{Name: "shared.txt", Base: base, New: append(base, text...)}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for a := range agents {
		if want := fmt.Sprintf("agent %d: %d\n", a, lines); !strings.Contains(string(got), want) {
			t.Errorf("%q is not there", want)
		}
	}
	if n, want := strings.Count(string(got), " wrote "), (agents+people)*lines; n != want {
		t.Errorf("%d lines of %d", n, want)
	}
}

// TestSweep removes what a killed process left, and nothing of a living one.
func TestSweep(t *testing.T) {
	dir := t.TempDir()
	gone := exec.Command(os.Args[0], "-test.run", "^$")
	if err := gone.Run(); err != nil {
		t.Fatal(err)
	}
	dead := fmt.Sprintf(".a.txt.%d-3.wb-part", gone.Process.Pid)
	stay := []string{fmt.Sprintf(".a.txt.%d-3.wb-part", os.Getpid()), fmt.Sprintf(".b.txt.%d-3.wb-part", gone.Process.Pid), ".a.txt.x-1.wb-part"}
	for _, name := range append(stay, dead) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("x"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := (workdir.Dir{Path: dir}).Write(workdir.Change{Name: "a.txt", Fresh: true, New: []byte("x")}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, dead)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%s is still there: %v", dead, err)
	}
	for _, name := range stay {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
}
