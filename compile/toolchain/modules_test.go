package toolchain

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// moduleZip is a module's archive as a proxy has it, and its h1 hash.
func moduleZip(t *testing.T, p Package, files ...string) ([]byte, string) {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	sum := sha256.New()
	for i := 0; i < len(files); i += 2 { // in order of their names
		name := p.Path + "@" + p.Version + "/" + files[i]
		f, err := w.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte(files[i+1])); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(sum, "%x  %s\n", sha256.Sum256([]byte(files[i+1])), name)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes(), "h1:" + base64.StdEncoding.EncodeToString(sum.Sum(nil))
}

func TestModuleFilesAreChecked(t *testing.T) {
	s, err := Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := Package{Path: "example.org/m", Name: "example.org/m", Version: "v1.0.0"}
	data, sum := moduleZip(t, p, "a.go", "package m\n", "a_test.go", "package m\n", "go.mod", "module example.org/m\n", "logo.png", "x")
	p.Integrity = sum
	archive := filepath.Join(t.TempDir(), "m.zip")
	if err := os.WriteFile(archive, data, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := s.keepModule(p, archive); err != nil {
		t.Fatal(err)
	}
	files, err := s.ModuleFiles(context.Background(), p, nil)
	if err != nil || len(files) != 2 || string(files["a.go"]) != "package m\n" || files["go.mod"] == nil {
		t.Errorf("got %v, %v", files, err)
	}
	changed, _ := moduleZip(t, p, "a.go", "package m // evil\n")
	if err := os.WriteFile(s.moduleArchive(p), changed, 0o644); err != nil {
		t.Fatal(err)
	}
	var wrong *IntegrityError
	if _, err := s.ModuleFiles(context.Background(), p, nil); !errors.As(err, &wrong) {
		t.Errorf("a changed archive: %v", err)
	}
	other := p
	other.Integrity = "h1:AAAA"
	if err := s.keepModule(other, archive); !errors.As(err, &wrong) {
		t.Errorf("another archive than pinned: %v", err)
	}
}

// TestGoSpecs lets nothing reach the go client that is not a module of a proxy.
func TestGoSpecs(t *testing.T) {
	s, err := Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, spec := range []string{"nonsense", "-u", "./local", "../up", "https://example.org/m", "example.org/m@main", "example.org/m v1", "example.org/../m", "example.org/m@-x", "example.org/m;rm"} {
		var wrong *DepsError
		if _, err := s.ResolveGo(context.Background(), []string{spec}, ResolveOptions{Lock: filepath.Join(t.TempDir(), LockName)}, nil); !errors.As(err, &wrong) {
			t.Errorf("%s: %v", spec, err)
		}
	}
	for _, spec := range []string{"example.org/m", "github.com/a/B.c@v1.2.3-rc.1+incompatible", "gopkg.in/yaml.v3@latest"} {
		if !goSpec.MatchString(spec) {
			t.Errorf("%s is refused", spec)
		}
	}
}

func TestGoLockIsUsed(t *testing.T) {
	s, err := Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), LockName)
	lock := `{"version": 1, "go": {"example.org/m@v1.0.0": [{"path": "example.org/m", "name": "example.org/m", "version": "v1.0.0", "integrity": "h1:AAAA"}]}}`
	if err := os.WriteFile(path, []byte(lock), 0o644); err != nil {
		t.Fatal(err)
	}
	got, err := s.ResolveGo(context.Background(), []string{"example.org/m@v1.0.0"}, ResolveOptions{Lock: path}, nil)
	if err != nil || len(got) != 1 || got[0].Integrity != "h1:AAAA" {
		t.Errorf("got %v, %v", got, err)
	}
	if got, err := s.ResolveGo(context.Background(), []string{"example.org/other"}, ResolveOptions{Lock: path, Offline: true}, nil); err != nil || got != nil {
		t.Errorf("offline: got %v, %v", got, err)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(lock, `"v1.0.0", "integrity"`, `"--help", "integrity"`, 1)), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := s.ResolveGo(context.Background(), []string{"example.org/m@v1.0.0"}, ResolveOptions{Lock: path}, nil); err == nil {
		t.Error("a version that is an option was accepted")
	}
}
