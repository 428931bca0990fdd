//go:build long

package leak

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wb/proof/manifest"
)

// TestFalseAlarms scans the org files below $WB_LEAK_CORPUS, public documents in
// which there are no secrets: at most one line in 10,000 may look like one.
func TestFalseAlarms(t *testing.T) {
	dir := os.Getenv("WB_LEAK_CORPUS")
	if dir == "" {
		t.Skip("WB_LEAK_CORPUS names no directory: git clone https://git.sr.ht/~bzg/worg")
	}
	lines, alarms := 0, 0
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".org") || !d.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		lines += bytes.Count(text, []byte("\n"))
		for _, f := range Scan(manifest.Files{"a.org": text}, Rules{}) {
			alarms++
			t.Logf("%s:%d: %s", path, f.Line, f.What)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d alarms in %d lines", alarms, lines)
	if lines < 10_000 || alarms*10_000 > lines {
		t.Errorf("%d alarms in %d lines", alarms, lines)
	}
}
