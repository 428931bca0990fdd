package interp

import (
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// chdir changes the directory. Names are taken as they are written, .. undoing
// the part before it, unless physical asks for the directories behind links.
func (sh *Shell) chdir(command, target string, physical bool) int {
	full := sh.abs(target)
	for dir := target; strings.Contains(dir, ".."); { // each part has to be there
		i := strings.LastIndex(dir, "/..")
		if i < 0 {
			break
		}
		if dir = dir[:i]; dir != "" && !sh.isDir(sh.abs(dir)) {
			sh.errorf("%s: %s: No such file or directory", command, target)
			return 1
		}
	}
	info, err := os.Stat(full)
	switch {
	case err != nil:
		sh.errorf("%s: %s: %s", command, target, reason(err))
		return 1
	case !info.IsDir():
		sh.errorf("%s: %s: Not a directory", command, target)
		return 1
	}
	if physical {
		full = sh.physical(full)
	}
	old := sh.value("PWD")
	sh.dir = full
	sh.exportVar("OLDPWD", old)
	sh.exportVar("PWD", full)
	return 0
}

// physical is a directory without symbolic links.
func (sh *Shell) physical(dir string) string {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		return real
	}
	return dir
}

func (sh *Shell) exportVar(name, value string) {
	sh.setString(name, value)
	if v := sh.vars.find(name); v != nil {
		v.Exported = true
	}
}

func builtinCd(sh *Shell, args []string) int {
	args = args[1:]
	physical := sh.opts["physical"]
	for len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' {
		a := args[0]
		if a == "--" {
			args = args[1:]
			break
		}
		if strings.Trim(a, "-LPe@") != "" {
			sh.errorf("cd: %s: invalid option", a)
			return 2
		}
		for _, c := range a {
			switch c {
			case 'P':
				physical = true
			case 'L':
				physical = false
			}
		}
		args = args[1:]
	}
	if len(args) > 1 {
		sh.errorf("cd: too many arguments")
		return 1
	}
	target, show := sh.value("HOME"), false
	if len(args) == 1 {
		target = args[0]
	} else if !sh.isSet("HOME") {
		sh.errorf("cd: HOME not set")
		return 1
	}
	switch {
	case target == "-":
		if target, show = sh.value("OLDPWD"), true; target == "" {
			sh.errorf("cd: OLDPWD not set")
			return 1
		}
	case target == "":
		return 0
	case !strings.HasPrefix(target, "/") && !strings.HasPrefix(target, "./") && !strings.HasPrefix(target, "../") && target != "." && target != "..":
		for dir := range strings.SplitSeq(sh.value("CDPATH"), ":") {
			if dir != "" && sh.isDir(sh.abs(path.Join(dir, target))) {
				target, show = path.Join(dir, target), true
				break
			}
		}
	}
	if status := sh.chdir("cd", target, physical); status != 0 {
		return status
	}
	if show {
		sh.print(sh.dir + "\n")
	}
	return 0
}

func builtinPwd(sh *Shell, args []string) int {
	physical := sh.opts["physical"]
	for _, a := range args[1:] {
		physical = a == "-P" || physical && a != "-L"
	}
	if physical {
		return boolStatus(sh.print(sh.physical(sh.dir) + "\n"))
	}
	return boolStatus(sh.print(sh.dir + "\n"))
}

// stack is the directory stack, the current directory first.
func (sh *Shell) stack() []string { return append([]string{sh.dir}, sh.dirStack...) }

// stackIndex is what +N and -N mean.
func (sh *Shell) stackIndex(word string) (int, bool) {
	n, err := strconv.Atoi(word[1:])
	if err != nil {
		return 0, false
	}
	if word[0] == '-' {
		n = len(sh.dirStack) - n
	}
	return n, n >= 0 && n <= len(sh.dirStack)
}

func isStackIndex(word string) bool {
	return len(word) > 1 && (word[0] == '+' || word[0] == '-') && strings.Trim(word[1:], "0123456789") == ""
}

