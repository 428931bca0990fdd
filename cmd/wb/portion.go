package main

import (
	"fmt"
	"strings"
	"sync/atomic"
	"time"
)

// portion is how far something has come whose parts can be counted:
//
//	reading [=========>--------------------] 1200/4000 files  3 s
type portion struct {
	what, units string
	began       time.Time
	done, of    atomic.Int64
}

// tell may be called by several goroutines, the latest of which may come first.
func (p *portion) tell(done, of int) {
	p.of.Store(int64(of))
	for {
		was := p.done.Load()
		if int64(done) <= was && done > 0 || p.done.CompareAndSwap(was, int64(done)) {
			return
		}
	}
}

// portionWidth is that of the bar, in characters.
const portionWidth = 30

// text is the bar in one line; before there is something to count, what is going on.
func (p *portion) text(now time.Time) string {
	done, of := p.done.Load(), p.of.Load()
	took := seconds(now.Sub(p.began))
	if of == 0 {
		return p.what + " " + p.units + "  " + took
	}
	full := int(min(done, of) * portionWidth / of)
	bar := strings.Repeat("=", full)
	if full < portionWidth {
		bar += ">" + strings.Repeat("-", portionWidth-full-1)
	}
	return fmt.Sprintf("%s [%s] %d/%d %s  %s", p.what, bar, done, of, p.units, took)
}
