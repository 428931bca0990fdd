package trace

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

var benchEvent = Event{Run: testRun, Kind: KindToolCall, Step: 3, Call: 5, Agent: "waldo", Tool: "shell", Time: noon,
	Args: []byte(`{"pipeline":"cat data.json | jq .users[].name | sort -u"}`), Exit: Exit(0), Duration: 412 * time.Millisecond, Output: "ada\ngrace\n"}

// Rendering alone.
func BenchmarkAppendOrg(b *testing.B) {
	var buf []byte
	for b.Loop() {
		buf = AppendOrg(buf[:0], &benchEvent)
	}
	b.SetBytes(int64(len(buf)))
}

// An event through a run into events.org and _steps.jsonl, with locks, stats
// and one write(2) each. The goal is 50,000 a second: 20 µs.
func BenchmarkEmit(b *testing.B) {
	run, err := Begin(Config{Files: FilesIn(b.TempDir()), Warn: func(err error) { b.Error(err) }}, RunInfo{})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		run.Emit(benchEvent)
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "events/s")
	b.StopTimer()
	run.End(Outcome{Status: "ok"})
}

// The same while the output is kept in the blob store.
func BenchmarkEmitBlob(b *testing.B) {
	run, err := Begin(Config{Files: FilesIn(b.TempDir()), State: NewState(b.TempDir())}, RunInfo{})
	if err != nil {
		b.Fatal(err)
	}
	body := []byte(strings.Repeat("0123456789abcdef", 100))
	for i := 0; b.Loop(); i++ {
		for k, n := 0, i; n > 0; k, n = k+1, n/10 { // every body differs
			body[k] = byte('0' + n%10)
		}
		e := benchEvent
		e.Output = string(body)
		run.Emit(e)
	}
	b.StopTimer()
	run.End(Outcome{Status: "ok"})
}

// Begin and End of a run without events: what recording adds to a cached run.
func BenchmarkEmptyRun(b *testing.B) {
	dir := b.TempDir()
	config := Config{Files: FilesIn(dir), State: NewState(dir + "/state"), Key: testKey(b, 1)}
	for b.Loop() {
		run, err := Begin(config, RunInfo{Workbook: dir + "/a.org"})
		if err != nil {
			b.Fatal(err)
		}
		run.End(Outcome{Status: "ok"})
	}
}

// benchEvents is an events.org text of n events.
func benchEvents(n int) []byte {
	text := AppendOrg(nil, &Event{Kind: KindRun, Run: testRun, Time: noon, Workbook: "a.org"})
	for i := range n {
		e := benchEvent
		e.Call, e.Exit, e.Duration = i, Exit(i%7/6), time.Duration(i%1000)*time.Millisecond
		text = AppendOrg(text, &e)
	}
	return text
}

// Which calls failed: two properties of each of 100,000 records.
func BenchmarkScanEvents(b *testing.B) {
	text := benchEvents(100_000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		failed := 0
		for r := range ScanEvents(text) {
			if exit, ok := r.Prop("EXIT"); ok && !bytes.Equal(exit, []byte("0")) {
				if tool, _ := r.Prop("TOOL"); bytes.Equal(tool, []byte("shell")) {
					failed++
				}
			}
		}
		if failed != 14285 {
			b.Fatal(failed)
		}
	}
}

func BenchmarkReadEvents(b *testing.B) {
	text := benchEvents(10_000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		for range Events(text) {
		}
	}
}

// Sealing and verifying 100,000 lines.
func BenchmarkLedger(b *testing.B) {
	dir := b.TempDir()
	files := FilesIn(dir)
	steps := newAppendFile(files.Steps, 0o644)
	var text []byte
	for range 100_000 {
		text = AppendStep(text, &benchEvent)
	}
	end, err := steps.append(text)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("seal", func(b *testing.B) {
		b.SetBytes(end)
		for b.Loop() {
			if _, err := extend(nil, files.Steps, end); err != nil {
				b.Fatal(err)
			}
		}
	})
	if _, err := Seal(files.Ledger, files.Steps, end, testRun, testKey(b, 1), noon); err != nil {
		b.Fatal(err)
	}
	b.Run("verify", func(b *testing.B) {
		b.SetBytes(end)
		for b.Loop() {
			if r, err := VerifyFiles(Files{Ledger: files.Ledger, Steps: files.Steps}); err != nil || !r.TamperEvident {
				b.Fatal(err, r)
			}
		}
	})
}

func BenchmarkJournal(b *testing.B) {
	j, err := NewState(b.TempDir()).OpenJournal(testRun)
	if err != nil {
		b.Fatal(err)
	}
	defer j.Close()
	for b.Loop() {
		if _, err := j.Append(EntryEffect, "key", []byte("body")); err != nil {
			b.Fatal(err)
		}
	}
}
