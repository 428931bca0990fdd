package interp

import (
	"os"
	"slices"
	"strings"
)

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
