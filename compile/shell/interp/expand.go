package interp

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

var rangeWord = regexp.MustCompile(`^\{(-?\d+)\.\.(-?\d+)(?:\.\.(-?\d+))?\}$`)

// numberRange is {1..100000}, which package expand would cut at 16384.
func numberRange(word string) ([]string, bool) {
	m := rangeWord.FindStringSubmatch(word)
	if m == nil {
		return nil, false
	}
	from, err1 := strconv.Atoi(m[1])
	to, err2 := strconv.Atoi(m[2])
	step := 1
	if m[3] != "" {
		step, _ = strconv.Atoi(m[3])
	}
	if step = max(step, -step); err1 != nil || err2 != nil || step < 0 {
		return nil, false
	}
	step = max(step, 1)
	width := 0
	for _, s := range m[1:3] { // {01..10} pads with zeros
		if digits := strings.TrimPrefix(s, "-"); len(digits) > 1 && digits[0] == '0' {
			width = max(width, len(m[1]), len(m[2]))
		}
	}
	var list []string
	for n := from; from <= to && n <= to || from > to && n >= to; {
		list = append(list, fmt.Sprintf("%0*d", width, n))
		if from <= to {
			n += step
		} else {
			n -= step
		}
	}
	return list, true
}

// commandSubstitution runs $(…) in a subshell and gives what it prints.
func (sh *Shell) commandSubstitution(c *syntax.CmdSubst) string {
	if len(c.Stmts) == 0 {
		sh.substatus = 0
		return ""
	}
	if text, ok, err := sh.fileShortcut(c); ok {
		sh.substatus = boolStatus(err == nil)
		return valueOfOutput(text)
	}
	out, status := sh.capture(func(sub *Shell) {
		if sh.tested == 0 {
			sub.tested = 0
		}
		if !sh.opts["inherit_errexit"] && sh.dialect == Bash {
			delete(sub.opts, "errexit")
		}
		sub.stmts(c.Stmts)
	})
	sh.substatus = status
	return valueOfOutput(out)
}

// valueOfOutput is what a command substitution stands for: a variable cannot
// hold NUL, and newlines at the end are cut.
func valueOfOutput(out []byte) string {
	return string(bytes.TrimRight(bytes.ReplaceAll(out, []byte{0}, nil), "\n"))
}

// capture runs f in a subshell whose output is kept.
func (sh *Shell) capture(f func(sub *Shell)) ([]byte, int) {
	if sh.subshells >= maxSubshells {
		sh.errorf("subshells nest more than %d deep", maxSubshells)
		sh.exit(1)
		return nil, 1
	}
	sub := sh.subshell()
	s := newCapture()
	sub.setFD(1, s.keep())
	f(sub)
	status := sub.finish()
	sh.drain(s)
	return s.capture.Bytes(), status
}

// fileShortcut is $(<file).
func (sh *Shell) fileShortcut(c *syntax.CmdSubst) (text []byte, ok bool, err error) {
	if len(c.Stmts) != 1 {
		return nil, false, nil
	}
	s := c.Stmts[0]
	if s.Cmd != nil || s.Negated || s.Background || len(s.Redirs) != 1 || s.Redirs[0].Op != syntax.RdrIn {
		return nil, false, nil
	}
	sub := sh.subshell()
	defer sub.finish()
	if !sub.redirectOne(s.Redirs[0]) {
		return nil, true, errBadFD
	}
	return sub.readAll(0), true, nil
}

// substitution is a process substitution under way: a file of the tree.
type substitution struct {
	name string
	into []*syntax.Stmt // >(…): what reads the file when the command has ended
}

// processSubstitution gives the name of a file. For <(…), the file holds what
// the commands print; for >(…), they read it once the command has ended.
func (sh *Shell) processSubstitution(p *syntax.ProcSubst) string {
	s := substitution{}
	var out []byte
	if p.Op == syntax.CmdOut {
		s.into = p.Stmts
	} else if text, ok, _ := sh.fileShortcut(&syntax.CmdSubst{Stmts: p.Stmts}); ok {
		out = text
	} else {
		out, _ = sh.capture(func(sub *Shell) { sub.stmts(p.Stmts) })
	}
	for n := 63; ; n++ {
		s.name = fmt.Sprintf("/tmp/.fd%d", n)
		if _, err := os.Stat(s.name); err == nil {
			continue
		}
		if err := os.WriteFile(s.name, out, 0o600); err != nil {
			sh.expansionFailed("process substitution: " + reason(err))
			return ""
		}
		sh.substs = append(sh.substs, s)
		return s.name
	}
}

// endSubstitutions ends those that began after the first n: the readers of
// >(…) run, and the files go.
func (sh *Shell) endSubstitutions(n int) {
	list := sh.substs[n:]
	sh.substs = sh.substs[:n:n]
	for _, s := range list {
		if s.into != nil {
			status := sh.status
			sh.inSubshell(func(sub *Shell) {
				if stream, err := sub.openPath(s.name, os.O_RDONLY); err == nil {
					sub.setFD(0, stream)
					sub.stmts(s.into)
				}
			})
			sh.status = status
		}
		os.Remove(s.name)
	}
}

// heredoc is the text of a here-document.
func (sh *Shell) heredoc(r *syntax.Redirect) string {
	if r.Hdoc == nil {
		return ""
	}
	quoted := false
	for _, part := range r.Word.Parts {
		switch part := part.(type) {
		case *syntax.Lit:
			quoted = quoted || strings.Contains(part.Value, "\\")
		case *syntax.SglQuoted, *syntax.DblQuoted:
			quoted = true
		}
	}
	word := r.Hdoc
	if r.Op == syntax.DashHdoc {
		word = stripTabs(word)
	}
	if quoted {
		if lit := word.Lit(); lit != "" || len(word.Parts) == 0 {
			return lit
		}
	}
	return sh.document(word)
}

// stripTabs removes leading tabs from the lines of a <<- document.
func stripTabs(w *syntax.Word) *syntax.Word {
	start := true
	out := &syntax.Word{}
	for _, part := range w.Parts {
		lit, ok := part.(*syntax.Lit)
		if !ok {
			out.Parts = append(out.Parts, part)
			start = false
			continue
		}
		var b strings.Builder
		for line := range strings.Lines(lit.Value) {
			if start {
				line = strings.TrimLeft(line, "\t")
			}
			b.WriteString(line)
			start = strings.HasSuffix(line, "\n")
		}
		copied := *lit
		copied.Value = b.String()
		out.Parts = append(out.Parts, &copied)
	}
	return out
}
