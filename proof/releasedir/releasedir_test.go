package releasedir

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"wb/internal/diag"
	"wb/internal/identity"
	"wb/proof/fault"
	"wb/proof/keys"
	"wb/proof/manifest"
	"wb/proof/sign"
	"wb/proof/verify"
)

// crashAt makes the test binary put a release and die before the step of that
// number: see [TestCrash].
const crashAt = "WB_TEST_CRASH_AT"

func TestMain(m *testing.M) {
	if os.Getenv(crashAt) != "" {
		crash()
	}
	os.Exit(m.Run())
}

// crash puts the second release into the directory that it is given and dies
// like a killed process, without a word to anybody.
func crash() {
	var n int
	fmt.Sscan(os.Getenv(crashAt), &n)
	dir := New(os.Getenv("WB_TEST_DIR"), 1)
	dir.step = func(string) {
		if n--; n < 0 {
			os.Exit(137)
		}
	}
	files, err := verify.ReadDir(os.Getenv("WB_TEST_SITE"))
	if err == nil {
		err = put(dir, files)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// put makes files the current release, as targets do.
func put(dir *Dir, files manifest.Files) error {
	unlock, err := dir.Lock()
	if err != nil {
		return err
	}
	defer unlock()
	if err := dir.Clean(""); err != nil {
		return err
	}
	info, _, err := Describe(files[manifest.SitePath])
	if err != nil {
		return err
	}
	stage, err := dir.Stage(info.ID)
	if err != nil {
		return err
	}
	defer stage.Close()
	list := files.List()
	if current, err := dir.Current(); err != nil {
		return err
	} else if current != "" {
		if list, err = stage.Reuse(current, list); err != nil {
			return err
		}
	}
	for _, f := range list {
		if err := stage.Add(f, bytes.NewReader(files[f.Path])); err != nil {
			return err
		}
	}
	return errors.Join(stage.Commit(info.ID), dir.Switch(info.ID), dir.Prune())
}

// releases are n releases of one site.
func releases(t *testing.T, n int) []manifest.Files {
	t.Helper()
	key, err := identity.FromSeed(bytes.Repeat([]byte{7}, 32))
	if err != nil {
		t.Fatal(err)
	}
	noon := time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)
	log, err := keys.NewLog(key, noon)
	if err != nil {
		t.Fatal(err)
	}
	files := manifest.Files{"index.html": []byte("<p>hello"), "a/deep/style.css": []byte("b{}"), "same.txt": []byte("same")}
	var out []manifest.Files
	for i := range n {
		files["index.html"] = fmt.Appendf(nil, "<p>release %d", i+1)
		signed, _, err := sign.Site(files, sign.Issuer{Signer: key, Keys: log}, "", noon)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, signed)
		files = manifest.Files{}
		for path, data := range signed {
			files[path] = data
		}
	}
	return out
}

// seen is the number of the valid release that readers see, 0 for none.
func seen(t *testing.T, dir *Dir) int {
	t.Helper()
	path := filepath.Join(dir.Path(), "current")
	if _, err := os.Lstat(path); errors.Is(err, os.ErrNotExist) {
		return 0
	}
	at, err := filepath.EvalSymlinks(path)
	if err != nil {
		t.Fatal(err)
	}
	files, err := verify.ReadDir(at)
	if err != nil {
		t.Fatal(err)
	}
	r := verify.Site(files, verify.Options{})
	if !r.Valid {
		t.Fatalf("readers see a site that is not valid: %v", r.Err())
	}
	return r.Sequence
}

// TestCrash kills a deployment before each of its steps. Readers must see the
// old site or the new one, and the next deployment must go through.
func TestCrash(t *testing.T) {
	two := releases(t, 2)
	site := t.TempDir()
	if err := sign.WriteNew(site, two[1], true); err != nil {
		t.Fatal(err)
	}
	sawOld, sawNew := false, false
	for n := 0; ; n++ {
		dir := New(t.TempDir(), 1)
		if err := put(dir, two[0]); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%d", crashAt, n), "WB_TEST_DIR="+dir.Path(), "WB_TEST_SITE="+site)
		out, err := cmd.CombinedOutput()
		var exit *exec.ExitError
		if err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 137) {
			t.Fatalf("step %d: %v\n%s", n, err, out)
		}
		switch got := seen(t, dir); got {
		case 1:
			sawOld = true
			if sawNew {
				t.Fatalf("step %d: the old site again", n)
			}
		case 2:
			sawNew = true
		default:
			t.Fatalf("step %d: readers see release %d", n, got)
		}
		if all, err := dir.List(); err != nil || len(all) == 0 {
			t.Fatalf("step %d: list: %v %v", n, all, err)
		}
		if again := put(dir, two[1]); again != nil {
			t.Fatalf("step %d: the next deployment: %v", n, again)
		}
		if got := seen(t, dir); got != 2 {
			t.Fatalf("step %d: after the next deployment readers see %d", n, got)
		}
		left, _ := filepath.Glob(filepath.Join(dir.Path(), "releases", ".*"))
		if len(left) > 0 {
			t.Fatalf("step %d: left behind: %q", n, left)
		}
		if err == nil {
			if n < 10 || !sawOld {
				t.Fatalf("only %d steps", n)
			}
			return
		}
	}
}

