// Package emacs lets tests ask a real Emacs. Nothing outside tests uses it.
//
// The reference is Org 9.8. Debian's Emacs carries an older one, so the tests
// look for the directory of a newer org's lisp files in WB_ORG_LISP, then in
// /usr/share/emacs/site-lisp/elpa. Without Emacs or without Org 9.8 they skip
// and say what to install.
package emacs

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// Emacs runs batch jobs in one Emacs with Org 9.8 on its load path.
type Emacs struct {
	program, lisp string
}

var find = sync.OnceValues(func() (*Emacs, string) {
	program, err := exec.LookPath("emacs")
	if err != nil {
		return nil, "emacs is not installed: apt-get install emacs-nox"
	}
	candidates := filepath.SplitList(os.Getenv("WB_ORG_LISP"))
	packaged, _ := filepath.Glob("/usr/share/emacs/site-lisp/elpa/org-9*")
	for _, lisp := range append(candidates, packaged...) {
		e := &Emacs{program, lisp}
		out, err := e.command("--eval", `(progn (require 'org) (princ (org-version)))`).Output()
		if version := string(out); err == nil && strings.HasPrefix(version, "9.8") {
			return e, ""
		}
	}
	return nil, "Org 9.8 was not found: set WB_ORG_LISP to the lisp directory of an Org 9.8 checkout (with org-loaddefs.el made)"
})

// Need returns the Emacs to ask, or skips the test with what is missing.
func Need(t testing.TB) *Emacs {
	t.Helper()
	e, missing := find()
	if e == nil {
		t.Skip(missing)
	}
	return e
}

// NeedBundled returns the Emacs to ask with the Org that is part of it, which is
// that of the lane of Emacs Lisp where the versions agree, or skips the test.
func NeedBundled(t testing.TB, version string) *Emacs {
	t.Helper()
	program, err := exec.LookPath("emacs")
	if err != nil {
		t.Skip("emacs is not installed: apt-get install emacs-nox")
	}
	e := &Emacs{program: program}
	out, err := e.command("--eval", "(princ emacs-version)").Output()
	if err != nil || string(out) != version {
		t.Skipf("the emacs of this machine is %s, not %s", out, version)
	}
	return e
}

// Command is a batch Emacs with Org 9.8 and these arguments.
func (e *Emacs) Command(args ...string) *exec.Cmd { return e.command(args...) }

func (e *Emacs) command(args ...string) *exec.Cmd {
	if e.lisp != "" {
		args = append([]string{"-L", e.lisp}, args...)
	}
	cmd := exec.Command(e.program, append([]string{"-Q", "--batch"}, args...)...)
	// ob-shell writes for the user's own shell; the reference is bash.
	cmd.Env = append(os.Environ(), "SHELL=/bin/bash", "LC_ALL=C.UTF-8")
	return cmd
}

// Run loads an Emacs Lisp file with arguments in command-line-args-left and
// returns what it printed.
func (e *Emacs) Run(t testing.TB, script string, args ...string) string {
	t.Helper()
	cmd := e.command(append([]string{"-l", script}, args...)...)
	cmd.Env = append(cmd.Env, "TMPDIR="+t.TempDir()) // ob-sql and ob-gnuplot leave files behind
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("emacs -l %s: %v\n%s", script, err, tail(stderr.String(), 2000))
	}
	return string(out)
}

func tail(s string, n int) string {
	if len(s) > n {
		return "…" + s[len(s)-n:]
	}
	return s
}
