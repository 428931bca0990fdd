package interp

import (
	"slices"
	"strconv"
	"strings"
)

// signalNames are Linux's, by number; 0 is the end of the shell.
var signalNames = strings.Fields(`EXIT HUP INT QUIT ILL TRAP ABRT BUS FPE KILL USR1 SEGV USR2 PIPE ALRM TERM STKFLT CHLD CONT STOP TSTP
	TTIN TTOU URG XCPU XFSZ VTALRM PROF WINCH IO PWR SYS`)

// signal finds a signal, or one of the shell's own events, by name or number.
func signal(s string) (name string, number int, ok bool) {
	upper := strings.TrimPrefix(strings.ToUpper(s), "SIG")
	switch upper {
	case "ERR", "DEBUG", "RETURN":
		return upper, len(signalNames) + 30, true
	}
	if n, err := strconv.Atoi(s); err == nil && s[0] != '+' && s[0] != '-' {
		if n >= 0 && n < len(signalNames) {
			return signalNames[n], n, true
		}
		return "", 0, false
	}
	if n := slices.Index(signalNames, upper); n >= 0 {
		return upper, n, true
	}
	return "", 0, false
}

func trapName(name string) string {
	switch name {
	case "EXIT", "ERR", "DEBUG", "RETURN":
		return name
	}
	return "SIG" + name
}

func builtinTrap(sh *Shell, args []string) int {
	args = args[1:]
	printing := len(args) == 0
	if len(args) > 0 {
		switch {
		case args[0] == "--":
			args = args[1:]
			printing = len(args) == 0
		case args[0] == "-p":
			args = args[1:]
			printing = true
		case args[0] == "-l":
			sh.print(signalList())
			return 0
		case len(args[0]) > 1 && args[0][0] == '-':
			sh.errorf("trap: %s: invalid option", args[0][:2])
			return 2
		}
	}
	if printing {
		return sh.printTraps(args)
	}
	action, signals := args[0], args[1:]
	_, err := strconv.ParseUint(action, 10, 31)
	switch {
	case len(signals) == 0:
		if _, _, ok := signal(action); !ok {
			sh.write(2, []byte("trap: usage: trap [-lp] [[arg] signal_spec ...]\n"))
			return 2
		}
		action, signals = "-", args
	case err == nil: // numbers alone are signals to be reset
		action, signals = "-", args
	}
	sh.outerTraps = nil
	status := 0
	for _, s := range signals {
		name, _, ok := signal(s)
		switch {
		case !ok:
			sh.errorf("trap: %s: invalid signal specification", s)
			status = 1
		case action == "-":
			delete(sh.traps, name)
		default:
			sh.traps[name] = action
		}
	}
	return status
}

