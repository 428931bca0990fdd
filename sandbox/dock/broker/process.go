package broker

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"sync"

	"wb/sandbox/dock"
)

// Processes runs registered commands beside the program that starts them. What
// has ended is kept until it is waited for, so that it counts as live. A grant
// may be narrowed to commands: process:sort.
func Processes(names []string, run RunCommand, live *Counter) dock.Broker {
	p := &processes{names: names, start: run, live: live, running: map[string]*process{}}
	return operations{"spawn": p.spawn, "wait": p.wait, "kill": p.kill, "list": p.list}
}

type processes struct {
	names []string
	start RunCommand
	live  *Counter

	mu      sync.Mutex
	last    int
	running map[string]*process
}

// process is a started command.
type process struct {
	done   chan struct{}
	cancel context.CancelFunc
	out    Output
	err    error
}

// Ended says how a program ended.
type Ended struct {
	Exit   int    `json:"exit"`
	Output string `json:"output"`
	Errors string `json:"errors,omitempty"`
}

func (p *processes) spawn(_ context.Context, call *dock.Call) (dock.Reply, error) {
	name, args, err := command(call, p.names)
	if err != nil {
		return dock.Reply{}, err
	}
	if !p.live.take() {
		return dock.Reply{}, dock.Errorf(dock.CodeLimit, "%s: %d programs are already running; wait for them", call.Operation, p.live.most)
	}
	ctx, cancel := context.WithCancel(call.Run())
	started := &process{done: make(chan struct{}), cancel: cancel}
	call.Watch(ctx, cancel)
	input := slices.Clone(call.Args[1])
	go func() {
		defer close(started.done)
		defer cancel()
		started.out, started.err = p.start(ctx, name, args, input)
		if n := len(started.out.Stdout); n > dock.MaxAnswer {
			started.out, started.err = Output{}, dock.Errorf(dock.CodeLimit, "%s: %s printed %d bytes, more than %d", call.Operation, name, n, dock.MaxAnswer)
		}
	}()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last++
	id := strconv.Itoa(p.last)
	p.running[id] = started
	context.AfterFunc(call.Run(), func() { p.take(id) }) // no waiter took the result
	return dock.Found([]byte(id)), nil
}

// take removes a process from the table.
func (p *processes) take(id string) *process {
	p.mu.Lock()
	defer p.mu.Unlock()
	started := p.running[id]
	if started != nil {
		delete(p.running, id)
		p.live.give()
	}
	return started
}

func (p *processes) wait(ctx context.Context, call *dock.Call) (dock.Reply, error) {
	id := call.Text(0)
	p.mu.Lock()
	started := p.running[id]
	p.mu.Unlock()
	if started == nil {
		return dock.Reply{}, nil
	}
	select {
	case <-started.done:
	case <-ctx.Done():
		return dock.Reply{}, ctx.Err()
	}
	if p.take(id) == nil {
		return dock.Reply{}, nil // somebody else was faster
	}
	if started.err != nil {
		return dock.Reply{}, started.err
	}
	return answer(call, Ended{started.out.Exit, string(started.out.Stdout), strings.TrimSpace(started.out.Stderr)}, nil)
}

func (p *processes) kill(ctx context.Context, call *dock.Call) (dock.Reply, error) {
	started := p.take(call.Text(0))
	if started == nil {
		return dock.Reply{}, nil
	}
	started.cancel()
	select {
	case <-started.done:
	case <-ctx.Done():
	}
	return dock.Found(nil), nil
}

func (p *processes) list(_ context.Context, call *dock.Call) (dock.Reply, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	ids := []int{}
	for id := range p.running {
		n, _ := strconv.Atoi(id) // spawn wrote it
		ids = append(ids, n)
	}
	slices.Sort(ids)
	texts := make([]string, len(ids))
	for i, n := range ids {
		texts[i] = strconv.Itoa(n)
	}
	return answer(call, texts, nil)
}
