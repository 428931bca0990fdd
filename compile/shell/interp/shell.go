package interp

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"regexp"
	"sort"
	"strings"
	"syscall"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// Dialect says whose habits count where shells differ.
type Dialect int

// The dialects.
const (
	Bash Dialect = iota
	POSIX
)

// Config is what a shell starts with.
type Config struct {
	Kernel  Kernel
	Dialect Dialect
	Name    string   // $0, and the name in messages
	Args    []string // $1 …
	Env     []string // KEY=value
	Dir     string   // absolute
	// Before is the number of lines ahead of what the author wrote; messages
	// count without them.
	Before int
	// Seed starts the sequence of RANDOM.
	Seed uint64
}

// Shell is a running shell: one, with a subshell being a copy.
type Shell struct {
	k       Kernel
	dialect Dialect
	name    string
	params  []string
	vars    *scope // innermost first
	funcs   map[string]*syntax.Stmt
	fds     map[int]*stream
	dir     string
	opts    map[string]bool // set -o and shopt names
	traps   map[string]string
	cfg     *expand.Config

	status     int // $?
	substatus  int // of the last command substitution in an assignment
	line       uint
	before     int // lines ahead of the author's
	lastArg    string
	lastBg     int
	bgStatus   map[int]int
	nextPid    int
	pipestatus []string
	callStack  []string // names of active functions, innermost last
	dirStack   []string
	rand       *rand.Rand
	optPos     int // position inside a bundled getopts argument

	flow      flow
	flowCount int // loops still to leave
	tested    int // >0: failures do not trigger set -e
	loops     int
	depth     int // subshells, functions, sources
	inTrap    bool
	subshells int
	sourced   int
	hinted    *bool
	regexps   map[string]*regexp.Regexp
	program   *program
	substs    []string // files of process substitutions, removed after the command
}

// flow says that something other than the next command comes next.
type flow uint8

const (
	flowBreak flow = iota + 1
	flowContinue
	flowReturn
	flowExit
)

// Bounds of nesting, so that runaway recursion ends with a message.
const (
	maxCalls     = 400
	maxSubshells = 100
)

var errBadFD = errors.New("Bad file descriptor") //lint:ignore ST1005 what bash prints

// New makes a shell whose standard streams are the kernel's first three.
func New(c Config) *Shell {
	sh := &Shell{
		k: c.Kernel, dialect: c.Dialect, name: c.Name, params: c.Args, dir: c.Dir, before: c.Before,
		vars: newScope(nil), funcs: map[string]*syntax.Stmt{}, traps: map[string]string{},
		opts: map[string]bool{"braceexpand": true, "hashall": true}, bgStatus: map[int]int{}, nextPid: 100,
		rand: rand.New(rand.NewPCG(c.Seed, 2)), hinted: new(bool), regexps: map[string]*regexp.Regexp{}, program: &program{files: map[string]*syntax.File{}},
	}
	sh.fds = map[int]*stream{0: {refs: 1, h: 0}, 1: {refs: 1, h: 1}, 2: {refs: 1, h: 2}}
	for _, kv := range c.Env {
		if name, value, ok := strings.Cut(kv, "="); ok && syntax.ValidName(name) {
			sh.vars.vars[name] = &variable{Variable: expand.Variable{Set: true, Kind: expand.String, Str: value, Exported: true}}
		}
	}
	sh.defaults()
	sh.newConfig()
	return sh
}

func (sh *Shell) defaults() {
	set := func(name, value string, exported bool) {
		if v := sh.vars.find(name); v != nil {
			return
		}
		sh.vars.vars[name] = &variable{Variable: expand.Variable{Set: true, Kind: expand.String, Str: value, Exported: exported}}
	}
	set("HOME", "/", true)
	set("PATH", "/usr/local/bin:/usr/bin:/bin", true)
	set("IFS", " \t\n", false)
	set("OPTIND", "1", false)
	set("PS4", "+ ", false)
	if v := sh.vars.find("PWD"); v == nil || v.Str != sh.dir {
		delete(sh.vars.vars, "PWD")
		set("PWD", sh.dir, true)
	}
	if sh.dialect == Bash {
		set("BASH_VERSION", "5.2.0(1)-wb", false)
		set("BASH", "/bin/bash", false)
		set("HOSTNAME", "wb", false)
		set("HOSTTYPE", "wasm32", false)
		set("OSTYPE", "wasi", false)
		set("UID", "0", false)
		set("EUID", "0", false)
		set("SHLVL", "1", true)
	}
}

// subshell copies the shell. Nothing that happens in the copy is seen outside.
func (sh *Shell) subshell() *Shell {
	sub := *sh
	sub.vars = sh.vars.clone()
	sub.funcs = maps.Clone(sh.funcs)
	sub.opts = maps.Clone(sh.opts)
	sub.bgStatus = maps.Clone(sh.bgStatus)
	sub.traps = map[string]string{}
	sub.params = append([]string(nil), sh.params...)
	sub.callStack = append([]string(nil), sh.callStack...)
	sub.pipestatus = append([]string(nil), sh.pipestatus...)
	sub.substs = nil
	sub.fds = make(map[int]*stream, len(sh.fds))
	for fd, s := range sh.fds {
		sub.fds[fd] = s.keep()
	}
	sub.subshells++
	sub.flow, sub.flowCount = 0, 0
	sub.loops = 0
	sub.newConfig()
	return &sub
}

