//go:build unix

package tier_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"wb/compile"
	"wb/compile/place/remote"
	"wb/compile/place/tier"
	"wb/sandbox"
)

// TestMain is also the main function of children, which are this executable.
func TestMain(m *testing.M) {
	if tier.IsChild(os.Args[1:]) {
		os.Exit(tier.Child(os.Args[1:], os.Stdin, os.Stdout, os.Stderr, func(*compile.Env) (*compile.Registry, error) {
			return compile.NewRegistry(probe{})
		}))
	}
	if len(os.Args) == 3 && os.Args[1] == parentVerb {
		os.Exit(parent(os.Args[2]))
	}
	os.Exit(m.Run())
}

// open is a pool of children whose only lane is the probe.
func open(t *testing.T, change func(*tier.Config)) (*tier.Pool, compile.Runner) {
	t.Helper()
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "toolchains"), 0o755); err != nil {
		t.Fatal(err)
	}
	config := tier.Config{Tier: tier.Process, Principal: t.Name(), Cache: dir}
	if change != nil {
		change(&config)
	}
	pool, err := tier.Open(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := pool.Close(); err != nil {
			t.Error(err)
		}
	})
	return pool, remote.NewRunner(pool, remote.Config{Sessions: true})
}

// do runs a probe.
func do(ctx context.Context, runner compile.Runner, body string, job compile.Job) (string, error) {
	out, err := runner.Execute(ctx, &compile.Program{ID: "it", Lane: probe{}, Job: &job,
		Source: &compile.Source{Lang: "probe", Body: body, Shape: compile.ShapeCommand}})
	if err != nil {
		return "", err
	}
	return string(out.Stdout), nil
}

func mustDo(t *testing.T, runner compile.Runner, body string, job compile.Job) string {
	t.Helper()
	out, err := do(t.Context(), runner, body, job)
	if err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	return out
}

// A child serves one program after the other, until it has served enough.
func TestReuse(t *testing.T) {
	pool, runner := open(t, func(c *tier.Config) { c.Uses = 3 })
	for i := range 5 {
		if out := mustDo(t, runner, "echo", compile.Job{Stdin: fmt.Append(nil, i)}); out != fmt.Sprint(i) {
			t.Errorf("got %q", out)
		}
	}
	if pool.Started() != 2 {
		t.Errorf("%d children for 5 programs at 3 each", pool.Started())
	}
}

// A program's files are the caller's, and so is what it writes.
func TestFiles(t *testing.T) {
	_, runner := open(t, nil)
	tree := sandbox.NewMemFS()
	tree.WriteFile("in.txt", []byte(strings.Repeat("all of it ", 100_000)))
	if out := mustDo(t, runner, "copy", compile.Job{Files: tree}); out != "1000000 bytes" {
		t.Errorf("got %q", out)
	}
	if out, err := tree.ReadFile("out.txt"); err != nil || len(out) != 1_000_000 {
		t.Errorf("out.txt has %d bytes: %v", len(out), err)
	}
}

// signalled runs a program that says when it has started, and then does
// something to its process.
func signalled(t *testing.T, pool *tier.Pool, runner compile.Runner, body string, job compile.Job, act func(pid int)) error {
	t.Helper()
	started := make(chan struct{})
	var once atomic.Bool
	job.Files = &noticing{FS: sandbox.NewMemFS(), notice: func() {
		if once.CompareAndSwap(false, true) {
			close(started)
		}
	}}
	result := make(chan error, 1)
	go func() {
		_, err := do(t.Context(), runner, body, job)
		result <- err
	}()
	select {
	case <-started:
	case err := <-result:
		t.Fatalf("it ended before it began: %v", err)
	}
	for _, pid := range pool.Pids() {
		act(pid)
	}
	return <-result
}

// noticing is a tree that tells when a program looks at it.
type noticing struct {
	sandbox.FS
	notice func()
}

func (n *noticing) Stat(name string) (os.FileInfo, error) {
	n.notice()
	return n.FS.Stat(name)
}

