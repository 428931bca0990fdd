package shell

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"math"
	"strings"
	"syscall"
	"time"

	"wb/sandbox"
)

// Flags of the open call; guest/kernel.go has the same.
const (
	openRead = 1 << iota
	openWrite
	openCreate
	openTruncate
	openAppend
)

// Error numbers of WASI preview 1, which the calls return, and our own.
const (
	errnoBadf      = 8
	errnoExist     = 20
	errnoFault     = 21
	errnoInval     = 28
	errnoIO        = 29
	errnoIsdir     = 31
	errnoMfile     = 33
	errnoNametoo   = 37
	errnoNoent     = 44
	errnoNospc     = 51
	errnoNotdir    = 54
	errnoPerm      = 63
	errnoPipe      = 64
	errnoRofs      = 69
	errnoNoCommand = 1000
	errnoTooMany   = 1001
	errnoTooDeep   = 1002
)

func errno(err error) uint64 {
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errNoCommand):
		return errnoNoCommand
	case errors.Is(err, errTooMany):
		return errnoTooMany
	case errors.Is(err, errTooDeep):
		return errnoTooDeep
	case errors.Is(err, syscall.EPIPE):
		return errnoPipe
	case errors.Is(err, syscall.EBADF):
		return errnoBadf
	case errors.Is(err, syscall.EMFILE):
		return errnoMfile
	case errors.Is(err, syscall.EISDIR):
		return errnoIsdir
	case errors.Is(err, syscall.ENOTDIR):
		return errnoNotdir
	case errors.Is(err, syscall.ENOSPC):
		return errnoNospc
	case errors.Is(err, syscall.EROFS):
		return errnoRofs
	case errors.Is(err, syscall.ENAMETOOLONG):
		return errnoNametoo
	case errors.Is(err, fs.ErrNotExist):
		return errnoNoent
	case errors.Is(err, fs.ErrExist):
		return errnoExist
	case errors.Is(err, fs.ErrPermission):
		return errnoPerm
	case errors.Is(err, fs.ErrInvalid):
		return errnoInval
	}
	return errnoIO
}

// call is one host function: it gets the arguments and gives the result.
type call func(ctx context.Context, in *sandbox.Instance, a []uint64) (uint64, error)

// hostModule is what a process may ask of its host. The tools import only
// those named tool_…; the guest all the others.
func (p *process) hostModule() sandbox.HostModule {
	i32 := sandbox.I32
	m := sandbox.HostModule{Name: "wb"}
	add := func(name string, params int, result bool, f call) {
		types := make([]sandbox.ValueType, params)
		for i := range types {
			types[i] = i32
		}
		var results []sandbox.ValueType
		if result {
			results = []sandbox.ValueType{i32}
		}
		m.Funcs = append(m.Funcs, sandbox.HostFunc{Name: name, Params: types, Results: results,
			Call: func(ctx context.Context, in *sandbox.Instance, stack []uint64) error {
				for i := range params { // the upper half of a 32-bit argument is undefined
					stack[i] &= 0xffffffff
				}
				v, err := f(ctx, in, stack)
				if err != nil {
					return p.k.cause(err)
				}
				if result {
					stack[0] = v & 0xffffffff
				}
				return nil
			}})
	}
	add("config", 2, true, p.callConfig)
	add("open", 4, true, p.callOpen)
	add("pipe", 2, true, p.callPipe)
	add("bytes", 3, true, p.callBytes)
	add("read", 4, true, p.callRead)
	add("read_until", 5, true, p.callReadUntil)
	add("write", 3, true, p.callWrite)
	add("close", 1, false, p.callClose)
	add("spawn", 3, true, p.callSpawn)
	add("wait", 1, true, p.callWait)
	add("known", 2, true, p.callKnown)
	add("mode", 2, true, p.callMode)
	add("tool_mode", 2, true, p.callMode)
	add("tool_chmod", 3, true, p.callChmod)
	add("tool_utime", 5, true, p.callUtime)
	add("tools", 2, true, p.callTools)
	add("tool_dup", 2, true, p.callDup)
	add("tool_run", 5, true, p.callToolRun)
	add("tool_output", 2, true, p.callToolOutput)
	add("tool_environ", 2, false, p.callToolEnviron)
	return m
}

// cause prefers the run's own reason to end over the symptom.
func (k *kernel) cause(err error) error {
	if k.ctx.Err() != nil {
		if c := context.Cause(k.ctx); c != nil {
			return c
		}
	}
	return err
}

