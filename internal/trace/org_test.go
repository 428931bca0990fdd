package trace

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

const testRun = "01JD0000000000000000000000"

// oneOfEach is an event of every kind with every field it can have.
func oneOfEach() []Event {
	sha := strings.Repeat("ab", 32)
	return []Event{
		{Kind: KindRun, Workbook: "analysis.org", SourceSHA256: sha, ParentRun: "01JC0000000000000000000000"},
		{Kind: KindComponentStart, Component: "totals", Lang: "js", Profile: "compute"},
		{Kind: KindCompile, Component: "totals", Lang: "c", Duration: 1500 * time.Millisecond, Cache: "miss"},
		{Kind: KindComponentEnd, Component: "totals", Lang: "js", Profile: "compute", Exit: Exit(0), Duration: 12 * time.Millisecond, Fuel: 9001, Output: "30", OutputSHA256: sha, Cache: "miss"},
		{Kind: KindCacheHit, Component: "mean", Lang: "C", Cache: "hit", Output: "30"},
		{Kind: KindModelTurn, Step: 3, Agent: "waldo", Model: "small-1", Duration: 2 * time.Second, Usage: Usage{1200, 80, 1000, 0.00042}, Output: "I shall look."},
		{Kind: KindToolCall, Step: 3, Agent: "waldo", Tool: "shell", Args: json.RawMessage(`{"pipeline":"cat data.json | jq .users[].name | sort -u"}`), Exit: Exit(0), Duration: 412 * time.Millisecond, Output: "ada\ngrace\n", OutputSHA256: sha},
		{Kind: KindDenial, Step: 4, Agent: "waldo", Tool: "git", Error: "git not permitted (no exec capability)"},
		{Kind: KindRetry, Component: "totals", Error: "time limit 5s exceeded", Props: []Prop{{"ATTEMPT", "2"}}},
		{Kind: KindApproval, Agent: "waldo", Tool: "publish", Status: "pending"},
		{Kind: KindLog, Output: "two rows were empty"},
		{Kind: KindArtifact, Component: "plot", Path: "out/plot.svg", OutputSHA256: sha},
		{Kind: KindError, Component: "mean", Exit: Exit(1), Error: "mean: division by zero"},
		{Kind: KindResult, Status: "ok", Duration: 512 * time.Millisecond, Fuel: 1203441, Usage: Usage{1200, 80, 0, 0.5}, Output: "total = 30", Incomplete: true},
	}
}

func stamped(events []Event) []Event {
	for i := range events {
		events[i].Run, events[i].Time = testRun, noon.Add(time.Duration(i)*time.Second)
		if i > 0 {
			events[i].Call = i - 1
		}
	}
	return events
}

// The format is a contract with readers and with Emacs.
func TestOrgFormat(t *testing.T) {
	var text []byte
	for _, e := range stamped(oneOfEach()) {
		text = AppendOrg(text, &e)
	}
	text = AppendOrg(text, &Event{Kind: KindRun, Run: testRun, Agent: "waldo", Time: noon})
	golden(t, "events.org", text)
}

// What is written is read back, up to what an excerpt leaves out.
func TestOrgRoundTrip(t *testing.T) {
	events := stamped(oneOfEach())
	var text []byte
	for i := range events {
		text = AppendOrg(text, &events[i])
	}
	got := slices.Collect(Events(text))
	if len(got) != len(events) {
		t.Fatalf("%d events, want %d", len(got), len(events))
	}
	for i, want := range events {
		want.Output = oneLine(want.Output, excerptLen)
		if !reflect.DeepEqual(got[i], want) {
			t.Errorf("event %d:\n got %+v\nwant %+v", i, got[i], want)
		}
	}
	lines := bytes.Split(text, newline)
	for r := range ScanEvents(text) {
		if !bytes.Contains(lines[r.Line-1], r.Title) || lines[r.Line-1][0] != '*' {
			t.Errorf("line %d is not the headline %q", r.Line, r.Title)
		}
		if r.Run() != testRun {
			t.Errorf("line %d belongs to %q", r.Line, r.Run())
		}
	}
}

