package toolchain

import (
	"archive/zip"
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// wheelOf makes a wheel of files.
func wheelOf(t testing.TB, files map[string]string) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for name, text := range files {
		f, err := w.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestWheels pins a wheel, finds it again, and refuses another under its name.
func TestWheels(t *testing.T) {
	s, dir := &Depot{dir: t.TempDir()}, t.TempDir()
	lock := filepath.Join(dir, LockName)
	if err := os.WriteFile(lock, []byte(`{"version":1,"npm":{},"other":{"kept":true}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	data := wheelOf(t, map[string]string{"small/__init__.py": "x = 1", "../evil.py": "", "/abs.py": "", "small/native.so": "", `a\b.py`: ""})
	if err := s.KeepWheel(t.Context(), lock, "Small_Thing==1.0", "small-1.0-py3-none-any.whl", data, nil); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(lock)
	if err != nil || !strings.Contains(string(text), `"small-thing==1.0"`) || !strings.Contains(string(text), `"kept": true`) {
		t.Errorf("%v\n%s", err, text)
	}
	found, err := s.ResolveWheels([]string{"small.thing == 1.0", "small-thing==2.0"}, lock)
	if err != nil || len(found) != 1 || found[0].Name != "small-thing" {
		t.Fatal(found, err)
	}
	files, err := s.WheelFiles(found[0])
	if err != nil || len(files) != 1 || string(files["small/__init__.py"]) != "x = 1" {
		t.Errorf("%v %v", files, err)
	}
	if err := s.KeepWheel(t.Context(), lock, "small-thing==1.0", "small-1.0-py3-none-any.whl", data, nil); err != nil {
		t.Error("the same again:", err)
	}
	var other *IntegrityError
	if err := s.KeepWheel(t.Context(), lock, "small-thing==1.0", "small-1.0-py3-none-any.whl", wheelOf(t, nil), nil); !errors.As(err, &other) {
		t.Error("another content:", err)
	}
	for _, wrong := range [][2]string{{"small==1.0", "../x.whl"}, {"../x==1", "x.whl"}, {"small", "x.whl"}, {"small==1/2", "x.whl"}} {
		if err := s.KeepWheel(t.Context(), lock, wrong[0], wrong[1], data, nil); err == nil {
			t.Errorf("kept %q", wrong)
		}
	}
	if err := s.KeepWheel(t.Context(), lock, "small==3", "x.whl", []byte("no archive"), nil); err == nil {
		t.Error("kept what is not a wheel")
	}
	if err := os.WriteFile(s.wheel(strings.TrimPrefix(found[0].Integrity, "sha256-")), []byte("changed"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.WheelFiles(found[0]); !errors.As(err, &other) {
		t.Error("changed in the cache:", err)
	}
	if err := os.Remove(s.wheel(strings.TrimPrefix(found[0].Integrity, "sha256-"))); err != nil {
		t.Fatal(err)
	}
	var missing *DepsError
	if _, err := s.WheelFiles(found[0]); !errors.As(err, &missing) || !strings.Contains(missing.Hint(), "pip-fetch small-thing==1.0") {
		t.Error("not there:", err)
	}
	for _, pins := range []string{`{"small==1":{"file":"../x.whl","sha256":""}}`, `{"../x==1":{"file":"x.whl"}}`, `[]`} {
		if err := os.WriteFile(lock, []byte(`{"version":1,"python":`+pins+`}`), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := s.ResolveWheels([]string{"small==1"}, lock); err == nil {
			t.Errorf("believed %s", pins)
		}
	}
}

// FuzzWheel unpacks what calls itself a wheel: no file leads elsewhere.
func FuzzWheel(f *testing.F) {
	f.Add(wheelOf(f, map[string]string{"small/__init__.py": "x = 1", "../evil.py": ""}))
	f.Add([]byte("PK"))
	f.Fuzz(func(t *testing.T, data []byte) {
		files, err := unpackWheel(data)
		for name := range files {
			if err != nil || !fs.ValidPath(name) {
				t.Errorf("%q %v", name, err)
			}
		}
	})
}
