//go:build long

package shell

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"wb/sandbox"
)

// The core of the suite is what scripts are made of; its files are named by
// what they test.
var oilsCore = strings.Fields(`append arg-parse arith arith-context array array-assoc array-basic array-compat assign background
	bool-parse brace-expansion builtin-bracket builtin-cd builtin-dirs builtin-echo builtin-eval-source builtin-getopts builtin-meta-assign
	builtin-meta builtin-printf builtin-read builtin-set builtin-trap builtin-vars case_ command-sub command_ comments
	dparen empty-bodies errexit exit-status extglob-match for-expr func-parsing glob here-doc if_ loop pipeline
	process-sub quote redirect redirect-command regex sh-func smoke subshell temp-binding tilde var-num var-op-bash
	var-op-len var-op-patsub var-op-slice var-op-strip var-op-test var-sub var-sub-quote word-eval word-split xtrace whitespace`)

// oilsOther are files about what is not part of a script that runs: a terminal,
// completion, history, zsh, and the other language of the project.
var oilsOther = strings.Fields(`builtin-bind builtin-completion builtin-fc builtin-history interactive interactive-parse zsh-assoc zsh-idioms
	hay hay-isolation hay-meta known-differences spec-harness-bug`)

// oilsElsewhere are the cases of the core about what no sandbox has, by file and
// title: they count for the whole only.
var oilsElsewhere = map[string]string{
	"background: wait for N parallel jobs and check failure": "commands in the background run one after the other",
	"background: wait -n":                                                                       "commands in the background run one after the other",
	"background: jobs prints one line per job":                                                  "job control",
	"background: jobs -p prints one line per job":                                               "job control",
	"background: Signal message for killed background job":                                      "signals between processes",
	"builtin-trap: exit codes for traps are isolated":                                           "signals between processes",
	"builtin-trap: trap USR1, sleep, SIGINT: non-interactively":                                 "signals between processes",
	"builtin-bracket: -k for sticky bit":                                                        "/tmp of the machine",
	"builtin-bracket: -u for setuid, -g too":                                                    "users",
	"builtin-bracket: test -p named pipe":                                                       "named pipes",
	"redirect: <> for read/write named pipes":                                                   "named pipes",
	"builtin-cd: Survey of getcwd() syscall":                                                    "strace",
	"builtin-dirs: dirs -v to print numbered stack, one entry per line":                         "/dev",
	"builtin-dirs: dirs -p to print one entry per line":                                         "/dev",
	"pipeline: Pipeline in eval":                                                                "/dev",
	"pipeline: SIGPIPE causes pipeline to die (regression for issue #295)":                      "/dev/urandom",
	"var-sub: Braced block inside ${}":                                                          "/bin/ls as a file",
	"builtin-set: set -u with undefined var in interactive shell does NOT exit the interpreter": "a terminal",
}

// TestOils runs the specification tests of Oils, each by the machine's own bash
// and in the sandbox: what they print and their status have to be equal. The
// suite is a tool to test with and never part of this repository:
//
//	git clone https://github.com/oils-for-unix/oils
//	OILS=oils go test -tags long ./compile/shell -run TestOils -v
//
// OILS_ONLY names files, OILS_SHOW prints the cases that differ.
func TestOils(t *testing.T) {
	root := os.Getenv("OILS")
	if root == "" {
		t.Skip("OILS names no checkout of oils-for-unix/oils")
	}
	needBash(t)
	root, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(root, "spec", "*.test.sh"))
	if err != nil || len(files) < 120 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	runner(t)
	var mu sync.Mutex
	passed, all, elsewhere := map[string]int{}, map[string]int{}, map[string]int{}
	var pool sync.WaitGroup
	slots := make(chan struct{}, 3)
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".test.sh")
		if only := os.Getenv("OILS_ONLY"); strings.HasPrefix(name, "ysh-") || slices.Contains(oilsOther, name) || only != "" && !slices.Contains(strings.Fields(only), name) {
			continue
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for i, c := range oilsCases(string(text)) {
			slots <- struct{}{}
			pool.Go(func() {
				defer func() { <-slots }()
				want := oilsTheirs(t, root, c.code)
				got := oilsOurs(t, root, c.code)
				mu.Lock()
				defer mu.Unlock()
				all[name]++
				if got == want {
					passed[name]++
				} else if why := oilsElsewhere[name+": "+c.title]; why != "" {
					elsewhere[name]++
					t.Logf("%s %d: %s: not in a sandbox: %s", name, i, c.title, why)
				} else if os.Getenv("OILS_SHOW") != "" {
					t.Logf("%s %d: %s\n%s\n got: %s\nwant: %s", name, i, c.title, c.code, got, want)
				}
			})
		}
	}
	pool.Wait()
	var coreOK, core, ok, total int
	for _, name := range slices.Sorted(maps.Keys(all)) {
		t.Logf("%-20s %3d of %3d", name, passed[name], all[name])
		ok, total = ok+passed[name], total+all[name]
		if slices.Contains(oilsCore, name) {
			coreOK, core = coreOK+passed[name], core+all[name]-elsewhere[name]
		}
	}
	t.Logf("core %d of %d, whole %d of %d", coreOK, core, ok, total)
	if os.Getenv("OILS_ONLY") == "" && (coreOK*100 < core*oilsCoreBar || ok*100 < total*oilsBar) {
		t.Errorf("less than %d %% of the core or %d %% of the whole", oilsCoreBar, oilsBar)
	}
}

