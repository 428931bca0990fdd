package toolchain

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha512"
	"encoding/base64"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"wb/internal/sha"
)

// entry is one member of a test archive.
type entry struct {
	name, body string
	kind       byte // tar type, 0 for a regular file
}

func tarball(t testing.TB, entries ...entry) []byte {
	t.Helper()
	var buf bytes.Buffer
	zw := gzip.NewWriter(&buf)
	tw := tar.NewWriter(zw)
	for _, e := range entries {
		h := &tar.Header{Name: e.name, Mode: 0o644, Size: int64(len(e.body)), Typeflag: e.kind}
		if e.kind == 0 {
			h.Typeflag = tar.TypeReg
		}
		if e.kind == tar.TypeSymlink {
			h.Linkname, h.Size = e.body, 0
		}
		if err := tw.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if h.Size > 0 {
			if _, err := tw.Write([]byte(e.body)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := errors.Join(tw.Close(), zw.Close()); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func integrity(data []byte) string {
	h := sha512.Sum512(data)
	return "sha512-" + base64.StdEncoding.EncodeToString(h[:])
}

var toolEntries = []entry{
	{name: "package/package.json", body: `{"name":"@x/tool"}`},
	{name: "package/gen/tool.wasm", body: "the tool"},
	{name: "package/gen/unwanted.js", body: "not installed"},
	{name: "package/gen/lib.tar", body: "the library"},
}

// tool is the recipe of the package made of toolEntries.
func tool(archive []byte) Recipe {
	return Recipe{Name: "tool", Version: "1.2.3", Summary: "a tool for tests", Origin: NPM{
		Package: "@x/tool", Version: "1.2.3", Integrity: integrity(archive), Size: int64(len(archive)),
		Files: map[string]Pinned{
			"gen/tool.wasm": {Name: "tool.wasm", SHA256: sha.Hex("the tool")},
			"gen/lib.tar":   {Name: "lib/lib.tar", SHA256: sha.Hex("the library")},
		}}}
}

// fakeNPM puts an npm of its own first on PATH: it writes a line to the log
// it returns, then runs script with $archive set to the given tarball.
func fakeNPM(t testing.TB, archive []byte, script string) (log string) {
	t.Helper()
	bin := t.TempDir()
	log = filepath.Join(bin, "log")
	if err := os.WriteFile(filepath.Join(bin, "archive"), archive, 0o644); err != nil {
		t.Fatal(err)
	}
	text := "#!/bin/sh\necho \"$@\" >>" + log + "\narchive=" + bin + "/archive\n" + script + "\n"
	if err := os.WriteFile(filepath.Join(bin, "npm"), []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	return log
}

const packs = `cp "$archive" x-tool-1.2.3.tgz; echo x-tool-1.2.3.tgz`

func openStore(t testing.TB, recipes ...Recipe) *Depot {
	t.Helper()
	s, err := Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s.Register(recipes...)
	return s
}

func calls(t testing.TB, log string) []string {
	t.Helper()
	data, err := os.ReadFile(log)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return strings.Fields(strings.ReplaceAll(strings.TrimSpace(string(data)), " ", "_"))
}

func TestNPMInstallsPinnedFilesOnly(t *testing.T) {
	archive := tarball(t, toolEntries...)
	log := fakeNPM(t, archive, packs)
	s := openStore(t, tool(archive))
	if _, ok := s.Installed("tool"); ok {
		t.Fatal("installed before it was")
	}
	before := s.Fingerprint("tool")
	var out bytes.Buffer
	tc, err := s.Ensure(context.Background(), "tool", Plain(&out))
	if err != nil {
		t.Fatal(err)
	}
	if data, err := tc.ReadFile("lib/lib.tar"); err != nil || string(data) != "the library" {
		t.Fatalf("lib.tar: %q, %v", data, err)
	}
	if len(tc.Files) != 2 {
		t.Errorf("installed %v, want the two pinned files", tc.Files)
	}
	if after := s.Fingerprint("tool"); after != before || after != tc.Digest {
		t.Errorf("fingerprint changed from %s to %s (digest %s)", before, after, tc.Digest)
	}
	if got := calls(t, log); len(got) != 1 || !strings.HasPrefix(got[0], "pack_@x/tool@1.2.3_--ignore-scripts") {
		t.Errorf("npm was called with %q", got)
	}
	if !strings.Contains(out.String(), "tool: fetching @x/tool@1.2.3 with npm") {
		t.Errorf("progress: %q", out.String())
	}
	if left, _ := os.ReadDir(filepath.Join(s.Dir(), ".downloads")); len(left) != 0 {
		t.Errorf("downloads left behind: %v", left)
	}

	// Another process needs no client any more.
	t.Setenv("PATH", "")
	again, err := Open(s.Dir())
	if err != nil {
		t.Fatal(err)
	}
	again.Register(tool(archive))
	if tc2, err := again.Ensure(context.Background(), "tool", nil); err != nil || tc2.Digest != tc.Digest {
		t.Fatalf("offline: %v", err)
	}
	if err := again.Verify(context.Background(), "tool", nil); err != nil {
		t.Fatal(err)
	}
}

func TestMissingClient(t *testing.T) {
	s := openStore(t, tool(tarball(t, toolEntries...)))
	t.Setenv("PATH", t.TempDir())
	_, err := s.Ensure(context.Background(), "tool", nil)
	var unavailable *UnavailableError
	if !errors.As(err, &unavailable) || unavailable.ExitCode() != 3 {
		t.Fatalf("got %v, want an UnavailableError with exit code 3", err)
	}
	if !strings.Contains(err.Error(), "npm is not on PATH: npm pack @x/tool@1.2.3") {
		t.Errorf("error does not show the command: %v", err)
	}
	if !strings.Contains(unavailable.Hint(), "wb toolchain install tool") {
		t.Errorf("hint: %q", unavailable.Hint())
	}
}

func TestFailingClient(t *testing.T) {
	archive := tarball(t, toolEntries...)
	for name, script := range map[string]string{
		"network":   `echo "npm error network request failed" >&2; exit 1`,
		"nothing":   `exit 0`,
		"confused":  `cp "$archive" a.tgz; cp "$archive" b.tgz`,
		"no output": `exit 7`,
	} {
		t.Run(name, func(t *testing.T) {
			fakeNPM(t, archive, script)
			s := openStore(t, tool(archive))
			_, err := s.Ensure(context.Background(), "tool", nil)
			var unavailable *UnavailableError
			if !errors.As(err, &unavailable) {
				t.Fatalf("got %v, want an UnavailableError", err)
			}
			if name == "network" && !strings.Contains(err.Error(), "network request failed") {
				t.Errorf("what npm said is lost: %v", err)
			}
			if _, ok := s.Installed("tool"); ok {
				t.Error("counts as installed")
			}
		})
	}
}

func TestWrongBytesAreRefused(t *testing.T) {
	right := tarball(t, toolEntries...)
	wrong := tarball(t, entry{name: "package/gen/tool.wasm", body: "evil"}, entry{name: "package/gen/lib.tar", body: "x"})
	fakeNPM(t, wrong, packs)
	s := openStore(t, tool(right))
	_, err := s.Ensure(context.Background(), "tool", nil)
	var integrityErr *IntegrityError
	if !errors.As(err, &integrityErr) || integrityErr.ExitCode() != 5 || integrityErr.Got != integrity(wrong) {
		t.Fatalf("got %v, want an IntegrityError", err)
	}
	// The wrong download is not kept, so a good registry heals it.
	fakeNPM(t, right, packs)
	if _, err := s.Ensure(context.Background(), "tool", nil); err != nil {
		t.Fatal(err)
	}
}

func TestWrongFileInRightPackage(t *testing.T) {
	archive := tarball(t, toolEntries...)
	fakeNPM(t, archive, packs)
	recipe := tool(archive)
	recipe.Origin.(NPM).Files["gen/tool.wasm"] = Pinned{Name: "tool.wasm", SHA256: sha.Hex("other")}
	_, err := openStore(t, recipe).Ensure(context.Background(), "tool", nil)
	var integrityErr *IntegrityError
	if !errors.As(err, &integrityErr) || integrityErr.What != "tool.wasm" {
		t.Fatalf("got %v, want an IntegrityError about tool.wasm", err)
	}
}

func TestArchiveCannotLeaveItsDirectory(t *testing.T) {
	for name, e := range map[string]entry{
		"parent":   {name: "package/gen/../../../../evil", body: "x"},
		"absolute": {name: "/evil", body: "x"},
		"symlink":  {name: "package/evil", body: "/etc", kind: tar.TypeSymlink},
		"hardlink": {name: "package/evil", kind: tar.TypeLink},
		"device":   {name: "package/evil", kind: tar.TypeChar},
	} {
		t.Run(name, func(t *testing.T) {
			outer := t.TempDir()
			dir := filepath.Join(outer, "a", "b")
			zr, err := gzip.NewReader(bytes.NewReader(tarball(t, e)))
			if err != nil {
				t.Fatal(err)
			}
			if err := extract(zr, dir, 1<<20, func(name string) string { return name }); err == nil {
				t.Error("extracted without an error")
			}
			filepath.WalkDir(outer, func(path string, d os.DirEntry, err error) error {
				if err == nil && !d.IsDir() {
					t.Errorf("created %s", path)
				}
				return err
			})
		})
	}
	zr, _ := gzip.NewReader(bytes.NewReader(tarball(t, entry{name: "big", body: strings.Repeat("x", 2000)})))
	if err := extract(zr, t.TempDir(), 1000, func(name string) string { return name }); err == nil || !strings.Contains(err.Error(), "limit") {
		t.Errorf("file over the limit: %v", err)
	}
}

func TestCancelLeavesNothingVisible(t *testing.T) {
	archive := tarball(t, toolEntries...)
	fakeNPM(t, archive, `sleep 30 & wait`)
	s := openStore(t, tool(archive))
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if _, err := s.Ensure(ctx, "tool", nil); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("got %v, want the deadline", err)
	}
	if _, ok := s.Installed("tool"); ok {
		t.Fatal("counts as installed")
	}
	fakeNPM(t, archive, packs)
	if _, err := s.Ensure(context.Background(), "tool", nil); err != nil {
		t.Fatal(err)
	}
}

func TestInterruptedSelfTestKeepsTheDownload(t *testing.T) {
	archive := tarball(t, toolEntries...)
	log := fakeNPM(t, archive, packs)
	recipe := tool(archive)
	attempts := 0
	recipe.Check = func(context.Context, Toolchain, Step) error {
		if attempts++; attempts == 1 {
			return errors.New("it does not run")
		}
		return nil
	}
	s := openStore(t, recipe)
	_, err := s.Ensure(context.Background(), "tool", nil)
	var failed *SelfTestError
	if !errors.As(err, &failed) || failed.ExitCode() != 5 {
		t.Fatalf("got %v, want a SelfTestError", err)
	}
	if _, ok := s.Installed("tool"); ok {
		t.Fatal("installed although its self-test failed")
	}
	if _, err := s.Ensure(context.Background(), "tool", nil); err != nil {
		t.Fatal(err)
	}
	if n := len(calls(t, log)); n != 1 {
		t.Errorf("fetched %d times, want once", n)
	}
	if work, _ := os.ReadDir(filepath.Join(s.Dir(), ".work")); len(work) != 0 {
		t.Errorf("work directories left: %v", work)
	}
}

func TestDamageIsFound(t *testing.T) {
	archive := tarball(t, toolEntries...)
	fakeNPM(t, archive, packs)
	for name, damage := range map[string]func(dir string) error{
		"changed byte": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "tool.wasm"), []byte("THE tool"), 0o644)
		},
		"truncated": func(dir string) error { return os.Truncate(filepath.Join(dir, "tool.wasm"), 3) },
		"missing":   func(dir string) error { return os.Remove(filepath.Join(dir, "lib", "lib.tar")) },
		"added":     func(dir string) error { return os.WriteFile(filepath.Join(dir, "extra"), nil, 0o644) },
		"manifest": func(dir string) error {
			path := filepath.Join(dir, manifestName)
			data, err := os.ReadFile(path)
			data = bytes.ReplaceAll(data, []byte(sha.Hex("the tool")), []byte(sha.Hex("THE tool")))
			return errors.Join(err, os.WriteFile(path, data, 0o644), os.WriteFile(filepath.Join(dir, "tool.wasm"), []byte("THE tool"), 0o644))
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := openStore(t, tool(archive))
			tc, err := s.Ensure(context.Background(), "tool", nil)
			if err != nil {
				t.Fatal(err)
			}
			if err := damage(tc.Dir); err != nil {
				t.Fatal(err)
			}
			err = s.Verify(context.Background(), "tool", nil)
			var integrityErr *IntegrityError
			if !errors.As(err, &integrityErr) {
				t.Fatalf("verify: %v, want an IntegrityError", err)
			}
			if _, err := s.Install(context.Background(), "tool", nil, Options{Force: true}); err != nil {
				t.Fatalf("repair: %v", err)
			}
			if err := s.Verify(context.Background(), "tool", nil); err != nil {
				t.Fatalf("after repair: %v", err)
			}
		})
	}
}