// waiting tells a failed wait (the run is over) from a failed operation.
func waiting(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// copyOut writes data to the guest if there is room and returns its size.
func copyOut(in *sandbox.Instance, to, room uint64, data []byte) uint64 {
	if uint64(len(data)) <= room {
		in.Memory().Write(uint32(to), data)
	}
	return uint64(len(data))
}

func (p *process) callConfig(_ context.Context, in *sandbox.Instance, a []uint64) (uint64, error) {
	b := appendStrings(nil, p.argv)
	b = appendStrings(b, p.env)
	b = appendStrings(b, []string{p.dir})
	return copyOut(in, a[0], a[1], b), nil
}

func (p *process) callOpen(_ context.Context, in *sandbox.Instance, a []uint64) (uint64, error) {
	name, ok := in.Memory().Read(uint32(a[0]), uint32(a[1]))
	if !ok {
		return errnoFault, nil
	}
	s, err := openFile(p.k.tree, treeName(string(name)), uint32(a[2]))
	if err != nil {
		return errno(err), nil
	}
	in.Memory().WriteU32(uint32(a[3]), uint32(p.add(s)))
	return 0, nil
}

func (p *process) callPipe(_ context.Context, in *sandbox.Instance, a []uint64) (uint64, error) {
	pipe := newPipe(p.k, a[0] != 0)
	in.Memory().WriteU32(uint32(a[1]), uint32(p.add(newStream(readEnd{pipe}))))
	in.Memory().WriteU32(uint32(a[1])+4, uint32(p.add(newStream(writeEnd{pipe}))))
	return 0, nil
}

func (p *process) callBytes(_ context.Context, in *sandbox.Instance, a []uint64) (uint64, error) {
	data, ok := in.Memory().Read(uint32(a[0]), uint32(a[1]))
	if !ok {
		return errnoFault, nil
	}
	in.Memory().WriteU32(uint32(a[2]), uint32(p.add(newStream(&given{data: append([]byte(nil), data...)}))))
	return 0, nil
}

// transfer is the common part of reading and writing guest memory.
func (p *process) transfer(in *sandbox.Instance, h, ptr, n uint64, f func(s *stream, b []byte) (int, error)) (int, uint64, error) {
	s := p.handle(int32(h))
	if s == nil {
		return 0, errnoBadf, nil
	}
	b, ok := in.Memory().Read(uint32(ptr), uint32(n))
	if !ok {
		return 0, errnoFault, nil
	}
	done, err := f(s, b)
	if err != nil && waiting(err) {
		return done, 0, err
	}
	if _, ok := errors.AsType[*sandbox.LimitError](err); ok {
		return done, 0, err
	}
	if err == io.EOF {
		err = nil
	}
	return done, errno(err), nil
}

func (p *process) callRead(ctx context.Context, in *sandbox.Instance, a []uint64) (uint64, error) {
	n, code, err := p.transfer(in, a[0], a[1], a[2], func(s *stream, b []byte) (int, error) { return s.read(p.k.ctx, b) })
	in.Memory().WriteU32(uint32(a[3]), uint32(n))
	return code, err
}

func (p *process) callReadUntil(ctx context.Context, in *sandbox.Instance, a []uint64) (uint64, error) {
	n, code, err := p.transfer(in, a[0], a[2], a[3], func(s *stream, b []byte) (int, error) { return s.readUntil(p.k.ctx, byte(a[1]), b) })
	in.Memory().WriteU32(uint32(a[4]), uint32(n))
	return code, err
}

func (p *process) callWrite(ctx context.Context, in *sandbox.Instance, a []uint64) (uint64, error) {
	_, code, err := p.transfer(in, a[0], a[1], a[2], func(s *stream, b []byte) (int, error) { return s.end.write(p.k.ctx, b) })
	return code, err
}

func (p *process) callClose(_ context.Context, _ *sandbox.Instance, a []uint64) (uint64, error) {
	h := int32(a[0])
	if s := p.handles[h]; s != nil {
		delete(p.handles, h)
		s.drop()
	} else if h >= 0 && h < 3 && p.streams[h] != nil {
		p.streams[h].drop()
		p.streams[h] = nil
	}
	return 0, nil
}

func (p *process) callSpawn(_ context.Context, in *sandbox.Instance, a []uint64) (uint64, error) {
	request, ok := in.Memory().Read(uint32(a[0]), uint32(a[1]))
	if !ok || len(request) < 13 {
		return errnoFault, nil
	}
	pid, err := p.child(append([]byte(nil), request...))
	if err != nil {
		return errno(err), nil
	}
	in.Memory().WriteU32(uint32(a[2]), uint32(pid))
	return 0, nil
}

func (p *process) callWait(_ context.Context, in *sandbox.Instance, a []uint64) (uint64, error) {
	status, err := p.wait(p.k.ctx, int32(a[0]))
	if err != nil {
		return 0, err
	}
	return uint64(status), p.overspent(in)
}

// overspent ends a process whose children used up what it shares with them.
func (p *process) overspent(in *sandbox.Instance) error {
	k := p.k
	if k.limits.Fuel > 0 && k.fuel.Load()+in.Usage().Fuel > k.limits.Fuel {
		return &sandbox.LimitError{Kind: sandbox.LimitFuel, Limit: k.limits.Fuel}
	}
	return nil
}

func (p *process) callKnown(_ context.Context, in *sandbox.Instance, a []uint64) (uint64, error) {
	name, _ := in.Memory().Read(uint32(a[0]), uint32(a[1]))
	if _, ok := p.k.set.program(string(name)); ok || p.k.hosted(string(name)) {
		return 1, nil
	}
	return 0, nil
}

// callMode tells the permissions of a file, or -1.
func (p *process) callMode(_ context.Context, in *sandbox.Instance, a []uint64) (uint64, error) {
	name, _ := in.Memory().Read(uint32(a[0]), uint32(a[1]))
	info, err := p.k.tree.Stat(treeName(string(name)))
	if err != nil {
		return math.MaxUint64, nil
	}
	return uint64(info.Mode().Perm()), nil
}

func (p *process) callChmod(_ context.Context, in *sandbox.Instance, a []uint64) (uint64, error) {
	name, _ := in.Memory().Read(uint32(a[0]), uint32(a[1]))
	mode := fs.FileMode(a[2]) & fs.ModePerm
	return errno(p.setAttributes(name, func(set *attributes) { set.mode = &mode })), nil
}

// callUtime sets the time of a file: seconds, in two halves, and nanoseconds.
func (p *process) callUtime(_ context.Context, in *sandbox.Instance, a []uint64) (uint64, error) {
	name, _ := in.Memory().Read(uint32(a[0]), uint32(a[1]))
	when := time.Unix(int64(a[2]|a[3]<<32), int64(a[4]))
	return errno(p.setAttributes(name, func(set *attributes) { set.time = &when })), nil
}

// callDup is dup with a least number: the new one, or an error number below 0.
func (p *process) callDup(_ context.Context, in *sandbox.Instance, a []uint64) (uint64, error) {
	fd, err := in.Dup(uint32(a[0]), uint32(a[1]))
	if err != nil {
		return -errno(err), nil
	}
	return uint64(fd), nil
}

func (p *process) setAttributes(name []byte, change func(*attributes)) error {
	if p.k.attributes == nil {
		return fs.ErrNotExist
	}
	return p.k.attributes.set(treeName(string(name)), change)
}

func (p *process) callTools(_ context.Context, in *sandbox.Instance, a []uint64) (uint64, error) {
	return copyOut(in, a[0], a[1], []byte(strings.Join(p.k.set.names(), " "))), nil
}

// callToolRun runs a command for a tool, such as xargs, and waits for it.
func (p *process) callToolRun(_ context.Context, in *sandbox.Instance, a []uint64) (uint64, error) {
	words, ok := in.Memory().Read(uint32(a[0]), uint32(a[1]))
	if !ok || len(words) == 0 {
		return 127, nil
	}
	argv := strings.Split(strings.TrimSuffix(string(words), "\x00"), "\x00")
	argv[0] = toolName(argv[0])
	c := &process{argv: argv, env: p.env, dir: p.dir, depth: p.depth + 1}
	for i := range c.streams {
		c.streams[i] = p.streams[i].keep()
	}
	if a[4]&1 != 0 {
		data, ok := in.Memory().Read(uint32(a[2]), uint32(a[3]))
		if !ok {
			return 126, nil
		}
		c.streams[0].drop()
		c.streams[0] = newStream(&given{data: append([]byte(nil), data...)})
	}
	var kept *pipe
	p.captured = nil
	if a[4]&2 != 0 {
		kept = newPipe(p.k, true)
		c.streams[1].drop()
		c.streams[1] = newStream(writeEnd{kept})
	}
	if err := p.k.spawn(c); err != nil {
		if s := p.streams[2]; s != nil {
			s.end.write(p.k.ctx, []byte(p.argv[0]+": "+argv[0]+": "+err.Error()+"\n"))
		}
		if errors.Is(err, errNoCommand) {
			return 127, nil
		}
		return 126, nil
	}
	select {
	case <-c.done:
	case <-p.k.ctx.Done():
		return 0, p.k.ctx.Err()
	}
	if kept != nil {
		reader := newStream(readEnd{kept})
		for buf := make([]byte, 32<<10); ; {
			n, err := reader.read(p.k.ctx, buf)
			p.captured = append(p.captured, buf[:n]...)
			if err != nil {
				break
			}
		}
		reader.drop()
	}
	if err := p.k.ctx.Err(); err != nil {
		return 0, err
	}
	return uint64(c.status), p.overspent(in)
}

func (p *process) callToolOutput(_ context.Context, in *sandbox.Instance, a []uint64) (uint64, error) {
	return copyOut(in, a[0], a[1], p.captured), nil
}

func (p *process) callToolEnviron(_ context.Context, in *sandbox.Instance, a []uint64) (uint64, error) {
	if block, ok := in.Memory().Read(uint32(a[0]), uint32(a[1])); ok {
		p.env = strings.FieldsFunc(string(block), func(r rune) bool { return r == 0 })
		for _, kv := range p.env {
			if dir, ok := strings.CutPrefix(kv, "PWD=/"); ok {
				p.dir = "/" + dir // where the tool is by now
			}
		}
	}
	return 0, nil
}

// toolName is what /bin/sed and the like stand for.
func toolName(name string) string {
	for _, dir := range []string{"/bin/", "/usr/bin/", "/usr/local/bin/"} {
		if rest, ok := strings.CutPrefix(name, dir); ok {
			return rest
		}
	}
	return name
}
