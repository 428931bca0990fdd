package run

import (
	"context"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"wb/internal/trace"
)

// crashEnv names the workbook that the helper process of TestRunSurvivesKill
// runs.
const crashEnv = "WB_TEST_CRASH_FILE"

// TestCrashHelper is not a test: it is the process that gets killed.
func TestCrashHelper(t *testing.T) {
	file := os.Getenv(crashEnv)
	if file == "" {
		t.Skip("run by TestRunSurvivesKill")
	}
	record, err := trace.Begin(trace.Config{Files: trace.FilesIn(filepath.Dir(file))}, trace.RunInfo{Workbook: file})
	if err != nil {
		t.Fatal(err)
	}
	opts := Options{Book: BookAt(file, nil, testLanes(t)), Listeners: Listeners{Trace: record}}
	if _, err := Run(context.Background(), opts); err != nil {
		t.Fatal(err)
	}
	if err := record.End(trace.Outcome{Status: "ok"}); err != nil {
		t.Fatal(err)
	}
}

// killedRun runs a workbook in a process of its own and kills that after a while.
func killedRun(t *testing.T, file string, after time.Duration) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=TestCrashHelper$")
	cmd.Env = append(os.Environ(), crashEnv+"="+file)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	time.Sleep(after)
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
}

// TestRunSurvivesKill kills a run at a random moment, several times over, and
// makes sure that the file, the cache and the events are whole afterwards and
// that the next run finishes the work.
func TestRunSurvivesKill(t *testing.T) {
	src := strings.ReplaceAll(toyChain(40), "sum x", "sleep 2\nsum x")
	dir := t.TempDir()
	file := filepath.Join(dir, "doc.org")
	finished := ""
	for round := range 5 {
		if err := os.WriteFile(file, []byte(src), 0o644); err != nil {
			t.Fatal(err)
		}
		if round%2 == 0 {
			os.RemoveAll(filepath.Join(dir, ".wb"))
		}
		killedRun(t, file, time.Duration(20+rand.IntN(120))*time.Millisecond)

		text, err := os.ReadFile(file)
		if err != nil || string(text) != src && string(text) != finished && finished != "" {
			t.Fatalf("the file is neither old nor new: %v\n%s", err, text)
		}
		events, _ := os.ReadFile(filepath.Join(dir, "events.org"))
		for e := range trace.Events(events) {
			if e.Kind == "" {
				t.Errorf("an event without kind in events.org")
			}
		}
		n := &notebook{t: t, file: file, opts: Options{Book: BookAt(file, nil, testLanes(t))}}
		report, _ := n.run()
		if failed := report.Failed(); failed != nil {
			t.Fatal(failed.Err)
		}
		if finished == "" {
			finished = n.text()
		}
		if n.text() != finished {
			t.Fatalf("after a crash the outcome differs:\n%s", lineDiff(n.text(), finished))
		}
		if again, got := n.run(); again.Count(StatusCached) != 40 {
			t.Errorf("not everything is kept: %s", got)
		}
	}
}