func TestReadFileChecksBytes(t *testing.T) {
	archive := tarball(t, toolEntries...)
	fakeNPM(t, archive, packs)
	tc, err := openStore(t, tool(archive)).Ensure(context.Background(), "tool", nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(tc.Path("tool.wasm"), []byte("THE tool"), 0o644); err != nil {
		t.Fatal(err)
	}
	var integrityErr *IntegrityError
	if _, err := tc.ReadFile("tool.wasm"); !errors.As(err, &integrityErr) {
		t.Errorf("changed file was read: %v", err)
	}
	if _, err := tc.ReadFile("../../etc/passwd"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("unlisted file: %v", err)
	}
}

// TestManyProcesses installs from several processes at once; npm must run
// once and all must see the same complete result.
func TestManyProcesses(t *testing.T) {
	archive := tarball(t, toolEntries...)
	if dir := os.Getenv("WB_TEST_STORE"); dir != "" {
		s, err := Open(dir)
		if err != nil {
			t.Fatal(err)
		}
		s.Register(tool(archive))
		if err := errors.Join(ignore(s.Ensure(context.Background(), "tool", nil)), s.Verify(context.Background(), "tool", nil)); err != nil {
			t.Fatal(err)
		}
		return
	}
	log := fakeNPM(t, archive, `sleep 0.2; `+packs)
	dir := t.TempDir()
	var started []*exec.Cmd
	for range 4 {
		cmd := exec.Command(os.Args[0], "-test.run=^TestManyProcesses$")
		cmd.Env = append(os.Environ(), "WB_TEST_STORE="+dir)
		cmd.Stdout, cmd.Stderr = os.Stderr, os.Stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		started = append(started, cmd)
	}
	for _, cmd := range started {
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
	}
	if n := len(calls(t, log)); n != 1 {
		t.Errorf("npm ran %d times, want once", n)
	}
}

func ignore(_ Toolchain, err error) error { return err }

func TestLocalArchive(t *testing.T) {
	archive := tarball(t, toolEntries...)
	t.Setenv("PATH", "")
	path := filepath.Join(t.TempDir(), "tool.tgz")
	if err := os.WriteFile(path, archive, 0o644); err != nil {
		t.Fatal(err)
	}
	s := openStore(t, tool(archive))
	if _, err := s.Install(context.Background(), "tool", nil, Options{From: path}); err != nil {
		t.Fatal(err)
	}
	if !exists(path) {
		t.Error("the user's own archive was removed")
	}
	wrong := openStore(t, tool(tarball(t, toolEntries[:3]...)))
	var integrityErr *IntegrityError
	if _, err := wrong.Install(context.Background(), "tool", nil, Options{From: path}); !errors.As(err, &integrityErr) {
		t.Errorf("wrong local archive: %v", err)
	}
}

func TestGoBuild(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("needs go on PATH")
	}
	source := fstest.MapFS{"main.go": {Data: []byte("package main\n\nfunc main() { println(\"hi\") }\n")}}
	recipe := Recipe{Name: "hi", Version: "1", Origin: GoBuild{Package: ".", Mod: "module hi\n\ngo 1.26.0\n", Source: source, Output: "hi.wasm"}}
	s := openStore(t, recipe)
	if !strings.HasPrefix(s.Fingerprint("hi"), "not-installed:") {
		t.Errorf("fingerprint before: %s", s.Fingerprint("hi"))
	}
	tc, err := s.Ensure(context.Background(), "hi", nil)
	if err != nil {
		t.Fatal(err)
	}
	wasm, err := tc.ReadFile("hi.wasm")
	if err != nil || !bytes.HasPrefix(wasm, []byte("\x00asm")) {
		t.Fatalf("not a wasm module: %v", err)
	}
	if !strings.HasPrefix(tc.BuiltWith, "go1.") {
		t.Errorf("built with %q", tc.BuiltWith)
	}
	if s.Fingerprint("hi") != tc.Digest {
		t.Error("fingerprint is not the digest")
	}

	broken := recipe
	broken.Name = "broken"
	broken.Origin = GoBuild{Package: ".", Mod: "module hi\n\ngo 1.26.0\n", Output: "hi.wasm",
		Source: fstest.MapFS{"main.go": {Data: []byte("package main\n\nfunc main() { undefined() }\n")}}}
	s.Register(broken)
	if _, err := s.Ensure(context.Background(), "broken", nil); err == nil || !strings.Contains(err.Error(), "undefined") {
		t.Errorf("compile error is lost: %v", err)
	}
}

