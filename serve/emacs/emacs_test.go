// Package emacs holds the Emacs package wb and drives its tests: real Emacs in
// batch mode and, for what only keys can show, in a terminal.
package emacs

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"wb/compile/lanes"
	"wb/internal/test/lanetest"
	"wb/org/oql"
)

// missing skips, except where everything must be there.
func missing(t *testing.T, why string) {
	t.Helper()
	if os.Getenv("CI") == "true" {
		t.Fatal(why)
	}
	t.Skip(why)
}

func needs(t *testing.T, program, pkg string) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		missing(t, program+" is not here: apt-get install "+pkg)
	}
}

// sources are the files of the package.
func sources(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("*.el")
	if err != nil || len(files) == 0 {
		t.Fatal("no Emacs Lisp here", err)
	}
	return files
}

// builtIn is where wb was built, "" until a test asks for it.
var builtIn string

// built makes wb once for all tests and returns its directory. WB_TEST_BIN names
// a directory with a wb to test in its place.
var built = sync.OnceValues(func() (string, error) {
	if dir := os.Getenv("WB_TEST_BIN"); dir != "" {
		return dir, nil
	}
	dir, err := os.MkdirTemp("", "wb-emacs-test")
	if err != nil {
		return "", err
	}
	builtIn = dir
	out, err := exec.Command("go", "build", "-o", filepath.Join(dir, "wb"), "wb/cmd/wb").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	return dir, nil
})

func TestMain(m *testing.M) {
	code := m.Run()
	if builtIn != "" {
		os.RemoveAll(builtIn)
	}
	os.Exit(code)
}

// toolchains skips where one is missing.
func toolchains(t *testing.T, names ...string) {
	t.Helper()
	env := lanetest.Env(t)
	if _, err := lanes.New(env); err != nil { // it makes the toolchains known
		t.Fatal(err)
	}
	lanetest.Need(t, env, names...)
}

// environment puts a freshly built wb on the PATH, with records and settings of
// its own and the user's compilers.
func environment(t *testing.T) []string {
	t.Helper()
	dir := t.TempDir()
	bin, err := built()
	if err != nil {
		t.Fatal(err)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(cache, "wb", "toolchains")); err != nil {
		missing(t, "no toolchains: wb toolchain install --all")
	}
	return append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"), "HOME="+dir, "XDG_CACHE_HOME="+cache,
		"XDG_STATE_HOME="+dir+"/state", "XDG_CONFIG_HOME="+dir+"/config", "LC_ALL=C.UTF-8", "TERM=xterm-256color")
}

