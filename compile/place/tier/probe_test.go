//go:build unix

package tier_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"wb/compile"
	"wb/compile/place/remote"
	"wb/compile/place/tier"
	"wb/sandbox"
)

// probe is a language whose blocks name things that Go code does in the child:
// what a guest could do once it had broken out.
type probe struct{}

func (probe) Info() compile.Info {
	return compile.Info{Name: "probe", Shapes: []compile.Shape{compile.ShapeCommand}}
}
func (probe) Fingerprint() string { return "probe/1" }

func (probe) Build(ctx context.Context, src *compile.Source) (*compile.Artifact, error) {
	if src.Body == "slow build" {
		time.Sleep(time.Hour)
	}
	return &compile.Artifact{Script: src.Body}, nil
}

// counters are the sessions of a child.
var counters = map[string]int{}

func (probe) Run(ctx context.Context, art *compile.Artifact, job *compile.Job) (*compile.Outcome, error) {
	say := func(text string) (*compile.Outcome, error) { return &compile.Outcome{Stdout: []byte(text)}, nil }
	switch art.Script {
	case "echo":
		return say(string(job.Stdin))
	case "count":
		counters[job.Session]++
		return say(fmt.Sprint(counters[job.Session]))
	case "copy":
		data, err := sandbox.ReadFile(job.Files, "in.txt")
		if err != nil {
			return nil, err
		}
		out, _ := say(fmt.Sprintf("%d bytes", len(data)))
		return out, sandbox.WriteFile(job.Files, "out.txt", data)
	case "ask": // the dock, with a frame that a guest has written
		return say(string(job.Dock.Serve(ctx, job.Stdin)))
	case "hang":
		if job.Files != nil {
			_, _ = job.Files.Stat("started")
		}
		time.Sleep(time.Hour)
	case "eat":
		var all [][]byte
		for range 1000 {
			block := make([]byte, 10<<20)
			for i := range block {
				block[i] = byte(i)
			}
			all = append(all, block)
			time.Sleep(5 * time.Millisecond)
		}
		return say(fmt.Sprint(len(all)))
	case "panic":
		panic("on purpose")
	case "exit":
		os.Exit(9)
	case "silence":
		os.Exit(0)
	case "babble":
		os.Stdout.WriteString("this is not a frame, though it looks like nothing else either")
		time.Sleep(time.Hour)
	case "descriptors":
		return say(descriptors(job.Args))
	case "look":
		return say(look(job.Args[0], job.Args[1]))
	}
	return nil, errors.New("no such probe")
}

// descriptors reads from numbers of descriptors, a line each.
func descriptors(numbers []string) string {
	var b strings.Builder
	for _, number := range numbers {
		fd, err := strconv.Atoi(number)
		n, some := 0, make([]byte, 64)
		if err == nil {
			n, err = syscall.Read(fd, some)
		}
		fmt.Fprintf(&b, "%d %q %v\n", fd, some[:max(0, n)], err)
	}
	return b.String()
}

// look tries what a child must not do.
func look(outside, shared string) string {
	var b strings.Builder
	tell := func(what string, err error) {
		text := "done"
		if err != nil {
			text = err.Error()
		}
		fmt.Fprintf(&b, "%s=%s\n", what, text)
	}
	fmt.Fprintf(&b, "environ=%d\nuid=%d\npid=%d\n", len(os.Environ()), os.Getuid(), os.Getpid())
	fmt.Fprintf(&b, "capabilities=%s\n", capabilities())
	text, _ := os.ReadFile(shared)
	fmt.Fprintf(&b, "shared=%s\n", text)
	_, err := os.ReadFile(outside)
	tell("read outside", err)
	tell("write outside", os.WriteFile(filepath.Join(filepath.Dir(outside), "new"), nil, 0o644))
	tell("write shared", os.WriteFile(shared+".new", nil, 0o644))
	tell("write private", os.WriteFile("mine", nil, 0o644))
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_DGRAM, 0)
	if err == nil {
		syscall.Close(fd)
	}
	tell("socket", err)
	_, err = net.DialTimeout("tcp", "127.0.0.1:1", time.Second)
	if errors.Is(err, syscall.ECONNREFUSED) {
		err = nil // it could have been
	}
	tell("connect", err)
	tell("exec", exec.Command("/bin/true").Run())
	up := 0
	if list, err := net.Interfaces(); err == nil {
		for _, i := range list {
			if i.Flags&net.FlagUp != 0 {
				up++
			}
		}
	}
	fmt.Fprintf(&b, "interfaces=%d\n", up)
	return b.String()
}

// parentVerb makes a process that has a child and waits.
const parentVerb = "tier-test-parent"

func parent(cache string) int {
	pool, err := tier.Open(context.Background(), tier.Config{Tier: tier.Process, Principal: "parent", Cache: cache})
	if err != nil {
		fmt.Println(err)
		return 1
	}
	runner := remote.NewRunner(pool, remote.Config{})
	if _, err := do(context.Background(), runner, "echo", compile.Job{}); err != nil {
		fmt.Println(err)
		return 1
	}
	fmt.Println(pool.Pids()[0])
	time.Sleep(time.Hour)
	return 0
}

// orphan kills the parent of a child and returns the child.
func orphan(t *testing.T) int {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, parentVerb, t.TempDir())
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, _ := bufio.NewReader(out).ReadString('\n')
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatalf("the parent says %q", line)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	return pid
}

// zombie reports whether a process has ended and nobody has asked how.
func zombie(pid int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, rest, _ := strings.Cut(string(text), ") ")
	return strings.HasPrefix(rest, "Z")
}
