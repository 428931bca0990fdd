package corpus

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"wb/internal/trace"
	"wb/org"
)

// A corpus has about the size asked for, and the same seed gives the same.
func TestWrite(t *testing.T) {
	dir := t.TempDir()
	size := Size{Files: 60, Headlines: 1000, Bytes: 700_000, Seed: 1}
	if err := Write(dir, size); err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*", "*.org"))
	bytes, headlines := 0, 0
	for _, name := range files {
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		bytes += len(src)
		for range org.Parse(src).Headlines() {
			headlines++
		}
	}
	near := func(got, want int) bool { return got > want*6/10 && got < want*16/10 }
	if len(files) != size.Files || !near(bytes, size.Bytes) || !near(headlines, size.Headlines) {
		t.Errorf("%d files, %d bytes, %d headlines", len(files), bytes, headlines)
	}
	if again := File(size, 7); string(again) != string(File(size, 7)) {
		t.Error("the same seed gives other files")
	}
}

// Events are what trace reads back.
func TestEvents(t *testing.T) {
	var b bytes.Buffer
	if err := Events(&b, 1000, 1); err != nil {
		t.Fatal(err)
	}
	n, last := 0, time.Time{}
	for e := range trace.Events(b.Bytes()) {
		if e.Kind != trace.KindRun && e.Kind != trace.KindResult {
			n++
		}
		if e.Time.Before(last) && !e.Time.IsZero() {
			t.Fatalf("event %d is before the one before", n)
		}
		last = e.Time
	}
	if n != 1000 {
		t.Errorf("%d events", n)
	}
}
