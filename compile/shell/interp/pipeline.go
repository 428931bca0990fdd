package interp

import (
	"strconv"

	"mvdan.cc/sh/v3/syntax"
)

// stage is one part of a pipeline.
type stage struct {
	stmt   *syntax.Stmt
	sub    *Shell
	argv   []string // of a program; nil when the shell runs the stage itself
	pid    int      // of a running program, -1 otherwise
	status int
	errors Handle // where its standard error waits, NoHandle when it does not
}

// pipeline runs a | b | c.
func (sh *Shell) pipeline(c *syntax.BinaryCmd) {
	stages, both := flatten(c)
	for i := range stages {
		st := &stages[i]
		if c, ok := st.stmt.Cmd.(*syntax.CallExpr); ok {
			sh.debug(c.Pos().Line())
		}
		st.sub, st.pid, st.errors = sh.subshell(), -1, NoHandle
		st.argv = st.sub.asProgram(st.stmt)
	}
	if !sh.connect(stages, both) {
		return
	}
	for i := range stages { // programs first: they run beside each other
		if st := &stages[i]; st.argv != nil {
			st.start()
		}
	}
	for i := range stages { // then, one by one, what the shell runs itself
		st := &stages[i]
		if st.argv != nil {
			continue
		}
		if i == len(stages)-1 && sh.opts["lastpipe"] {
			st.status = sh.lastStage(st)
			continue
		}
		st.sub.stmt(st.stmt)
		st.status = st.sub.finish()
	}
	for i := range stages {
		if st := &stages[i]; st.pid >= 0 {
			st.status = sh.k.Wait(st.pid)
		}
	}
	sh.drainAll()
	for i := range stages {
		sh.release(&stages[i])
	}
	sh.pipestatus = nil
	status := 0
	for i := range stages {
		s := stages[i].status
		sh.pipestatus = append(sh.pipestatus, strconv.Itoa(s))
		if sh.opts["pipefail"] && s != 0 {
			status = s
		}
	}
	if !sh.opts["pipefail"] {
		status = stages[len(stages)-1].status
	}
	sh.status = status
}

// lastStage runs the last stage in the shell itself (shopt -s lastpipe).
func (sh *Shell) lastStage(st *stage) int {
	restore := sh.saveFDs()
	sh.setFD(0, st.sub.fds[0].keep())
	st.sub.finish()
	sh.stmt(st.stmt)
	restore(false)
	return sh.status
}

// flatten lists the stages; both[i] tells that |& follows stage i.
func flatten(c *syntax.BinaryCmd) (stages []stage, both []bool) {
	if x, ok := c.X.Cmd.(*syntax.BinaryCmd); ok && (x.Op == syntax.Pipe || x.Op == syntax.PipeAll) && plain(c.X) {
		stages, both = flatten(x)
	} else {
		stages = []stage{{stmt: c.X}}
	}
	both = append(both, c.Op == syntax.PipeAll)
	if y, ok := c.Y.Cmd.(*syntax.BinaryCmd); ok && (y.Op == syntax.Pipe || y.Op == syntax.PipeAll) && plain(c.Y) {
		rest, restBoth := flatten(y)
		return append(stages, rest...), append(both, restBoth...)
	}
	return append(stages, stage{stmt: c.Y}), both
}

func plain(s *syntax.Stmt) bool { return !s.Negated && !s.Background && len(s.Redirs) == 0 }

// asProgram expands a stage that is a plain call of a program. Stages with
// substitutions run in the shell, because those may read the stage's input.
func (sh *Shell) asProgram(s *syntax.Stmt) []string {
	c, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || len(c.Args) == 0 || s.Negated || s.Background {
		return nil
	}
	simple := true
	syntax.Walk(s, func(n syntax.Node) bool {
		switch n.(type) {
		case *syntax.CmdSubst, *syntax.ProcSubst:
			simple = false
		}
		return simple
	})
	if !simple {
		return nil
	}
	if lit := c.Args[0].Lit(); lit != "" && (sh.funcs[lit] != nil || builtins[lit] != nil) {
		return nil
	}
	if !sh.inTrap {
		sh.line = s.Pos().Line()
	}
	args := sh.fields(c.Args...)
	if sh.flow != 0 || len(args) == 0 || sh.funcs[args[0]] != nil || builtins[args[0]] != nil {
		if sh.flow != 0 { // the error has been reported
			status := sh.status
			sh.flow = 0
			return []string{"\x00failed", strconv.Itoa(status)}
		}
		return nil
	}
	sh.traceCall(c, args)
	return args
}

// connect puts pipes between the stages and sets standard errors aside. A pipe
// into a stage that the shell runs after another such stage must hold all that
// comes, because nobody reads it meanwhile.
func (sh *Shell) connect(stages []stage, both []bool) bool {
	inShell := 0
	for i := range stages {
		if fd := sh.fds[2]; fd != nil && (fd.h != NoHandle || fd.capture != nil) {
			r, w, err := sh.k.Pipe(true)
			if err != nil {
				return sh.cannotConnect(err)
			}
			stages[i].errors = r
			stages[i].sub.setFD(2, &stream{refs: 1, h: w})
		}
		if stages[i].argv == nil {
			inShell++
		}
		if i+1 == len(stages) {
			break
		}
		r, w, err := sh.k.Pipe(inShell > 0 && stages[i+1].argv == nil)
		if err != nil {
			return sh.cannotConnect(err)
		}
		out := &stream{refs: 1, h: w}
		stages[i].sub.setFD(1, out)
		if both[i] {
			stages[i].sub.setFD(2, out.keep())
		}
		stages[i+1].sub.setFD(0, &stream{refs: 1, h: r})
	}
	return true
}

func (sh *Shell) cannotConnect(err error) bool {
	sh.errorf("pipe: %s", reason(err))
	sh.exit(1)
	return false
}

// start starts the program of a stage.
func (st *stage) start() {
	sub := st.sub
	defer sub.finish()
	if st.argv[0] == "\x00failed" {
		st.status, _ = strconv.Atoi(st.argv[1])
		return
	}
	restore, ok := sub.redirect(st.stmt.Redirs)
	defer restore(false)
	if !ok {
		st.status = 1
		return
	}
	leave := sub.temporarily(st.stmt.Cmd.(*syntax.CallExpr).Assigns)
	defer leave()
	st.pid, st.status = sub.spawn(st.argv, sub.fds)
}

// release passes on what the stage wrote to standard error.
func (sh *Shell) release(st *stage) {
	if st.errors == NoHandle {
		return
	}
	buf := make([]byte, 16<<10)
	for {
		n, err := sh.k.Read(st.errors, buf)
		sh.write(2, buf[:n])
		if err != nil {
			break
		}
	}
	sh.k.Close(st.errors)
}
