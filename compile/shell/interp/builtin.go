package interp

import (
	"fmt"
	"maps"
	"os"
	"strconv"
	"strings"
	"syscall"

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
		"hash": builtinHash, "umask": builtinUmask, "ulimit": builtinUlimit, "times": builtinTimes, "alias": builtinAlias, "unalias": builtinUnalias,
		"help": builtinHelp, "let": builtinLet, "declare": declareWords, "typeset": declareWords, "local": declareWords,
		"compgen": builtinCompgen, "complete": succeed, "compopt": succeed, "bind": succeed, "suspend": notHere, "fc": succeed, "logout": builtinExit,
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
	args = args[1:]
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	} else if len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' {
		sh.errorf("eval: %s: invalid option", args[0])
		return 2
	}
	sh.status = 0
	sh.source(strings.Join(args, " "), "eval")
	return sh.status
}

func builtinSource(sh *Shell, args []string) int {
	name, args := args[0], args[1:]
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	if len(args) == 0 {
		sh.errorf("%s: filename argument required", name)
		return 2
	}
	if sh.sourced >= 50 {
		sh.errorf("%s: files source each other more than 50 deep", args[0])
		return 1
	}
	full := sh.abs(args[0])
	if !strings.Contains(args[0], "/") {
		if found := sh.search(args[0], false); found != "" {
			full = sh.abs(found)
		}
	}
	text, err := os.ReadFile(full)
	if err == nil && sh.isDir(full) {
		err = syscall.EISDIR
	}
	if err != nil {
		sh.errorf("%s: %s", args[0], reason(err))
		if sh.dialect == POSIX {
			sh.exit(2)
		}
		return 1
	}
	params := sh.params
	if len(args) > 1 {
		sh.params = args[1:]
	}
	sh.sourced++
	sh.frames = append(sh.frames, frame{"source", args[0], sh.lineNumber()})
	line := sh.line
	sh.status = 0
	sh.source(string(text), args[0])
	sh.line = line
	if sh.flow == flowReturn {
		sh.flow = 0
	}
	sh.returned()
	sh.frames = sh.frames[:len(sh.frames)-1]
	sh.sourced--
	if len(args) > 1 {
		sh.params = params
	}
	return sh.status
}

func builtinExec(sh *Shell, args []string) int {
	if len(args) == 1 {
		return 0 // only its redirections, which stay
	}
	args = args[1:]
	name := ""
	for len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' {
		a := args[0]
		args = args[1:]
		if a == "--" {
			break
		}
		if strings.HasSuffix(a, "a") && len(args) > 0 { // the name is all that changes
			name, args = args[0], args[1:]
		}
	}
	if _ = name; len(args) == 0 {
		return 0
	}
	sh.exit(sh.runProgram(args))
	return sh.status
}

func builtinExit(sh *Shell, args []string) int {
	status := sh.status
	if len(args) > 1 {
		n, err := strconv.Atoi(args[1])
		switch {
		case err != nil:
			sh.errorf("exit: %s: numeric argument required", args[1])
			n = 2
		case len(args) > 2:
			sh.errorf("exit: too many arguments")
			n = 1
		}
		status = n
	}
	sh.exit(status)
	return sh.status
}

func builtinBreak(sh *Shell, args []string) int {
	if len(args) > 1 && args[1] == "--" {
		args = append(args[:1:1], args[2:]...)
	}
	if sh.loops == 0 {
		return 0
	}
	n, status := 1, 0
	if len(args) > 1 {
		var err error
		n, err = strconv.Atoi(args[1])
		switch {
		case err != nil:
			sh.errorf("%s: %s: numeric argument required", args[0], args[1])
			sh.exit(128)
			return 128
		case len(args) > 2:
			sh.errorf("%s: too many arguments", args[0])
			sh.exit(1)
			return 1
		case n < 1:
			sh.errorf("%s: %s: loop count out of range", args[0], args[1])
			n, status, args = sh.loops, 1, []string{"break"}
		}
	}
	sh.flow, sh.flowCount = flowBreak, min(n, sh.loops)
	if args[0] == "continue" {
		sh.flow = flowContinue
	}
	return status
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
		return 2
	}
	sh.flow = flowReturn
	return status
}

