package bulk

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"wb/internal/test/corpus"
	"wb/org/oql"
	"wb/org/orgfile"
)

var now = time.Date(2026, 11, 21, 11, 50, 0, 0, time.UTC)

func query(t testing.TB, text string) *oql.Query {
	q, err := oql.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return q
}

func prepare(t testing.TB, paths []string, text string, words ...string) (*Plan, error) {
	changes, err := ParseChanges(words)
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	return Prepare(context.Background(), paths, query(t, text), changes, Options{Now: now})
}

// One change at a time: what is written, byte for byte.
func TestChanges(t *testing.T) {
	for _, c := range []struct{ before, change, after string }{
		{"* a\n", "state=TODO", "* TODO a\n"},
		{"* a", "state=TODO", "* TODO a"},
		{"*   a\n", "state=TODO", "* TODO   a\n"},
		{"* TODO a\n", "state=", "* a\n"},
		{"* TODO [#B] a\n", "state=DONE", "* DONE [#B] a\n"},
		{"* TODO a\nSCHEDULED: <2026-11-20 Fri +1w>\n", "state=DONE", "* TODO a\nSCHEDULED: <2026-11-27 Fri +1w>\n:PROPERTIES:\n:LAST_REPEAT: [2026-11-21 Sat 11:50]\n:END:\n- State \"DONE\"       from \"TODO\"       [2026-11-21 Sat 11:50]\n"},
		{"* TODO a\nDEADLINE: <2026-10-31 Sat 10:00-11:00 ++1w -2d> SCHEDULED: <2026-10-30 Fri>\n:PROPERTIES:\n:LOGGING: nil\n:END:\n", "state=DONE", "* TODO a\nDEADLINE: <2026-11-28 Sat 10:00-11:00 ++1w -2d>\n:PROPERTIES:\n:LOGGING: nil\n:END:\n"},
		{"#+STARTUP: nologrepeat\n* TODO a <2026-11-01 Sun .+3d>\n", "state=DONE", "#+STARTUP: nologrepeat\n* TODO a <2026-11-24 Tue .+3d>\n"},
		{"* TODO a <2026-11-01 Sun +0d>\n", "state=DONE", "* DONE a <2026-11-01 Sun +0d>\n"},
		{"* a\n", "priority=a", "* [#A] a\n"},
		{"* TODO [#B] a\n", "priority=", "* TODO a\n"},
		{"* TODO a :x:\n", "title=b c", "* TODO b c :x:\n"},
		{"*   a\n", "title=b", "*   b\n"},
		{"* \n", "title=b", "* b\n"},
		{"* a :x:\n", "tag+=y", "* a :x:y:\n"},
		{"* a :x:\n", "tag-=x", "* a\n"},
		{"* a :x:y:\n", "tags=z", "* a :z:\n"},
		{"* a\n", "deadline=2026-12-01 9:30 +1w", "* a\nDEADLINE: <2026-12-01 Tue 09:30 +1w>\n"},
		{"* a", "deadline=today", "* a\nDEADLINE: <2026-11-21 Sat>"},
		{"* a\r\nb\r\n", "scheduled=+3d", "* a\r\nSCHEDULED: <2026-11-24 Tue>\r\nb\r\n"},
		{"* a\n  SCHEDULED: <2026-11-21 Sat .+1d/3d>\n", "scheduled=tomorrow", "* a\n  SCHEDULED: <2026-11-22 Sun .+1d/3d>\n"},
		{"* a\nDEADLINE: <2026-11-21 Sat> SCHEDULED: <2026-11-20 Fri>\n", "deadline=", "* a\nSCHEDULED: <2026-11-20 Fri>\n"},
		{"* a\nDEADLINE: <2026-11-21 Sat> SCHEDULED: <2026-11-20 Fri>\n", "scheduled=", "* a\nDEADLINE: <2026-11-21 Sat>\n"},
		{"* a\nSCHEDULED: <2026-11-20 Fri>\ntext\n", "scheduled=", "* a\ntext\n"},
		{"* a\ntext\n", "prop.K=v", "* a\n:PROPERTIES:\n:K:        v\n:END:\ntext\n"},
		{"* a\n:PROPERTIES:\n:k: old\n:END:\n", "prop.K=v w", "* a\n:PROPERTIES:\n:k: v w\n:END:\n"},
		{"* a\n:PROPERTIES:\n:k: old\n:END:\n", "prop.k-=", "* a\n"},
		{"* a\n:PROPERTIES:\n:k: old\n:l: x\n:END:\n", "prop.k-=", "* a\n:PROPERTIES:\n:l: x\n:END:\n"},
	} {
		name := filepath.Join(t.TempDir(), "a.org")
		tail := "* other\n\t odd  \n"
		if !strings.HasSuffix(c.before, "\n") {
			tail = ""
		}
		if err := os.WriteFile(name, []byte(c.before+tail), 0o644); err != nil {
			t.Fatal(err)
		}
		p, err := prepare(t, []string{name}, "!heading:other", c.change)
		if err != nil {
			t.Errorf("%q %s: %v", c.before, c.change, err)
			continue
		}
		if len(p.Files) != 1 || string(p.Files[0].New) != c.after+tail {
			t.Errorf("%q %s:\n got %q\nwant %q", c.before, c.change, p.Files[0].New, c.after+tail)
		}
	}
}

