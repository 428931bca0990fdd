package broker

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"wb/sandbox/dock"
)

// TestProcesses starts programs, waits for them and kills them, with as many
// live as may be and one more.
func TestProcesses(t *testing.T) {
	var ended atomic.Int32
	run := func(ctx context.Context, name string, args []string, input []byte) (Output, error) {
		switch name {
		case "sleep":
			<-ctx.Done()
			ended.Add(1)
			return Output{}, ctx.Err()
		case "fail":
			return Output{Exit: 3, Stderr: "no\n"}, nil
		}
		return Output{Stdout: []byte(strings.Join(args, " ") + string(input))}, nil
	}
	live := NewCounter(MaxLive)
	open := func() *dock.Dock {
		return dock.New(dock.Config{Granted: []string{"process"}, Brokers: map[string]dock.Broker{"process": Processes([]string{"echo", "fail", "sleep"}, run, live)}})
	}
	d := open()
	expect(t, ask(t, d, "process.spawn", "echo", "in", `["a","b"]`), "1")
	expect(t, ask(t, d, "process.spawn", "fail", "", ""), "2")
	expect(t, ask(t, d, "process.list"), `["1","2"]`)
	expect(t, ask(t, d, "process.wait", "2"), `{"exit":3,"output":"","errors":"no"}`)
	expect(t, ask(t, d, "process.wait", "1"), `{"exit":0,"output":"a bin"}`)
	expect(t, ask(t, d, "process.wait", "1"), "(none)")
	expect(t, ask(t, d, "process.spawn", "rm", "", ""), `notfound: no command "rm"`)
	expect(t, ask(t, d, "process.spawn", "echo", "", `{"a":1}`), "invalid")
	expect(t, ask(t, d, "process.spawn", "echo", "", `["a\u0000b"]`), "invalid")
	for i := range MaxLive {
		expect(t, ask(t, d, "process.spawn", "sleep", "", ""), fmt.Sprint(i+3))
	}
	expect(t, ask(t, d, "process.spawn", "echo", "", ""), "limit: process.spawn: 32 programs are already running")
	// Another component of the same principal shares the bound.
	other := open()
	expect(t, ask(t, other, "process.spawn", "echo", "", ""), "limit")
	expect(t, ask(t, other, "process.wait", "3"), "(none)")
	expect(t, ask(t, d, "process.kill", "3"), "")
	expect(t, ask(t, d, "process.kill", "3"), "(none)")
	expect(t, ask(t, other, "process.spawn", "echo", "x", ""), "1")
	// What nobody waited for ends with its dock.
	d.Close()
	for ended.Load() != MaxLive {
		time.Sleep(time.Millisecond)
	}
	other.Close()
	for { // the table is emptied a moment after the end
		live.mu.Lock()
		n := live.n
		live.mu.Unlock()
		if n == 0 {
			break
		}
		time.Sleep(time.Millisecond)
	}
}

// TestBuild passes on what was asked for, as deep as programs may build others.
func TestBuild(t *testing.T) {
	var d *dock.Dock
	deepest := 0
	d = dock.New(dock.Config{Granted: []string{"build:js", "build:c"}, Brokers: map[string]dock.Broker{"build": Build(func(ctx context.Context, p BuildRequest) (Output, error) {
		deepest++
		if p.Source == "again" {
			reply, err := d.Call(ctx, "build.run", []byte("js"), []byte("again"), nil, nil)
			return Output{Stdout: reply.Body}, err
		}
		return Output{Stdout: fmt.Appendf(nil, "%s %s %s %v %v", p.Language, p.Source, p.Input, p.Args, p.Uses), Exit: 4}, nil
	})}})
	expect(t, ask(t, d, "build.run", "JS", "source", "input", `{"args":["a"],"uses":["kv"]}`), `{"exit":4,"output":"js source input [a] [kv]"}`)
	expect(t, ask(t, d, "build.run", "python", "", "", ""), "denied: build is granted, but not for python")
	expect(t, ask(t, d, "build.run", "c", strings.Repeat("x", dock.MaxSource+1), "", ""), "limit")
	expect(t, ask(t, d, "build.run", "c", "", "", "[]"), "invalid")
	deepest = 0
	expect(t, ask(t, d, "build.run", "js", "again", "", ""), "limit: build.run: programs build each other more than 8 levels deep")
	if deepest != maxBuilds {
		t.Errorf("%d deep", deepest)
	}
}

// TestRunning holds commands of all docks of a principal to their number, which
// frees itself.
func TestRunning(t *testing.T) {
	begun, release := make(chan struct{}), make(chan struct{})
	run := func(context.Context, string, []string, []byte) (Output, error) {
		begun <- struct{}{}
		<-release
		return Output{Stdout: []byte("done")}, nil
	}
	running := NewCounter(MaxRunning)
	open := func(module string) *dock.Dock {
		return dock.New(dock.Config{Granted: []string{module}, Brokers: map[string]dock.Broker{module: Commands([]string{"wait"}, run, 1, running)}})
	}
	d := open("commands")
	ends := make(chan string, MaxRunning)
	for range MaxRunning {
		go func() { ends <- ask(t, d, "commands.run", "wait", "", "") }()
		<-begun
	}
	expect(t, ask(t, open("exec"), "exec.run", "wait", "", ""), "limit: exec.run: 64 commands are already running")
	close(release)
	for range MaxRunning {
		expect(t, <-ends, "done")
	}
	go func() { <-begun }()
	expect(t, ask(t, d, "commands.run", "wait", "", ""), "done")
}
