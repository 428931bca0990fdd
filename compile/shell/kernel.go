package shell

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"path"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"wb/sandbox"
	"wb/sandbox/dock"
)

// Bounds on processes: enough for any script, few enough that a fork bomb ends
// with a message at once.
const (
	maxLive  = 64 // at the same time
	maxDepth = 12 // shells starting shells
)

// kernel is one run: the processes of a script with all they share.
type kernel struct {
	set  *set
	tree sandbox.FS
	// attributes is the same tree as tree, where chmod and touch set things.
	attributes *quotaFS
	limits     sandbox.Limits
	caps       sandbox.Caps
	dock       *dock.Dock // nil: there is no command wb
	seed       uint64
	start      time.Time

	ctx    context.Context
	cancel context.CancelCauseFunc

	output  atomic.Int64 // bytes on the job's stdout and stderr
	held    atomic.Int64 // bytes in unbounded pipes
	files   atomic.Int64 // bytes added to the tree
	fuel    atomic.Int64 // burnt by processes that have ended
	work    atomic.Int64 // nanoseconds that processes that have ended worked
	memory  atomic.Int64 // largest of any process
	live    atomic.Int32
	started atomic.Uint64

	once sync.Once
	err  error // the first broken limit or internal failure
}

// fail ends the whole run.
func (k *kernel) fail(err error) {
	k.once.Do(func() {
		k.err = err
		k.cancel(err)
	})
}

// reserve takes memory for an unbounded pipe.
func (k *kernel) reserve(n int64) error {
	if k.held.Add(n); k.limits.Memory >= 0 && k.held.Load() > k.limits.Memory {
		err := &sandbox.LimitError{Kind: sandbox.LimitMemory, Limit: k.limits.Memory}
		k.fail(err)
		return err
	}
	return nil
}

func (k *kernel) release(n int64) { k.held.Add(-n) }

// process is one running program.
type process struct {
	k       *kernel
	argv    []string
	env     []string
	dir     string
	depth   int
	streams [3]*stream
	done    chan struct{}
	status  int

	// handles and children belong to the process's own goroutine.
	handles  map[int32]*stream
	next     int32
	children map[int32]*process
	captured []byte // what the last tool_run printed
}

// program says what runs a command: a tool in C, or the guest for shells and jq.
func (s *set) program(name string) (guest, ok bool) {
	switch name {
	case "sh", "bash", "dash", "ash", "jq", checkProgram:
		return true, true
	}
	_, ok = s.tools[name]
	return false, ok
}

var errNoCommand = errors.New("command not found")
var errTooMany = errors.New("too many processes")
var errTooDeep = errors.New("commands start each other too deeply")

// spawn starts a program beside its parent. It takes over one reference to
// each stream.
func (k *kernel) spawn(p *process) error {
	p.k, p.done = k, make(chan struct{})
	drop := func() {
		for _, s := range p.streams {
			s.drop()
		}
	}
	guest, ok := k.set.program(p.argv[0])
	host := !ok && k.hosted(p.argv[0])
	ok = ok || host
	switch {
	case !ok:
		drop()
		return errNoCommand
	case k.live.Add(1) > maxLive:
		k.live.Add(-1)
		drop()
		return errTooMany
	case p.depth > maxDepth:
		k.live.Add(-1)
		drop()
		return errTooDeep
	}
	seed := k.seed + k.started.Add(1)
	go func() {
		defer close(p.done)
		defer k.live.Add(-1)
		if host {
			p.status = brokered[p.argv[0]](p)
		} else {
			p.status = p.run(guest, seed)
		}
		for _, s := range p.streams {
			s.drop()
		}
	}()
	return nil
}

