//go:build long

package run

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"wb/internal/trace"
)

// killRounds is how often TestKilledRunKeepsResults kills a run.
const killRounds = 30

// TestKilledRunKeepsResults kills runs of 15 components at random moments, while
// results are being written. What had ended by then is in the file or comes from
// the cache, and nothing is there twice.
func TestKilledRunKeepsResults(t *testing.T) {
	var src strings.Builder
	for i := range 15 {
		words, old := "value", ""
		if i%3 == 0 {
			words, old = "append", fmt.Sprintf("\n#+RESULTS: c%d\n: before\n", i)
		}
		fmt.Fprintf(&src, "#+NAME: c%d\n#+begin_src toy :results %s\nsleep %d\nreturn \"value %d\"\n#+end_src\n%s\n", i, words, 50+40*i, i, old)
	}
	inFile, fromCache := 0, 0
	for round := range killRounds {
		dir := t.TempDir()
		file := filepath.Join(dir, "doc.org")
		if err := os.WriteFile(file, []byte(src.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		killedRun(t, file, time.Duration(100+rand.IntN(4000))*time.Millisecond)

		killed, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		events, _ := os.ReadFile(filepath.Join(dir, "events.org"))
		n := &notebook{t: t, file: file, opts: Options{Book: BookAt(file, nil, testLanes(t))}}
		report, _ := n.run()
		status := map[string]Status{}
		for _, d := range report.Components {
			status[d.ID] = d.Status
		}
		for e := range trace.Events(events) {
			if e.Kind != trace.KindComponentEnd {
				continue
			}
			var i int
			fmt.Sscanf(e.Component, "c%d", &i)
			switch {
			case strings.Contains(string(killed), fmt.Sprintf(": value %d\n", i)):
				inFile++
			case status[e.Component] == StatusCached:
				fromCache++
			default:
				t.Errorf("round %d: %s had ended and is lost", round, e.Component)
			}
		}
		for i := range 15 {
			if got := strings.Count(n.text(), fmt.Sprintf(": value %d\n", i)); got != 1 {
				t.Errorf("round %d: the result of c%d is there %d times:\n%s", round, i, got, n.text())
			}
			if i%3 == 0 && !strings.Contains(n.text(), fmt.Sprintf("#+RESULTS: c%d\n: before\n: value %d\n", i, i)) {
				t.Errorf("round %d: c%d was not appended:\n%s", round, i, n.text())
			}
		}
		if t.Failed() {
			return
		}
	}
	t.Logf("%d kills: of the components that had ended, %d were in the file, %d in the cache only", killRounds, inFile, fromCache)
}
