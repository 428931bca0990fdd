package trace

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// Editors replace a file when they save it; events go where the name is.
func TestFileIsReplaced(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new", "events.org")
	w := NewEventsFile(path)
	defer w.Close()
	emit := func(text string) {
		t.Helper()
		if err := w.Emit(Event{Kind: KindLog, Output: text}); err != nil {
			t.Fatal(err)
		}
	}
	emit("one")
	if err := os.Rename(path, path+"~"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, append(read(t, path+"~"), "* A note without an end"...), 0o644); err != nil {
		t.Fatal(err)
	}
	emit("two")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	emit("three")
	emit("four")
	for file, want := range map[string]string{path + "~": "one", path: "three four"} {
		var got []string
		for e := range Events(read(t, file)) {
			got = append(got, e.Output)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s holds %q", file, got)
		}
	}
}

func TestFence(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	os.WriteFile(path, []byte("torn"), 0o644)
	a, b := newAppendFile(path, 0o644), newAppendFile(path, 0o644)
	defer a.Close()
	defer b.Close()
	for i, f := range []*appendFile{a, b, a, b} {
		end, err := f.append([]byte{byte('0' + i), '\n'})
		if info, _ := os.Stat(path); err != nil || end != info.Size() {
			t.Fatalf("end %d, %v", end, err)
		}
	}
	if got := string(read(t, path)); got != "torn\n0\n1\n2\n3\n" {
		t.Errorf("got %q", got)
	}
}

// A workbook that somebody else wrote cannot make a run append to a file
// elsewhere, nor hang it on a pipe.
func TestLinkIsRefused(t *testing.T) {
	dir := t.TempDir()
	victim := filepath.Join(dir, "victim")
	os.WriteFile(victim, []byte("mine\n"), 0o644)
	for _, target := range []string{victim, filepath.Join(dir, "not-there-yet")} {
		path := filepath.Join(dir, "events.org")
		os.Remove(path)
		if err := os.Symlink(target, path); err != nil {
			t.Skip(err)
		}
		if err := NewEventsFile(path).Emit(Event{Kind: KindLog}); err == nil || !strings.Contains(err.Error(), "not a regular file") {
			t.Errorf("%v", err)
		}
	}
	if string(read(t, victim)) != "mine\n" {
		t.Error("the file behind the link grew")
	}
}

// A view that cannot be written is reported once and marks the result.
func TestIncompleteRun(t *testing.T) {
	dir := t.TempDir()
	files := FilesIn(dir)
	if err := os.Mkdir(files.Events, 0o755); err != nil { // a directory where the file should be
		t.Fatal(err)
	}
	var warnings []string
	run, err := Begin(Config{Files: files, Warn: func(err error) { warnings = append(warnings, err.Error()) }}, RunInfo{})
	if err != nil {
		t.Fatal(err)
	}
	if err := run.Emit(Event{Kind: KindLog, Output: "x"}); err == nil {
		t.Error("Emit hides the failure")
	}
	if err := run.End(Outcome{Status: "ok"}); err == nil || !run.Incomplete() {
		t.Error("End hides the failure")
	}
	if len(warnings) != 1 || !strings.HasPrefix(warnings[0], "events.org: ") || !strings.Contains(warnings[0], "incomplete") {
		t.Errorf("warnings: %q", warnings)
	}
	if steps := string(read(t, files.Steps)); !strings.Contains(steps, `"trace":"incomplete"`) || strings.Contains(steps, eventsDigest) {
		t.Errorf("steps: %s", steps)
	}
	if err := run.Emit(Event{}); !errors.Is(err, ErrEnded) {
		t.Errorf("after the end: %v", err)
	}
	if err := run.End(Outcome{}); err != nil {
		t.Errorf("second end: %v", err)
	}
}

