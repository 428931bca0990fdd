package interp

// pid is $BASHPID: subshells have numbers of their own.
func (sh *Shell) pid() int {
	switch {
	case sh.ownPid != 0:
		return sh.ownPid
	case sh.subshells > 0:
		return 10000 + sh.subshells
	}
	return shellPid
}

// lineNumber is $LINENO.
func (sh *Shell) lineNumber() uint { return uint(max(1, int(sh.line)-sh.before)) }

// currentFile is the file that is being run, "" for the text given with -c.
func (sh *Shell) currentFile() string {
	if n := len(sh.frames); n > 0 {
		return sh.frames[n-1].file
	}
	return sh.file
}

// fileOf is where a function was defined.
func (sh *Shell) fileOf(name string) string {
	if file := sh.files[name]; file != "" {
		return file
	}
	return "environment"
}

// calls lists what FUNCNAME, BASH_SOURCE and BASH_LINENO show, innermost first.
func (sh *Shell) calls() (names, files, lines []string) {
	for i := len(sh.frames) - 1; i >= 0; i-- {
		f := sh.frames[i]
		names, files, lines = append(names, f.name), append(files, f.file), append(lines, itoa(int(f.line)))
	}
	if sh.file != "" {
		names, files, lines = append(names, "main"), append(files, sh.file), append(lines, "0")
		if len(sh.frames) == 0 {
			names = nil
		}
	}
	return names, files, lines
}

// hideTraps puts aside the traps that functions do not inherit, and gives back
// how to restore them.
func (sh *Shell) hideTraps() (restore func()) {
	type trap struct{ name, action string }
	var hidden []trap
	for _, t := range []struct{ name, option string }{{"ERR", "errtrace"}, {"DEBUG", "functrace"}, {"RETURN", "functrace"}} {
		if action, ok := sh.traps[t.name]; ok && !sh.opts[t.option] {
			hidden = append(hidden, trap{t.name, action})
			delete(sh.traps, t.name)
		}
	}
	return func() {
		for _, t := range hidden {
			if _, ok := sh.traps[t.name]; !ok {
				sh.traps[t.name] = t.action
			}
		}
	}
}

// returned runs the RETURN trap at the end of a function or a sourced file.
func (sh *Shell) returned() {
	if action := sh.traps["RETURN"]; action != "" && !sh.inTrap && sh.flow == 0 {
		status := sh.status
		sh.runTrap(action)
		sh.status = status
	}
}

// debug runs the DEBUG trap before a command.
func (sh *Shell) debug(line uint) {
	action := sh.traps["DEBUG"]
	if action == "" || sh.inTrap || sh.flow != 0 {
		return
	}
	sh.line = line
	status := sh.status
	sh.runTrap(action)
	if sh.flow == flowReturn {
		sh.flow = 0
	}
	if sh.flow == 0 {
		if sh.opts["errexit"] && sh.status != 0 {
			sh.exit(sh.status)
			return
		}
		sh.status = status
	}
}