func TestCollectRemovesOldVersions(t *testing.T) {
	build := func(text string) Origin {
		return Built{Of: text, Build: func(_ context.Context, job *Job) error { return job.Write("x", []byte(text)) }}
	}
	old := openStore(t, Recipe{Name: "x", Version: "1", Origin: build("old")})
	before, err := old.Ensure(context.Background(), "x", nil)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Open(old.Dir())
	if err != nil {
		t.Fatal(err)
	}
	s.Register(Recipe{Name: "x", Version: "2", Origin: build("new")})
	now, err := s.Ensure(context.Background(), "x", nil)
	if err != nil {
		t.Fatal(err)
	}
	removed, err := s.Collect(context.Background())
	if err != nil || len(removed) != 1 || removed[0] != before.Dir {
		t.Fatalf("removed %v, %v; want %s", removed, err, before.Dir)
	}
	if exists(before.Dir) || !exists(now.Dir) {
		t.Error("the wrong version is gone")
	}
	if err := s.Remove(context.Background(), "x"); err != nil || exists(now.Dir) {
		t.Errorf("remove: %v", err)
	}
	if err := s.Verify(context.Background(), "x", nil); err == nil {
		t.Error("verified although removed")
	}
}

func TestUnknownToolchain(t *testing.T) {
	s := openStore(t, Recipe{Name: "b", Origin: Built{}}, Recipe{Name: "a", Origin: Built{}})
	_, err := s.Ensure(context.Background(), "c", nil)
	var unknown *UnknownError
	if !errors.As(err, &unknown) || unknown.Hint() != "known: a b" || unknown.ExitCode() != 4 {
		t.Errorf("got %v", err)
	}
}
