package interp

import (
	"maps"
	"os"
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// toolDirectories are where the tools appear to be; no tree has to hold them.
var toolDirectories = []string{"/bin", "/usr/bin", "/usr/local/bin", "/sbin", "/usr/sbin"}

const toolPath = "/usr/local/bin:/usr/bin:/bin"

// search finds the file that a command name means along PATH: a tool, or a
// script of the tree. executable asks for one that may be run.
func (sh *Shell) search(name string, executable bool) string {
	list := sh.searchAll(sh.value("PATH"), name, executable)
	if len(list) == 0 {
		return ""
	}
	return list[0]
}

func (sh *Shell) searchAll(dirs, name string, executable bool) []string {
	if name == "" {
		return nil
	}
	if dirs == "" {
		dirs = "."
	}
	var list []string
	for dir := range strings.SplitSeq(dirs, ":") {
		if dir == "" {
			dir = "."
		}
		full := path.Join(sh.abs(dir), name)
		if slices.Contains(toolDirectories[:3], path.Clean(dir)) && sh.k.Known(name) {
			list = append(list, path.Clean(dir)+"/"+name)
			continue
		}
		if info, err := os.Stat(full); err == nil && info.Mode().IsRegular() && (!executable || sh.executable(full)) {
			list = append(list, strings.TrimSuffix(dir, "/")+"/"+name)
		}
	}
	return list
}

// executable tells that a file of the tree may be run.
func (sh *Shell) executable(full string) bool {
	mode, ok := sh.k.Mode(full)
	return ok && mode&0o111 != 0
}

func builtinCommand(sh *Shell, args []string) int {
	args = args[1:]
	describe, standard := byte(0), false
	for len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' {
		a := args[0]
		args = args[1:]
		if a == "--" {
			break
		}
		for _, c := range []byte(a[1:]) {
			switch c {
			case 'v', 'V':
				describe = c
			case 'p':
				standard = true
			default:
				sh.errorf("command: -%c: invalid option", c)
				return 2
			}
		}
	}
	if len(args) == 0 {
		return 0
	}
	if describe != 0 {
		status := 1
		for _, name := range args {
			what := sh.meanings(name, false, true, false)
			switch {
			case len(what) == 0 && describe == 'V':
				sh.errorf("command: %s: not found", name)
			case len(what) > 0 && describe == 'V':
				sh.print(what[0].long(sh, name))
				status = 0
			case len(what) > 0:
				sh.print(what[0].short(sh, name))
				status = 0
			}
		}
		return status
	}
	if b := builtins[args[0]]; b != nil {
		return b(sh, args)
	}
	if standard {
		defer sh.standardPath()()
	}
	return sh.runProgram(args)
}

// standardPath sets PATH to where the tools are, for one command.
func (sh *Shell) standardPath() (restore func()) {
	old := sh.vars
	sh.vars = newScope(old)
	sh.vars.vars["PATH"] = &variable{Variable: text(toolPath)}
	return func() { sh.vars = old }
}

func builtinBuiltin(sh *Shell, args []string) int {
	if args = args[1:]; len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	if len(args) == 0 {
		return 0
	}
	b := builtins[args[0]]
	if b == nil {
		sh.errorf("builtin: %s: not a shell builtin", args[0])
		return 1
	}
	return b(sh, args)
}

// meaning is one thing that a command name can mean.
type meaning struct {
	kind string // alias, keyword, function, builtin or file
	file string
}

// meanings lists what a name means, first what it means when it is run.
func (sh *Shell) meanings(name string, all, functions, filesOnly bool) []meaning {
	var list []meaning
	if !filesOnly {
		if _, ok := sh.aliases[name]; ok && (sh.opts["expand_aliases"] || sh.dialect == POSIX) {
			list = append(list, meaning{kind: "alias"})
		}
		if syntax.IsKeyword(name) || name == "[[" || name == "]]" || name == "time" || name == "coproc" {
			list = append(list, meaning{kind: "keyword"})
		}
		if functions && sh.funcs[name] != nil {
			list = append(list, meaning{kind: "function"})
		}
		if builtins[name] != nil {
			list = append(list, meaning{kind: "builtin"})
		}
	}
	if len(list) > 0 && !all {
		return list[:1]
	}
	if strings.Contains(name, "/") {
		full := sh.abs(name)
		if info, err := os.Stat(full); err == nil && info.Mode().IsRegular() && sh.executable(full) {
			list = append(list, meaning{"file", name})
		} else if dir, base := path.Split(full); err != nil && slices.Contains(toolDirectories[:3], path.Clean(dir)) && sh.k.Known(base) {
			list = append(list, meaning{"file", name})
		}
		return list
	}
	files := sh.searchAll(sh.value("PATH"), name, true)
	if len(files) == 0 {
		files = sh.searchAll(sh.value("PATH"), name, false)
	}
	for _, file := range files {
		list = append(list, meaning{"file", file})
		if !all {
			break
		}
	}
	return list
}

func (m meaning) short(sh *Shell, name string) string {
	switch m.kind {
	case "alias":
		return "alias " + name + "=" + singleQuoted(sh.aliases[name]) + "\n"
	case "file":
		return m.file + "\n"
	}
	return name + "\n"
}

func (m meaning) long(sh *Shell, name string) string {
	switch m.kind {
	case "alias":
		return name + " is aliased to `" + sh.aliases[name] + "'\n"
	case "keyword":
		return name + " is a shell keyword\n"
	case "function":
		return name + " is a function\n" + sh.functionText(name)
	case "builtin":
		return name + " is a shell builtin\n"
	}
	return name + " is " + m.file + "\n"
}

