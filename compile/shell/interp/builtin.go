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
		"test": builtinTest, "[": builtinTest, "set": builtinSet, "shopt": builtinShopt, "unset": builtinUnset,
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

// ---- directories ----

func (sh *Shell) chdir(name, target string) int {
	full := sh.abs(target)
	info, err := os.Stat(full)
	switch {
	case err != nil:
		sh.errorf("%s: %s: %s", name, target, reason(err))
		return 1
	case !info.IsDir():
		sh.errorf("%s: %s: Not a directory", name, target)
		return 1
	}
	old := sh.dir
	sh.dir = full
	sh.exportVar("OLDPWD", old)
	sh.exportVar("PWD", full)
	return 0
}

func (sh *Shell) exportVar(name, value string) {
	sh.setString(name, value)
	if v := sh.vars.find(name); v != nil {
		v.Exported = true
	}
}

func builtinCd(sh *Shell, args []string) int {
	args = args[1:]
	for len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' && args[0] != "--" && strings.Trim(args[0], "-LPe@") == "" {
		args = args[1:]
	}
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	if len(args) > 1 {
		sh.errorf("cd: too many arguments")
		return 1
	}
	target := sh.value("HOME")
	if len(args) == 1 {
		target = args[0]
	} else if target == "" {
		sh.errorf("cd: HOME not set")
		return 1
	}
	if target == "-" {
		target = sh.value("OLDPWD")
		if target == "" {
			sh.errorf("cd: OLDPWD not set")
			return 1
		}
		if status := sh.chdir("cd", target); status != 0 {
			return status
		}
		sh.print(sh.dir + "\n")
		return 0
	}
	if target == "" {
		return 0
	}
	return sh.chdir("cd", target)
}

func builtinPwd(sh *Shell, _ []string) int {
	sh.print(sh.dir + "\n")
	return 0
}

func builtinDirs(sh *Shell, _ []string) int {
	sh.print(strings.Join(append([]string{sh.dir}, sh.dirStack...), " ") + "\n")
	return 0
}

func builtinPushd(sh *Shell, args []string) int {
	old := sh.dir
	if len(args) < 2 {
		if len(sh.dirStack) == 0 {
			sh.errorf("pushd: no other directory")
			return 1
		}
		if status := sh.chdir("pushd", sh.dirStack[0]); status != 0 {
			return status
		}
		sh.dirStack = append([]string{old}, sh.dirStack[1:]...)
		return builtinDirs(sh, nil)
	}
	if status := sh.chdir("pushd", args[1]); status != 0 {
		return status
	}
	sh.dirStack = append([]string{old}, sh.dirStack...)
	return builtinDirs(sh, nil)
}

func builtinPopd(sh *Shell, _ []string) int {
	if len(sh.dirStack) == 0 {
		sh.errorf("popd: directory stack empty")
		return 1
	}
	if status := sh.chdir("popd", sh.dirStack[0]); status != 0 {
		return status
	}
	sh.dirStack = slices.Clone(sh.dirStack[1:])
	return builtinDirs(sh, nil)
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

func (sh *Shell) optionLetters() string {
	var b strings.Builder
	for _, o := range setOptions {
		if o.letter != 0 && sh.opts[o.name] {
			b.WriteByte(o.letter)
		}
	}
	return b.String()
}

func (sh *Shell) setOption(name string, on bool) bool {
	for _, o := range setOptions {
		if o.name == name {
			if on {
				sh.opts[name] = true
			} else {
				delete(sh.opts, name)
			}
			sh.syncOptions()
			return true
		}
	}
	return false
}

func builtinSet(sh *Shell, args []string) int {
	args = args[1:]
	if len(args) == 0 {
		environment{sh}.Each(func(name string, v expand.Variable) bool {
			if v.Kind != expand.String || !v.Set {
				return true
			}
			return sh.print(name + "=" + quoteIfNeeded(v.Str) + "\n")
		})
		return 0
	}
	for len(args) > 0 {
		a := args[0]
		if a == "--" {
			sh.params = slices.Clone(args[1:])
			return 0
		}
		if a == "-" {
			sh.params = slices.Clone(args[1:])
			sh.setOption("xtrace", false)
			return 0
		}
		if len(a) < 2 || a[0] != '-' && a[0] != '+' {
			break
		}
		on := a[0] == '-'
		args = args[1:]
		for _, c := range []byte(a[1:]) {
			if c == 'o' {
				if len(args) == 0 {
					for _, o := range setOptions {
						state := "off"
						if sh.opts[o.name] {
							state = "on"
						}
						sh.print(fmt.Sprintf("%-15s\t%s\n", o.name, state))
					}
					return 0
				}
				if !sh.setOption(args[0], on) {
					sh.errorf("set: %s: invalid option name", args[0])
					return 2
				}
				args = args[1:]
				continue
			}
			i := slices.IndexFunc(setOptions, func(o struct {
				letter byte
				name   string
			}) bool {
				return o.letter == c
			})
			if i < 0 {
				sh.errorf("set: %c%c: invalid option", a[0], c)
				return 2
			}
			sh.setOption(setOptions[i].name, on)
		}
	}
	if len(args) > 0 {
		sh.params = slices.Clone(args)
	}
	return 0
}

var shoptNames = []string{"dotglob", "expand_aliases", "extglob", "failglob", "globstar", "inherit_errexit", "lastpipe", "nocaseglob",
	"nocasematch", "nullglob", "sourcepath", "xpg_echo", "checkwinsize", "cmdhist", "histappend", "globasciiranges", "assoc_expand_once", "localvar_inherit", "localvar_unset", "nounset", "pipefail", "errexit"}

func builtinShopt(sh *Shell, args []string) int {
	mode, status := byte('p'), 0
	quiet, options := false, false
	args = args[1:]
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		for _, c := range []byte(args[0][1:]) {
			switch c {
			case 's', 'u', 'p':
				mode = c
			case 'q':
				quiet = true
			case 'o':
				options = true
			}
		}
		args = args[1:]
	}
	for _, name := range args {
		if options && mode != 'p' {
			sh.setOption(name, mode == 's')
			continue
		}
		if !slices.Contains(shoptNames, name) {
			sh.errorf("shopt: %s: invalid shell option name", name)
			status = 1
			continue
		}
		switch mode {
		case 's':
			sh.opts[name] = true
		case 'u':
			delete(sh.opts, name)
		default:
			if !sh.opts[name] {
				status = 1
			}
			if !quiet {
				state := "off"
				if sh.opts[name] {
					state = "on"
				}
				sh.print(fmt.Sprintf("%-15s\t%s\n", name, state))
			}
		}
	}
	sh.syncOptions()
	return status
}

