// Package golden compares what a test got with a file that keeps what it is to
// get. go test PACKAGE -update writes the files of that package anew; what then
// shows in the diff is for a person to judge.
package golden

import (
	"flag"
	"os"
	"testing"

	"wb/internal/textdiff"
)

var update = flag.Bool("update", false, "write golden files")

// Check fails the test where got is not the text of a file, and shows the lines
// that differ.
func Check(t testing.TB, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != got {
		t.Errorf("%s differs (-update writes it):\n%s", file, textdiff.Unified("a/"+file, "b/"+file, string(want), got))
	}
}
