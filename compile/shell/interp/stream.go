package interp

import (
	"bytes"
	"io"
	"os"
	"path"
	"strconv"
	"strings"
	"syscall"

	"mvdan.cc/sh/v3/syntax"
)

// stream is an open stream as the shell's descriptors refer to it. Several
// descriptors and subshells may share one; the last to let go closes it.
type stream struct {
	refs int
	h    Handle // NoHandle for /dev/null and captures
	// capture collects what is written, for command substitution. Programs
	// write to a pipe of the kernel, drained when they have ended.
	capture *bytes.Buffer
	r, w    Handle
	piped   bool
	full    bool // /dev/full: nothing can be written
}

func (s *stream) keep() *stream {
	s.refs++
	return s
}

func (sh *Shell) drop(s *stream) {
	if s == nil {
		return
	}
	if s.refs--; s.refs == 0 && s.h != NoHandle {
		sh.k.Close(s.h)
	}
}

// handle is what a program gets for the stream.
func (sh *Shell) handle(s *stream) (Handle, error) {
	if s == nil {
		return NoHandle, nil
	}
	if s.capture == nil {
		return s.h, nil
	}
	if !s.piped {
		r, w, err := sh.k.Pipe(true)
		if err != nil {
			return NoHandle, err
		}
		s.r, s.w, s.piped = r, w, true
	}
	return s.w, nil
}

// drain moves what programs wrote to a capture into it.
func (sh *Shell) drain(s *stream) {
	if s == nil || !s.piped {
		return
	}
	s.piped = false
	sh.k.Close(s.w)
	defer sh.k.Close(s.r)
	buf := make([]byte, 32<<10)
	for {
		n, err := sh.k.Read(s.r, buf)
		s.capture.Write(buf[:n])
		if err != nil {
			return
		}
	}
}

func (sh *Shell) drainAll() {
	for _, s := range sh.fds {
		sh.drain(s)
	}
}

// write writes to a descriptor. A broken pipe ends the (sub)shell, as the
// signal would; other failures are reported and give false.
func (sh *Shell) write(fd int, p []byte) bool {
	s := sh.fds[fd]
	switch {
	case len(p) == 0:
		return true
	case s == nil:
		sh.errorf("%d: Bad file descriptor", fd)
		return false
	case s.capture != nil:
		sh.drain(s)
		s.capture.Write(p)
		return true
	case s.full:
		sh.errorf("write error: %v", reason(syscall.ENOSPC))
		return false
	case s.h == NoHandle:
		return true
	}
	err := sh.k.Write(s.h, p)
	if err == ErrBrokenPipe {
		sh.exit(141)
		return false
	}
	if err != nil && fd != 2 {
		sh.errorf("write error: %v", err)
	}
	return err == nil
}

func (sh *Shell) print(s string) bool { return sh.write(1, []byte(s)) }

// readAll reads a descriptor to its end.
func (sh *Shell) readAll(fd int) []byte {
	s := sh.fds[fd]
	if s == nil || s.h == NoHandle {
		return nil
	}
	var all bytes.Buffer
	buf := make([]byte, 32<<10)
	for {
		n, err := sh.k.Read(s.h, buf)
		all.Write(buf[:n])
		if err != nil {
			return all.Bytes()
		}
	}
}

// readUntil reads a descriptor up to and including delim.
func (sh *Shell) readUntil(fd int, delim byte) ([]byte, error) {
	s := sh.fds[fd]
	if s == nil || s.h == NoHandle {
		return nil, io.EOF
	}
	var all []byte
	buf := make([]byte, 4<<10)
	for {
		n, err := sh.k.ReadUntil(s.h, delim, buf)
		all = append(all, buf[:n]...)
		if err != nil || (n > 0 && buf[n-1] == delim) {
			return all, err
		}
	}
}