// A file that another process keeps locked is given up, once.
func TestLockedFile(t *testing.T) {
	files := FilesIn(t.TempDir())
	holder := newAppendFile(files.Events, 0o644)
	if _, err := holder.acquire(); err != nil {
		t.Fatal(err)
	}
	defer holder.Close()
	warnings := 0
	run, err := Begin(Config{Files: Files{Steps: files.Steps}, Warn: func(error) { warnings++ }}, RunInfo{})
	if err != nil {
		t.Fatal(err)
	}
	run.events = NewEventsFile(files.Events)
	run.events.file.wait = time.Millisecond
	if err := run.Emit(Event{Kind: KindLog}); !errors.Is(err, errBusy) {
		t.Errorf("the first event: %v", err)
	}
	run.events.file.wait = time.Hour
	if err := run.Emit(Event{Kind: KindLog}); err != nil {
		t.Errorf("the second event: %v", err)
	}
	if err := run.End(Outcome{}); err != nil || warnings != 1 || !run.Incomplete() {
		t.Errorf("%v, %d warnings", err, warnings)
	}
}

func TestRun(t *testing.T) {
	dir := t.TempDir()
	var live []Event
	listening := SinkFunc(func(e Event) error { live = append(live, e); return nil })
	now := ticking(noon, 250*time.Millisecond)
	state := NewState(filepath.Join(dir, "state"))
	run, err := Begin(Config{
		Files: FilesIn(dir), State: state, Key: testKey(t, 1), Sinks: []Sink{listening}, Now: now,
		IDs:    &IDs{Now: func() time.Time { return noon }, Entropy: strings.NewReader("0123456789")},
		Warn:   func(err error) { t.Error(err) },
		Redact: func(text string) string { return strings.ReplaceAll(text, "hunter2", "…") },
	}, RunInfo{Workbook: filepath.Join(dir, "sub", "a.org"), SourceSHA256: strings.Repeat("0", 64)})
	if err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("line\n", 200)
	args, _ := json.Marshal(map[string]any{"path": "a.txt", "content": strings.Repeat("z", 9000)})
	for _, e := range []Event{
		{Kind: KindToolCall, Step: 1, Tool: "shell", Output: long, Exit: Exit(2), Duration: time.Second},
		{Kind: KindToolCall, Step: 2, Tool: "vfs_write", Args: args, Output: "password hunter2", Props: []Prop{{"NOTE", "hunter2"}}},
	} {
		if err := run.Emit(e); err != nil {
			t.Fatal(err)
		}
	}
	if err := run.End(Outcome{Status: "failed", Error: "shell: exit 2", Output: "no"}); err != nil {
		t.Fatal(err)
	}
	golden(t, "run-events.org", read(t, filepath.Join(dir, "events.org")))
	golden(t, "run-steps.jsonl", read(t, filepath.Join(dir, "_steps.jsonl")))
	report, err := VerifyFiles(FilesIn(dir))
	if err != nil || !report.TamperEvident || !report.Attributable || len(report.Events) != 1 || !report.Events[0].Intact {
		t.Errorf("%v %+v", err, report)
	}
	text := read(t, filepath.Join(dir, "events.org"))
	for what, change := range map[string][]string{"changed": {"password", "passport"}, "removed": {"** step 2", "## step 2"}, "note": {"** Result", "** A note\n** Result"}} {
		os.WriteFile(filepath.Join(dir, "events.org"), []byte(strings.Replace(string(text), change[0], change[1], 1)), 0o644)
		if report, err := VerifyFiles(FilesIn(dir)); err != nil || report.Events[0].Intact != (what == "note") || !report.TamperEvident {
			t.Errorf("%s: %v %s", what, err, report.Summary())
		}
	}
	os.Remove(filepath.Join(dir, "events.org"))
	if report, err := VerifyFiles(FilesIn(dir)); err != nil || !strings.HasSuffix(report.Summary(), "run "+run.ID()+": no record in events.org") {
		t.Errorf("%v %s", err, report.Summary())
	}
	if whole, err := state.Blobs().Get(Digest([]byte(long))); err != nil || string(whole) != long {
		t.Errorf("the whole output: %v", err)
	}
	if whole, err := state.Blobs().Get(Digest(args)); err != nil || string(whole) != string(args) {
		t.Errorf("the whole arguments: %v", err)
	}
	want := []Kind{KindRun, KindToolCall, KindToolCall, KindResult}
	if len(live) != len(want) {
		t.Fatalf("live: %+v", live)
	}
	for i, e := range live {
		if e.Kind != want[i] || e.Run != run.ID() {
			t.Errorf("live: %+v", e)
		}
	}
	if left, err := os.ReadDir(filepath.Dir(state.RunDir("x"))); err != nil || len(left) > 0 {
		t.Errorf("the run leaves %v, %v", left, err)
	}
}

