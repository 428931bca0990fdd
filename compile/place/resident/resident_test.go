//go:build linux

package resident_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"wb/compile"
	"wb/compile/place/frame"
	"wb/compile/place/resident"
	"wb/internal/diag"
)

// The answer is what the lane gives here: artifacts whole, messages with their
// places; what has nothing to do with the source is left to the caller.
func TestAnswers(t *testing.T) {
	_, client := testCache(t, nil)
	want, _ := probe{}.Build(t.Context(), probing("nothing"))
	got, done, err := client.Build(t.Context(), probe{}, probing("nothing"))
	if err != nil || !done || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v, %v; want %+v", got, done, err, want)
	}
	_, wrong := probe{}.Build(t.Context(), probing("wrong"))
	_, done, err = client.Build(t.Context(), probe{}, probing("wrong"))
	if !done || err == nil || err.Error() != wrong.Error() || diag.HintOf(err) != diag.HintOf(wrong) {
		t.Errorf("got %v, %v; want %v", done, err, wrong)
	}
	if art, done, err := client.Build(t.Context(), probe{}, probing("odd")); art != nil || done || err != nil {
		t.Errorf("an error of the machinery: %v, %v, %v", art, done, err)
	}
	if art, done, err := client.Build(t.Context(), other{}, probing("pid")); art != nil || done || err != nil {
		t.Errorf("another version of a lane: %v, %v, %v", art, done, err)
	}
}

// other is a probe of another version.
type other struct{ probe }

func (other) Fingerprint() string { return "probe 2" }

// Processes that come at once share one resident.
func TestOneForAll(t *testing.T) {
	cache, client := testCache(t, nil)
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var all sync.WaitGroup
	answers := make([]string, 6)
	for i := range answers {
		all.Go(func() {
			out, err := exec.Command(exe, askVerb, cache).CombinedOutput()
			answers[i] = fmt.Sprint(string(out), err)
		})
	}
	all.Wait()
	status, err := client.Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, answer := range answers {
		if answer != fmt.Sprintf("%d\n<nil>", status.PID) {
			t.Errorf("got %q, the resident is %d", answer, status.PID)
		}
	}
	if status.Served != len(answers) {
		t.Errorf("served %d", status.Served)
	}
}

// A resident that is killed amid its work leaves it to the caller, and its socket
// does not keep the next one away.
func TestKilled(t *testing.T) {
	cache, client := testCache(t, nil)
	pid := built(t, client, "pid")
	begun := filepath.Join(cache, "it")
	type result struct {
		done bool
		err  error
	}
	results := make(chan result, 1)
	go func() {
		_, done, err := client.Build(context.Background(), probe{}, probing("wait "+begun))
		results <- result{done, err}
	}()
	eventually(t, "the build begins", func() bool { _, err := os.Stat(begun + ".begun"); return err == nil })
	n, _ := strconv.Atoi(pid)
	if err := syscall.Kill(n, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if r := <-results; r.done || r.err != nil {
		t.Errorf("after kill -9: %+v", r)
	}
	if sockets, _ := filepath.Glob(filepath.Join(cache, "wb-resident", "*[^k]")); len(sockets) != 1 {
		t.Errorf("left behind: %v", sockets)
	}
	eventually(t, "another one is started", func() bool {
		art, done, err := client.Build(t.Context(), probe{}, probing("pid"))
		return err == nil && done && art.Script != pid
	})
}

// Who gives up is heard.
func TestCancelled(t *testing.T) {
	cache, client := testCache(t, nil)
	at := filepath.Join(cache, "it")
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		eventually(t, "the build begins", func() bool { _, err := os.Stat(at + ".begun"); return err == nil })
		cancel()
	}()
	if _, done, err := client.Build(ctx, probe{}, probing("wait "+at)); done || err != nil {
		t.Errorf("%v, %v", done, err)
	}
	eventually(t, "the build ends", func() bool { _, err := os.Stat(at + ".ended"); return err == nil })
}

// It ends when nobody asks, when its socket, its caches or too much memory says so,
// and when it is told to; each time the next one can begin.
func TestEnds(t *testing.T) {
	socket := func(cache string) string {
		found, _ := filepath.Glob(filepath.Join(cache, "wb-resident", "*[^k]"))
		return strings.Join(found, " ")
	}
	for name, c := range map[string]struct {
		change func(*resident.Config)
		end    func(cache string, client *resident.Client) error
	}{
		"idle":   {func(c *resident.Config) { c.Idle = 100 * time.Millisecond }, nil},
		"memory": {func(c *resident.Config) { c.Idle, c.Memory = 10*time.Second, 1 }, nil},
		"told":   {nil, func(_ string, client *resident.Client) error { return client.End(context.Background()) }},
	} {
		t.Run(name, func(t *testing.T) {
			cache, client := testCache(t, c.change)
			pid := built(t, client, "pid")
			if c.end != nil {
				if err := c.end(cache, client); err != nil {
					t.Fatal(err)
				}
			}
			gone(t, client)
			n, _ := strconv.Atoi(pid)
			eventually(t, "its process ends", func() bool { return syscall.Kill(n, 0) != nil })
			if left := socket(cache); left != "" {
				t.Errorf("left behind: %s", left)
			}
			eventually(t, "another begins", func() bool {
				art, done, _ := client.Build(t.Context(), probe{}, probing("pid"))
				return done && art.Script != pid
			})
		})
	}
	t.Run("socket", func(t *testing.T) {
		cache, client := testCache(t, func(c *resident.Config) { c.Idle = time.Second }) // looks around four times a second
		pid, _ := strconv.Atoi(built(t, client, "pid"))
		if err := os.Remove(socket(cache)); err != nil {
			t.Fatal(err)
		}
		eventually(t, "its process ends", func() bool { return syscall.Kill(pid, 0) != nil })
	})
}

