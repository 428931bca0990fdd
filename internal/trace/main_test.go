package trace

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "rewrite golden files")

// TestMain fixes the time zone, which events.org shows, and turns the test
// binary into a helper process where a test asks for one.
func TestMain(m *testing.M) {
	time.Local = time.UTC
	if role := os.Getenv("TRACE_TEST_ROLE"); role != "" {
		os.Exit(helper(role))
	}
	os.Exit(m.Run())
}

// golden compares got with testdata/name.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Errorf("%s differs; got:\n%s", path, got)
	}
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// ticking is a clock that advances by a step with each look.
func ticking(start time.Time, step time.Duration) func() time.Time {
	now := start
	return func() time.Time {
		now = now.Add(step)
		return now
	}
}

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
