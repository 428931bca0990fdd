package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"wb/workbook"
)

// What ends soon is not shown; what goes on is, a line at a time, and not again when
// it has ended.
func TestLiveOutput(t *testing.T) {
	var stderr bytes.Buffer
	a := &terminal{std: stdio{Err: &stderr}}
	l := a.liveOutput()
	l.after = time.Hour // until the test says so
	said := func(id, text string) { l.printed(workbook.Printed{ID: id, Text: text}) }
	said("quick", "unseen\n")
	l.ended(workbook.Done{ID: "quick", Lang: "sh", Status: workbook.StatusOK, Stderr: "seen\n"})
	said("slow", "one\n10 %\r20 %\n")
	if text := stderr.String(); strings.Contains(text, "unseen") || strings.Contains(text, "one") || !strings.Contains(text, "    stderr: seen\n") {
		t.Errorf("soon:\n%s", text)
	}
	stderr.Reset()
	l.mu.Lock()
	l.speakers["slow"].heard = true // what the timer does
	l.show("slow", l.speakers["slow"])
	l.mu.Unlock()
	said("slow", "\x1b[31mtwo\x1b[0m\n...")
	l.ended(workbook.Done{ID: "slow", Lang: "sh", Status: workbook.StatusOK, Stderr: "two\n"})
	want := "slow | one\nslow | 20 %\nslow | two\nslow | ...\n✓ slow"
	if text := stderr.String(); !strings.HasPrefix(text, want) || strings.Contains(text, "stderr:") {
		t.Errorf("live:\n%s", text)
	}
}