// limitsNow is what is left of the run's budget.
func (k *kernel) limitsNow() (sandbox.Limits, error) {
	l := k.limits
	l.Output, l.Files = -1, -1 // counted by the run as a whole
	if l.Fuel > 0 {
		if l.Fuel -= k.fuel.Load(); l.Fuel <= 0 {
			return l, &sandbox.LimitError{Kind: sandbox.LimitFuel, Limit: k.limits.Fuel}
		}
	}
	if l.Timeout > 0 {
		if l.Timeout -= time.Duration(k.work.Load()); l.Timeout <= 0 {
			return l, &sandbox.LimitError{Kind: sandbox.LimitTime, Limit: int64(k.limits.Timeout)}
		}
	}
	if l.Wall = k.limits.WallLimit(); l.Wall > 0 {
		if l.Wall -= time.Since(k.start); l.Wall <= 0 {
			return l, &sandbox.LimitError{Kind: sandbox.LimitTime, Limit: int64(k.limits.WallLimit())}
		}
	}
	return l, nil
}

// run runs the program to its end and returns its exit status.
func (p *process) run(guest bool, seed uint64) int {
	k := p.k
	limits, err := k.limitsNow()
	if err != nil {
		k.fail(err)
		return 137
	}
	command := sandbox.Command{
		Args: p.argv, Env: p.env, Dir: p.dir, Stdin: p.stdin(), Stdout: p.streams[1].writer(guest), Stderr: p.streams[2].writer(guest),
		Files: k.tree, Limits: limits, Caps: k.caps, Seed: seed, Host: []sandbox.HostModule{p.hostModule()},
	}
	var exit int
	var usage sandbox.Usage
	if guest {
		exit, usage, err = p.runGuest(command)
	} else {
		if command.Module, err = k.set.original(context.WithoutCancel(k.ctx), p.argv[0]); err != nil {
			return p.broke(err)
		}
		if command.Module == nil {
			command.Module = k.set.toolbox
		}
		var e sandbox.Exit
		e, err = k.set.engine.Run(k.ctx, command)
		exit, usage = e.Code, e.Usage
	}
	k.account(usage)
	p.release()
	if err != nil {
		return p.broke(err)
	}
	return exit
}

// account adds what an ended process used.
func (k *kernel) account(u sandbox.Usage) {
	k.work.Add(int64(u.Work))
	if total := k.fuel.Add(u.Fuel); k.limits.Fuel > 0 && total > k.limits.Fuel {
		k.fail(&sandbox.LimitError{Kind: sandbox.LimitFuel, Limit: k.limits.Fuel})
	}
	for {
		old := k.memory.Load()
		if u.Memory <= old || k.memory.CompareAndSwap(old, u.Memory) {
			return
		}
	}
}

// broke turns an error that ended a process into a status. A broken limit ends
// the run; a trap is the program's own failure.
func (p *process) broke(err error) int {
	var limit *sandbox.LimitError
	var trap *sandbox.TrapError
	switch {
	case errors.As(err, &limit):
		if limit.Kind == sandbox.LimitFuel || limit.Kind == sandbox.LimitTime { // name the run's, not the rest
			_, whole := p.k.wholeLimit(limit.Kind)
			limit = &sandbox.LimitError{Kind: limit.Kind, Limit: whole}
		}
		p.k.fail(limit)
		return 137
	case errors.As(err, &trap):
		if s := p.streams[2]; s != nil {
			s.end.write(p.k.ctx, []byte(p.argv[0]+": "+trap.Error()+"\n"))
		}
		return 134
	case p.k.ctx.Err() != nil:
		return 137
	}
	p.k.fail(err)
	return 126
}

func (k *kernel) wholeLimit(kind sandbox.LimitKind) (sandbox.LimitKind, int64) {
	if kind == sandbox.LimitTime {
		return kind, int64(k.limits.Timeout)
	}
	return kind, k.limits.Fuel
}

// runGuest revives the frozen guest.
func (p *process) runGuest(c sandbox.Command) (int, sandbox.Usage, error) {
	in, err := p.k.set.engine.Restore(p.k.ctx, p.k.set.frozen, c)
	if err != nil {
		return 0, sandbox.Usage{}, err
	}
	defer in.Close(p.k.ctx)
	result, err := in.Call(p.k.ctx, "run")
	usage := in.Usage()
	if err != nil {
		return 0, usage, err
	}
	return int(int32(result[0])), usage, nil
}