// On generated notes: changes say what was asked, twice is once, and what was
// not matched keeps its bytes. Tasks that repeat are TestDoneLikeEmacs's business:
// they are never found again as done.
func TestManyFiles(t *testing.T) {
	dir := t.TempDir()
	if err := corpus.Write(dir, corpus.Size{Files: 10, Headlines: 300, Bytes: 120_000, Seed: 9}); err != nil {
		t.Fatal(err)
	}
	p, err := prepare(t, []string{dir}, `(and (todo "TODO") (not (regexp "<[^>\n]*\\+[0-9]+[hdwmy]")))`, "state=DONE", "prop.REVIEWED=yes", "tag+=seen", "deadline=2026-12-24")
	if err != nil || p.Matched == 0 || p.Matched != p.Changed {
		t.Fatal(p.Matched, p.Changed, err)
	}
	for _, f := range p.Files {
		for line := range strings.SplitSeq(string(f.Diff()), "\n") {
			if strings.HasPrefix(line, "-") && !strings.HasPrefix(line, "---") && !strings.HasPrefix(line, "-*") && !strings.Contains(line, "<20") {
				t.Errorf("%s loses %q", f.Path, line)
			}
		}
	}
	if err := p.Write(t.TempDir()); err != nil {
		t.Fatal(err)
	}
	again, err := prepare(t, []string{dir}, "reviewed:yes ltags:seen todo:DONE deadline:on=2026-12-24", "tag+=seen")
	if err != nil || again.Matched != p.Matched || again.Changed != 0 {
		t.Errorf("%d found again of %d, %d to change, %v", again.Matched, p.Matched, again.Changed, err)
	}
}

// A file that changes after it was read stops the whole plan.
func TestConflict(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a.org"), filepath.Join(dir, "b.org")
	for _, name := range []string{a, b} {
		os.WriteFile(name, []byte("* TODO x\n"), 0o644)
	}
	p, err := prepare(t, []string{dir}, "todo:", "state=DONE")
	if err != nil {
		t.Fatal(err)
	}
	os.WriteFile(b, []byte("* TODO y\n"), 0o644)
	var conflict *orgfile.ConflictError
	if err := p.Write(t.TempDir()); !errors.As(err, &conflict) || conflict.ExitCode() != 6 {
		t.Fatalf("got %v", err)
	}
	if text, _ := os.ReadFile(a); string(text) != "* TODO x\n" {
		t.Errorf("a.org was written: %q", text)
	}
	if left, _ := os.ReadDir(dir); len(left) != 2 {
		t.Errorf("files left behind: %v", left)
	}
}

// A process that is killed while it writes leaves all files old or, after the
// next one has finished its work, all new.
func TestKilled(t *testing.T) {
	if dir := os.Getenv("BULK_KILL_DIR"); dir != "" {
		writeForever(t, dir)
		return
	}
	dir := t.TempDir()
	for i := range 8 {
		os.WriteFile(filepath.Join(dir, "n"+string(rune('a'+i))+".org"), []byte("* TODO x\n:PROPERTIES:\n:N: 0\n:END:\n"), 0o644)
	}
	journals := filepath.Join(dir, "journals")
	finished := 0
	for round := range 12 {
		cmd := exec.Command(os.Args[0], "-test.run=^TestKilled$")
		cmd.Env = append(os.Environ(), "BULK_KILL_DIR="+dir)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(60+round*17) * time.Millisecond)
		cmd.Process.Kill()
		cmd.Wait()
		done, err := orgfile.Recover(journals)
		if err != nil {
			t.Fatal(err)
		}
		finished += len(done)
		seen := map[string]bool{}
		names, _ := filepath.Glob(filepath.Join(dir, "n*.org"))
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			seen[string(text)] = true
		}
		if len(names) != 8 || len(seen) != 1 {
			t.Fatalf("round %d: %d files with %d contents", round, len(names), len(seen))
		}
	}
	t.Logf("%d files put in place after the kill", finished)
}

func writeForever(t *testing.T, dir string) {
	for n := 1; ; n++ {
		p, err := prepare(t, []string{dir}, "todo:", "prop.N="+time.Now().Format("150405.000000000"))
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Write(filepath.Join(dir, "journals")); err != nil {
			t.Fatal(err)
		}
	}
}