// What a resident has around it: no files but the caches, nothing to start or to
// connect to, no environment and no descriptor of who started it.
func TestWalls(t *testing.T) {
	t.Setenv("SECRET", "canary")
	left, err := unix.FcntlInt(os.Stdout.Fd(), unix.F_DUPFD, 200) // a copy that children inherit
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(left)
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte("canary"), 0o600); err != nil {
		t.Fatal(err)
	}
	cache, client := testCache(t, nil)
	if out := built(t, client, "environment"); out != "" {
		t.Errorf("its environment is %q", out)
	}
	for body, want := range map[string]string{
		"connect " + filepath.Join(cache, "x"): "operation not permitted",
		"start /bin/true":                      "operation not permitted",
		fmt.Sprint("descriptor ", left):        "bad file descriptor",
		"read " + secret:                       "permission denied",
	} {
		if out := built(t, client, body); !strings.Contains(out, want) {
			status, _ := client.Status(t.Context())
			if status != nil && len(status.Notes) > 0 {
				t.Logf("this system lacks walls: %s", status.Notes)
				continue
			}
			t.Errorf("%s: %q, want %q", body, out, want)
		}
	}
}

// impostor listens where the resident would, and greets so.
func impostor(t *testing.T, hello string, listening func(*net.UnixListener)) (*resident.Client, func() int) {
	t.Helper()
	cache, client := testCache(t, nil)
	built(t, client, "pid")
	found, _ := filepath.Glob(filepath.Join(cache, "wb-resident", "*[^k]"))
	if err := client.End(t.Context()); err != nil || len(found) != 1 {
		t.Fatal(found, err)
	}
	gone(t, client)
	eventually(t, "the lock is free", func() bool {
		f, err := os.Open(found[0] + ".lock")
		if err != nil {
			return true
		}
		defer f.Close()
		return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) == nil
	})
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: found[0], Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	if listening != nil {
		listening(l)
	}
	var mu sync.Mutex
	heard := 0
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			_ = frame.NewWriter(conn).Write(frame.Frame{Kind: 'R', Payload: []byte(hello)})
			n, _ := conn.Read(make([]byte, 1))
			mu.Lock()
			heard += n
			mu.Unlock()
			conn.Close()
		}
	}()
	return client, func() int { mu.Lock(); defer mu.Unlock(); return heard }
}

// A resident of another build or version, or that speaks nonsense, is told nothing.
func TestOtherVersion(t *testing.T) {
	for _, hello := range []string{`{"protocol":1,"build":"another"}`, `{"protocol":99}`, "nonsense"} {
		client, heard := impostor(t, hello, nil)
		if art, done, err := client.Build(t.Context(), probe{}, probing("pid")); art != nil || done || err != nil {
			t.Errorf("%s: %v, %v, %v", hello, art, done, err)
		}
		if heard() > 0 {
			t.Errorf("%s: it was told something", hello)
		}
	}
}

// Another user's socket is not spoken to, and neither is one in a directory that
// others may enter.
func TestOtherUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can be another user")
	}
	client, heard := impostor(t, "{}", func(l *net.UnixListener) {
		// Who listened last is who the socket belongs to, and users are of threads.
		raw, err := l.SyscallConn()
		if err != nil {
			t.Fatal(err)
		}
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		const keep, nobody = ^uintptr(0), 65534
		as := func(user uintptr) {
			if _, _, errno := syscall.RawSyscall(syscall.SYS_SETRESUID, keep, user, keep); errno != 0 {
				t.Fatal(errno)
			}
		}
		as(nobody)
		defer as(0)
		if err := raw.Control(func(fd uintptr) { err = unix.Listen(int(fd), 8) }); err != nil {
			t.Fatal(err)
		}
	})
	if _, err := client.Status(t.Context()); err == nil || !strings.Contains(err.Error(), "user 65534") {
		t.Errorf("another user's: %v", err)
	}
	if _, done, err := client.Build(t.Context(), probe{}, probing("pid")); done || err != nil || heard() > 0 {
		t.Errorf("%v, %v, heard %d", done, err, heard())
	}

	cache, client := testCache(t, nil)
	dir := filepath.Join(cache, "wb-resident")
	built(t, client, "pid")
	for _, spoil := range []func() error{func() error { return os.Chown(dir, 65534, 0) }, func() error { return os.Chmod(dir, 0o755) }} {
		if err := spoil(); err != nil {
			t.Fatal(err)
		}
		if _, done, err := client.Build(t.Context(), probe{}, probing("pid")); done || err != nil {
			t.Errorf("in a directory of others: %v, %v", done, err)
		}
		if err := errors.Join(os.Chown(dir, 0, 0), os.Chmod(dir, 0o700)); err != nil {
			t.Fatal(err)
		}
	}
	built(t, client, "pid")
}

// Who decides: the variable, else CI and tests do without.
func TestFromEnvironment(t *testing.T) {
	for _, c := range []struct {
		wish, ci string
		off      bool
		idle     time.Duration
	}{
		{"off", "", true, 0}, {"0", "", true, 0}, {"soon", "", true, 0}, {"-1s", "", true, 0}, {"", "true", true, 0}, {"", "", true, 0},
		{"on", "", false, 0}, {"on", "true", false, 0}, {"30s", "", false, 30 * time.Second},
	} {
		t.Setenv(resident.Variable, c.wish)
		t.Setenv("CI", c.ci)
		config, err := resident.FromEnvironment("/cache")
		if off := (*resident.OffError)(nil); errors.As(err, &off) != c.off || config.Idle != c.idle {
			t.Errorf("%+v: %+v, %v", c, config, err)
		}
	}
}

var _ compile.Builder = (*resident.Client)(nil)