// ---- commands about commands ----

func builtinCommand(sh *Shell, args []string) int {
	args = args[1:]
	describe := byte(0)
	for len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' {
		if args[0] == "--" {
			args = args[1:]
			break
		}
		for _, c := range []byte(args[0][1:]) {
			if c == 'v' || c == 'V' {
				describe = c
			}
		}
		args = args[1:]
	}
	if len(args) == 0 {
		return 0
	}
	if describe != 0 {
		status := 0
		for _, name := range args {
			if !sh.describe(name, describe == 'V') {
				if describe == 'V' {
					sh.errorf("command: %s: not found", name)
				}
				status = 1
			}
		}
		return status
	}
	if b := builtins[args[0]]; b != nil {
		return b(sh, args)
	}
	return sh.runProgram(args)
}

func builtinBuiltin(sh *Shell, args []string) int {
	if len(args) < 2 {
		return 0
	}
	b := builtins[args[1]]
	if b == nil {
		sh.errorf("builtin: %s: not a shell builtin", args[1])
		return 1
	}
	return b(sh, args[1:])
}

func (sh *Shell) describe(name string, long bool) bool {
	says := func(short, text string) bool {
		if long {
			return sh.print(text + "\n")
		}
		return sh.print(short + "\n")
	}
	switch {
	case syntax.IsKeyword(name):
		return says(name, name+" is a shell keyword")
	case sh.funcs[name] != nil:
		if !long {
			return sh.print(name + "\n")
		}
		sh.print(name + " is a function\n")
		sh.printFunctions([]*syntax.Assign{assignFromText(name)}, false)
		return true
	case builtins[name] != nil:
		return says(name, name+" is a shell builtin")
	case sh.k.Known(name):
		return says("/bin/"+name, name+" is /bin/"+name)
	case strings.Contains(name, "/"):
		if info, err := os.Stat(sh.abs(name)); err == nil && !info.IsDir() {
			return says(name, name+" is "+name)
		}
	}
	return false
}

func builtinType(sh *Shell, args []string) int {
	args = args[1:]
	short, pathOnly := false, false
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		short = short || strings.Contains(args[0], "t")
		pathOnly = pathOnly || strings.ContainsAny(args[0], "pP")
		args = args[1:]
	}
	status := 0
	for _, name := range args {
		switch {
		case short:
			kind := ""
			switch {
			case syntax.IsKeyword(name):
				kind = "keyword"
			case sh.funcs[name] != nil:
				kind = "function"
			case builtins[name] != nil:
				kind = "builtin"
			case sh.k.Known(name):
				kind = "file"
			default:
				status = 1
				continue
			}
			sh.print(kind + "\n")
		case pathOnly:
			if sh.k.Known(name) {
				sh.print("/bin/" + name + "\n")
			} else if builtins[name] == nil && sh.funcs[name] == nil {
				status = 1
			}
		case !sh.describe(name, true):
			sh.errorf("type: %s: not found", name)
			status = 1
		}
	}
	return status
}

func builtinHelp(sh *Shell, _ []string) int {
	sh.print("Commands of the shell: " + strings.Join(slices.Sorted(maps.Keys(builtins)), " ") + "\n")
	sh.print("Tools: " + strings.Join(sh.k.Tools(), " ") + "\n")
	sh.print("Nothing else runs here: no program of this machine can be started.\n")
	return 0
}

func builtinAlias(sh *Shell, args []string) int {
	if len(args) > 1 {
		sh.errorf("alias: not available: write a function")
		return 1
	}
	return 0
}

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
