package interp

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strconv"
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
	// Execution is the text given with -c, File the name of a script.
	Execution, File string
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

	status     int // $?
	substatus  int // of the last command substitution in an assignment
	line       uint
	before     int // lines ahead of the author's
	lastArg    string
	lastBg     int
	jobs       []job     // background commands
	pending    *[]string // signals that subshells have sent
	aliases    map[string]string
	hashes     hashTable
	lasting    []int             // descriptors that the redirections under way change for good
	outerTraps map[string]string // in a subshell: what trap prints
	frames     []frame
	files      map[string]string // where functions were defined
	ownPid     int               // of a background subshell
	execution  string            // the text given with -c
	file       string            // the script, when it is a file
	nextPid    int
	pipestatus []string
	callStack  []string // names of active functions, innermost last
	dirStack   []string
	rand       *rand.Rand
	umask      int
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
	substs    []substitution // process substitutions of the command under way
}

// flow says that something other than the next command comes next.
type flow uint8

const (
	flowBreak flow = iota + 1
	flowContinue
	flowReturn
	flowExit
	flowDiscard // gives up the line, see units
)

// frame is a function call or a sourced file.
type frame struct {
	name, file string
	line       uint // of the call
}

// Bounds of nesting, so that runaway recursion ends with a message.
const (
	maxCalls     = 400
	maxSubshells = 100
)

var errBadFD = errors.New("Bad file descriptor") //lint:ignore ST1005 what bash prints

// New makes a shell whose standard streams are the kernel's first three.
func New(c Config) *Shell {
	sh := &Shell{
		k: c.Kernel, execution: c.Execution, file: c.File, dialect: c.Dialect, name: c.Name, params: c.Args, dir: c.Dir, before: c.Before,
		vars: newScope(nil), funcs: map[string]*syntax.Stmt{}, files: map[string]string{}, traps: map[string]string{},
		opts: map[string]bool{"braceexpand": true, "hashall": true, "interactive-comments": true}, pending: new([]string), aliases: map[string]string{}, nextPid: 100,
		rand: rand.New(rand.NewPCG(c.Seed, 2)), hinted: new(bool), umask: 0o022, regexps: map[string]*regexp.Regexp{}, program: newProgram(),
	}
	sh.fds = map[int]*stream{0: {refs: 1, h: 0}, 1: {refs: 1, h: 1}, 2: {refs: 1, h: 2}}
	for _, kv := range c.Env {
		if name, value, ok := strings.Cut(kv, "="); ok && syntax.ValidName(name) {
			sh.vars.vars[name] = &variable{Variable: expand.Variable{Set: true, Kind: expand.String, Str: value, Exported: true}}
		}
	}
	for _, name := range shoptDefaults {
		sh.opts[name] = true
	}
	sh.defaults()
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
	if v := sh.vars.find("PWD"); v == nil { // who started the shell did not say by what name
		if dir, err := filepath.EvalSymlinks(sh.dir); err == nil {
			sh.dir = dir
		}
	}
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
		for _, name := range []string{"UID", "EUID", "PPID"} {
			sh.vars.vars[name] = &variable{Variable: expand.Variable{Set: true, Kind: expand.String, Str: "0", ReadOnly: true}, integer: true}
		}
		version := []string{"5", "2", "15", "1", "release", "wasm32-unknown-wasi"}
		sh.vars.vars["BASH_VERSINFO"] = &variable{Variable: expand.Variable{Set: true, Kind: expand.Indexed, List: version, ReadOnly: true}}
		if sh.execution != "" {
			set("BASH_EXECUTION_STRING", sh.execution, false)
		}
		level, _ := strconv.Atoi(sh.value("SHLVL"))
		set("SHLVL", itoa(level+1), true)
		sh.vars.vars["SHLVL"].Str = itoa(max(1, level+1))
	}
}

// subshell copies the shell. Nothing that happens in the copy is seen outside.
func (sh *Shell) subshell() *Shell {
	sub := *sh
	sub.vars = sh.vars.clone()
	sub.funcs, sub.files = maps.Clone(sh.funcs), maps.Clone(sh.files)
	sub.opts = maps.Clone(sh.opts)
	sub.aliases = maps.Clone(sh.aliases)
	sub.hashes = sh.hashes.clone()
	sub.frames = append([]frame(nil), sh.frames...)
	sub.jobs = append([]job(nil), sh.jobs...)
	sub.traps = map[string]string{}
	sub.outerTraps = sh.traps
	if sh.opts["errtrace"] && sh.traps["ERR"] != "" {
		sub.traps["ERR"] = sh.traps["ERR"]
	}
	if sh.opts["functrace"] {
		for _, name := range []string{"DEBUG", "RETURN"} {
			if action := sh.traps[name]; action != "" {
				sub.traps[name] = action
			}
		}
	}
	for name, action := range sh.traps { // an ignored signal stays ignored
		if action == "" {
			sub.traps[name] = ""
		}
	}
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
	sh.endSubstitutions(0)
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
	outer, tested := sh.inTrap, sh.tested
	sh.inTrap = true
	sh.stmts(file.Stmts)
	sh.inTrap, sh.tested = outer, tested
}

// exit makes the (sub)shell end with a status.
func (sh *Shell) exit(status int) {
	sh.status = status & 255
	sh.flow = flowExit
}

// Run runs a script to its end and returns the exit status.
func (sh *Shell) Run(text string) int {
	sh.source(text, sh.name)
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

// errorf reports a problem on standard error, with the line.
func (sh *Shell) errorf(format string, args ...any) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s: line %d: ", sh.name, max(1, int(sh.line)-sh.before))
	fmt.Fprintf(&b, format, args...)
	b.WriteByte('\n')
	sh.write(2, b.Bytes())
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
			if v.Exported && v.Set && (v.Kind == expand.String || v.Kind == expand.NameRef) {
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