func builtinType(sh *Shell, args []string) int {
	args = args[1:]
	kind, pathOnly, pathForced, all, functions := false, false, false, false, true
	for len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' {
		a := args[0]
		args = args[1:]
		if a == "--" {
			break
		}
		for _, c := range a[1:] {
			switch c {
			case 't':
				kind = true
			case 'p':
				pathOnly = true
			case 'P':
				pathForced = true
			case 'a':
				all = true
			case 'f':
				functions = false
			default:
				sh.errorf("type: -%c: invalid option", c)
				return 2
			}
		}
	}
	status := 0
	for _, name := range args {
		list := sh.meanings(name, all, functions, pathForced)
		if len(list) == 0 {
			if !kind && !pathOnly && !pathForced {
				sh.errorf("type: %s: not found", name)
			}
			status = 1
		}
		for _, m := range list {
			switch {
			case kind:
				sh.print(m.kind + "\n")
			case pathOnly || pathForced:
				if m.kind == "file" {
					sh.print(m.file + "\n")
				}
			default:
				sh.print(m.long(sh, name))
			}
		}
	}
	return status
}

func builtinHelp(sh *Shell, args []string) int {
	for _, name := range args[1:] {
		if builtins[name] == nil && !syntax.IsKeyword(name) {
			sh.errorf("help: no help topics match `%s'", name)
			return 1
		}
	}
	sh.print("Commands of the shell: " + strings.Join(slices.Sorted(maps.Keys(builtins)), " ") + "\n")
	sh.print("Tools: " + strings.Join(sh.k.Tools(), " ") + "\n")
	sh.print("Nothing else runs here: no program of this machine can be started.\n")
	return 0
}

func builtinAlias(sh *Shell, args []string) int {
	args = args[1:]
	if len(args) > 0 && (args[0] == "-p" || args[0] == "--") {
		args = args[1:]
	}
	prefix := "alias "
	if sh.dialect == POSIX {
		prefix = ""
	}
	if len(args) == 0 {
		for _, name := range slices.Sorted(maps.Keys(sh.aliases)) {
			sh.print(prefix + name + "=" + singleQuoted(sh.aliases[name]) + "\n")
		}
		return 0
	}
	status := 0
	for _, a := range args {
		name, value, ok := strings.Cut(a, "=")
		if ok && name != "" {
			sh.aliases[name] = value
			continue
		}
		value, ok = sh.aliases[a]
		if !ok {
			sh.errorf("alias: %s: not found", a)
			status = 1
			continue
		}
		sh.print(prefix + a + "=" + singleQuoted(value) + "\n")
	}
	return status
}

func builtinUnalias(sh *Shell, args []string) int {
	if len(args) < 2 {
		sh.write(2, []byte("unalias: usage: unalias [-a] name [name ...]\n"))
		return 2
	}
	status := 0
	for _, name := range args[1:] {
		switch _, ok := sh.aliases[name]; {
		case name == "-a":
			clear(sh.aliases)
		case ok:
			delete(sh.aliases, name)
		default:
			sh.errorf("unalias: %s: not found", name)
			status = 1
		}
	}
	return status
}

// builtinCompgen lists names: the part of completion that scripts use.
func builtinCompgen(sh *Shell, args []string) int {
	var words []string
	prefix := ""
	for args = args[1:]; len(args) > 0; args = args[1:] {
		a := args[0]
		if !strings.HasPrefix(a, "-") {
			prefix = a
			continue
		}
		if (a == "-A" || a == "-W" || a == "-F" || a == "-S" || a == "-P" || a == "-X" || a == "-o" || a == "-G" || a == "-C") && len(args) > 1 {
			value := args[1]
			args = args[1:]
			switch a {
			case "-W":
				words = append(words, strings.Fields(sh.document(sh.program.text(value)))...)
				continue
			case "-A":
				a = map[string]string{"alias": "-a", "builtin": "-b", "command": "-c", "directory": "-d", "export": "-e", "file": "-f", "keyword": "-k",
					"variable": "-v", "function": "function"}[value]
			case "-F":
				if body := sh.funcs[value]; body != nil {
					sh.callFunction(value, body, []string{"compgen", prefix, ""})
					words = append(words, sh.elementsOf("COMPREPLY")...)
				}
				continue
			default:
				continue
			}
		}
		switch a {
		case "-a":
			words = append(words, slices.Sorted(maps.Keys(sh.aliases))...)
		case "-b":
			words = append(words, slices.Sorted(maps.Keys(builtins))...)
		case "-c":
			words = append(append(words, slices.Sorted(maps.Keys(builtins))...), sh.k.Tools()...)
		case "function":
			words = append(words, slices.Sorted(maps.Keys(sh.funcs))...)
		case "-k":
			words = append(words, strings.Fields("if then else elif fi case esac for select while until do done in function time { } ! [[ ]] coproc")...)
		case "-v":
			words = append(words, sh.namesFrom("")...)
		case "-e":
			for _, kv := range sh.environ() {
				name, _, _ := strings.Cut(kv, "=")
				words = append(words, name)
			}
		case "-f", "-d":
			entries, _ := os.ReadDir(sh.dir)
			for _, e := range entries {
				if a == "-f" || e.IsDir() {
					words = append(words, e.Name())
				}
			}
		}
	}
	found := 1
	for _, w := range words {
		if strings.HasPrefix(w, prefix) {
			sh.print(w + "\n")
			found = 0
		}
	}
	return found
}