// stdin avoids a typed nil in an interface.
func (p *process) stdin() interface{ Read([]byte) (int, error) } {
	if p.streams[0] == nil {
		return bytes.NewReader(nil)
	}
	return p.streams[0]
}

func (s *stream) writer(guest bool) io.Writer {
	switch {
	case s == nil:
		return nil
	case guest:
		return s
	}
	return tool{s}
}

// tool is where a tool writes: a pipe that nobody reads any more ends it without a
// word, as SIGPIPE does.
type tool struct{ *stream }

func (t tool) WriteContext(ctx context.Context, b []byte) (int, error) {
	n, err := t.stream.WriteContext(ctx, b)
	if n == 0 && errors.Is(err, syscall.EPIPE) {
		err = &sandbox.ExitError{Code: 141}
	}
	return n, err
}

// release closes what the process left open and waits for its children.
func (p *process) release() {
	for _, s := range p.handles {
		s.drop()
	}
	p.handles = nil
	for _, c := range p.children {
		<-c.done
	}
}

// handle finds an open stream; the first three are the standard streams.
func (p *process) handle(h int32) *stream {
	if h >= 0 && h < 3 {
		return p.streams[h]
	}
	return p.handles[h]
}

// add gives a stream a number.
func (p *process) add(s *stream) int32 {
	if p.handles == nil {
		p.handles, p.next = map[int32]*stream{}, 3
	}
	h := p.next
	p.next++
	p.handles[h] = s
	return h
}

// child starts a program from a spawn request: three handles, words,
// environment, directory.
func (p *process) child(request []byte) (int32, error) {
	var streams [3]*stream
	for i := range streams {
		streams[i] = p.handle(int32(binary.LittleEndian.Uint32(request[4*i:])))
	}
	argv, rest := readStrings(request[12:])
	env, rest := readStrings(rest)
	dir, _ := readStrings(rest)
	if len(argv) == 0 || len(dir) == 0 {
		return 0, errNoCommand
	}
	c := &process{argv: argv, env: env, dir: dir[0], depth: p.depth}
	if guest, _ := p.k.set.program(argv[0]); guest {
		c.depth++
	}
	for i, s := range streams {
		c.streams[i] = s.keep()
	}
	if err := p.k.spawn(c); err != nil {
		return 0, err
	}
	if p.children == nil {
		p.children = map[int32]*process{}
	}
	pid := int32(len(p.children) + 1)
	for p.children[pid] != nil {
		pid++
	}
	p.children[pid] = c
	return pid, nil
}

// wait waits for a child. A tool that broke the run's limits never returns
// here: the context ends the caller.
func (p *process) wait(ctx context.Context, pid int32) (int, error) {
	c := p.children[pid]
	if c == nil {
		return 127, nil
	}
	select {
	case <-c.done:
	case <-ctx.Done():
		return 0, ctx.Err()
	}
	delete(p.children, pid)
	return c.status, p.k.ctx.Err()
}

// readStrings reads a count and that many strings, each after its length.
func readStrings(b []byte) (list []string, rest []byte) {
	count, n := binary.Uvarint(b)
	if n <= 0 || count > uint64(len(b)) {
		return nil, nil
	}
	b = b[n:]
	for range count {
		size, n := binary.Uvarint(b)
		if n <= 0 || size > uint64(len(b)-n) {
			return nil, nil
		}
		list = append(list, string(b[n:n+int(size)]))
		b = b[n+int(size):]
	}
	return list, b
}

func appendStrings(b []byte, list []string) []byte {
	b = binary.AppendUvarint(b, uint64(len(list)))
	for _, s := range list {
		b = binary.AppendUvarint(b, uint64(len(s)))
		b = append(b, s...)
	}
	return b
}

// treeName is a guest's absolute path as a name in the tree.
func treeName(name string) string {
	name = strings.TrimPrefix(path.Clean("/"+name), "/")
	if name == "" {
		return "."
	}
	return name
}