func builtinDirs(sh *Shell, args []string) int {
	long, lines, numbered, at := false, false, false, -1
	if len(args) > 0 {
		args = args[1:]
	}
	for _, a := range args {
		switch {
		case isStackIndex(a):
			n, ok := sh.stackIndex(a)
			if !ok {
				sh.errorf("dirs: %s: directory stack index out of range", a[1:])
				return 1
			}
			at = n
		case a == "--":
		case len(a) > 1 && a[0] == '-' && strings.Trim(a[1:], "clpv") == "":
			for _, c := range a[1:] {
				switch c {
				case 'c':
					sh.dirStack = nil
					return 0
				case 'l':
					long = true
				case 'p':
					lines = true
				case 'v':
					lines, numbered = true, true
				}
			}
		case len(a) > 1 && a[0] == '-':
			sh.errorf("dirs: %s: invalid option", a)
			return 2
		default:
			sh.write(2, []byte("dirs: usage: dirs [-clpv] [+N] [-N]\n"))
			return 2
		}
	}
	list := sh.stack()
	for i := range list {
		if !long {
			list[i] = sh.homeward(list[i])
		}
	}
	if at >= 0 {
		sh.print(list[at] + "\n")
		return 0
	}
	if !lines {
		sh.print(strings.Join(list, " ") + "\n")
		return 0
	}
	for i, dir := range list {
		if numbered {
			dir = " " + itoa(i) + "  " + dir
		}
		sh.print(dir + "\n")
	}
	return 0
}

// restack makes a directory stack the current one.
func (sh *Shell) restack(command string, list []string) int {
	if list[0] != sh.dir {
		if status := sh.chdir(command, list[0], false); status != 0 {
			return status
		}
	}
	sh.dirStack = slices.Clone(list[1:])
	return builtinDirs(sh, nil)
}

func builtinPushd(sh *Shell, args []string) int {
	args = args[1:]
	stay := false
	for len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' && !isStackIndex(args[0]) {
		switch args[0] {
		case "-n":
			stay = true
		case "--":
		default:
			sh.errorf("pushd: %s: invalid option", args[0])
			return 2
		}
		args = args[1:]
	}
	if len(args) > 1 {
		sh.errorf("pushd: too many arguments")
		return 1
	}
	list := sh.stack()
	switch {
	case len(args) == 0:
		if len(list) < 2 {
			sh.errorf("pushd: no other directory")
			return 1
		}
		list[0], list[1] = list[1], list[0]
	case isStackIndex(args[0]):
		n, ok := sh.stackIndex(args[0])
		if !ok {
			sh.errorf("pushd: %s: directory stack index out of range", args[0])
			return 1
		}
		list = append(slices.Clone(list[n:]), list[:n]...)
	case stay:
		list = slices.Insert(list, 1, args[0])
	default:
		old := list
		target := args[0]
		if target == "-" {
			target = sh.value("OLDPWD")
		}
		if status := sh.chdir("pushd", target, false); status != 0 {
			return status
		}
		sh.dirStack = old
		return builtinDirs(sh, nil)
	}
	return sh.restack("pushd", list)
}

func builtinPopd(sh *Shell, args []string) int {
	args = args[1:]
	at, stay := 0, false
	for _, a := range args {
		switch {
		case isStackIndex(a):
			n, ok := sh.stackIndex(a)
			if !ok {
				sh.errorf("popd: %s: directory stack index out of range", a)
				return 1
			}
			at = n
		case a == "-n":
			stay = true
		case a == "--":
		case a[:1] == "-":
			sh.errorf("popd: %s: invalid option", a)
			return 2
		default:
			sh.errorf("popd: %s: invalid argument", a)
			return 2
		}
	}
	if len(sh.dirStack) == 0 {
		sh.errorf("popd: directory stack empty")
		return 1
	}
	if stay && at == 0 {
		at = 1
	}
	return sh.restack("popd", slices.Delete(sh.stack(), at, at+1))
}