func TestReleases(t *testing.T) {
	dir := New(t.TempDir(), 3)
	all := releases(t, 5)
	for _, files := range all {
		if err := put(dir, files); err != nil {
			t.Fatal(err)
		}
	}
	list, err := dir.List()
	if err != nil || len(list) != 3 || list[0].Sequence != 5 || !list[0].Current || list[2].Sequence != 3 {
		t.Fatalf("%v %+v", err, list)
	}
	if err := dir.Switch(list[2].ID); err != nil {
		t.Fatal(err)
	}
	if got := seen(t, dir); got != 3 {
		t.Fatalf("readers see %d", got)
	}
	if err := put(dir, all[4]); err != nil { // as it was: a name stands for its bytes
		t.Fatal(err)
	}
	if got := seen(t, dir); got != 5 {
		t.Fatalf("readers see %d", got)
	}
	for _, id := range []string{"5", list[0].ID, list[0].ID[:7]} {
		if found, err := dir.Find(id); err != nil || found.Sequence != 5 {
			t.Errorf("%s: %+v %v", id, found, err)
		}
	}
	for _, id := range []string{"", "0", "9", "..", "000"} {
		if _, err := dir.Find(id); err == nil {
			t.Errorf("%q was found", id)
		}
	}
	for _, id := range []string{"", "..", "x", "../x", ".new-x", "000001-zz"} {
		if dir.Switch(id) == nil || ValidID(id) {
			t.Errorf("switched to %q", id)
		}
	}
}

// TestReuse takes over files that are as they were, and no others.
func TestReuse(t *testing.T) {
	dir := New(t.TempDir(), 3)
	two := releases(t, 2)
	if err := put(dir, two[0]); err != nil {
		t.Fatal(err)
	}
	id, err := dir.Current()
	if err != nil {
		t.Fatal(err)
	}
	// somebody edits a file of the release; another is as it was
	if err := os.WriteFile(filepath.Join(dir.ReleasePath(id), "a", "deep", "style.css"), []byte("c{}"), 0o644); err != nil {
		t.Fatal(err)
	}
	stage, err := dir.Stage("x")
	if err != nil {
		t.Fatal(err)
	}
	defer stage.Close()
	missing, err := stage.Reuse(id, two[1].List())
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range missing {
		names = append(names, f.Path)
	}
	text := strings.Join(names, " ")
	if strings.Contains(text, "same.txt") || !strings.Contains(text, "style.css") || !strings.Contains(text, "index.html") {
		t.Fatalf("missing: %s", text)
	}
	for _, bad := range []struct {
		want manifest.File
		data string
		code fault.Code
	}{
		{manifest.File{Path: "../x", Size: 1}, "x", fault.PathUnsafe},
		{manifest.File{Path: "x", Size: 1}, "xy", fault.FileSize},
		{manifest.File{Path: "x", Size: 3}, "xy", fault.FileSize},
		{manifest.File{Path: "x", Size: 2, SHA256: manifest.SHA256([]byte("xz"))}, "xy", fault.FileChanged},
	} {
		if err := stage.Add(bad.want, strings.NewReader(bad.data)); fault.CodeOf(err) != bad.code {
			t.Errorf("%+v: %v", bad.want, err)
		}
	}
}

func TestBusy(t *testing.T) {
	dir := New(t.TempDir(), 3)
	unlock, err := dir.Lock()
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	var busy *diag.BusyError
	if err := put(dir, releases(t, 1)[0]); !errors.As(err, &busy) {
		t.Fatalf("%v", err)
	}
}
