package interp

import (
	"io"
	"io/fs"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Warm parses and expands a little, so that what is built on first use is there
// when the program is frozen.
func Warm() {
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader("a=(x y); echo \"${a[@]}\" *.txt $((1 + 2)) | cat <<EOF\n$a\nEOF\n"), "")
	if err != nil {
		return
	}
	sh := New(Config{Kernel: idle{}, Name: "sh", Dir: "/"})
	sh.fields(file.Stmts[1].Cmd.(*syntax.BinaryCmd).X.Cmd.(*syntax.CallExpr).Args[1:2]...)
	sh.matches("*.txt", "a.txt")
}

// Set applies options as the set builtin does.
func (sh *Shell) Set(options []string) {
	for len(options) > 1 && (options[0] == "-O" || options[0] == "+O") {
		builtinShopt(sh, []string{"shopt", map[string]string{"-O": "-s", "+O": "-u"}[options[0]], options[1]})
		options = options[2:]
	}
	if len(options) > 0 {
		builtinSet(sh, append([]string{"set"}, options...))
	}
}

// idle is a kernel that does nothing.
type idle struct{}

func (idle) Open(string, int) (Handle, error)                                 { return NoHandle, errBadFD }
func (idle) Pipe(bool) (r, w Handle, err error)                               { return NoHandle, NoHandle, errBadFD }
func (idle) Bytes([]byte) (Handle, error)                                     { return NoHandle, errBadFD }
func (idle) Read(Handle, []byte) (int, error)                                 { return 0, io.EOF }
func (idle) ReadUntil(Handle, byte, []byte) (int, error)                      { return 0, io.EOF }
func (idle) Write(Handle, []byte) error                                       { return nil }
func (idle) Close(Handle)                                                     {}
func (idle) Spawn([]string, []string, string, [3]Handle) (pid int, err error) { return 0, ErrNoCommand }
func (idle) Wait(int) int                                                     { return 0 }
func (idle) Known(string) bool                                                { return false }
func (idle) Mode(string) (fs.FileMode, bool)                                  { return 0, false }
func (idle) Tools() []string                                                  { return nil }
