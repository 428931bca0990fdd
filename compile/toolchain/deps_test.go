package toolchain

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// registry is a package with its archive, and an npm that knows only it.
func registry(t *testing.T) (archive []byte, log string) {
	archive = tarball(t, entry{name: "package/package.json", body: `{"name":"left","main":"left.js"}`},
		entry{name: "package/left.js", body: "module.exports = 1"}, entry{name: "package/README.md", body: "not for programs"})
	lock := fmt.Sprintf(`{"packages": {"": {}, "node_modules/left": {"version": "1.2.3", "integrity": %q},
		"node_modules/left-linux": {"version": "1.0.0", "optional": true, "integrity": "sha512-x"}}}`, integrity(archive))
	return archive, fakeNPM(t, archive, `case "$1" in
install) cat > package-lock.json <<'EOF'
`+lock+`
EOF
;;
pack) cp "$archive" left-1.2.3.tgz;;
esac`)
}

// What is asked for is looked up once, pinned, fetched once and then had
// without npm.
func TestDeps(t *testing.T) {
	archive, log := registry(t)
	s, err := Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	ctx, options := context.Background(), ResolveOptions{Lock: filepath.Join(t.TempDir(), LockName)}
	if err := os.WriteFile(options.Lock, []byte(`{"version": 1, "go": {"kept": true}}`), 0o644); err != nil {
		t.Fatal(err)
	}
	if got, err := s.ResolveNPM(ctx, []string{"left"}, ResolveOptions{Lock: options.Lock, Offline: true}, nil); got != nil || err != nil {
		t.Errorf("offline: %v %v", got, err)
	}
	want := Package{Path: "node_modules/left", Name: "left", Version: "1.2.3", Integrity: integrity(archive)}
	for range 2 {
		pinned, err := s.ResolveNPM(ctx, []string{"left", "left"}, options, nil)
		if err != nil || len(pinned) != 1 || pinned[0] != want {
			t.Fatalf("%v %v", pinned, err)
		}
		files, err := s.PackageFiles(ctx, pinned[0], nil)
		if err != nil || len(files) != 2 || string(files["left.js"]) != "module.exports = 1" {
			t.Fatalf("%v %v", files, err)
		}
		s, _ = Open(s.Dir()) // another process
	}
	lock, err := os.ReadFile(options.Lock)
	if err != nil || !strings.Contains(string(lock), `"kept": true`) || !strings.Contains(string(lock), integrity(archive)) {
		t.Errorf("%s %v", lock, err)
	}
	calls, _ := os.ReadFile(log)
	if n := strings.Count(string(calls), "\n"); n != 2 {
		t.Errorf("npm was called %d times:\n%s", n, calls)
	}
	for _, line := range strings.Split(strings.TrimSpace(string(calls)), "\n") {
		if !strings.Contains(line, "--ignore-scripts") || !strings.Contains(line, " -- left") {
			t.Errorf("npm %s", line)
		}
	}

	kept := ResolveOptions{Lock: filepath.Join(t.TempDir(), LockName), Keep: true}
	if got, err := s.ResolveNPM(ctx, []string{"left"}, kept, nil); len(got) != 1 || err != nil {
		t.Errorf("keep: %v %v", got, err)
	}
	if _, err := os.Stat(kept.Lock); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the lock was written: %v", err)
	}
}

// Bytes that are not the pinned ones are refused, in the cache too.
func TestDepsIntegrity(t *testing.T) {
	archive, _ := registry(t)
	s, err := Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	var wrong *IntegrityError
	other := Package{Path: "node_modules/left", Name: "left", Version: "1.2.3", Integrity: integrity([]byte("other"))}
	if err := s.FetchNPM(ctx, []Package{other}, nil); !errors.As(err, &wrong) || wrong.Got != integrity(archive) {
		t.Errorf("%v", err)
	}
	right := other
	right.Integrity = integrity(archive)
	if err := s.FetchNPM(ctx, []Package{right}, nil); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(s.tarball(right), []byte("damaged"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := s.PackageFiles(ctx, right, nil); !errors.As(err, &wrong) {
		t.Errorf("%v", err)
	}
	if _, err := s.PackageFiles(ctx, right, nil); err != nil { // fetched again
		t.Errorf("%v", err)
	}
}

// Only names of packages reach npm.
func TestDepsRefused(t *testing.T) {
	_, log := registry(t)
	s, err := Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, spec := range []string{"../x", "/etc", "--global", "-g", "file:x", "git+ssh://x", "github:a/b", "a/b", "http://x/y.tgz", "x@file:y", "x@npm:y", "x;rm", "$(x)", "@x", "", "x@", "X", "a b"} {
		var wrong *DepsError
		if _, err := s.ResolveNPM(context.Background(), []string{spec}, ResolveOptions{Lock: filepath.Join(t.TempDir(), LockName)}, nil); !errors.As(err, &wrong) {
			t.Errorf("%q: %v", spec, err)
		}
	}
	if calls, err := os.ReadFile(log); err == nil {
		t.Errorf("npm was called: %s", calls)
	}
	for _, spec := range []string{"x", "x@1", "x@^1.2.3", "x@>=2", "@a/b@latest", "x@1.0.0-rc.1+b", "lodash.get", "x@*"} {
		if _, err := checkSpecs([]string{spec}); err != nil {
			t.Errorf("%v", err)
		}
	}
}

// A lock file from a stranger leads nowhere else.
func TestLockFile(t *testing.T) {
	for text, want := range map[string]string{
		`{`:              "unexpected end",
		`{"version": 9}`: "version 9, this wb reads 1",
		`{"version": 1, "npm": {"x": [{"path": "../x", "name": "x", "version": "1", "integrity": "sha512-"}]}}`:                   "not below node_modules",
		`{"version": 1, "npm": {"x": [{"path": "node_modules/../../x", "name": "x", "version": "1", "integrity": "sha512-"}]}}`:   "not below node_modules",
		`{"version": 1, "npm": {"x": [{"path": "node_modules/x", "name": "--global", "version": "1", "integrity": "sha512-"}]}}`:  "not a package",
		`{"version": 1, "npm": {"x": [{"path": "node_modules/x", "name": "x", "version": "file:/etc", "integrity": "sha512-"}]}}`: "not a package",
		`{"version": 1, "npm": {"x": [{"path": "node_modules/x", "name": "x", "version": "1", "integrity": "sha1-"}]}}`:           "no sha512 digest",
	} {
		path := filepath.Join(t.TempDir(), LockName)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := readLockFile(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}

// Whatever is in a lock file, reading it ends, and what it accepts it writes
// and reads again as the same.
func FuzzLockFile(f *testing.F) {
	f.Add(`{"version": 1, "npm": {"x": [{"path": "node_modules/x", "name": "x", "version": "1", "integrity": "sha512-AA=="}]}}`)
	f.Add(`{"version": 1, "go": []}`)
	f.Add(`{}`)
	f.Fuzz(func(t *testing.T, text string) {
		path := filepath.Join(t.TempDir(), LockName)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		l, err := readLockFile(path)
		if err != nil {
			return
		}
		if err := l.write(); err != nil {
			t.Fatal(err)
		}
		again, err := readLockFile(path)
		if err != nil || len(again.npm) != len(l.npm) {
			t.Errorf("%q: %v", text, err)
		}
	})
}