// A child that is killed or crashes fails its program, and no other.
func TestCrash(t *testing.T) {
	pool, runner := open(t, nil)
	for name, end := range map[string]func(int){
		"killed":  func(pid int) { _ = syscall.Kill(pid, syscall.SIGKILL) },
		"segment": func(pid int) { _ = syscall.Kill(pid, syscall.SIGSEGV) },
	} {
		err := signalled(t, pool, runner, "hang", compile.Job{Limits: sandbox.Limits{Timeout: -1}}, end)
		var lost *tier.LostError
		if !errors.As(err, &lost) || lost.Component != "it" || lost.How == "" {
			t.Errorf("%s: %v", name, err)
		}
		if out := mustDo(t, runner, "echo", compile.Job{Stdin: []byte("next")}); out != "next" {
			t.Errorf("%s: the next program gave %q", name, out)
		}
	}
	for body, says := range map[string]string{"panic": "panic: on purpose", "exit": "exit status 9", "babble": "protocol", "silence": "exit status 0"} {
		_, err := do(t.Context(), runner, body, compile.Job{})
		var lost *tier.LostError
		if !errors.As(err, &lost) || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want something with %q", body, err, says)
		}
	}
	if out := mustDo(t, runner, "echo", compile.Job{Stdin: []byte("last")}); out != "last" {
		t.Errorf("the last program gave %q", out)
	}
}

// A child that does not stop at its program's limit is killed.
func TestOverrun(t *testing.T) {
	_, runner := open(t, func(c *tier.Config) { c.Grace = time.Millisecond })
	_, err := do(t.Context(), runner, "hang", compile.Job{Limits: sandbox.Limits{Timeout: 50 * time.Millisecond}})
	var overrun *tier.OverrunError
	var limit *sandbox.LimitError
	if !errors.As(err, &overrun) || overrun.What != "running" || !errors.As(err, &limit) || limit.Kind != sandbox.LimitTime {
		t.Errorf("a program that hangs: %v", err)
	}
	_, impatient := open(t, func(c *tier.Config) { c.BuildTime = 10 * time.Millisecond })
	_, err = do(t.Context(), impatient, "slow build", compile.Job{})
	if !errors.As(err, &overrun) || overrun.What != "building" {
		t.Errorf("a build that hangs: %v", err)
	}
	if out := mustDo(t, runner, "echo", compile.Job{Stdin: []byte("next")}); out != "next" {
		t.Errorf("the next program gave %q", out)
	}
}

func TestMemory(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("resident memory is watched on Linux")
	}
	_, runner := open(t, func(c *tier.Config) { c.Memory = 200 << 20 })
	_, err := do(t.Context(), runner, "eat", compile.Job{Limits: sandbox.Limits{Timeout: -1}})
	var limit *sandbox.LimitError
	if !errors.As(err, &limit) || limit.Kind != sandbox.LimitMemory {
		t.Errorf("got %v", err)
	}
}