// setFD makes fd refer to s, taking over one reference.
func (sh *Shell) setFD(fd int, s *stream) {
	sh.drop(sh.fds[fd])
	if s == nil {
		delete(sh.fds, fd)
		return
	}
	sh.fds[fd] = s
}

// abs makes a path absolute and clean.
func (sh *Shell) abs(name string) string {
	if !path.IsAbs(name) {
		name = path.Join(sh.dir, name)
	}
	return path.Clean(name)
}

// openPath opens a file for a redirection; the names in /dev that every shell
// has work without being there.
func (sh *Shell) openPath(name string, flags int) (*stream, error) {
	switch p := sh.abs(name); p {
	case "/dev/full":
		return &stream{refs: 1, h: NoHandle, full: true}, nil
	case "/dev/null", "/dev/tty", "/dev/zero":
		return &stream{refs: 1, h: NoHandle}, nil
	case "/dev/stdin", "/dev/fd/0":
		return sh.dup(0)
	case "/dev/stdout", "/dev/fd/1":
		return sh.dup(1)
	case "/dev/stderr", "/dev/fd/2":
		return sh.dup(2)
	default:
		h, err := sh.k.Open(p, flags)
		if err != nil {
			return nil, err
		}
		return &stream{refs: 1, h: h}, nil
	}
}

func (sh *Shell) dup(fd int) (*stream, error) {
	s := sh.fds[fd]
	if s == nil {
		return nil, errBadFD
	}
	return s.keep(), nil
}

// saveFDs returns how to go back to the descriptors of now, or, with keep, to
// stay with what they are by then.
func (sh *Shell) saveFDs() (restore func(keep bool)) {
	saved := make(map[int]*stream, len(sh.fds))
	for fd, s := range sh.fds {
		saved[fd] = s.keep()
	}
	return func(keep bool) {
		if !keep {
			sh.fds, saved = saved, sh.fds
		}
		for _, s := range saved {
			sh.drop(s)
		}
	}
}

// redirect applies redirections; restore undoes them or, with keep, makes them
// stay. ok is false when one failed, which has been reported.
func (sh *Shell) redirect(list []*syntax.Redirect) (restore func(keep bool), ok bool) {
	if len(list) == 0 {
		return func(bool) {}, true
	}
	undo, outer := sh.saveFDs(), sh.lasting
	sh.lasting = nil
	defer func() { sh.lasting = outer }()
	ok = true
	for _, r := range list {
		if ok = sh.redirectOne(r); !ok {
			break
		}
	}
	lasting := sh.lasting
	return func(keep bool) {
		if keep || len(lasting) == 0 {
			undo(keep)
			return
		}
		now := map[int]*stream{}
		for _, fd := range lasting {
			if s := sh.fds[fd]; s != nil {
				now[fd] = s.keep()
			} else {
				now[fd] = nil
			}
		}
		undo(false)
		for fd, s := range now {
			sh.setFD(fd, s)
		}
	}, ok
}

