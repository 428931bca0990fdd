package main

import (
	"testing"
	"time"

	"wb/workbook"
)

func TestRunState(t *testing.T) {
	start := time.Unix(0, 0)
	r := &runState{began: start}
	r.start(workbook.Begun{ID: "parse", Of: 4})
	r.start(workbook.Begun{ID: "train\x1b[2J", Of: 4})
	r.running[0].since, r.running[1].since = start.Add(500*time.Millisecond), start
	check := func(after time.Duration, want string) {
		t.Helper()
		if got := r.text(start.Add(after)); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	check(time.Second, "[0/4] 1 s  2 running: parse, train (1 s)")
	r.end(workbook.Done{ID: "parse", Status: workbook.StatusOK})
	r.end(workbook.Done{ID: "old", Status: workbook.StatusCached})
	r.end(workbook.Done{ID: "table", Status: workbook.StatusData})
	check(75*time.Second, "[2/4] 1 min 15 s  1 running: train (1 min 15 s)  1 cached")
	r.end(workbook.Done{ID: "train\x1b[2J", Status: workbook.StatusFailed})
	check(76*time.Second, "[3/4] 1 min 16 s  1 cached")
}
