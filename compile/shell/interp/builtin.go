package interp

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// builtins are the commands the shell runs itself. Each takes its words, name
// first, and returns its status.
var builtins map[string]func(sh *Shell, args []string) int

func init() { // at run time, since some builtins look others up
	builtins = map[string]func(sh *Shell, args []string) int{
		":": succeed, "true": succeed, "false": func(*Shell, []string) int { return 1 },
		".": builtinSource, "source": builtinSource, "eval": builtinEval, "exec": builtinExec, "exit": builtinExit,
		"break": builtinBreak, "continue": builtinBreak, "return": builtinReturn, "shift": builtinShift,
		"cd": builtinCd, "pwd": builtinPwd, "pushd": builtinPushd, "popd": builtinPopd, "dirs": builtinDirs,
		"echo": builtinEcho, "printf": builtinPrintf, "read": builtinRead, "mapfile": builtinMapfile, "readarray": builtinMapfile,
		"wb-array": builtinArray, "test": builtinTest, "[": builtinTest, "set": builtinSet, "shopt": builtinShopt, "unset": builtinUnset,
		"trap": builtinTrap, "wait": builtinWait, "jobs": succeed, "disown": succeed, "kill": builtinKill, "fg": notHere, "bg": notHere,
		"command": builtinCommand, "builtin": builtinBuiltin, "type": builtinType, "getopts": builtinGetopts,
		"hash": succeed, "umask": builtinUmask, "ulimit": builtinUlimit, "times": builtinTimes, "alias": builtinAlias, "unalias": succeed,
		"help": builtinHelp, "let": builtinLet, "declare": declareWords, "typeset": declareWords, "local": declareWords,
		"export": declareWords, "readonly": declareWords, "caller": builtinCaller, "history": succeed, "enable": succeed,
	}
}

func succeed(*Shell, []string) int { return 0 }

func notHere(sh *Shell, args []string) int {
	sh.errorf("%s: no job control", args[0])
	return 1
}

// declareWords is declare and its kin when the parser did not see them, as
// after "command" or through a variable.
func declareWords(sh *Shell, args []string) int {
	var list []*syntax.Assign
	for _, word := range args[1:] {
		if strings.HasPrefix(word, "-") || strings.HasPrefix(word, "+") {
			list = append(list, &syntax.Assign{Naked: true, Value: &syntax.Word{Parts: []syntax.WordPart{&syntax.SglQuoted{Value: word}}}})
			continue
		}
		list = append(list, assignFromText(word))
	}
	sh.declare(args[0], list)
	return sh.status
}

// ---- control ----

func builtinEval(sh *Shell, args []string) int {
	file, err := sh.parse(strings.Join(args[1:], " "), "eval")
	if err != nil {
		sh.reportSyntax(err)
		return 2
	}
	sh.status = 0
	sh.stmts(file.Stmts)
	return sh.status
}

func builtinSource(sh *Shell, args []string) int {
	if len(args) < 2 {
		sh.errorf("%s: filename argument required", args[0])
		return 2
	}
	if sh.sourced >= 50 {
		sh.errorf("%s: files source each other more than 50 deep", args[1])
		return 1
	}
	name := sh.abs(args[1])
	text, err := os.ReadFile(name)
	if err != nil {
		sh.errorf("%s: %s", args[1], reason(err))
		if sh.dialect == POSIX {
			sh.exit(2)
		}
		return 1
	}
	file, err := sh.parse(string(text), args[1])
	if err != nil {
		sh.reportSyntax(err)
		return 2
	}
	params := sh.params
	if len(args) > 2 {
		sh.params = args[2:]
	}
	sh.sourced++
	sh.status = 0
	sh.stmts(file.Stmts)
	sh.sourced--
	if len(args) > 2 {
		sh.params = params
	}
	if sh.flow == flowReturn {
		sh.flow = 0
	}
	return sh.status
}

func builtinExec(sh *Shell, args []string) int {
	if len(args) == 1 {
		return 0 // only its redirections, which stay
	}
	sh.exit(sh.runProgram(args[1:]))
	return sh.status
}

func builtinExit(sh *Shell, args []string) int {
	status := sh.status
	if len(args) > 1 {
		n, err := strconv.Atoi(args[1])
		if err != nil {
			sh.errorf("exit: %s: numeric argument required", args[1])
			n = 2
		}
		status = n
	}
	sh.exit(status)
	return sh.status
}

