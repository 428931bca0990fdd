package interp

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// prepare expands a simple command and returns what is left to do once it is
// redirected: expansions write where the shell does.
func (sh *Shell) prepare(c *syntax.CallExpr) (run func() (keepRedirects bool)) {
	done := func() bool { return false }
	if sh.debug(c.Pos().Line()); sh.flow != 0 {
		return done
	}
	sh.substatus = -1
	args := sh.fields(c.Args...)
	if sh.flow != 0 {
		return done
	}
	if len(args) > 0 {
		sh.traceCall(c, args)
		return func() bool { return sh.run(args, c.Assigns) }
	}
	sh.lastArg = ""
	sh.traceAssigns(c)
	before := sh.status // what $? in a value stands for
	ok := sh.assignments(c.Assigns)
	switch {
	case sh.flow != 0:
	case !ok:
		sh.status = 1
	case sh.substatus > 0:
		sh.status = sh.substatus
	case sh.status == before:
		sh.status = 0
	}
	return done
}

// run runs a command by its words: a function, a builtin or a program.
func (sh *Shell) run(args []string, assigns []*syntax.Assign) (keepRedirects bool) {
	name := args[0]
	defer func() {
		sh.lastArg = args[len(args)-1]
	}()
	if (sh.dialect == POSIX || sh.opts["posix"]) && specialBuiltins[name] {
		ok := sh.assignments(assigns) // they stay after a special builtin
		if ok && sh.flow == 0 {
			sh.status = builtins[name](sh, args)
		}
		return isExec(args)
	}
	if body := sh.funcs[name]; body != nil {
		outer := sh.vars
		if len(assigns) > 0 { // a scope of their own: unset uncovers what they hide
			sh.vars = newScope(outer)
			sh.temporarily(assigns)
		}
		if sh.flow == 0 {
			sh.callFunction(name, body, args[1:])
		}
		sh.vars = outer
		return false
	}
	if b := builtins[name]; b != nil {
		leave := sh.temporarily(assigns)
		sh.status = b(sh, args)
		leave()
		return isExec(args)
	}
	leave := sh.temporarily(assigns)
	if sh.flow == 0 {
		sh.status = sh.runProgram(args)
	}
	leave()
	return false
}

// specialBuiltins are those whose assignments stay and that no function hides,
// where POSIX counts.
var specialBuiltins = map[string]bool{"break": true, ":": true, ".": true, "continue": true, "eval": true, "exec": true, "exit": true, "export": true,
	"readonly": true, "return": true, "set": true, "shift": true, "source": true, "times": true, "trap": true, "unset": true}

// isExec tells that a command is exec without a program: its redirections stay.
func isExec(args []string) bool {
	return args[0] == "exec" && (len(args) == 1 || len(args) == 2 && args[1] == "--")
}

// temporarily makes the assignments before a command, for that command only.
func (sh *Shell) temporarily(assigns []*syntax.Assign) (leave func()) {
	if len(assigns) == 0 {
		return func() {}
	}
	type old struct {
		name string
		v    *variable
	}
	var saved []old
	s := sh.vars
	for _, as := range assigns {
		name := as.Name.Value
		value := sh.assigned(as.Value)
		if sh.flow != 0 {
			break
		}
		name, _ = sh.deref(name, nil)
		if before := sh.vars.find(name); before != nil {
			if before.ReadOnly {
				sh.errorf("%s: readonly variable", name)
				if sh.dialect == POSIX {
					sh.exit(1)
				}
				sh.status = 1
				continue
			}
			if as.Append {
				value = before.String() + value
			}
		}
		saved = append(saved, old{name, s.vars[name]})
		s.vars[name] = &variable{Variable: expand.Variable{Set: true, Kind: expand.String, Str: value, Exported: true}}
	}
	return func() {
		for i := len(saved) - 1; i >= 0; i-- {
			if saved[i].v == nil {
				delete(s.vars, saved[i].name)
			} else {
				s.vars[saved[i].name] = saved[i].v
			}
		}
	}
}

func (sh *Shell) callFunction(name string, body *syntax.Stmt, args []string) {
	if len(sh.callStack) >= maxCalls {
		sh.errorf("%s: maximum function nesting level exceeded (%d)", name, maxCalls)
		sh.exit(1)
		return
	}
	params, loops, vars, line := sh.params, sh.loops, sh.vars, sh.line
	sh.params, sh.loops, sh.vars = args, 0, newScope(vars)
	sh.callStack = append(sh.callStack, name)
	sh.frames = append(sh.frames, frame{name, sh.fileOf(name), sh.lineNumber()})
	hidden := sh.hideTraps()
	sh.depth++
	sh.stmt(body)
	sh.depth--
	if sh.flow == flowReturn {
		sh.flow = 0
	}
	sh.returned()
	hidden()
	sh.callStack = sh.callStack[:len(sh.callStack)-1]
	sh.frames = sh.frames[:len(sh.frames)-1]
	sh.params, sh.loops, sh.vars, sh.line = params, loops, vars, line
}