// A run that is interrupted ends its children.
func TestCancel(t *testing.T) {
	pool, runner := open(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	files := &noticing{FS: sandbox.NewMemFS(), notice: cancel}
	if _, err := do(ctx, runner, "hang", compile.Job{Files: files, Limits: sandbox.Limits{Timeout: -1}}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if len(pool.Pids()) != 0 {
		t.Errorf("children are left: %v", pool.Pids())
	}
}

// A session lives in one child. When that is gone, so is the session, and the
// next block of it is told instead of starting afresh.
func TestSession(t *testing.T) {
	pool, runner := open(t, func(c *tier.Config) { c.Uses = 2 })
	for want := range 4 {
		if out := mustDo(t, runner, "count", compile.Job{Session: "s"}); out != fmt.Sprint(want+1) {
			t.Errorf("count %d is %s", want+1, out)
		}
		mustDo(t, runner, "echo", compile.Job{})
	}
	if out := mustDo(t, runner, "count", compile.Job{Session: "other"}); out != "1" {
		t.Errorf("another session counts from %s", out)
	}
	pool.CloseSession("other")
	if out := mustDo(t, runner, "count", compile.Job{Session: "other"}); out != "1" {
		t.Errorf("a closed session goes on at %s", out)
	}
	if _, err := do(t.Context(), runner, "panic", compile.Job{Session: "s"}); err == nil {
		t.Error("no error")
	}
	_, err := do(t.Context(), runner, "count", compile.Job{Session: "s"})
	var lost *tier.LostError
	if !errors.As(err, &lost) || !strings.Contains(err.Error(), "session") {
		t.Errorf("after the crash: %v", err)
	}
}

// What a child can see and do, from behind its walls, also where the system has
// no namespaces to give.
func TestWalls(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("these walls are Linux's")
	}
	t.Run("all", func(t *testing.T) { tryWalls(t, 0) })
	t.Run("no users", func(t *testing.T) { tryWalls(t, 1) })
	t.Run("no namespaces", func(t *testing.T) { tryWalls(t, 2) })
}

func tryWalls(t *testing.T, without int) {
	t.Setenv("WB_CANARY", canary)
	t.Setenv("ANTHROPIC_API_KEY", canary)
	outside := filepath.Join(t.TempDir(), "secret.txt")
	if err := os.WriteFile(outside, []byte(canary), 0o600); err != nil {
		t.Fatal(err)
	}
	cache := t.TempDir()
	if err := os.WriteFile(filepath.Join(cache, "shared.txt"), []byte("shared"), 0o644); err != nil {
		t.Fatal(err)
	}
	pool, runner := open(t, func(c *tier.Config) { c.Cache = cache })
	pool.Weaken(without)
	out := mustDo(t, runner, "look", compile.Job{Args: []string{outside, filepath.Join(cache, "shared.txt")}})
	notes := pool.Notes()
	lacks := func(wall string) bool {
		return slices.ContainsFunc(notes, func(n string) bool { return strings.Contains(n, wall) })
	}
	t.Logf("notes %q; it sees %s", notes, out)
	saw := map[string]string{}
	for line := range strings.Lines(out) {
		name, what, _ := strings.Cut(strings.TrimSpace(line), "=")
		saw[name] = what
	}
	if strings.Contains(out, canary) || saw["environ"] != "0" || saw["shared"] != "shared" {
		t.Errorf("environment of %s variables, shared file %q", saw["environ"], saw["shared"])
	}
	refused := func(what, wall string) {
		if !lacks(wall) && saw[what] == "done" {
			t.Errorf("%s was possible", what)
		}
	}
	refused("read outside", "not confined")
	refused("write shared", "not confined")
	refused("write outside", "not confined")
	refused("socket", "not filtered")
	refused("exec", "not filtered")
	refused("connect", "network")
	if !lacks("no namespace") && (saw["uid"] != "65534" || saw["pid"] != "1" || saw["interfaces"] != "0") {
		t.Errorf("user %s, process %s, %s interfaces", saw["uid"], saw["pid"], saw["interfaces"])
	}
	if saw["capabilities"] != "0000000000000000" && saw["capabilities"] != "" {
		t.Errorf("capabilities %s", saw["capabilities"])
	}
	if without == 2 && !lacks("no namespaces") {
		t.Errorf("notes %q", notes)
	}
	if saw["write private"] != "done" {
		t.Errorf("its own directory: %s", saw["write private"])
	}
	for _, pid := range pool.Pids() {
		for _, file := range []string{"environ", "cmdline"} {
			if text, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", pid, file)); err != nil || strings.Contains(string(text), canary) {
				t.Errorf("%s of the child: %v, has the canary: %v", file, err, strings.Contains(string(text), canary))
			}
		}
	}
}

const canary = "sk-canary-0123456789"

// A child does not outlive its parent, however that ends.
func TestParentDies(t *testing.T) {
	child := orphan(t)
	deadline := time.Now().Add(time.Minute)
	for syscall.Kill(child, 0) == nil && !zombie(child) {
		if time.Now().After(deadline) {
			t.Fatalf("child %d lives on", child)
		}
		time.Sleep(10 * time.Millisecond)
	}
}
