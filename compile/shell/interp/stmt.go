package interp

import (
	"bytes"
	"os"
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

func newCapture() *stream { return &stream{h: NoHandle, capture: &bytes.Buffer{}} }

// stmts runs statements until one changes the flow.
func (sh *Shell) stmts(list []*syntax.Stmt) {
	for _, s := range list {
		sh.stmt(s)
		if sh.flow != 0 {
			return
		}
	}
}

// stmt runs one statement and sets $?.
func (sh *Shell) stmt(s *syntax.Stmt) {
	if sh.flow != 0 {
		return
	}
	if s.Background {
		sh.background(s)
		return
	}
	if sh.opts["noexec"] {
		return
	}
	sh.line = s.Pos().Line()
	if s.Negated {
		sh.tested++
	}
	restore, ok := sh.redirect(s.Redirs)
	if !ok {
		restore(false)
		if sh.flow == 0 {
			sh.status = 1
		}
	} else {
		keep := sh.command(s.Cmd)
		sh.drainAll()
		restore(keep)
	}
	if len(sh.substs) > 0 && sh.depth == 0 {
		sh.dropSubstitutions()
	}
	if s.Negated {
		sh.tested--
		if sh.flow == 0 {
			sh.status = boolStatus(sh.status != 0)
		}
		return
	}
	sh.checkFailure(s.Cmd)
}

func boolStatus(ok bool) int {
	if ok {
		return 0
	}
	return 1
}

// checkFailure honours set -e and the ERR trap after a command that can fail
// by itself; lists and loops have done so for their parts.
func (sh *Shell) checkFailure(cmd syntax.Command) {
	if sh.status == 0 || sh.flow != 0 || sh.tested > 0 {
		return
	}
	switch c := cmd.(type) {
	case *syntax.BinaryCmd:
		if c.Op == syntax.AndStmt || c.Op == syntax.OrStmt {
			return
		}
	case *syntax.IfClause, *syntax.WhileClause, *syntax.ForClause, *syntax.CaseClause, *syntax.Block, *syntax.FuncDecl, *syntax.TimeClause:
		return
	}
	if text, ok := sh.traps["ERR"]; ok && text != "" && !sh.inTrap {
		status := sh.status
		sh.runTrap(text)
		if sh.flow != 0 {
			return
		}
		sh.status = status
	}
	if sh.opts["errexit"] {
		sh.exit(sh.status)
	}
}

// command runs a command whose redirections are in place. It reports whether
// those stay, as they do after exec.
func (sh *Shell) command(cmd syntax.Command) (keepRedirects bool) {
	switch c := cmd.(type) {
	case nil: // redirections alone
		sh.status = 0
	case *syntax.CallExpr:
		return sh.call(c)
	case *syntax.BinaryCmd:
		sh.binary(c)
	case *syntax.Block:
		sh.stmts(c.Stmts)
	case *syntax.Subshell:
		sh.inSubshell(func(sub *Shell) { sub.stmts(c.Stmts) })
	case *syntax.IfClause:
		sh.ifClause(c)
	case *syntax.WhileClause:
		sh.loop(func() bool { return sh.condition(c.Cond) != c.Until }, nil, c.Do)
	case *syntax.ForClause:
		sh.forClause(c)
	case *syntax.CaseClause:
		sh.caseClause(c)
	case *syntax.FuncDecl:
		sh.funcs[c.Name.Value] = c.Body
		sh.status = 0
	case *syntax.ArithmCmd:
		n, err := sh.compute(c.X, 0)
		switch {
		case sh.flow != 0:
		case err != nil:
			sh.errorf("((: %v", err)
			sh.status = 1
		default:
			sh.status = boolStatus(n != 0)
		}
	case *syntax.LetClause:
		n := 0
		for _, x := range c.Exprs {
			if w, ok := x.(*syntax.Word); ok { // let "i = 1": quotes may hold an expression
				n = sh.evaluate(sh.literal(w))
			} else {
				n = sh.arithmetic(x)
			}
		}
		if sh.flow == 0 {
			sh.status = boolStatus(n != 0)
		}
	case *syntax.TestClause:
		sh.status = sh.testClause(c)
	case *syntax.DeclClause:
		sh.trace(c)
		sh.substatus = -1
		sh.declare(c.Variant.Value, c.Args)
	case *syntax.TimeClause:
		if c.Stmt != nil {
			sh.stmt(c.Stmt)
		}
		if c.PosixFormat {
			sh.write(2, []byte("real 0.00\nuser 0.00\nsys 0.00\n"))
		} else {
			sh.write(2, []byte("\nreal\t0m0.000s\nuser\t0m0.000s\nsys\t0m0.000s\n"))
		}
	case *syntax.CoprocClause:
		sh.errorf("coproc: not available here")
		sh.status = 1
	default:
		sh.errorf("%T: not available here", cmd)
		sh.status = 1
	}
	return false
}

// inSubshell runs f in a subshell and takes over its status.
func (sh *Shell) inSubshell(f func(sub *Shell)) {
	if sh.subshells >= maxSubshells {
		sh.errorf("subshells nest more than %d deep", maxSubshells)
		sh.exit(1)
		return
	}
	sub := sh.subshell()
	f(sub)
	sh.status = sub.finish()
	sh.drainAll()
}

// background runs cmd & to its end, here and now.
func (sh *Shell) background(s *syntax.Stmt) {
	fore := *s
	fore.Background = false
	sub := sh.subshell()
	sub.setFD(0, &stream{refs: 1, h: NoHandle})
	sub.tested = 0
	sub.stmt(&fore)
	sh.nextPid++
	sh.lastBg = sh.nextPid
	sh.bgStatus[sh.lastBg] = sub.finish()
	sh.drainAll()
	sh.status = 0
}

// condition runs statements whose failure is an answer, not an error.
func (sh *Shell) condition(list []*syntax.Stmt) bool {
	sh.tested++
	sh.stmts(list)
	sh.tested--
	return sh.status == 0
}

func (sh *Shell) binary(c *syntax.BinaryCmd) {
	switch c.Op {
	case syntax.AndStmt, syntax.OrStmt:
		sh.tested++
		sh.stmt(c.X)
		sh.tested--
		if sh.flow == 0 && (sh.status == 0) == (c.Op == syntax.AndStmt) {
			sh.stmt(c.Y)
		}
	default:
		sh.pipeline(c)
	}
}

func (sh *Shell) ifClause(c *syntax.IfClause) {
	for ; c != nil; c = c.Else {
		if len(c.Cond) == 0 { // else
			sh.stmts(c.Then)
			return
		}
		yes := sh.condition(c.Cond)
		if sh.flow != 0 {
			return
		}
		if yes {
			sh.stmts(c.Then)
			return
		}
	}
	sh.status = 0
}

// loop runs body while cond holds; after (may be nil) runs between rounds.
func (sh *Shell) loop(cond func() bool, after func(), body []*syntax.Stmt) {
	status := 0
	sh.loops++
	defer func() { sh.loops-- }()
	for {
		yes := cond()
		if sh.flow != 0 {
			if !sh.leaveLoop() {
				break
			}
			continue
		}
		if !yes {
			break
		}
		sh.status = status
		sh.stmts(body)
		status = sh.status
		if sh.flow != 0 && !sh.leaveLoop() {
			break
		}
		if after != nil {
			after()
		}
	}
	if sh.flow == 0 {
		sh.status = status
	}
}

// leaveLoop handles break and continue at the end of a round: it reports
// whether this loop goes on.
func (sh *Shell) leaveLoop() bool {
	switch sh.flow {
	case flowBreak:
		if sh.flowCount--; sh.flowCount == 0 {
			sh.flow = 0
		}
	case flowContinue:
		if sh.flowCount--; sh.flowCount == 0 {
			sh.flow = 0
			return true
		}
	}
	return false
}

func (sh *Shell) forClause(c *syntax.ForClause) {
	switch l := c.Loop.(type) {
	case *syntax.WordIter:
		var items []string
		if l.InPos.IsValid() {
			items = sh.fields(l.Items...)
		} else {
			items = slices.Clone(sh.params)
		}
		if sh.flow != 0 {
			return
		}
		if c.Select {
			sh.selectLoop(l.Name.Value, items, c.Do)
			return
		}
		sh.status = 0
		i := 0
		sh.loop(func() bool {
			if i >= len(items) {
				return false
			}
			ok := sh.setString(l.Name.Value, items[i])
			i++
			return ok
		}, nil, c.Do)
	case *syntax.CStyleLoop:
		eval := func(x syntax.ArithmExpr) int {
			if x == nil {
				return 1
			}
			return sh.arithmetic(x)
		}
		eval(l.Init)
		if sh.flow != 0 {
			return
		}
		sh.loop(func() bool { return eval(l.Cond) != 0 }, func() { eval(l.Post) }, c.Do)
	}
}

// selectLoop is select name in items: a menu, then a line from standard input.
func (sh *Shell) selectLoop(name string, items []string, body []*syntax.Stmt) {
	var menu strings.Builder
	for i, item := range items {
		menu.WriteString(strconv.Itoa(i+1) + ") " + item + "\n")
	}
	ps3 := "#? "
	if v := sh.lookup("PS3"); v.IsSet() {
		ps3 = v.String()
	}
	show := true
	sh.loop(func() bool {
		if show {
			sh.write(2, []byte(menu.String()))
		}
		sh.write(2, []byte(ps3))
		line, err := sh.readUntil(0, '\n')
		if err != nil && len(line) == 0 {
			sh.status = 1
			return false
		}
		reply := strings.TrimSuffix(string(line), "\n")
		show = reply == ""
		sh.setString("REPLY", reply)
		choice := ""
		if n, err := strconv.Atoi(strings.TrimSpace(reply)); err == nil && n >= 1 && n <= len(items) {
			choice = items[n-1]
		}
		sh.setString(name, choice)
		return true
	}, nil, body)
}

func (sh *Shell) caseClause(c *syntax.CaseClause) {
	subject := sh.literal(c.Word)
	if sh.flow != 0 {
		return
	}
	sh.status = 0
	through := false
	for _, item := range c.Items {
		hit := through
		for _, p := range item.Patterns {
			if hit {
				break
			}
			hit = sh.matches(sh.pattern(p), subject)
			if sh.flow != 0 {
				return
			}
		}
		if !hit {
			continue
		}
		through = false
		sh.stmts(item.Stmts)
		switch {
		case sh.flow != 0:
			return
		case item.Op == syntax.Fallthrough:
			through = true
		case item.Op == syntax.Resume:
		default:
			return
		}
	}
}

// call runs a simple command.
func (sh *Shell) call(c *syntax.CallExpr) (keepRedirects bool) {
	sh.substatus = -1
	args := sh.fields(c.Args...)
	if sh.flow != 0 {
		return false
	}
	if len(args) == 0 {
		sh.traceAssigns(c)
		before := sh.status // what $? in a value stands for
		ok := sh.assignments(c.Assigns)
		switch {
		case sh.flow != 0:
		case !ok:
			sh.status = 1
		case sh.substatus > 0:
			sh.status = sh.substatus
		case sh.status == before:
			sh.status = 0
		}
		return false
	}
	sh.traceCall(c, args)
	return sh.run(args, c.Assigns)
}

// run runs a command by its words: a function, a builtin or a program.
func (sh *Shell) run(args []string, assigns []*syntax.Assign) (keepRedirects bool) {
	name := args[0]
	defer func() {
		sh.lastArg = args[len(args)-1]
	}()
	if body := sh.funcs[name]; body != nil {
		leave := sh.temporarily(assigns)
		sh.callFunction(name, body, args[1:])
		leave()
		return false
	}
	if b := builtins[name]; b != nil {
		leave := sh.temporarily(assigns)
		sh.status = b(sh, args)
		leave()
		return name == "exec" && len(args) == 1
	}
	leave := sh.temporarily(assigns)
	if sh.flow == 0 {
		sh.status = sh.runProgram(args)
	}
	leave()
	return false
}

// temporarily makes the assignments before a command, for that command only.
func (sh *Shell) temporarily(assigns []*syntax.Assign) (leave func()) {
	if len(assigns) == 0 {
		return func() {}
	}
	type old struct {
		name string
		v    *variable
	}
	var saved []old
	s := sh.vars
	for _, as := range assigns {
		name := as.Name.Value
		value := sh.literal(as.Value)
		if sh.flow != 0 {
			break
		}
		if before := sh.vars.find(name); before != nil {
			if before.ReadOnly {
				sh.errorf("%s: readonly variable", name)
				sh.exit(1)
				break
			}
			if as.Append {
				value = before.String() + value
			}
		}
		saved = append(saved, old{name, s.vars[name]})
		s.vars[name] = &variable{Variable: expand.Variable{Set: true, Kind: expand.String, Str: value, Exported: true}}
	}
	return func() {
		for i := len(saved) - 1; i >= 0; i-- {
			if saved[i].v == nil {
				delete(s.vars, saved[i].name)
			} else {
				s.vars[saved[i].name] = saved[i].v
			}
		}
	}
}

func (sh *Shell) callFunction(name string, body *syntax.Stmt, args []string) {
	if len(sh.callStack) >= maxCalls {
		sh.errorf("%s: maximum function nesting level exceeded (%d)", name, maxCalls)
		sh.exit(1)
		return
	}
	params, loops, vars := sh.params, sh.loops, sh.vars
	sh.params, sh.loops, sh.vars = args, 0, newScope(vars)
	sh.callStack = append(sh.callStack, name)
	sh.depth++
	sh.stmt(body)
	sh.depth--
	sh.callStack = sh.callStack[:len(sh.callStack)-1]
	sh.params, sh.loops, sh.vars = params, loops, vars
	if sh.flow == flowReturn {
		sh.flow = 0
	}
}

// program runs a program of the kernel and waits for it.
func (sh *Shell) runProgram(args []string) int {
	pid, status := sh.spawn(args, sh.fds)
	if pid < 0 {
		return status
	}
	status = sh.k.Wait(pid)
	sh.drainAll()
	return status
}

// spawn starts a program on the streams of fds. On failure it has said why and
// returns a negative pid and the status to report.
func (sh *Shell) spawn(args []string, fds map[int]*stream) (pid, status int) {
	argv, status := sh.resolve(args)
	if argv == nil {
		return -1, status
	}
	var streams [3]Handle
	for i := range streams {
		h, err := sh.handle(fds[i])
		if err != nil {
			sh.errorf("%s: %s", args[0], reason(err))
			return -1, 126
		}
		streams[i] = h
	}
	pid, err := sh.k.Spawn(argv, sh.environ(), sh.dir, streams)
	switch {
	case err == ErrNoCommand:
		sh.notFound(args[0])
		return -1, 127
	case err != nil:
		sh.errorf("%s: %s", args[0], reason(err))
		return -1, 126
	}
	return pid, 0
}

func (sh *Shell) notFound(name string) {
	sh.errorf("%s: command not found", name)
	if !*sh.hinted {
		*sh.hinted = true
		sh.write(2, []byte("hint: programs of this machine do not run here; `help' lists the tools there are\n"))
	}
}

// resolve finds what a command name with slashes means: /bin/NAME is a tool,
// and a file of the tree is a script, run by what its first line says.
func (sh *Shell) resolve(args []string) (argv []string, status int) {
	name := args[0]
	if name == "" {
		sh.notFound(name)
		return nil, 127
	}
	if !strings.Contains(name, "/") {
		return args, 0
	}
	full := sh.abs(name)
	text, err := os.ReadFile(full)
	if err != nil {
		for _, dir := range []string{"/bin/", "/usr/bin/", "/usr/local/bin/"} {
			if tool, ok := strings.CutPrefix(full, dir); ok && sh.k.Known(tool) {
				return append([]string{tool}, args[1:]...), 0
			}
		}
		if sh.isDir(full) {
			sh.errorf("%s: Is a directory", name)
			return nil, 126
		}
		sh.errorf("%s: %s", name, reason(err))
		return nil, 127
	}
	if bytes.HasPrefix(text, []byte("\x7fELF")) || bytes.HasPrefix(text, []byte("\x00asm")) || bytes.IndexByte(text[:min(len(text), 512)], 0) >= 0 {
		sh.errorf("%s: cannot execute binary file: nothing native runs here", name)
		return nil, 126
	}
	words := []string{"sh"}
	if line, ok := bytes.CutPrefix(text, []byte("#!")); ok {
		line, _, _ = bytes.Cut(line, []byte("\n"))
		fields := strings.Fields(string(line))
		if len(fields) > 0 && baseName(fields[0]) == "env" {
			fields = fields[1:]
			if len(fields) > 0 && fields[0] == "-S" {
				fields = fields[1:]
			}
		}
		if len(fields) > 0 {
			words = append([]string{baseName(fields[0])}, fields[1:]...)
		}
	} else if sh.dialect == Bash {
		words = []string{"bash"}
	}
	return append(append(words, full), args[1:]...), 0
}

func baseName(p string) string { return p[strings.LastIndexByte(p, '/')+1:] }