// However long and hostile the arguments, both files stay one record an event.
func TestHostileRun(t *testing.T) {
	files := FilesIn(t.TempDir())
	run, err := Begin(Config{Files: files, Warn: func(err error) { t.Error(err) }}, RunInfo{Workbook: "* x\n#+y"})
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range hostile {
		e := everywhere(text)
		e.Args, _ = json.Marshal([]string{text, strings.Repeat("x", 10_000) + text, text + strings.Repeat("y", 10_000)})
		run.Emit(e)
	}
	run.Emit(Event{Kind: KindToolCall, Args: json.RawMessage("* no json\n* at all")})
	if err := run.End(Outcome{}); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{files.Events, files.Steps} {
		for i, r := range string(read(t, path)) {
			if r != '\n' && hidden(r) {
				t.Errorf("%s: hidden character %U at %d", path, r, i)
			}
		}
	}
	events := slices.Collect(Events(read(t, files.Events)))
	if len(events) != len(hostile)+3 || string(events[len(hostile)+1].Args) != `"* no json\n* at all"` {
		t.Errorf("%d events", len(events))
	}
	steps := 0
	for _, err := range ScanSteps(read(t, files.Steps)) {
		if steps++; err != nil {
			t.Error(err)
		}
	}
	if steps != len(events) {
		t.Errorf("%d steps", steps)
	}
}

func TestStepKeys(t *testing.T) {
	line := AppendStep(nil, &Event{Run: "r", Call: 2, Kind: KindToolCall, Step: 1, Tool: "shell", Agent: "waldo", Args: json.RawMessage(`{ "a" : 1 }`),
		Output: strings.Repeat("é", 300), Error: "bad \x1b[31m", Exit: Exit(1), Duration: 1499 * time.Microsecond, Time: noon})
	want := `{"step":1,"agent":"waldo","tool":"shell","args":{"a":1},"output":"` + strings.Repeat("é", 200) +
		`","exit_code":1,"error":"bad \u001b[31m","dur_ms":1,"ts":1795262400,"run":"r","call":2,"kind":"tool_call","component":null}` + "\n"
	if string(line) != want {
		t.Errorf("got %s", line)
	}
}

func TestScanSteps(t *testing.T) {
	e := Event{Run: "r", Call: 2, Kind: KindToolCall, Step: 1, Tool: "shell", Args: json.RawMessage(`{"a":1}`), Output: "x", Exit: Exit(1),
		Duration: 3 * time.Millisecond, Time: noon}
	text := string(AppendStep(nil, &e)) + "\n" +
		`{"step":4,"tool":"fetch","args":{},"result":"page","ms":12}` + "\n" + `{"step":5,"to` + "\n" + `{"step":6,"result":{"a":1}}`
	var got []Event
	var bad []string
	for step, err := range ScanSteps([]byte(text)) {
		if err != nil {
			bad = append(bad, err.Error())
			continue
		}
		event := step.Event()
		event.Time = event.Time.In(time.UTC)
		got = append(got, event)
	}
	want := []Event{e,
		{Kind: KindToolCall, Step: 4, Tool: "fetch", Args: json.RawMessage(`{}`), Output: "page", Duration: 12 * time.Millisecond},
		{Kind: KindToolCall, Step: 6, Output: `{"a":1}`}}
	for i := range want[1:] {
		want[i+1].Time = time.Time{}
	}
	if !reflect.DeepEqual(got, want) || len(bad) != 1 || !strings.HasPrefix(bad[0], "line 4: ") {
		t.Errorf("got %+v\nbad %q", got, bad)
	}
}

func FuzzScanSteps(f *testing.F) {
	f.Add([]byte(`{"step":1,"tool":"x","args":null,"result":1,"ms":2}` + "\n"))
	f.Add(AppendStep(nil, &Event{Kind: KindLog, Output: "x"}))
	f.Fuzz(func(t *testing.T, text []byte) {
		for step, err := range ScanSteps(text) {
			if err != nil {
				continue
			}
			e := step.Event()
			line := AppendStep(nil, &e)
			if line[len(line)-1] != '\n' || !json.Valid(line) || strings.Count(string(line), "\n") != 1 {
				t.Fatalf("%q", line)
			}
		}
	})
}