func builtinBreak(sh *Shell, args []string) int {
	n := 1
	if len(args) > 1 {
		var err error
		if n, err = strconv.Atoi(args[1]); err != nil || n < 1 {
			sh.errorf("%s: %s: loop count out of range", args[0], args[1])
			return 1
		}
	}
	if sh.loops == 0 {
		return 0
	}
	sh.flow, sh.flowCount = flowBreak, min(n, sh.loops)
	if args[0] == "continue" {
		sh.flow = flowContinue
	}
	return 0
}

func builtinReturn(sh *Shell, args []string) int {
	status := sh.status
	if len(args) > 1 {
		n, err := strconv.Atoi(args[1])
		if err != nil {
			sh.errorf("return: %s: numeric argument required", args[1])
			n = 2
		}
		status = n & 255
	}
	if len(sh.callStack) == 0 && sh.sourced == 0 {
		sh.errorf("return: can only `return' from a function or sourced script")
		return 1
	}
	sh.flow = flowReturn
	return status
}

func builtinShift(sh *Shell, args []string) int {
	n := 1
	if len(args) > 1 {
		var err error
		if n, err = strconv.Atoi(args[1]); err != nil || n < 0 {
			sh.errorf("shift: %s: shift count out of range", args[1])
			return 1
		}
	}
	if n > len(sh.params) {
		return 1
	}
	sh.params = sh.params[n:]
	return 0
}

func builtinTrap(sh *Shell, args []string) int {
	args = args[1:]
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	if len(args) == 0 || args[0] == "-p" {
		for _, name := range slices.Sorted(maps.Keys(sh.traps)) {
			sh.print("trap -- " + singleQuoted(sh.traps[name]) + " " + name + "\n")
		}
		return 0
	}
	if args[0] == "-l" {
		return 0
	}
	action, signals := args[0], args[1:]
	if len(signals) == 0 {
		action, signals = "-", args
	}
	for _, s := range signals {
		name := strings.TrimPrefix(strings.ToUpper(s), "SIG")
		if name == "0" {
			name = "EXIT"
		}
		if action == "-" {
			delete(sh.traps, name)
		} else {
			sh.traps[name] = action // only EXIT and ERR ever happen here
		}
	}
	return 0
}

func builtinWait(sh *Shell, args []string) int {
	status := 0
	for _, a := range args[1:] {
		if strings.HasPrefix(a, "-") {
			continue
		}
		pid, err := strconv.Atoi(strings.TrimPrefix(a, "%"))
		if err != nil {
			sh.errorf("wait: `%s': not a pid or valid job spec", a)
			return 1
		}
		s, ok := sh.bgStatus[pid]
		if !ok {
			sh.errorf("wait: pid %d is not a child of this shell", pid)
			s = 127
		}
		status = s
	}
	return status
}

// builtinKill: background commands have always ended already.
func builtinKill(sh *Shell, args []string) int {
	for _, a := range args[1:] {
		if strings.HasPrefix(a, "-") {
			continue
		}
		sh.errorf("kill: (%s) - No such process", a)
		return 1
	}
	return 0
}

func builtinCaller(sh *Shell, _ []string) int {
	if len(sh.callStack) == 0 {
		return 1
	}
	sh.print(fmt.Sprintf("%d %s\n", sh.line, sh.callStack[len(sh.callStack)-1]))
	return 0
}

// ---- variables ----

func builtinUnset(sh *Shell, args []string) int {
	status := 0
	functions, variables := false, false
	for _, a := range args[1:] {
		switch {
		case a == "-f":
			functions = true
			continue
		case a == "-v", a == "-n":
			variables = true
			continue
		}
		if functions {
			delete(sh.funcs, a)
			continue
		}
		if name, sub, ok := strings.Cut(a, "["); ok && strings.HasSuffix(sub, "]") && syntax.ValidName(name) {
			sh.unsetElement(name, strings.TrimSuffix(sub, "]"))
			continue
		}
		if !syntax.ValidName(a) {
			sh.errorf("unset: `%s': not a valid identifier", a)
			status = 1
			continue
		}
		if sh.vars.find(a) == nil && !variables {
			delete(sh.funcs, a)
			continue
		}
		if !sh.unset(a) {
			status = 1
		}
	}
	return status
}