// program runs a program of the kernel and waits for it.
func (sh *Shell) runProgram(args []string) int {
	pid, status := sh.spawn(args, sh.fds)
	if pid < 0 {
		return status
	}
	status = sh.k.Wait(pid)
	sh.drainAll()
	return status
}

// spawn starts a program on the streams of fds. On failure it has said why and
// returns a negative pid and the status to report.
func (sh *Shell) spawn(args []string, fds map[int]*stream) (pid, status int) {
	argv, status := sh.resolve(args)
	if argv == nil {
		return -1, status
	}
	var streams [3]Handle
	for i := range streams {
		h, err := sh.handle(fds[i])
		if err != nil {
			sh.errorf("%s: %s", args[0], reason(err))
			return -1, 126
		}
		streams[i] = h
	}
	pid, err := sh.k.Spawn(argv, sh.environ(), sh.dir, streams)
	switch {
	case err == ErrNoCommand:
		sh.notFound(args[0])
		return -1, 127
	case err != nil:
		sh.errorf("%s: %s", args[0], reason(err))
		return -1, 126
	}
	return pid, 0
}

func (sh *Shell) notFound(name string) {
	sh.errorf("%s: command not found", name)
	if !*sh.hinted {
		*sh.hinted = true
		sh.write(2, []byte("hint: programs of this machine do not run here; `help' lists the tools there are\n"))
	}
}

// resolve finds what a command name means: a tool, or a file of the tree, which
// is a script, run by what its first line says.
func (sh *Shell) resolve(args []string) (argv []string, status int) {
	name := args[0]
	full := name
	if !strings.Contains(name, "/") {
		found := sh.locate(name)
		if found == "" {
			if !sh.isSet("PATH") && sh.k.Known(name) {
				return args, 0
			}
			sh.notFound(name)
			return nil, 127
		}
		full = found
	}
	full = sh.abs(full)
	dir, base := path.Split(full)
	if len(base) > maxName {
		sh.errorf("%s: File name too long", name)
		return nil, 126
	}
	tool := slices.Contains(toolDirectories[:3], path.Clean(dir)) && sh.k.Known(base)
	if tool && full != sh.abs(name) {
		return args, 0
	}
	text, err := os.ReadFile(full)
	if tool && (err != nil || bytes.HasPrefix(text, []byte("\x7fELF"))) {
		return append([]string{base}, args[1:]...), 0
	}
	switch {
	case sh.isDir(full):
		sh.errorf("%s: Is a directory", name)
		return nil, 126
	case err != nil:
		sh.errorf("%s: %s", name, reason(err))
		if errors.Is(err, fs.ErrNotExist) {
			return nil, 127
		}
		return nil, 126
	case !sh.executable(full):
		sh.errorf("%s: Permission denied", name)
		return nil, 126
	}
	if bytes.HasPrefix(text, []byte("\x7fELF")) || bytes.HasPrefix(text, []byte("\x00asm")) || isBinary(text) {
		sh.errorf("%s: cannot execute binary file: nothing native runs here", name)
		return nil, 126
	}
	words := []string{"sh"}
	if line, ok := bytes.CutPrefix(text, []byte("#!")); ok {
		line, _, _ = bytes.Cut(line, []byte("\n"))
		fields := strings.Fields(string(line))
		if len(fields) > 0 && baseName(fields[0]) == "env" {
			fields = fields[1:]
			if len(fields) > 0 && fields[0] == "-S" {
				fields = fields[1:]
			}
		}
		if len(fields) > 0 {
			words = append([]string{baseName(fields[0])}, fields[1:]...)
		}
	} else if sh.dialect == Bash {
		words = []string{"bash"}
	}
	if strings.Contains(name, "/") {
		full = name // it is $0
	}
	return append(append(words, full), args[1:]...), 0
}

// maxName is how long the name of a file may be.
const maxName = 255

// isBinary tells, as bash does, that a file is no script: its first line has a
// byte that no text has.
func isBinary(text []byte) bool {
	line, _, _ := bytes.Cut(text[:min(len(text), 80)], []byte("\n"))
	return bytes.IndexByte(line, 0) >= 0
}

func baseName(p string) string { return p[strings.LastIndexByte(p, '/')+1:] }