// finish ends a shell or subshell: its EXIT trap runs and its streams close.
func (sh *Shell) finish() int {
	if text, ok := sh.traps["EXIT"]; ok && text != "" {
		delete(sh.traps, "EXIT")
		status := sh.status
		sh.flow, sh.flowCount = 0, 0
		sh.runTrap(text)
		if sh.flow != flowExit {
			sh.status = status
		}
	}
	for fd := range sh.fds {
		sh.setFD(fd, nil)
	}
	return sh.status
}

func (sh *Shell) runTrap(text string) {
	file, err := sh.parse(text, "trap")
	if err != nil {
		sh.errorf("trap: %v", err)
		return
	}
	sh.inTrap = true
	sh.stmts(file.Stmts)
	sh.inTrap = false
}

// exit makes the (sub)shell end with a status.
func (sh *Shell) exit(status int) {
	sh.status = status & 255
	sh.flow = flowExit
}

// Run runs a script to its end and returns the exit status.
func (sh *Shell) Run(text string) int {
	file, err := sh.parse(text, sh.name)
	if err != nil {
		// What stands before the error has been asked for and runs, as it
		// would in a shell that reads line by line.
		sh.runBeforeError(text, err)
		sh.reportSyntax(err)
		sh.status = 2
		return sh.finish()
	}
	sh.stmts(file.Stmts)
	return sh.finish()
}

// Check parses a script without running it; message is "" when it is one.
func Check(text string) (line, col int, message string) {
	_, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), "")
	var parse syntax.ParseError
	var lang syntax.LangError
	switch {
	case err == nil:
		return 0, 0, ""
	case errors.As(err, &parse):
		return int(parse.Pos.Line()), int(parse.Pos.Col()), parse.Text
	case errors.As(err, &lang):
		return int(lang.Pos.Line()), int(lang.Pos.Col()), strings.TrimPrefix(lang.Error(), lang.Pos.String()+": ")
	}
	return 1, 1, err.Error()
}

func (sh *Shell) parse(text, name string) (*syntax.File, error) {
	if file := sh.program.files[text]; file != nil {
		return file, nil
	}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), name)
	if err != nil {
		return nil, err
	}
	sh.program.normalize(file)
	if len(sh.program.files) < maxFiles {
		sh.program.files[text] = file
	}
	return file, nil
}

// runBeforeError runs the complete statements of the lines before a syntax error.
func (sh *Shell) runBeforeError(text string, err error) {
	var perr syntax.ParseError
	if !errors.As(err, &perr) {
		return
	}
	lines := strings.SplitAfter(text, "\n")
	for n := int(perr.Pos.Line()) - 1; n > 0 && n <= len(lines); n-- {
		head := strings.Join(lines[:n], "")
		if file, err := sh.parse(head, sh.name); err == nil {
			sh.stmts(file.Stmts)
			return
		}
	}
}

func (sh *Shell) reportSyntax(err error) {
	var perr syntax.ParseError
	if errors.As(err, &perr) {
		sh.write(2, fmt.Appendf(nil, "%s: line %d: syntax error: %s\n", sh.name, perr.Pos.Line(), perr.Text))
		return
	}
	sh.write(2, fmt.Appendf(nil, "%s: syntax error: %v\n", sh.name, err))
}

// errorf reports a problem on standard error, with the line.
func (sh *Shell) errorf(format string, args ...any) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s: line %d: ", sh.name, max(1, int(sh.line)-sh.before))
	fmt.Fprintf(&b, format, args...)
	text := strings.NewReplacer(valuesOf, "", keysOf, "", operationOf, "expansion ").Replace(b.String())
	sh.write(2, append([]byte(text), '\n'))
}

// reason is an error as shells print it: "No such file or directory".
func reason(err error) string {
	var errno syscall.Errno
	if errors.As(err, &errno) {
		text := errno.Error()
		return strings.ToUpper(text[:1]) + text[1:]
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "No such file or directory"
	case errors.Is(err, fs.ErrPermission):
		return "Permission denied"
	}
	return err.Error()
}

// environ is what programs inherit: exported variables, in order of name.
func (sh *Shell) environ() []string {
	var list []string
	seen := map[string]bool{}
	for s := sh.vars; s != nil; s = s.outer {
		for name, v := range s.vars {
			if seen[name] {
				continue
			}
			seen[name] = true
			if v.Exported && v.Set && v.Kind == expand.String {
				list = append(list, name+"="+v.Str)
			}
		}
	}
	sort.Strings(list)
	return list
}

func (sh *Shell) isDir(name string) bool {
	info, err := os.Stat(name)
	return err == nil && info.IsDir()
}
