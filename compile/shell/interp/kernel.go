package interp

import (
	"errors"
	"io/fs"
)

// Handle names an open stream of the kernel: a file, an end of a pipe, some
// bytes. The first three of every process are its standard streams.
type Handle int32

// Kernel is what the shell cannot do itself: streams that other programs share,
// and the programs. Names of files are absolute slash paths.
type Kernel interface {
	// Open opens a file with the O_ flags of package os.
	Open(path string, flags int) (Handle, error)
	// Pipe makes a pipe. Writing to an unbounded one never waits; what it
	// holds counts against the run's memory.
	Pipe(unbounded bool) (r, w Handle, err error)
	// Bytes makes a stream that reads as data.
	Bytes(data []byte) (Handle, error)
	// Read reads at least one byte, or returns io.EOF.
	Read(h Handle, p []byte) (int, error)
	// ReadUntil reads up to and including delim, at most len(p) bytes, and
	// nothing beyond: what follows is left for other readers of the stream.
	ReadUntil(h Handle, delim byte, p []byte) (int, error)
	// Write writes all of p; ErrBrokenPipe when nobody reads any more.
	Write(h Handle, p []byte) error
	Close(h Handle)
	// Spawn starts a program on three streams. The handles stay open here.
	// ErrNoCommand when there is no such program.
	Spawn(argv, env []string, dir string, streams [3]Handle) (pid int, err error)
	// Wait waits for a program and returns its exit status.
	Wait(pid int) int
	// Known reports whether Spawn knows a program.
	Known(name string) bool
	// Mode is the mode of a file: WASI has none.
	Mode(path string) (mode fs.FileMode, ok bool)
	// Tools lists the programs there are.
	Tools() []string
}

// Errors a Kernel reports.
var (
	ErrBrokenPipe = errors.New("Broken pipe") //lint:ignore ST1005 what bash prints
	ErrNoCommand  = errors.New("command not found")
)

// NoHandle is no stream at all: it reads as empty and swallows what is written.
const NoHandle Handle = -1
