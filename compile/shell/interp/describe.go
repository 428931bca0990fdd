package interp

import (
	"maps"
	"os"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

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
