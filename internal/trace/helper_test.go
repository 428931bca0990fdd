package trace

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

// startHelper starts this test binary in a role, with DIR and N for it.
func startHelper(t *testing.T, role, dir string, n int) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), "TRACE_TEST_ROLE="+role, "TRACE_TEST_DIR="+dir, "TRACE_TEST_N="+strconv.Itoa(n))
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	return cmd
}

// helper is what a helper process does. It returns the exit code.
func helper(role string) int {
	dir := os.Getenv("TRACE_TEST_DIR")
	n, _ := strconv.Atoi(os.Getenv("TRACE_TEST_N"))
	var err error
	switch role {
	case "run":
		err = recordRun(dir, n)
	case "forever":
		err = recordRun(dir, 1<<40)
	case "journal":
		err = journalForever(dir)
	case "torn": // half a record, as a killed writer leaves it
		err = tearFiles(dir)
	default:
		err = fmt.Errorf("no role %q", role)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// recordRun records a run of n events into the files of dir, its outputs of
// very different sizes.
func recordRun(dir string, n int) error {
	var warned error
	run, err := Begin(Config{Files: FilesIn(dir), State: NewState(dir + "/state"), Warn: func(err error) { warned = err }}, RunInfo{Workbook: dir + "/a.org"})
	if err != nil {
		return err
	}
	for i := range n {
		e := Event{Kind: KindToolCall, Step: i + 1, Tool: "shell", Args: []byte(`{"i":` + strconv.Itoa(i) + `}`), Exit: Exit(0), Output: strings.Repeat("x", i*37%290)}
		if i%50 == 0 {
			e.Output = strings.Repeat("long\n", 1000)
		}
		if err := run.Emit(e); err != nil {
			return err
		}
	}
	if err := run.End(Outcome{Status: "ok"}); err != nil {
		return err
	}
	return warned
}

func tearFiles(dir string) error {
	files := FilesIn(dir)
	for path, text := range map[string]string{files.Events: "** step 9: torn   :tool_call:\n   :PROPERTIES:\n   :RUN: lost\n   :DUR_", files.Steps: `{"step":9,"ag`} {
		f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
		if err != nil {
			return err
		}
		if _, err := f.WriteString(text); err != nil {
			return err
		}
		f.Close()
	}
	return nil
}

// journalForever appends to the journal of one run, and a byte to a file for
// each entry that it was told is safe.
func journalForever(dir string) error {
	j, err := NewState(dir).OpenJournal(testRun)
	if err != nil {
		return err
	}
	acknowledged, err := os.Create(dir + "/acknowledged")
	if err != nil {
		return err
	}
	for i := range 1 << 40 {
		if _, err := j.Append(EntryIntent, "key-"+strconv.Itoa(i), []byte(strings.Repeat("body ", i%500))); err != nil {
			return err
		}
		if _, err := acknowledged.Write([]byte{'+'}); err != nil {
			return err
		}
	}
	return nil
}
