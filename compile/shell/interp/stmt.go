package interp

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

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
	if !sh.inTrap {
		sh.line = s.Pos().Line()
	}
	tested := s.Negated && sh.opts["errexit"] // a set -e inside a function counts at once
	if tested {
		sh.tested++
	}
	substs, lasting := len(sh.substs), false
	run := func() (keep bool) { return sh.command(s.Cmd) }
	if c, ok := s.Cmd.(*syntax.CallExpr); ok { // its words are expanded before it is redirected
		run = sh.prepare(c)
	}
	redirections := s.Redirs
	if sh.flow != 0 { // an expansion has given up the command
		redirections = nil
	}
	if restore, ok := sh.redirect(redirections); !ok {
		restore(false)
		if sh.flow == 0 {
			sh.status = 1
			sh.checkFailure(nil)
		}
	} else {
		lasting = run()
		sh.drainAll()
		restore(lasting)
	}
	switch s.Cmd.(type) {
	case *syntax.CallExpr, *syntax.ArithmCmd, *syntax.TestClause, *syntax.DeclClause, *syntax.Subshell, *syntax.LetClause:
		sh.pipestatus = []string{itoa(sh.status)}
	}
	sh.deliver()
	if len(sh.substs) > substs && !lasting {
		sh.endSubstitutions(substs)
	}
	if tested {
		sh.tested--
	}
	if s.Negated {
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
		if cmd != nil && sh.depth == 0 {
			sh.line = cmd.Pos().Line()
		}
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
	switch cmd.(type) {
	case *syntax.ArithmCmd, *syntax.LetClause, *syntax.TestClause, *syntax.DeclClause, *syntax.CaseClause:
		sh.debug(cmd.Pos().Line())
		if sh.flow != 0 {
			return false
		}
	}
	switch c := cmd.(type) {
	case nil: // redirections alone
		sh.status = 0
	case *syntax.CallExpr:
		return sh.prepare(c)()
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
		if text, ok := sh.program.later[c.Name.Value]; ok {
			sh.errorf("`%s': not a valid identifier", text)
			sh.status = 1
			return false
		}
		if sh.opts["posix"] && specialBuiltins[c.Name.Value] {
			sh.errorf("`%s': is a special builtin", c.Name.Value)
			sh.exit(2)
			return false
		}
		sh.funcs[c.Name.Value] = c.Body
		sh.files[c.Name.Value] = sh.currentFile()
		sh.status = 0
	case *syntax.ArithmCmd:
		n, err := sh.computeWhole(c.X)
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
	sh.nextPid++
	sub.ownPid = sh.nextPid
	sub.stmt(&fore)
	status := sub.finish()
	sh.lastBg = sub.ownPid
	sh.nextPid = max(sh.nextPid, sub.nextPid)
	sh.jobs = append(sh.jobs, job{pid: sh.lastBg, status: status})
	sh.drainAll()
	sh.status = 0
	sh.pipestatus = []string{"0"}
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
		if !syntax.ValidName(l.Name.Value) {
			sh.errorf("`%s': not a valid identifier", l.Name.Value)
			sh.status = 1
			return
		}
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
			sh.debug(c.Pos().Line())
			ok := sh.setString(l.Name.Value, items[i])
			i++
			return ok
		}, nil, c.Do)
	case *syntax.CStyleLoop:
		eval := func(x syntax.ArithmExpr) int {
			if x == nil {
				return 1
			}
			sh.debug(c.Pos().Line())
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
