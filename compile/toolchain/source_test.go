package toolchain

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"wb/internal/sha"

	"github.com/ulikunitz/xz"
)

var sourceEntries = []entry{
	{name: "thing-1.2/src/", kind: '5'},
	{name: "thing-1.2/src/a.c", body: "int_a"},
	{name: "thing-1.2/src/unwanted.c", body: "int_u"},
	{name: "thing-1.2/lib/deep/x.txt", body: "x"},
	{name: "thing-1.2/README", body: "no"},
}

// xzBall is tarball, compressed with xz.
func xzBall(t testing.TB, entries ...entry) []byte {
	t.Helper()
	zr, err := gzip.NewReader(bytes.NewReader(tarball(t, entries...)))
	if err != nil {
		t.Fatal(err)
	}
	var buf bytes.Buffer
	zw, err := xz.NewWriter(&buf)
	if err != nil {
		t.Fatal(err)
	}
	_, err = io.Copy(zw, zr)
	if err := errors.Join(err, zw.Close()); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

// thing is the recipe of sourceEntries: what it builds is the list of what it
// was given.
func thing(archive []byte, file string) Recipe {
	return Recipe{Name: "thing", Version: "1.2", Summary: "built for tests", Origin: Source{
		Archive: Debian{Package: "thing", Version: "1.2", Suite: "stable", File: file, SHA256: sha.Hex(archive), Size: int64(len(archive))},
		Files:   []string{"src/*.c", "lib/", "!src/unwanted.c"}, Of: "recipe 1",
		Build: func(_ context.Context, job *Job, files map[string][]byte) error {
			var b strings.Builder
			for name, data := range files {
				b.WriteString(name + "=" + string(data) + " ")
			}
			words := strings.Fields(b.String())
			slices.Sort(words)
			return job.Write("list", []byte(strings.Join(words, " ")))
		},
	}}
}

const wantThing = "lib/deep/x.txt=x src/a.c=int_a"

// fakeApt puts an apt-get and an apt-config first on PATH. The user's sources
// are lines; apt-get logs its arguments and the sources it was told to use,
// and gives archive under the name file.
func fakeApt(t testing.TB, archive []byte, file, sources string) (log string) {
	t.Helper()
	bin, etc := t.TempDir(), t.TempDir()
	log = filepath.Join(bin, "log")
	script := `#!/bin/sh
echo "$@" >>` + log + `
for word in "$@"; do case "$word" in Dir::Etc::sourcelist=*) cat "${word#*=}" >>` + log + `; grep -q broken "${word#*=}" && exit 100;; esac; done
[ "$1" = source ] && cp ` + bin + `/archive ` + file + `
exit 0
`
	for path, text := range map[string]string{
		filepath.Join(bin, "archive"):              string(archive),
		filepath.Join(bin, "apt-get"):              script,
		filepath.Join(bin, "apt-config"):           "#!/bin/sh\necho \"list='" + etc + "/sources.list'\"\necho \"parts='" + etc + "/parts/'\"\n",
		filepath.Join(etc, "sources.list"):         sources,
		filepath.Join(etc, "parts", "more.list"):   "deb http://elsewhere/x nodistro main2\n",
		filepath.Join(etc, "parts", "ignored.bak"): "deb http://ignored/x stable main\n",
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	return log
}

func TestSourceComesThroughTheUsersMirrors(t *testing.T) {
	archive := xzBall(t, sourceEntries...)
	log := fakeApt(t, archive, "thing_1.2.orig.tar.xz", "deb [signed-by=/key arch=amd64] http://broken/debian old main\ndeb http://mirror/debian old main contrib\ndeb http://sec/debian old-security main\n")
	s := openStore(t, thing(archive, "thing_1.2.orig.tar.xz"))
	tc, err := s.Ensure(context.Background(), "thing", nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := tc.ReadFile("list"); err != nil || string(got) != wantThing {
		t.Errorf("built %q, %v; want %q", got, err, wantThing)
	}
	text, _ := os.ReadFile(log)
	for _, want := range []string{"URIs: http://broken/debian\nSuites: stable\nComponents: main\nsigned-by: /key\n", "Types: deb-src\nURIs: http://mirror/debian\nSuites: stable\n", "source --tar-only --download-only"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("apt-get was not told %q:\n%s", want, text)
		}
	}
	for _, bad := range []string{"elsewhere", "ignored", "http://sec", "arch"} {
		if strings.Contains(strings.ReplaceAll(string(text), "archives", ""), bad) {
			t.Errorf("apt-get was told about %q", bad)
		}
	}
	left, _ := filepath.Glob(filepath.Join(s.Dir(), ".downloads", "*"))
	if len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestSourceFromLocalArchive(t *testing.T) {
	archive := tarball(t, sourceEntries...)
	path := filepath.Join(t.TempDir(), "thing.tgz")
	if err := os.WriteFile(path, archive, 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", t.TempDir())
	s := openStore(t, thing(archive, "thing_1.2.orig.tar.gz"))
	var missing *UnavailableError
	if _, err := s.Ensure(context.Background(), "thing", nil); !errors.As(err, &missing) || missing.ExitCode() != 3 || !strings.Contains(missing.Hint(), "wb toolchain install thing --from thing_1.2.orig.tar.gz") {
		t.Fatalf("without apt: %v, hint %q", err, missing.Hint())
	}
	tc, err := s.Install(context.Background(), "thing", nil, Options{From: path})
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := tc.ReadFile("list"); string(got) != wantThing {
		t.Errorf("built %q", got)
	}
	if err := os.WriteFile(path, []byte("other"), 0o644); err != nil {
		t.Fatal(err)
	}
	var wrong *IntegrityError
	if _, err := s.Install(context.Background(), "thing", nil, Options{From: path, Force: true}); !errors.As(err, &wrong) {
		t.Errorf("another archive: %v", err)
	}
}

func TestSourceOfAnotherVersion(t *testing.T) {
	archive := tarball(t, sourceEntries...)
	fakeApt(t, archive, "thing_1.3.orig.tar.gz", "deb http://mirror/debian old main\n")
	s := openStore(t, thing(archive, "thing_1.2.orig.tar.gz"))
	var missing *UnavailableError
	if _, err := s.Ensure(context.Background(), "thing", nil); !errors.As(err, &missing) || !strings.Contains(missing.Hint(), "--from") {
		t.Errorf("%v", err)
	}
	fakeApt(t, []byte("damaged"), "thing_1.2.orig.tar.gz", "deb http://mirror/debian old main\n")
	var wrong *IntegrityError
	if _, err := s.Ensure(context.Background(), "thing", nil); !errors.As(err, &wrong) {
		t.Errorf("damaged archive: %v", err)
	}
}

func TestReadMirrors(t *testing.T) {
	const stanzas = `# a comment
Types: deb
URIs: http://one/debian http://two/debian
Suites: stable stable-updates
Components: main contrib
Signed-By:
 -----BEGIN PGP PUBLIC KEY BLOCK-----
 .
 abc

Types: deb
URIs: http://off/debian
Suites: stable
Components: main
Enabled: no

Types: deb
URIs: http://sec/debian
Suites: stable-security
Components: main
`
	var got []string
	for _, m := range mainMirrors(readMirrors("x.sources", stanzas)) {
		got = append(got, m.sources("bookworm", false))
	}
	const key = "signed-by: \n -----BEGIN PGP PUBLIC KEY BLOCK-----\n .\n abc\n"
	want := []string{
		"Types: deb-src\nURIs: http://one/debian\nSuites: bookworm\nComponents: main\n" + key,
		"Types: deb-src\nURIs: http://two/debian\nSuites: bookworm\nComponents: main\n" + key,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

func TestTaken(t *testing.T) {
	patterns := []string{"src/*.c", "Lib/", "!Lib/test/", "Lib/test/one.py"}
	for name, want := range map[string]bool{"src/a.c": true, "src/b/a.c": false, "Lib/os.py": true, "Lib/test/two.py": false, "Lib/test/one.py": true, "README": false} {
		if got := taken(patterns, name); got != want {
			t.Errorf("taken(%q) = %v", name, got)
		}
	}
}

// With a digest of the files taken, any archive will do that has these files.
func TestSourceByItsContent(t *testing.T) {
	r := thing(tarball(t, sourceEntries...), "thing_1.2.orig.tar.gz")
	origin := r.Origin.(Source)
	debian := origin.Archive.(Debian)
	debian.SHA256, debian.Else = "", "what its authors publish"
	origin.Archive = debian
	files, err := Unpack(bytes.NewReader(tarball(t, sourceEntries...)), origin.Files)
	if err != nil {
		t.Fatal(err)
	}
	origin.Content = HashFiles(files)
	r.Origin = origin
	t.Setenv("PATH", t.TempDir())
	s := openStore(t, r)
	var missing *UnavailableError
	if _, err := s.Ensure(context.Background(), "thing", nil); !errors.As(err, &missing) || !strings.Contains(missing.Hint(), ", or take what its authors publish;") {
		t.Errorf("without apt: %v, hint %q", err, missing.Hint())
	}
	changed := slices.Clone(sourceEntries)
	for i, e := range changed {
		if strings.HasSuffix(e.name, "src/a.c") {
			changed[i].body += " "
		}
	}
	for name, c := range map[string]struct {
		archive []byte
		same    bool
	}{
		"packed otherwise": {xzBall(t, append(slices.Clone(sourceEntries), entry{name: "thing-1.2/NOTES", body: "of this archive alone"})...), true},
		"another source":   {xzBall(t, changed...), false},
	} {
		path := filepath.Join(t.TempDir(), "archive")
		if err := os.WriteFile(path, c.archive, 0o644); err != nil {
			t.Fatal(err)
		}
		var wrong *IntegrityError
		if _, err := s.Install(context.Background(), "thing", nil, Options{From: path, Force: true}); c.same && err != nil || !c.same && !errors.As(err, &wrong) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What stands apart comes to who asks for it, and not by being used.
func TestApart(t *testing.T) {
	archive := tarball(t, sourceEntries...)
	path := filepath.Join(t.TempDir(), "thing.tgz")
	if err := os.WriteFile(path, archive, 0o644); err != nil {
		t.Fatal(err)
	}
	r := thing(archive, "thing_1.2.orig.tar.gz")
	r.Apart = "it takes a week"
	s := openStore(t, r)
	if s.Comes("thing") || s.List()[0].Comes() {
		t.Error("it comes by itself")
	}
	var missing *UnavailableError
	if _, err := s.Ensure(context.Background(), "thing", nil); !errors.As(err, &missing) || !strings.Contains(err.Error(), "not installed, since it takes a week") {
		t.Errorf("used: %v", err)
	}
	if _, err := s.Install(context.Background(), "thing", nil, Options{From: path}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Ensure(context.Background(), "thing", nil); err != nil {
		t.Errorf("used once it is there: %v", err)
	}
}