func (sh *Shell) unsetElement(name, sub string) {
	v := sh.vars.find(name)
	if v == nil {
		return
	}
	if v.Kind == expand.NameRef && v.Str != "" {
		sh.unsetElement(v.Str, sub)
		return
	}
	if sub == "@" || sub == "*" {
		sh.unset(name)
		return
	}
	nv := v.Variable
	switch v.Kind {
	case expand.Associative:
		nv.Map = maps.Clone(nv.Map)
		if file, err := sh.parse("x["+sub+"]=", name); err == nil { // quotes in the subscript
			if c, ok := file.Stmts[0].Cmd.(*syntax.CallExpr); ok && len(c.Assigns) == 1 && c.Assigns[0].Index != nil {
				if _, ok := nv.Map[sub]; !ok {
					sub = sh.key(c.Assigns[0].Index)
				}
			}
		}
		delete(nv.Map, sub)
	case expand.Indexed:
		i := sh.evaluate(sub)
		if i < 0 {
			i += elementMax(&nv) + 1
		}
		deleteElement(&nv, i)
	default:
		if sh.evaluate(sub) == 0 {
			sh.unset(name)
		}
		return
	}
	v.Variable = nv
}

func builtinLet(sh *Shell, args []string) int {
	n := 0
	for _, a := range args[1:] {
		n = sh.evaluate(a)
	}
	return boolStatus(n != 0)
}

// setOptions are the single letters of set and their long names.
var setOptions = []struct {
	letter byte
	name   string
}{
	{'a', "allexport"}, {'B', "braceexpand"}, {'C', "noclobber"}, {'E', "errtrace"}, {'e', "errexit"}, {'f', "noglob"},
	{'h', "hashall"}, {'m', "monitor"}, {'n', "noexec"}, {'u', "nounset"}, {'v', "verbose"}, {'x', "xtrace"}, {'b', "notify"},
	{'T', "functrace"}, {'P', "physical"}, {0, "pipefail"}, {0, "posix"}, {0, "emacs"}, {0, "vi"}, {0, "history"}, {0, "igncr"},
}

var shoptNames = []string{"dotglob", "expand_aliases", "extglob", "failglob", "globstar", "inherit_errexit", "lastpipe", "nocaseglob",
	"nocasematch", "nullglob", "sourcepath", "xpg_echo", "checkwinsize", "cmdhist", "histappend", "globasciiranges", "assoc_expand_once", "localvar_inherit", "localvar_unset", "nounset", "pipefail", "errexit"}

func builtinUmask(sh *Shell, args []string) int {
	if len(args) == 1 {
		sh.print("0022\n")
	}
	return 0
}

func builtinUlimit(sh *Shell, args []string) int {
	if len(args) == 1 {
		sh.print("unlimited\n")
	}
	return 0
}

func builtinTimes(sh *Shell, _ []string) int {
	sh.print("0m0.000s 0m0.000s\n0m0.000s 0m0.000s\n")
	return 0
}

// builtinGetopts reads one option of "$@" or of the words given.
func builtinGetopts(sh *Shell, args []string) int {
	if len(args) < 3 {
		sh.errorf("getopts: usage: getopts optstring name [arg ...]")
		return 2
	}
	spec, name, words := args[1], args[2], sh.params
	if len(args) > 3 {
		words = args[3:]
	}
	silent := strings.HasPrefix(spec, ":")
	spec = strings.TrimPrefix(spec, ":")
	at, _ := strconv.Atoi(sh.value("OPTIND"))
	at = max(at, 1)
	pos := sh.optPos
	end := func() int {
		sh.unset("OPTARG")
		sh.setString(name, "?")
		sh.setString("OPTIND", strconv.Itoa(at))
		return 1
	}
	if at > len(words) {
		return end()
	}
	word := words[at-1]
	if pos == 0 {
		if word == "--" {
			at++
			return end()
		}
		if len(word) < 2 || word[0] != '-' {
			return end()
		}
		pos = 1
	}
	if pos >= len(word) {
		return end()
	}
	opt := word[pos]
	pos++
	nextWord := func() {
		at++
		pos = 0
	}
	where := strings.IndexByte(spec, opt)
	sh.unset("OPTARG")
	result := string(opt)
	switch {
	case where < 0 || opt == ':':
		if silent {
			sh.setString("OPTARG", result)
		} else {
			sh.write(2, []byte(sh.name+": illegal option -- "+result+"\n"))
		}
		result = "?"
		if pos >= len(word) {
			nextWord()
		}
	case where+1 < len(spec) && spec[where+1] == ':':
		switch {
		case pos < len(word):
			sh.setString("OPTARG", word[pos:])
			nextWord()
		case at < len(words):
			nextWord()
			sh.setString("OPTARG", words[at-1])
			at++
		default:
			nextWord()
			if silent {
				sh.setString("OPTARG", result)
				result = ":"
			} else {
				sh.write(2, []byte(sh.name+": option requires an argument -- "+result+"\n"))
				result = "?"
			}
		}
	case pos >= len(word):
		nextWord()
	}
	sh.setString(name, result)
	sh.setString("OPTIND", strconv.Itoa(at))
	sh.optPos = pos
	return 0
}
