package trace

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// checkRuns checks that the records of each run are in order and whole, and
// returns how many each has.
func checkRuns(t *testing.T, text []byte) map[string]int {
	t.Helper()
	calls := map[string]int{}
	for e := range Events(text) {
		if e.Kind == KindRun {
			continue
		}
		if e.Call != calls[e.Run] {
			t.Fatalf("run %s: call %d follows call %d", e.Run, e.Call, calls[e.Run]-1)
		}
		calls[e.Run]++
		if e.Kind == KindToolCall {
			if i := strconv.Itoa(e.Step - 1); string(e.Args) != `{"i":`+i+`}` || e.Exit == nil {
				t.Fatalf("run %s: call %d was damaged: %+v", e.Run, e.Call, e)
			}
		}
	}
	return calls
}

// Processes that share the files lose nothing and mix nothing up.
func TestProcessesShareFiles(t *testing.T) {
	dir := t.TempDir()
	const processes, events = 4, 300
	var helpers []func() error
	for range processes {
		helpers = append(helpers, startHelper(t, "run", dir, events).Wait)
	}
	for _, wait := range helpers {
		if err := wait(); err != nil {
			t.Fatal(err)
		}
	}
	files := FilesIn(dir)
	events1 := read(t, files.Events)
	runs := checkRuns(t, events1)
	if len(runs) != processes {
		t.Fatalf("%d runs, want %d", len(runs), processes)
	}
	for run, calls := range runs {
		if calls != events+1 {
			t.Errorf("run %s has %d events, want %d", run, calls, events+1)
		}
	}
	report, err := VerifyFiles(Files{Ledger: files.Ledger, Steps: files.Steps})
	if err != nil || !report.TamperEvident || report.Seals != processes || report.Sealed != processes*(events+2) || report.Unsealed != 0 {
		t.Errorf("ledger: %v %+v", err, report)
	}
	verified := VerifyEvents(events1, read(t, files.Steps))
	if len(verified) != processes {
		t.Errorf("%d runs verified", len(verified))
	}
	for _, v := range verified {
		if !v.Intact {
			t.Errorf("run %s: %s", v.Run, v.Reason)
		}
	}
	registered, err := NewState(dir + "/state").Runs()
	if err != nil || len(registered) != processes {
		t.Fatalf("registry: %v %+v", err, registered)
	}
	for _, r := range registered {
		if r.Status != "ok" || r.Ended.IsZero() {
			t.Errorf("registry: %+v", r)
		}
	}
}

// A process that is killed while it writes leaves files that are whole up to
// its last record; the next run goes on in them.
func TestKilledWriter(t *testing.T) {
	dir := t.TempDir()
	files := FilesIn(dir)
	state := NewState(dir + "/state")
	const kills = 3
	for kill := range kills {
		cmd := startHelper(t, "forever", dir, 0)
		size := func() int64 {
			info, err := os.Stat(files.Steps)
			if err != nil {
				return 0
			}
			return info.Size()
		}
		waitFor(t, func() bool {
			runs, err := state.Runs()
			return err == nil && len(runs) == kill+1 && runs[kill].Status == StatusRunning
		})
		before := size()
		waitFor(t, func() bool { return size() > before+50_000 })
		cmd.Process.Kill()
		cmd.Wait()
		checkRuns(t, read(t, files.Events))
		if runs, _ := state.Runs(); runs[kill].Status != StatusCrashed {
			t.Errorf("registry after the kill: %+v", runs[kill])
		}
	}
	// What a kill in the middle of write(2) leaves.
	if err := startHelper(t, "torn", dir, 0).Wait(); err != nil {
		t.Fatal(err)
	}
	if err := recordRun(dir, 10); err != nil {
		t.Fatal(err)
	}
	text := read(t, files.Events)
	if runs := checkRuns(t, text); len(runs) != kills+1 {
		t.Errorf("%d runs, want %d: %v", len(runs), kills+1, runs)
	}
	torn := 0
	for r := range ScanEvents(text) {
		if r.Torn {
			torn++
		}
	}
	if torn < 1 || torn > kills+1 {
		t.Errorf("%d torn records", torn)
	}
	bad := 0
	for _, err := range ScanSteps(read(t, files.Steps)) {
		if err != nil {
			bad++
		}
	}
	if bad < 1 || bad > kills+1 {
		t.Errorf("%d torn lines", bad)
	}
	report, err := VerifyFiles(Files{Ledger: files.Ledger, Steps: files.Steps})
	if err != nil || !report.TamperEvident || report.Unsealed != 0 || report.Sealed != report.Lines {
		t.Errorf("ledger: %v %s", err, report.Summary())
	}
}

// An unsealed tail is a crash, not tampering.
func TestKilledBeforeSeal(t *testing.T) {
	dir := t.TempDir()
	if err := recordRun(dir, 5); err != nil {
		t.Fatal(err)
	}
	files := FilesIn(dir)
	cmd := startHelper(t, "forever", dir, 0)
	waitFor(t, func() bool { return bytes.Count(read(t, files.Steps), newline) > 20 })
	cmd.Process.Kill()
	cmd.Wait()
	report, err := VerifyFiles(Files{Ledger: files.Ledger, Steps: files.Steps})
	if err != nil || !report.TamperEvident || report.Sealed != 7 || report.Unsealed < 14 || len(report.UnsealedRuns) != 1 {
		t.Errorf("%v %+v", err, report)
	}
	if text := report.Summary(); !strings.Contains(text, "from line 8 are not sealed") {
		t.Error(text)
	}
}

// Every entry that was acknowledged is there after kill -9.
func TestKilledJournal(t *testing.T) {
	dir := t.TempDir()
	state := NewState(dir)
	have := 0
	for range 3 {
		os.Remove(filepath.Join(dir, "acknowledged"))
		cmd := startHelper(t, "journal", dir, 0)
		acknowledged := func() int {
			text, _ := os.ReadFile(filepath.Join(dir, "acknowledged"))
			return len(text)
		}
		waitFor(t, func() bool { return acknowledged() > 5 })
		if _, err := state.OpenJournal(testRun); err == nil || !strings.Contains(err.Error(), "in use") {
			t.Errorf("a journal in use was opened: %v", err)
		}
		cmd.Process.Kill()
		cmd.Wait()
		want := have + acknowledged()
		j, err := state.OpenJournal(testRun)
		if err != nil {
			t.Fatal(err)
		}
		if got := len(j.Entries()); got < want || got > want+1 {
			t.Errorf("%d entries, %d were acknowledged", got, want)
		}
		for _, e := range j.Entries() {
			if _, err := j.Body(e); err != nil {
				t.Errorf("entry %d: %v", e.Seq, err)
			}
		}
		have = len(j.Entries())
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// waitFor polls until something is so.
func waitFor(t *testing.T, so func() bool) {
	t.Helper()
	deadline := time.Now().Add(30 * time.Second)
	for !so() {
		if time.Now().After(deadline) {
			t.Fatal("waited too long")
		}
		time.Sleep(2 * time.Millisecond)
	}
}
