package tier

import (
	"fmt"
	"sync"
	"time"

	"wb/compile/place/remote"
	"wb/sandbox"
)

// Reasons for which a watch kills.
const (
	overTime   = "time"
	overMemory = "memory"
)

// watch kills a child that goes beyond what the sandbox in it should have held
// it to. It is late on purpose: a guest that runs too long is ended by the
// sandbox, with its process whole.
type watch struct {
	peer   *peer
	build  time.Duration
	run    time.Duration // 0: no limit
	budget time.Duration // the program's own
	memory int64

	mu      sync.Mutex
	reason  string
	running bool
	timer   *time.Timer
	done    chan struct{}
}

// memoryTick is how often a child's size is looked at.
const memoryTick = 100 * time.Millisecond

func (p *peer) watch(trip remote.Trip, config *Config) *watch {
	w := &watch{peer: p, build: config.BuildTime, memory: config.Memory, done: make(chan struct{})}
	w.budget = trip.Work.Limits.WallLimit()
	if w.budget > 0 {
		w.run = w.budget + config.Grace
	}
	if extra := trip.Work.Limits.Memory; extra > 0 {
		w.memory += extra
	}
	w.timer = time.AfterFunc(w.build, func() { w.fire(overTime) })
	go w.watchMemory()
	return w
}

// watchMemory looks at the child's resident memory, where that can be had.
func (w *watch) watchMemory() {
	tick := time.NewTicker(memoryTick)
	defer tick.Stop()
	for {
		select {
		case <-w.done:
			return
		case <-tick.C:
			size, ok := residentMemory(w.peer.cmd.Process.Pid)
			if !ok {
				return
			}
			if size > w.memory {
				w.fire(overMemory)
				return
			}
		}
	}
}

func (w *watch) fire(reason string) {
	w.mu.Lock()
	first := w.reason == ""
	if first {
		w.reason = reason
	}
	w.mu.Unlock()
	if first {
		w.peer.kill()
	}
}

func (w *watch) fired() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.reason
}

// built starts the deadline of the run.
func (w *watch) built() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.running {
		return
	}
	w.running = true
	w.timer.Stop()
	if w.run > 0 {
		w.timer = time.AfterFunc(w.run, func() { w.fire(overTime) })
	}
}

func (w *watch) what() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.running {
		return "running"
	}
	return "building"
}

func (w *watch) limit() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.running {
		return w.run
	}
	return w.build
}

func (w *watch) timeError() error {
	if w.what() == "running" {
		return &sandbox.LimitError{Kind: sandbox.LimitTime, Limit: int64(w.budget)}
	}
	return fmt.Errorf("building took longer than %v", w.build)
}

func (w *watch) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.timer.Stop()
	close(w.done)
}
