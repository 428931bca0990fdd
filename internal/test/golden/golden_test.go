package golden

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// failing is a test that may fail.
type failing struct {
	testing.TB
	said string
}

func (f *failing) Helper() {}

func (f *failing) Errorf(format string, args ...any) { f.said = fmt.Sprintf(format, args...) }

func TestCheck(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x.golden")
	if err := os.WriteFile(file, []byte("one\ntwo\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	f := &failing{TB: t}
	Check(f, file, "one\ntwo\n")
	if f.said != "" {
		t.Errorf("the same text: %s", f.said)
	}
	Check(f, file, "one\nthree\n")
	if !strings.Contains(f.said, "-two\n+three\n") || !strings.Contains(f.said, "-update") {
		t.Errorf("another text: %s", f.said)
	}
	*update = true
	Check(f, file, "one\nthree\n")
	*update = false
	if text, err := os.ReadFile(file); err != nil || string(text) != "one\nthree\n" {
		t.Errorf("%q, %v", text, err)
	}
}