func (sh *Shell) redirectOne(r *syntax.Redirect) bool {
	fd := 1
	switch r.Op {
	case syntax.RdrIn, syntax.DplIn, syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc, syntax.RdrInOut:
		fd = 0
	}
	if r.N != nil {
		if n, err := strconv.Atoi(r.N.Value); err == nil {
			fd = n
		} else { // {name}>file: the shell picks the number
			name := r.N.Value[1 : len(r.N.Value)-1]
			for fd = 10; sh.fds[fd] != nil; fd++ {
			}
			if r.Op == syntax.DplOut || r.Op == syntax.DplIn {
				if r.Word.Lit() == "-" { // {name}>&- closes what name holds
					if n, err := strconv.Atoi(sh.value(name)); err == nil {
						sh.setFD(n, nil)
					}
					return true
				}
			}
			sh.setString(name, strconv.Itoa(fd))
			sh.lasting = append(sh.lasting, fd)
		}
	}
	switch r.Op {
	case syntax.Hdoc, syntax.DashHdoc:
		return sh.redirectBytes(fd, sh.heredoc(r))
	case syntax.WordHdoc:
		return sh.redirectBytes(fd, sh.literal(r.Word)+"\n")
	}
	word, ok := sh.redirectWord(r.Word)
	if !ok {
		return false
	}
	if r.Op == syntax.DplOut || r.Op == syntax.DplIn {
		return sh.duplicate(fd, word, r)
	}
	flags, both := 0, false
	switch r.Op {
	case syntax.RdrIn:
		flags = os.O_RDONLY
	case syntax.RdrInOut:
		flags = os.O_RDWR | os.O_CREATE
	case syntax.RdrOut, syntax.RdrClob:
		flags = os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	case syntax.AppOut:
		flags = os.O_WRONLY | os.O_CREATE | os.O_APPEND
	case syntax.RdrAll:
		flags, both = os.O_WRONLY|os.O_CREATE|os.O_TRUNC, true
	case syntax.AppAll:
		flags, both = os.O_WRONLY|os.O_CREATE|os.O_APPEND, true
	default:
		sh.errorf("%s: this redirection is not available", r.Op)
		return false
	}
	if r.Op == syntax.RdrOut && sh.opts["noclobber"] && word != "/dev/null" {
		if info, err := os.Stat(sh.abs(word)); err == nil && info.Mode().IsRegular() {
			sh.errorf("%s: cannot overwrite existing file", word)
			return false
		}
	}
	if word == "" {
		sh.errorf(": No such file or directory")
		return false
	}
	s, err := sh.openPath(word, flags)
	if err != nil {
		sh.errorf("%s: %s", word, reason(err))
		return false
	}
	if both {
		sh.setFD(1, s.keep())
		sh.setFD(2, s)
		return true
	}
	sh.setFD(fd, s)
	return true
}

// redirectWord expands the target of a redirection, which has to be one word.
func (sh *Shell) redirectWord(w *syntax.Word) (string, bool) {
	fields := sh.fields(w)
	if sh.flow == flowDiscard {
		sh.flow = 0
		return "", false
	}
	if sh.flow == 0 && len(fields) != 1 {
		var b strings.Builder
		syntax.NewPrinter().Print(&b, w)
		sh.errorf("%s: ambiguous redirect", b.String())
		return "", false
	}
	return strings.Join(fields, ""), sh.flow == 0
}

func (sh *Shell) redirectBytes(fd int, text string) bool {
	if sh.flow != 0 {
		return false
	}
	h, err := sh.k.Bytes([]byte(text))
	if err != nil {
		sh.errorf("here-document: %s", reason(err))
		return false
	}
	sh.setFD(fd, &stream{refs: 1, h: h})
	return true
}

// duplicate is n>&word and n<&word.
func (sh *Shell) duplicate(fd int, word string, r *syntax.Redirect) bool {
	if word == "-" {
		sh.setFD(fd, nil)
		return true
	}
	move := len(word) > 1 && word[len(word)-1] == '-'
	if move {
		word = word[:len(word)-1]
	}
	from, err := strconv.Atoi(word)
	if err != nil {
		if r.Op == syntax.DplOut && (r.N == nil || r.N.Value == "1") { // >&file is &>file
			s, err := sh.openPath(word, os.O_WRONLY|os.O_CREATE|os.O_TRUNC)
			if err != nil {
				sh.errorf("%s: %s", word, reason(err))
				return false
			}
			sh.setFD(1, s.keep())
			sh.setFD(2, s)
			return true
		}
		sh.errorf("%s: ambiguous redirect", word)
		return false
	}
	s, err := sh.dup(from)
	if err != nil {
		sh.errorf("%d: Bad file descriptor", from)
		return false
	}
	sh.setFD(fd, s)
	if move && from != fd {
		sh.setFD(from, nil)
		sh.lasting = append(sh.lasting, from)
	}
	return true
}