func emacs(t *testing.T, env []string, args ...string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "emacs", append([]string{"-Q", "--batch", "-L", "."}, args...)...)
	cmd.Env = env
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// TestCompile byte-compiles every file with warnings as errors and has checkdoc
// read its documentation.
func TestCompile(t *testing.T) {
	t.Parallel()
	needs(t, "emacs", "emacs-nox")
	if out, err := emacs(t, os.Environ(), append([]string{"-l", "test/check.el"}, sources(t)...)...); err != nil || strings.TrimSpace(out) != "" {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestERT runs the package's own tests.
func TestERT(t *testing.T) {
	t.Parallel()
	needs(t, "emacs", "emacs-nox")
	toolchains(t, "quickjs", "shell", "toolbox")
	out, err := emacs(t, environment(t), "-l", "test/wb-test.el", "-f", "ert-run-tests-batch-and-exit")
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	ran := regexp.MustCompile(`Ran (\d+) tests?, (\d+) results as expected`).FindStringSubmatch(out)
	if ran == nil || ran[1] == "0" || ran[1] != ran[2] {
		t.Errorf("not all tests ran as expected:\n%s", out)
	}
}

// TestEglot lets Eglot, Emacs' own client, speak with `wb lsp`.
func TestEglot(t *testing.T) {
	t.Parallel()
	needs(t, "emacs", "emacs-nox")
	toolchains(t, "quickjs")
	args := []string{}
	for _, dir := range eglotPath() {
		args = append(args, "-L", dir)
	}
	if out, err := emacs(t, os.Environ(), append(args, "--eval", "(require 'eglot)")...); err != nil {
		missing(t, "Eglot is not here (it comes with Emacs 29): apt-get install elpa-eglot\n"+out)
	}
	out, err := emacs(t, environment(t), append(args, "-l", "test/eglot-test.el", "-f", "ert-run-tests-batch-and-exit")...)
	if err != nil || !strings.Contains(out, "Ran 1 tests, 1 results as expected") {
		t.Errorf("%v\n%s", err, out)
	}
}

// eglotPath is where Debian puts Eglot and what it needs on Emacs 28.
func eglotPath() []string {
	var dirs []string
	for _, name := range []string{"eglot", "project", "xref", "seq"} {
		found, _ := filepath.Glob("/usr/share/emacs/site-lisp/elpa/" + name + "-[0-9]*")
		if len(found) > 0 {
			dirs = append(dirs, slices.Max(found))
		}
	}
	return dirs
}

// TestPredicates keeps the predicates that wb-query completes those of OQL.
func TestPredicates(t *testing.T) {
	src, err := os.ReadFile("wb-query.el")
	if err != nil {
		t.Fatal(err)
	}
	_, list, ok := bytes.Cut(src, []byte("(defconst wb-query--predicates"))
	if !ok {
		t.Fatal("no list of predicates")
	}
	list, _, _ = bytes.Cut(list, []byte(")\n"))
	var got, want []string
	for _, m := range regexp.MustCompile(`"([a-z-]+)"`).FindAllSubmatch(list, -1) {
		got = append(got, string(m[1]))
	}
	for _, p := range oql.Predicates() {
		want = append(want, p.Name)
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("wb-query.el completes %q, OQL has %q", got, want)
	}
}

// TestKeys types keys into Emacs in a terminal: what an author does and sees.
func TestKeys(t *testing.T) {
	t.Parallel()
	needs(t, "emacs", "emacs-nox")
	needs(t, "tmux", "tmux")
	toolchains(t, "quickjs")
	dir := t.TempDir()
	file := filepath.Join(dir, "keys.org")
	if err := os.WriteFile(file, []byte("#+begin_src js\nreturn 6 * 7\n#+end_src\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	here, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	term := &terminal{t: t, socket: filepath.Join(dir, "tmux"), env: environment(t)}
	term.run("-f", "/dev/null", "new-session", "-d", "-x", "100", "-y", "30",
		"emacs", "-Q", "-nw", "-L", here, "--eval", "(progn (require 'wb) (add-hook 'org-mode-hook #'wb-mode))", file)
	t.Cleanup(term.close)
	term.await(`\(Org.* wb[ )]`)
	term.keys("Down", "C-c", "C-c") // into the block, and run it
	term.await(`#\+RESULTS:\n *: 42`)
	term.keys("C-e", "Space", "+", "Space", "1") // point has not moved
	term.await(`return 6 \* 7 \+ 1`)
	term.keys("C-c", "_", "b")
	term.await(`: 43`)
	term.keys("C-x", "u") // one undo takes one result back
	term.await(`: 42`)
	term.keys("C-c", "_", "w")
	term.await(`block-1 would not run: nothing changed`)
	term.keys("C-x", "1", "C-a", "C-k")
	term.keys("-l", "while (true) {}")
	term.keys("C-c", "C-c")
	term.await(`wb[-/|\\]0`) // the spinner
	term.keys("C-c", "C-k")
	term.await(`Stopped`)
}

// terminal is an Emacs in a tmux session.
type terminal struct {
	t      *testing.T
	socket string
	env    []string
}

func (m *terminal) run(args ...string) string {
	m.t.Helper()
	cmd := exec.Command("tmux", append([]string{"-S", m.socket}, args...)...)
	cmd.Env = m.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		m.t.Fatalf("tmux %v: %v\n%s", args, err, out)
	}
	return string(out)
}

// close ends Emacs and waits until it is gone: it writes to its home until then.
func (m *terminal) close() {
	pid, err := strconv.Atoi(strings.TrimSpace(m.run("display-message", "-p", "#{pane_pid}")))
	_ = exec.Command("tmux", "-S", m.socket, "kill-server").Run()
	for deadline := time.Now().Add(10 * time.Second); err == nil && time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if p, err := os.FindProcess(pid); err != nil || p.Signal(syscall.Signal(0)) != nil {
			return
		}
	}
}

func (m *terminal) keys(keys ...string) {
	m.t.Helper()
	m.run(append([]string{"send-keys"}, keys...)...)
}

// await waits until the screen shows what a regular expression says.
func (m *terminal) await(pattern string) {
	m.t.Helper()
	shape := regexp.MustCompile(pattern)
	var screen string
	for deadline := time.Now().Add(3 * time.Minute); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		if screen = m.run("capture-pane", "-p"); shape.MatchString(screen) {
			return
		}
	}
	m.t.Fatal(fmt.Sprintf("the screen never showed %s:\n", pattern) + screen)
}
