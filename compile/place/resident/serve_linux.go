package resident

import (
	"bytes"
	"context"
	"encoding/json"
	"net"
	"os"
	"runtime/debug"
	"strconv"
	"sync"
	"time"

	"wb/compile"
	"wb/compile/place/frame"
	"wb/compile/place/remote"
)

// server is a resident at work.
type server struct {
	config   Config
	path     string
	listener *net.UnixListener
	statm    *os.File
	env      *compile.Env
	lanes    *compile.Registry
	notes    []string
	began    time.Time

	mu     sync.Mutex
	busy   int
	served int
	used   time.Time         // when somebody asked last
	prints map[string]string // of lanes, when they were first asked for
}

// run serves until the resident is to end.
func (s *server) run(ctx context.Context) error {
	ctx, end := context.WithCancel(ctx)
	defer end()
	go s.watch(ctx, end)
	context.AfterFunc(ctx, func() {
		_ = os.Remove(s.path) // before nobody listens: the next caller then starts another
		_ = s.listener.Close()
	})
	for {
		conn, err := s.listener.AcceptUnix()
		if err != nil {
			if ctx.Err() != nil {
				return nil
			}
			return err
		}
		go func() {
			defer conn.Close()
			s.serve(ctx, conn, end)
		}()
	}
}

// serve answers one question. An error ends the connection, which the caller
// understands.
func (s *server) serve(ctx context.Context, conn *net.UnixConn, end func()) {
	if sameUser(conn) != nil {
		return
	}
	build, err := ownBuild()
	if err != nil {
		return
	}
	hello, _ := json.Marshal(greeting{Protocol: protocol, Build: build}) // of text and a number
	out, in := frame.NewWriter(conn), frame.NewReader(conn, residentTakes)
	if out.Write(frame.Frame{Kind: frameReady, Payload: hello}) != nil {
		return
	}
	question, err := in.Read()
	if err != nil {
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() { // nothing more is said: whoever hangs up wants nothing any more
		_, _ = in.Read()
		cancel()
	}()
	var answer []byte
	switch question.Kind {
	case frameBuild:
		answer = s.build(ctx, question.Payload, end)
	case frameStatus:
		answer, _ = json.Marshal(s.status())
	case frameEnd:
		defer end()
	}
	_ = out.Write(frame.Frame{Kind: frameReply, Payload: answer})
}

// build does a request.
func (s *server) build(ctx context.Context, message []byte, end func()) []byte {
	request, err := remote.DecodeRequest(message)
	if err != nil || !request.Build {
		return nil
	}
	s.mu.Lock()
	s.busy++
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.busy--
		s.served++
		s.used = time.Now()
	}()
	if s.replaced(request) {
		end()
		return nil
	}
	reply, err := remote.Execute(ctx, s.lanes, request, nil).Encode()
	if err != nil {
		return nil
	}
	return reply
}

// replaced reports whether the toolchain of a language is another than when it was
// loaded.
func (s *server) replaced(r *remote.Request) bool {
	lane, ok := s.lanes.Lookup(r.Lang)
	if !ok {
		return false
	}
	now := lane.Fingerprint()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.prints == nil {
		s.prints = map[string]string{}
	}
	if s.prints[r.Lang] == "" {
		s.prints[r.Lang] = now
	}
	return s.prints[r.Lang] != now
}

func (s *server) status() Status {
	s.mu.Lock()
	defer s.mu.Unlock()
	return Status{PID: os.Getpid(), Up: time.Since(s.began), Idle: s.config.Idle, Memory: s.memory(), Limit: s.config.Memory,
		Served: s.served, Loaded: s.env.Engine.Loaded(), Notes: s.notes}
}

// watch ends the resident when it is not wanted any more, and keeps it small.
func (s *server) watch(ctx context.Context, end func()) {
	ground := s.ground()
	tick := time.NewTicker(min(5*time.Second, max(20*time.Millisecond, s.config.Idle/4)))
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		s.mu.Lock()
		busy, unused := s.busy > 0, time.Since(s.used)
		s.mu.Unlock()
		large := !s.shrink()
		if !busy && (large || unused >= s.config.Idle || !same(ground, s.ground())) {
			end()
			return
		}
	}
}

// ground is what a resident stands on: its executable, its socket, its caches.
func (s *server) ground() []os.FileInfo {
	exe, _ := os.Executable()
	var all []os.FileInfo
	for _, path := range []string{exe, s.path, s.config.Cache} {
		info, err := os.Stat(path)
		if err != nil {
			return nil
		}
		all = append(all, info)
	}
	return all
}

func same(a, b []os.FileInfo) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !os.SameFile(a[i], b[i]) || !a[i].IsDir() && (a[i].Size() != b[i].Size() || !a[i].ModTime().Equal(b[i].ModTime())) {
			return false
		}
	}
	return len(a) > 0
}

// shrink drops compilers, the one that was used least lately first, while there is
// more memory than there may be. It reports whether that helped.
func (s *server) shrink() bool {
	for s.memory() > s.config.Memory {
		if !s.env.Engine.DropOldest() {
			debug.FreeOSMemory()
			return s.memory() <= s.config.Memory
		}
	}
	return true
}

// memory is what this process has for itself, in bytes; files that it has mapped
// belong to all.
func (s *server) memory() int64 {
	var text [128]byte
	n, _ := s.statm.ReadAt(text[:], 0)
	fields := bytes.Fields(text[:n])
	if len(fields) < 3 {
		return 0
	}
	resident, _ := strconv.ParseInt(string(fields[1]), 10, 64)
	shared, _ := strconv.ParseInt(string(fields[2]), 10, 64)
	return (resident - shared) * int64(os.Getpagesize())
}