// The least that has to pass, in percent.
const (
	oilsCoreBar = 98
	oilsBar     = 93
)

type oilsCase struct{ title, code string }

// oilsCases reads a file of the suite: a title, the script, and what various
// shells make of it, which is left aside.
func oilsCases(text string) []oilsCase {
	var list []oilsCase
	expected, ended := false, false
	for line := range strings.Lines(text) {
		title, isTitle := strings.CutPrefix(line, "#### ")
		switch {
		case isTitle:
			list = append(list, oilsCase{title: strings.TrimSpace(title)})
			expected, ended = false, false
		case len(list) == 0:
		case strings.HasPrefix(line, "## END"):
			expected = false
		case strings.HasPrefix(line, "## code: "):
			list[len(list)-1].code, ended = strings.TrimPrefix(line, "## code: "), true
		case strings.HasPrefix(line, "## "):
			ended = ended || strings.TrimSpace(list[len(list)-1].code) != ""
			end := strings.TrimSpace(line)
			expected = strings.HasSuffix(end, "STDOUT:") || strings.HasSuffix(end, "STDERR:")
		case !expected && !ended:
			list[len(list)-1].code += line
		}
	}
	return list
}

func oilsEnv(root, bin, tmp, home string) []string {
	return []string{"PATH=" + bin + ":/usr/bin:/bin", "TMP=" + tmp, "SH=bash", "REPO_ROOT=" + root, "HOME=" + home, "LC_ALL=C.UTF-8", "TZ=UTC"}
}

func oilsTheirs(t *testing.T, root, script string) string {
	dir := t.TempDir()
	for _, name := range []string{"w", "tmp", "bin"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o755); err != nil {
			t.Error(err)
		}
	}
	for name, text := range oilsHelpers(t) {
		if err := os.WriteFile(filepath.Join(dir, "bin", name), text, 0o755); err != nil {
			t.Error(err)
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	var out bytes.Buffer
	c := exec.CommandContext(ctx, "bash", "-c", script)
	c.Dir, c.Stdout, c.WaitDelay = filepath.Join(dir, "w"), &out, time.Second
	c.Env = oilsEnv(root, filepath.Join(dir, "bin"), filepath.Join(dir, "tmp"), filepath.Join(dir, "w"))
	if err := c.Run(); err != nil && c.ProcessState == nil {
		t.Error(err)
		return err.Error()
	}
	text := strings.NewReplacer(dir+"/", "/", root, "/oils").Replace(out.String())
	return fmt.Sprintf("%q %d", text, c.ProcessState.ExitCode())
}

func oilsOurs(t *testing.T, root, script string) string {
	m := sandbox.NewMemFS()
	keep := func(name string, text []byte) {
		if err := m.WriteFile(name, text); err != nil {
			t.Error(err)
		}
	}
	tree := &quotaFS{FS: m, used: new(atomic.Int64), limit: -1}
	run := fs.FileMode(0o755)
	for name, text := range oilsHelpers(t) {
		keep("bin_/"+name, text)
		if err := tree.set("bin_/"+name, func(a *attributes) { a.mode = &run }); err != nil {
			t.Error(err)
		}
	}
	keep("w/.keep", nil)
	keep("tmp/.keep", nil)
	for _, name := range []string{"w/.keep", "tmp/.keep"} {
		if err := m.Remove(name); err != nil {
			t.Error(err)
		}
	}
	data := filepath.Join(root, "spec", "testdata")
	err := filepath.WalkDir(data, func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(name)
		rel, _ := filepath.Rel(root, name)
		keep("oils/"+rel, text)
		if info, err := d.Info(); err == nil && info.Mode()&0o111 != 0 {
			tree.set("oils/"+rel, func(a *attributes) { a.mode = &run })
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	if entries, err := os.ReadDir(root); err == nil { // what patterns find in the checkout
		for _, e := range entries {
			if e.IsDir() {
				m.MkdirAll("oils/" + e.Name())
			}
		}
	}
	r, err := runner(t).Run(context.Background(), Script{Text: script, Shell: "bash", Files: tree, Dir: "/w",
		Env: oilsEnv("/oils", "/bin_", "/tmp", "/w"), Limits: sandbox.Limits{Timeout: 20 * time.Second}})
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%q %d", strings.ReplaceAll(string(r.Stdout), "/bin_/", "/bin/"), r.Exit)
}

// oilsHelpers are small commands that the cases call, as scripts: the suite has
// them in Python.
func oilsHelpers(t *testing.T) map[string][]byte {
	files, err := filepath.Glob("testdata/oils/*.py")
	if err != nil || len(files) == 0 {
		t.Error("no helpers", err)
	}
	list := map[string][]byte{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Error(err)
		}
		list[filepath.Base(file)] = text
	}
	return list
}
