package main

import (
	"testing"
	"time"
)

func TestPortion(t *testing.T) {
	start := time.Unix(0, 0)
	p := &portion{what: "reading", units: "files", began: start}
	check := func(after time.Duration, want string) {
		t.Helper()
		if got := p.text(start.Add(after)); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	check(time.Second, "reading files  1 s")
	p.tell(0, 40)
	check(time.Second, "reading [>-----------------------------] 0/40 files  1 s")
	p.tell(11, 40)
	p.tell(10, 40) // by a goroutine that was overtaken
	check(2*time.Second, "reading [========>---------------------] 11/40 files  2 s")
	p.tell(40, 40)
	check(75*time.Second, "reading [==============================] 40/40 files  1 min 15 s")
	p.tell(0, 3) // it begins again
	check(76*time.Second, "reading [>-----------------------------] 0/3 files  1 min 16 s")
}