func builtinShift(sh *Shell, args []string) int {
	if len(args) > 2 {
		sh.errorf("shift: too many arguments")
		return 1
	}
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

func builtinCaller(sh *Shell, args []string) int {
	n, err := 0, error(nil)
	if len(args) > 1 {
		n, err = strconv.Atoi(args[1])
	}
	at := len(sh.frames) - 1 - n
	if at < 0 || err != nil || n < 0 {
		return 1
	}
	f := sh.frames[at]
	name, file := "main", sh.file
	if at > 0 {
		name, file = sh.frames[at-1].name, sh.frames[at-1].file
	}
	if file == "" {
		file = "NULL"
	}
	if len(args) == 1 {
		sh.print(fmt.Sprintf("%d %s\n", f.line, file))
	} else {
		sh.print(fmt.Sprintf("%d %s %s\n", f.line, name, file))
	}
	return 0
}

// ---- variables ----

func builtinUnset(sh *Shell, args []string) int {
	status := 0
	functions, variables, reference := false, false, false
	args = args[1:]
	for len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' {
		a := args[0]
		args = args[1:]
		if a == "--" {
			break
		}
		functions = functions || strings.Contains(a, "f")
		variables = variables || strings.Contains(a, "v")
		reference = reference || strings.Contains(a, "n")
		if strings.Trim(a, "-fvn") != "" {
			sh.errorf("unset: %s: invalid option", a)
			return 2
		}
	}
	for _, a := range args {
		if functions {
			delete(sh.funcs, a)
			continue
		}
		if name, sub, ok := cutSubscript(a); ok && syntax.ValidName(name) {
			if !sh.unsetElement(name, sub) {
				status = 1
			}
			continue
		}
		if !syntax.ValidName(a) {
			if variables {
				sh.errorf("unset: `%s': not a valid identifier", a)
				status = 1
			} else {
				delete(sh.funcs, a)
			}
			continue
		}
		if sh.vars.find(a) == nil && !variables {
			delete(sh.funcs, a)
			continue
		}
		target := a
		if !reference {
			var index syntax.ArithmExpr
			if target, index = sh.deref(a, nil); index != nil {
				_, sub, _ := cutSubscript(sh.vars.find(a).Str)
				if !sh.unsetElement(target, sub) {
					status = 1
				}
				continue
			}
		}
		if !sh.unset(target) {
			status = 1
		}
	}
	return status
}

func (sh *Shell) unsetElement(name, sub string) bool {
	name, _ = sh.deref(name, nil)
	v := sh.vars.find(name)
	if v == nil {
		return true
	}
	if v.ReadOnly {
		sh.errorf("unset: %s: cannot unset: readonly variable", name)
		return false
	}
	if (sub == "@" || sub == "*") && v.Kind != expand.Associative {
		return sh.unset(name)
	}
	nv := v.Variable
	switch v.Kind {
	case expand.Associative:
		nv.Map = maps.Clone(nv.Map)
		if _, ok := nv.Map[sub]; !ok {
			sub = sh.key(sh.program.subscript(sub))
		}
		delete(nv.Map, sub)
	case expand.Indexed:
		i := sh.arithmetic(sh.program.subscript(sub))
		if i < 0 {
			if i += elementMax(&nv) + 1; i < 0 {
				sh.errorf("unset: [%s]: bad array subscript", sub)
				return false
			}
		}
		deleteElement(&nv, i)
	default:
		if sh.arithmetic(sh.program.subscript(sub)) != 0 {
			sh.errorf("unset: %s: not an array variable", name)
			return false
		}
		return sh.unset(name)
	}
	v.Variable = nv
	return true
}

func builtinLet(sh *Shell, args []string) int {
	n := 0
	for _, a := range args[1:] {
		n = sh.evaluate(a)
	}
	return boolStatus(n != 0)
}

// option is an option of set.
type option struct {
	letter byte
	name   string
}

// setOptions are the single letters of set and their long names.
var setOptions = []option{
	{'a', "allexport"}, {'B', "braceexpand"}, {'C', "noclobber"}, {'E', "errtrace"}, {'e', "errexit"}, {'f', "noglob"},
	{'h', "hashall"}, {'m', "monitor"}, {'n', "noexec"}, {'u', "nounset"}, {'v', "verbose"}, {'x', "xtrace"}, {'b', "notify"},
	{'T', "functrace"}, {'H', "histexpand"}, {'k', "keyword"}, {'P', "physical"}, {'p', "privileged"}, {'t', "onecmd"},
	{0, "pipefail"}, {0, "posix"}, {0, "emacs"}, {0, "vi"}, {0, "history"}, {0, "ignoreeof"}, {0, "interactive-comments"}, {0, "nolog"},
}

