package sandbox

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
)

// Most programs of blocks are run once, after the edit that made them, and are over
// as soon as they have begun: nearly all of the time goes into making machine code of
// a library of which they use a few functions. wazero's interpreter is ready in a
// fifth of that time. So a program that may be brief (see [MayBeBrief]) first runs
// there, within a little fuel, where nothing that it does reaches the outside: what it
// prints is held back, and the first call that reads or changes anything ends the
// attempt. If it comes to its end, that was the run: both engines give the same bytes
// and burn the same fuel. If not, nothing has happened, and it runs as any other.

// briefFuel is what a brief program may burn: less than what a hundred milliseconds
// of interpreting take. Go's runtime burns 30,000 to begin, iostream 2,000.
const briefFuel = 1 << 17

// Modules of other sizes are never interpreted: machine code of small ones is made in
// no time, and the interpreter needs thirty times the memory of the module.
const (
	briefFrom = 64 << 10
	briefTo   = 8 << 20
)

// MayBeBrief says that the module is the program of a block, just compiled and
// perhaps never run again. Its machine code is then made when it is needed, which may
// be never.
func MayBeBrief() CompileOption { return func(s *source) { s.brief = true } }

// briefCalls are the system calls of brief programs: those that neither read nor
// change anything but the streams that are held back.
var briefCalls = map[string]bool{
	"args_get": true, "args_sizes_get": true, "environ_get": true, "environ_sizes_get": true,
	"clock_res_get": true, "clock_time_get": true, "random_get": true, "sched_yield": true,
	"fd_close": true, "fd_fdstat_get": true, "fd_fdstat_set_flags": true, "fd_prestat_get": true,
	"fd_prestat_dir_name": true, "fd_seek": true, "fd_tell": true, "fd_write": true,
}

// errNotBrief ends the attempt at a program that does what brief ones do not.
var errNotBrief = errors.New("not a brief program")

// putsOff reports whether the module's machine code waits for the first run. It does
// so once: a program that is run a second time, by whatever process, gets machine code.
func (m *Module) putsOff() bool {
	s := &m.source
	if !s.brief || m.engine.config.Interpreter || s.size < briefFrom || s.size > briefTo {
		return false
	}
	if s.dir == "" {
		return true
	}
	for _, dir := range []string{s.dir, s.shared} {
		if _, err := os.Stat(s.triedPath(dir)); dir != "" && err == nil {
			return false
		}
	}
	return true
}

func (s *source) triedPath(dir string) string { return filepath.Join(dir, "metered", s.key()+".tried") }

// runBriefly runs a program that may be brief to its end. If ok is false nothing has
// happened.
func (e *Engine) runBriefly(ctx context.Context, c Command) (exit Exit, ok bool) {
	m := c.Module
	if m == nil || !m.untried.CompareAndSwap(true, false) || c.Caps != (Caps{}) {
		return Exit{}, false
	}
	if s := &m.source; s.dir != "" {
		path := s.triedPath(s.dir)
		if os.MkdirAll(filepath.Dir(path), 0o700) != nil || os.WriteFile(path, nil, 0o600) != nil {
			return Exit{}, false
		}
	}
	metered, err := m.source.instrumented()
	if err != nil {
		return Exit{}, false
	}
	interpreter, err := e.interpreter()
	if err != nil {
		return Exit{}, false
	}
	tried := &Module{engine: interpreter, name: m.name, digest: m.digest, source: source{kept: metered}}
	defer tried.discard()
	held := &heldOutput{}
	exit, err = interpreter.Run(ctx, c.briefly(tried, held))
	if err != nil {
		m.ahead.Store(&metered)
		return Exit{}, false
	}
	held.release()
	return exit, true
}

// interpreter is the engine of brief programs, started when the first is tried.
func (e *Engine) interpreter() (*Engine, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return nil, errEngineClosed
	}
	if e.brief == nil {
		brief, err := NewEngine(e.ctx, Config{Interpreter: true})
		if err != nil {
			return nil, err
		}
		e.brief = brief
	}
	return e.brief, nil
}

// discard frees a module that is not among those of its engine.
func (m *Module) discard() {
	m.engine.mu.Lock()
	defer m.engine.mu.Unlock()
	m.drop()
}

// briefly is the command as far as it concerns brief programs.
func (c Command) briefly(m *Module, held *heldOutput) Command {
	c.Module, c.brief = m, true
	c.Stdin, c.Files, c.HTTP = nil, nil, nil
	c.Stdout, c.Stderr = held.of(c.Stdout), held.of(c.Stderr)
	c.Limits = c.Limits.withDefaults()
	if c.Limits.Fuel < 0 || c.Limits.Fuel > briefFuel {
		c.Limits.Fuel = briefFuel
	}
	host := make([]HostModule, len(c.Host))
	for i, module := range c.Host {
		host[i] = HostModule{Name: module.Name, Funcs: make([]HostFunc, len(module.Funcs))}
		for j, f := range module.Funcs {
			if f.Call != nil {
				f.Call = func(context.Context, *Instance, []uint64) error { return errNotBrief }
			}
			host[i].Funcs[j] = f
		}
	}
	c.Host = host
	return c
}

// heldOutput is what a program has written, in order.
type heldOutput struct{ writes []heldWrite }

type heldWrite struct {
	to   io.Writer
	data []byte
}

// of is a writer that keeps what to would get.
func (h *heldOutput) of(to io.Writer) io.Writer {
	if to == nil {
		return nil
	}
	return heldStream{h, to}
}

type heldStream struct {
	held *heldOutput
	to   io.Writer
}

func (s heldStream) Write(p []byte) (int, error) {
	s.held.writes = append(s.held.writes, heldWrite{s.to, append([]byte(nil), p...)})
	return len(p), nil
}

// release writes what was held. That a stream refuses it does not end a program
// either, which may ignore that.
func (h *heldOutput) release() {
	for _, w := range h.writes {
		_, _ = w.to.Write(w.data)
	}
}