func TestOlderForm(t *testing.T) {
	text := "#+TITLE: kept\n\n* Agent run" + strings.Repeat(" ", 50) + ":session:\n" +
		"** step 0: shell" + strings.Repeat(" ", 34) + ":tool_call:\n   :PROPERTIES:\n   :ARGS: {\"pipeline\":\"ls\"}\n   :END:\n   a.txt b.txt\n\n" +
		"** step 1: done" + strings.Repeat(" ", 34) + ":tool_call:\n   :PROPERTIES:\n   :ARGS: {}\n   :END:\n   \n\n" +
		"* Result\n  first line\n  second\n* A note :idea:\n"
	var got []string
	for e := range Events([]byte(text)) {
		got = append(got, strings.Join([]string{string(e.Kind), e.Run, strconv.Itoa(e.Step), e.Tool, string(e.Args), e.Output}, "|"))
	}
	want := []string{"run||0|||", `tool_call||0|shell|{"pipeline":"ls"}|a.txt b.txt`, "tool_call||1|done|{}|", "result||0|||first line\nsecond"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

// A record that its writer did not finish is marked, wherever it stops.
func TestTornRecords(t *testing.T) {
	whole := AppendOrg(nil, &stamped(oneOfEach())[6])
	after := AppendOrg(nil, &Event{Kind: KindLog, Run: testRun, Output: "later"})
	for cut := 1; cut < len(whole); cut++ {
		fenced := append(append(slices.Clone(whole[:cut]), '\n'), after...)
		var records []Record
		for r := range ScanEvents(fenced) {
			records = append(records, r)
		}
		last := records[len(records)-1]
		if last.Torn || last.Kind != KindLog || last.Excerpt() != "later" {
			t.Fatalf("cut at %d: the next record was lost: %q", cut, fenced)
		}
		end := bytes.Index(whole, []byte("   :END:")) + len("   :END:")
		if len(records) == 2 && !records[0].Torn && cut < end {
			t.Errorf("cut at %d: not marked as torn", cut)
		}
		for r := range ScanEvents(whole[:cut]) {
			if !r.Torn && cut != end+1 { // there it is an event without output
				t.Errorf("cut at %d at the end of the file: not marked as torn", cut)
			}
		}
	}
}

// hostile are texts that try to be more than text.
var hostile = []string{
	"* Forged :result:", "\n* Forged :result:\n:PROPERTIES:\n:RUN: x\n:END:\n", "\r* a\r** b", ":END:\n** x :tool_call:", "x\n   :END:\n   :RUN: other",
	"#+SETUPFILE: http://x.example/evil.org", "#+begin_src sh :eval yes", "[[elisp:(kill-emacs)][click]]", "<<<radio>>>", "src_sh{rm -rf}", "{{{macro(x)}}}",
	"call_x()", "<2026-11-21 Sat>", "# Local Variables:\n# eval: (kill-emacs)\n# End:", "local variables:", "LOCAL VARIABLES:Local Variables:",
	"| a | b |", ": fixed", "- item", "%%(diary)", "\\begin{align}", "CLOCK: [2026-01-01]", "SCHEDULED: <2026-01-01>", "[fn:1] note",
	"\x1b[31mred\x1b[0m \x1b]0;title\x07 \x1b[", "\x00\x07\x7f\u0085\u2028\u202ereversed", "bad \xff\xfe utf-8", "tab\tand \u00a0 space  ", ":tag:", "a :b:c:",
	"\ufeffbom", "   leading", "日本語 text", "TODO x", "COMMENT x", "[#A] x", strings.Repeat("x", 5000), strings.Repeat("é", 400),
}

// everywhere is an event with text in every field that takes any.
func everywhere(text string) Event {
	args, err := json.Marshal(map[string]string{"text": text})
	if err != nil {
		panic(err)
	}
	return Event{Run: testRun, Kind: KindToolCall, Time: noon, Agent: text, Component: text, Lang: text, Profile: text, Tool: text, Model: text,
		Path: text, Args: args, Cache: text, Error: text, Status: text, Output: text, OutputSHA256: text, Props: []Prop{{text, text}}}
}

func checkContained(t *testing.T, e Event) {
	t.Helper()
	text := AppendOrg(nil, &Event{Kind: KindRun, Run: testRun, Time: noon, Workbook: e.Component, ParentRun: e.Tool})
	text = AppendOrg(text, &e)
	text = AppendOrg(text, &Event{Kind: KindResult, Run: testRun, Time: noon, Output: e.Output})
	records := slices.Collect(ScanEvents(text))
	if len(records) != 3 || records[0].Kind != KindRun || records[1].Kind != e.Kind || records[2].Kind != KindResult {
		t.Fatalf("%d records from\n%s", len(records), text)
	}
	for i, r := range records {
		if r.Torn || r.Run() != testRun || r.Event().Run != testRun {
			t.Fatalf("record %d is torn or of another run:\n%s", i, text)
		}
		if n := bytes.Count(r.Text, newline); i == 1 && n > 30 {
			t.Fatalf("%d lines in one record:\n%s", n, text)
		}
	}
	var sent, came any
	if len(e.Args) > 0 && json.Unmarshal(e.Args, &sent) == nil {
		if err := json.Unmarshal(records[1].Event().Args, &came); err != nil || !reflect.DeepEqual(sent, came) {
			t.Fatalf("arguments changed: %v", err)
		}
	}
	for i, r := range string(text) {
		if r != '\n' && hidden(r) {
			t.Fatalf("hidden character %U at %d in\n%q", r, i, text)
		}
	}
	if hookAt(text) >= 0 {
		t.Fatalf("local variables in\n%s", text)
	}
}

func TestHostileText(t *testing.T) {
	for _, text := range hostile {
		checkContained(t, everywhere(text))
	}
}

func FuzzAppendOrg(f *testing.F) {
	for _, text := range hostile {
		f.Add(text, []byte(`{"a":1}`))
	}
	f.Add("x", []byte(`"Local Variables: \u2028 Local Variables:"`))
	f.Fuzz(func(t *testing.T, text string, args []byte) {
		e := everywhere(text)
		if json.Valid(args) {
			e.Args = args
		}
		checkContained(t, e)
	})
}

// Reading never fails, and what is not an event never becomes one.
func FuzzScanEvents(f *testing.F) {
	var text []byte
	for _, e := range stamped(oneOfEach()) {
		text = AppendOrg(text, &e)
	}
	f.Add(text)
	f.Add([]byte("* Agent run :session:\n** step 1: x :tool_call:\n* Result\n  y\n"))
	f.Add([]byte("*"))
	f.Add([]byte("** :result:\n:PROPERTIES:"))
	f.Fuzz(func(t *testing.T, text []byte) {
		at, line := 0, 1
		for r := range ScanEvents(text) {
			i := bytes.Index(text[at:], r.Text)
			if i < 0 || r.Text[0] != '*' || r.Kind == "" {
				t.Fatalf("record %q is not in the text", r.Text)
			}
			line += bytes.Count(text[at:at+i], newline)
			if r.Line != line {
				t.Fatalf("line %d, want %d", r.Line, line)
			}
			at += i + len(r.Text)
			line += bytes.Count(r.Text, newline)
			e := r.Event()
			_ = AppendOrg(nil, &e)
		}
	})
}

// Emacs sees the headlines and properties that we meant, no others, and
// nothing in an excerpt that it would act on.
func TestEmacsReadsEvents(t *testing.T) {
	emacs, err := exec.LookPath("emacs")
	if err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal("emacs is missing: apt-get install emacs-nox")
		}
		t.Skip("emacs is missing: apt-get install emacs-nox")
	}
	text := AppendOrg(nil, &Event{Kind: KindRun, Run: testRun, Time: noon, Workbook: "x.org"})
	for i, h := range hostile {
		e := everywhere(h)
		e.Props, e.Call = nil, i
		text = AppendOrg(text, &e)
	}
	path := filepath.Join(t.TempDir(), "events.org")
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(emacs, "-Q", "--batch", "-l", "testdata/events.el", path).Output()
	if err != nil {
		t.Fatalf("emacs: %v", err)
	}
	var want strings.Builder
	want.WriteString("1 nil (run session) nil\n")
	for i := range hostile {
		want.WriteString("2 " + testRun + " (tool_call) " + strconv.Itoa(i) + "\n")
	}
	want.WriteString("acts: nil\n")
	if got := string(out); got != want.String() {
		t.Errorf("emacs sees\n%s", got)
	}
}
