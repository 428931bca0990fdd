package walls

import (
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// limits of a child, hard ones. Address space is none of them: the sandbox
// reserves gigabytes of it that nobody touches; and neither is data, which
// counts the same. What a child really uses is watched from outside.
var rlimits = []struct {
	resource int
	most     uint64
}{
	{unix.RLIMIT_CORE, 0},
	{unix.RLIMIT_NOFILE, 4096},
	{unix.RLIMIT_FSIZE, 4 << 30}, // snapshots of language VMs, which are sparse
	{unix.RLIMIT_CPU, 3600},
	{unix.RLIMIT_MEMLOCK, 0},
	{unix.RLIMIT_MSGQUEUE, 0},
}

// Restart puts up the walls a process builds around itself, and starts its
// executable again behind them: Landlock holds the thread that asks and what it
// starts, and the runtime already has other threads. It returns only when that
// cannot be.
func Restart(fence Fence) ([]string, error) {
	runtime.LockOSThread()
	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	if err := closeInherited(fence.Keep); err != nil {
		return nil, err
	}
	notes := setLimits()
	dropCapabilities()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		notes = append(notes, "it may gain privileges: "+err.Error())
	}
	if err := os.Chdir(fence.Dir); err != nil {
		return nil, err
	}
	if err := landlock(exe, fence); err != nil {
		notes = append(notes, "files are not fenced: "+err.Error())
	}
	args := append([]string{os.Args[0]}, fence.Args(notes)...)
	err = syscall.Exec(exe, args, []string{})
	return nil, fmt.Errorf("starting anew behind the walls: %w", err)
}

// closeInherited makes the start anew close every descriptor but the first three
// and those to keep. No wall holds what is open already: a file that the user's shell
// left open could be read behind Landlock, a connected socket written to.
func closeInherited(keep []int) error {
	const first = 3
	if err := closeFrom(first); err != nil {
		return err
	}
	for _, fd := range keep {
		if _, err := unix.FcntlInt(uintptr(fd), unix.F_SETFD, 0); err != nil {
			return err
		}
	}
	return nil
}

func closeFrom(first int) error {
	if unix.CloseRange(uint(first), math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC) == nil {
		return nil
	}
	open, err := os.ReadDir("/proc/self/fd") // before Linux 5.11
	if err != nil {
		return fmt.Errorf("other open descriptors cannot be closed: %w", err)
	}
	for _, entry := range open {
		if fd, err := strconv.Atoi(entry.Name()); err == nil && fd >= first {
			unix.CloseOnExec(fd)
		}
	}
	return nil
}

// dropCapabilities makes root a user like others from the next start on: nothing
// that this thread starts can have a capability. Others have none to drop.
func dropCapabilities() {
	const last = 63
	for capability := uintptr(0); capability <= last; capability++ {
		_ = unix.Prctl(unix.PR_CAPBSET_DROP, capability, 0, 0, 0) // most do not exist
	}
}

func setLimits() []string {
	limits := rlimits
	var notes []string
	for _, l := range limits {
		var now unix.Rlimit
		if err := unix.Getrlimit(l.resource, &now); err == nil && now.Max < l.most {
			l.most = now.Max
		}
		if err := unix.Setrlimit(l.resource, &unix.Rlimit{Cur: l.most, Max: l.most}); err != nil {
			notes = append(notes, fmt.Sprintf("resource limit %d is not set: %v", l.resource, err))
		}
	}
	return notes
}

// Seal shuts what a child does not need once it runs, but for the system calls
// that are allowed.
func Seal(allowed ...uint32) []string {
	var notes []string
	if err := filterCalls(allowed); err != nil {
		notes = append(notes, "system calls are not filtered: "+err.Error())
	}
	if interfaces := speaks(); interfaces != "" {
		notes = append(notes, "the network is not cut off"+interfaces)
	}
	return notes
}

// speaks says that the process has network interfaces besides a dead loopback,
// "" when it has none. The filter refuses sockets all the same.
func speaks() string {
	text, err := os.ReadFile("/proc/self/net/dev")
	if err != nil {
		return "" // behind Landlock there is no /proc; the filter stands
	}
	for line := range strings.Lines(string(text)) {
		if name, _, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) != "lo" {
			return ": interface " + strings.TrimSpace(name)
		}
	}
	return ""
}

var errNoLandlock = errors.New("this kernel has no Landlock")