// printTraps prints traps as commands that set them. A subshell that has set
// none prints its parent's.
func (sh *Shell) printTraps(only []string) int {
	traps := sh.traps
	if sh.outerTraps != nil {
		traps = sh.outerTraps
	}
	names := make([]string, 0, len(traps))
	for name := range traps {
		names = append(names, name)
	}
	number := func(name string) int {
		_, n, _ := signal(name)
		return n
	}
	slices.SortFunc(names, func(a, b string) int {
		if d := number(a) - number(b); d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	status := 0
	var wanted []string
	for _, s := range only {
		name, _, ok := signal(s)
		if !ok {
			sh.errorf("trap: %s: invalid signal specification", s)
			status = 1
		}
		wanted = append(wanted, name)
	}
	for _, name := range names {
		if len(only) == 0 || slices.Contains(wanted, name) {
			sh.print("trap -- " + singleQuoted(traps[name]) + " " + trapName(name) + "\n")
		}
	}
	return status
}

func signalList() string {
	var b strings.Builder
	for n, name := range signalNames[1:] {
		b.WriteString(strconv.Itoa(n+1) + ") SIG" + name)
		if n%5 == 4 || n == len(signalNames)-2 {
			b.WriteByte('\n')
		} else {
			b.WriteByte('\t')
		}
	}
	return b.String()
}

// builtinKill sends signals to the shell itself. Background commands have ended
// by the time anything can be sent to them.
func builtinKill(sh *Shell, args []string) int {
	args = args[1:]
	name, number := "TERM", 15
	choose := func(s string) bool {
		var ok bool
		if name, number, ok = signal(s); !ok || number > len(signalNames) {
			sh.errorf("kill: %s: invalid signal specification", s)
			return false
		}
		return true
	}
	if len(args) > 0 {
		switch a := args[0]; {
		case a == "-l" || a == "-L":
			return sh.listSignals(args[1:])
		case a == "-s" || a == "-n":
			if len(args) < 2 {
				sh.errorf("kill: %s: option requires an argument", a)
				return 1
			}
			if !choose(args[1]) {
				return 1
			}
			args = args[2:]
		case a == "--":
			args = args[1:]
		case len(a) > 1 && a[0] == '-':
			if !choose(strings.TrimPrefix(strings.TrimPrefix(a, "-s"), "-")) {
				return 1
			}
			args = args[1:]
		}
	}
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	if len(args) == 0 {
		sh.write(2, []byte("kill: usage: kill [-s sigspec | -n signum | -sigspec] pid | jobspec ... or kill -l [sigspec]\n"))
		return 2
	}
	status := 0
	for _, a := range args {
		pid, err := strconv.Atoi(a)
		switch {
		case strings.HasPrefix(a, "%"):
			if _, ok := sh.job(a); !ok {
				sh.errorf("kill: %s: no such job", a)
				status = 1
			}
		case err != nil:
			sh.errorf("kill: %s: arguments must be process or job IDs", a)
			status = 1
		case pid == shellPid || pid == 0:
			sh.raise(name, number)
		case pid == sh.pid():
			sh.signalled(name, number)
		default:
			i := sh.jobOf(pid)
			if i < 0 {
				sh.errorf("kill: (%s) - No such process", a)
				status = 1
			} else if number != 0 && (number < 17 || number > 23) && number != 28 {
				sh.jobs[i].status = 128 + number
			}
		}
	}
	return status
}

func (sh *Shell) listSignals(args []string) int {
	if len(args) == 0 {
		sh.print(signalList())
		return 0
	}
	status := 0
	for _, a := range args {
		if n, err := strconv.Atoi(a); err == nil {
			if n > 128 {
				n -= 128
			}
			if n >= 0 && n < len(signalNames) {
				sh.print(signalNames[n] + "\n")
				continue
			}
		} else if _, n, ok := signal(a); ok {
			sh.print(strconv.Itoa(n) + "\n")
			continue
		}
		sh.errorf("kill: %s: invalid signal specification", a)
		status = 1
	}
	return status
}

// shellPid is $$.
const shellPid = 1

// raise sends a signal to the shell itself; a subshell leaves it for later.
func (sh *Shell) raise(name string, number int) {
	if sh.subshells > 0 {
		*sh.pending = append(*sh.pending, name)
		return
	}
	sh.signalled(name, number)
}

// deliver handles the signals that subshells have sent.
func (sh *Shell) deliver() {
	if sh.subshells > 0 || len(*sh.pending) == 0 || sh.flow != 0 {
		return
	}
	list := *sh.pending
	*sh.pending = nil
	for _, name := range list {
		_, number, _ := signal(name)
		sh.signalled(name, number)
	}
}

// signalled is what a signal does: run its trap, or end the shell.
func (sh *Shell) signalled(name string, number int) {
	action, trapped := sh.traps[name]
	switch {
	case number == 0, trapped && action == "":
	case trapped && number != 9 && number != 19:
		status := sh.status
		sh.runTrap(action)
		if sh.flow == 0 {
			sh.status = status
		}
	case number >= 17 && number <= 23, number == 28: // ignored, or they stop a process
	default:
		sh.exit(128 + number)
	}
}

// job is a background command.
type job struct {
	pid, status int
	waited      bool
}

func (sh *Shell) jobOf(pid int) int {
	return slices.IndexFunc(sh.jobs, func(j job) bool { return j.pid == pid })
}

// job finds %1, %+, %- and the like among those not waited for.
func (sh *Shell) job(spec string) (int, bool) {
	var open []int
	for i := range sh.jobs {
		if !sh.jobs[i].waited {
			open = append(open, i)
		}
	}
	n := 0
	switch rest := strings.TrimPrefix(spec, "%"); rest {
	case "", "+", "%":
		n = len(open)
	case "-":
		n = len(open) - 1
	default:
		n, _ = strconv.Atoi(rest)
	}
	if n < 1 || n > len(open) {
		return 0, false
	}
	return open[n-1], true
}

// builtinWait reports how background commands ended: they have all ended.
func builtinWait(sh *Shell, args []string) int {
	args = args[1:]
	next, variable := false, ""
	for len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' {
		switch a := args[0]; {
		case a == "--":
		case a == "-p" && len(args) > 1:
			variable = args[1]
			args = args[1:]
		case a == "-n":
			next = true
		case a == "-f":
		default:
			sh.errorf("wait: %s: invalid option", a)
			return 2
		}
		args = args[1:]
	}
	if next && len(args) == 0 {
		i := slices.IndexFunc(sh.jobs, func(j job) bool { return !j.waited })
		if i < 0 {
			return 127
		}
		return sh.collect(i, variable)
	}
	if len(args) == 0 {
		for i := range sh.jobs {
			sh.jobs[i].waited = true
		}
		return 0
	}
	status := 0
	for _, a := range args {
		i, ok := 0, false
		pid, err := strconv.Atoi(a)
		switch {
		case strings.HasPrefix(a, "%"):
			if i, ok = sh.job(a); !ok {
				sh.errorf("wait: %s: no such job", a)
			}
		case err != nil || pid < 0:
			sh.errorf("wait: `%s': not a pid or valid job spec", a)
			if !next {
				return 1
			}
		default:
			if i = sh.jobOf(pid); i < 0 {
				sh.errorf("wait: pid %d is not a child of this shell", pid)
			}
			ok = i >= 0
		}
		status = 127
		if ok && !(next && sh.jobs[i].waited) {
			status = sh.collect(i, variable)
			if next {
				return status
			}
		}
	}
	return status
}

func (sh *Shell) collect(i int, variable string) int {
	sh.jobs[i].waited = true
	if variable != "" {
		sh.setString(variable, strconv.Itoa(sh.jobs[i].pid))
	}
	return sh.jobs[i].status
}