var shoptNames = []string{"assoc_expand_once", "autocd", "cdable_vars", "cdspell", "checkhash", "checkjobs", "checkwinsize", "cmdhist",
	"compat31", "compat32", "compat40", "compat41", "compat42", "compat43", "compat44", "complete_fullquote", "direxpand", "dirspell",
	"dotglob", "execfail", "expand_aliases", "extdebug", "extglob", "extquote", "failglob", "force_fignore", "globasciiranges",
	"globskipdots", "globstar", "gnu_errfmt", "histappend", "histreedit", "histverify", "hostcomplete", "huponexit", "inherit_errexit",
	"interactive_comments", "lastpipe", "lithist", "localvar_inherit", "localvar_unset", "login_shell", "mailwarn", "no_empty_cmd_completion",
	"nocaseglob", "nocasematch", "noexpand_translation", "nullglob", "patsub_replacement", "progcomp", "progcomp_alias", "promptvars",
	"restricted_shell", "shift_verbose", "sourcepath", "varredir_close", "xpg_echo"}

// shoptDefaults are the options of shopt that are on in a script.
var shoptDefaults = []string{"checkwinsize", "cmdhist", "complete_fullquote", "extquote", "force_fignore", "globasciiranges", "globskipdots",
	"hostcomplete", "interactive_comments", "patsub_replacement", "progcomp", "promptvars", "sourcepath"}

// builtinUmask keeps the mask, which nothing here looks at.
func builtinUmask(sh *Shell, args []string) int {
	args = args[1:]
	symbolic, reusable := false, false
	for len(args) > 0 && (args[0] == "-S" || args[0] == "-p" || args[0] == "--") {
		symbolic, reusable = symbolic || args[0] == "-S", reusable || args[0] == "-p"
		args = args[1:]
	}
	if len(args) > 0 {
		mask, err := strconv.ParseUint(args[0], 8, 9)
		if err != nil {
			n, ok := symbolicMask(args[0], sh.umask)
			if !ok {
				sh.errorf("umask: %s: invalid symbolic mode operator", args[0])
				return 1
			}
			mask = uint64(n)
		}
		sh.umask = int(mask)
		return 0
	}
	text := fmt.Sprintf("%04o", sh.umask)
	if symbolic {
		text = ""
		for i, who := range "ugo" {
			bits := ^sh.umask >> (6 - 3*i) & 7
			text += "," + string(who) + "="
			for j, c := range "rwx" {
				if bits>>(2-j)&1 != 0 {
					text += string(c)
				}
			}
		}
		text = text[1:]
	}
	if reusable {
		if symbolic {
			text = "-S " + text
		}
		text = "umask " + text
	}
	sh.print(text + "\n")
	return 0
}

// symbolicMask applies modes such as u=rwx,g-w to a mask.
func symbolicMask(text string, mask int) (int, bool) {
	allowed := ^mask & 0o777
	for clause := range strings.SplitSeq(text, ",") {
		i := strings.IndexAny(clause, "+-=")
		if i < 0 || strings.Trim(clause[:i], "ugoa") != "" {
			return 0, false
		}
		who := clause[:i]
		if who == "" || strings.Contains(who, "a") {
			who = "ugo"
		}
		shifts := map[rune]int{'u': 6, 'g': 3, 'o': 0}
		for clause = clause[i:]; clause != ""; {
			op, end := clause[0], strings.IndexAny(clause[1:], "+-=")+1
			if end == 0 {
				end = len(clause)
			}
			bits := 0
			for _, c := range clause[1:end] {
				switch c {
				case 'r':
					bits |= 4
				case 'w':
					bits |= 2
				case 'x', 'X':
					bits |= 1
				case 's', 't':
				case 'u', 'g', 'o':
					bits |= allowed >> shifts[c] & 7
				default:
					return 0, false
				}
			}
			for _, w := range who {
				switch op {
				case '+':
					allowed |= bits << shifts[w]
				case '-':
					allowed &^= bits << shifts[w]
				default:
					allowed = allowed&^(7<<shifts[w]) | bits<<shifts[w]
				}
			}
			clause = clause[end:]
		}
	}
	return ^allowed & 0o777, true
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
		at = min(at, len(words)+1)
		sh.unset("OPTARG")
		sh.assignNamed("getopts", name, "?")
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
	sh.setString("OPTIND", strconv.Itoa(at))
	sh.optPos = pos
	if !syntax.ValidName(name) {
		sh.errorf("getopts: `%s': not a valid identifier", name)
		return 1
	}
	sh.setString(name, result)
	return 0
}
