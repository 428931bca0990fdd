package remote

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"io/fs"
	"os"
	"sync/atomic"
	"syscall"
	"time"

	"wb/sandbox"
	"wb/sandbox/dock"
)

// Ask puts a question to the caller and waits for the answer. It is safe for
// concurrent use. An error means that the caller is gone.
type Ask func(ctx context.Context, question []byte) ([]byte, error)

// A question is a kind and what it is about; an answer is [answerOK] and what
// was asked for, or [answerError] and a [wireErrno]. Answers of the dock are as
// guests read them.
const (
	askDock  = 'd' // a frame of package dock
	askPrint = 'p' // '1' or '2' for the stream, and what the program prints there → nothing
	askStat  = 's' // a name in the tree → wireInfo
	askList  = 'l' // a directory's name → []wireInfo
	askOpen  = 'o' // a file's name → wireInfo, its first bytes
	askRead  = 'r' // offset u64, a file's name → the bytes from there, none at its end
)

const (
	answerOK    = '+'
	answerError = '-'
)

// chunk is how many bytes of a file an answer holds.
const chunk = 256 << 10

// MaxQuestion bounds a question: the largest call of the dock.
const MaxQuestion = dock.MaxFile + 2<<20

// wireInfo describes a file or directory.
type wireInfo struct {
	Base  string
	Bytes int64
	Bits  fs.FileMode
	Nanos int64
}

// Name, Size, Mode, ModTime, IsDir and Sys make it a fs.FileInfo.
func (i wireInfo) Name() string       { return i.Base }
func (i wireInfo) Size() int64        { return i.Bytes }
func (i wireInfo) Mode() fs.FileMode  { return i.Bits }
func (i wireInfo) ModTime() time.Time { return time.Unix(0, i.Nanos) }
func (i wireInfo) IsDir() bool        { return i.Bits.IsDir() }
func (i wireInfo) Sys() any           { return nil }

// Answerer answers for a caller whose program runs elsewhere.
type Answerer struct {
	Tree sandbox.FS // nil: there are no files
	Dock *dock.Dock // nil: nothing is granted
	// Stdout and Stderr hear what the program prints while it runs; nil wants to know
	// nothing before the reply.
	Stdout, Stderr io.Writer

	heard atomic.Bool // Stdout or Stderr have heard something
}

// Answer answers one question. It never fails: whoever asks nonsense is told so.
func (a *Answerer) Answer(ctx context.Context, question []byte) []byte {
	if len(question) == 0 || len(question) > MaxQuestion {
		return failed(fs.ErrInvalid)
	}
	if question[0] == askDock {
		if a.Dock == nil {
			return failed(fs.ErrPermission)
		}
		return append([]byte{answerOK}, a.Dock.Serve(ctx, bytes.Clone(question[1:]))...)
	}
	if question[0] == askPrint {
		if err := a.print(question[1:]); err != nil {
			return failed(err)
		}
		return []byte{answerOK}
	}
	body, err := a.file(question[0], question[1:])
	if err != nil {
		return failed(err)
	}
	return append([]byte{answerOK}, body...)
}

func (a *Answerer) file(kind byte, about []byte) ([]byte, error) {
	var offset uint64
	if kind == askRead {
		if len(about) < 8 {
			return nil, fs.ErrInvalid
		}
		offset, about = binary.LittleEndian.Uint64(about), about[8:]
	}
	name := string(about)
	if a.Tree == nil || !fs.ValidPath(name) || offset > 1<<62 {
		return nil, fs.ErrInvalid
	}
	switch kind {
	case askStat:
		info, err := a.Tree.Stat(name)
		if err != nil {
			return nil, err
		}
		return pack(nil, infoOf(info))
	case askList:
		return a.list(name)
	case askOpen:
		return a.open(name)
	case askRead:
		f, err := a.Tree.OpenFile(name, os.O_RDONLY, 0)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		return readChunk(f, int64(offset))
	}
	return nil, fs.ErrInvalid
}

func infoOf(info fs.FileInfo) wireInfo {
	return wireInfo{Base: info.Name(), Bytes: info.Size(), Bits: info.Mode(), Nanos: info.ModTime().UnixNano()}
}

// timeless is an answer without the time a file was changed, which says nothing
// about what the program read.
func timeless(question, answer []byte) []byte {
	if len(answer) == 0 || answer[0] != answerOK || question[0] != askStat && question[0] != askOpen {
		return answer
	}
	var info wireInfo
	rest, err := unpack(answer[1:], &info)
	if err != nil {
		return answer
	}
	info.Nanos = 0
	head, _ := pack(nil, info) // of text and numbers
	return append(head, rest...)
}

func (a *Answerer) list(name string) ([]byte, error) {
	entries, err := a.Tree.ReadDir(name)
	if err != nil {
		return nil, err
	}
	list := make([]wireInfo, len(entries))
	for i, e := range entries {
		list[i] = wireInfo{Base: e.Name(), Bits: e.Type()}
	}
	return pack(nil, list)
}

func (a *Answerer) open(name string) ([]byte, error) {
	f, err := a.Tree.OpenFile(name, os.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	head, err := pack(nil, infoOf(info))
	if err != nil {
		return nil, err
	}
	data, err := readChunk(f, 0)
	return append(head, data...), err
}

func readChunk(f io.ReaderAt, offset int64) ([]byte, error) {
	data := make([]byte, chunk)
	n, err := f.ReadAt(data, offset)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return data[:n], err
}

// errnos are the errors of trees that guests can tell apart, by the names they
// travel under.
var errnos = []struct {
	name string
	err  error
}{
	{"notdir", syscall.ENOTDIR}, {"isdir", syscall.EISDIR}, {"notempty", syscall.ENOTEMPTY}, {"xdev", syscall.EXDEV},
	{"rofs", syscall.EROFS}, {"nospc", syscall.ENOSPC}, {"loop", syscall.ELOOP}, {"fbig", syscall.EFBIG}, {"nametoolong", syscall.ENAMETOOLONG},
	{"notexist", fs.ErrNotExist}, {"exist", fs.ErrExist}, {"permission", fs.ErrPermission}, {"invalid", fs.ErrInvalid}, {"unsupported", errors.ErrUnsupported},
}

type wireErrno struct {
	Errno, Text string
}

func failed(err error) []byte {
	e := wireErrno{Text: err.Error()}
	for _, known := range errnos {
		if errors.Is(err, known.err) {
			e.Errno = known.name
			break
		}
	}
	answer, _ := pack([]byte{answerError}, e) // of strings
	return answer
}

// answered is the content of an answer, or its error.
func answered(answer []byte, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	if len(answer) > 0 && answer[0] == answerOK {
		return answer[1:], nil
	}
	var e wireErrno
	if len(answer) == 0 || answer[0] != answerError {
		return nil, &FormatError{"not a valid answer"}
	}
	if _, err := unpack(answer[1:], &e); err != nil {
		return nil, err
	}
	for _, known := range errnos {
		if e.Errno == known.name {
			return nil, known.err
		}
	}
	return nil, errors.New(e.Text)
}
