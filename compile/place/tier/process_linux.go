package tier

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"syscall"
)

// wallSet are the walls that the parent puts around a child when it starts it.
// It begins with all, and leaves out what the system refuses.
type wallSet struct {
	mu     sync.Mutex
	step   int
	reason string
}

// wallSteps are sets of namespaces, strongest first. A namespace of users lets
// anyone have the others; root has them without.
var wallSteps = []uintptr{
	syscall.CLONE_NEWUSER | syscall.CLONE_NEWNET | syscall.CLONE_NEWPID | syscall.CLONE_NEWIPC | syscall.CLONE_NEWUTS,
	syscall.CLONE_NEWNET | syscall.CLONE_NEWPID | syscall.CLONE_NEWIPC | syscall.CLONE_NEWUTS,
	0,
}

// nobody is the user that a child is in its own namespace: not root, so that
// starting anew leaves it without capabilities even there.
const nobody = 65534

// raise sets the walls of a command and says which the system does not have.
func (w *wallSet) raise(cmd *exec.Cmd) []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	flags := wallSteps[w.step]
	attr := &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL, Cloneflags: flags}
	if flags&syscall.CLONE_NEWUSER != 0 {
		attr.UidMappings = []syscall.SysProcIDMap{{ContainerID: nobody, HostID: os.Geteuid(), Size: 1}}
		attr.GidMappings = []syscall.SysProcIDMap{{ContainerID: nobody, HostID: os.Getegid(), Size: 1}}
	}
	cmd.SysProcAttr = attr
	switch {
	case flags == 0:
		return []string{"no namespaces: " + w.reason}
	case flags&syscall.CLONE_NEWUSER == 0:
		return []string{"no namespace of users: " + w.reason}
	}
	return nil
}

// weaken leaves out namespaces after a start was refused, and reports whether
// there is less to try.
func (w *wallSet) weaken(err error) bool {
	var refused syscall.Errno
	if !errors.As(err, &refused) {
		return false
	}
	switch refused {
	case syscall.EPERM, syscall.EACCES, syscall.EINVAL, syscall.ENOSPC, syscall.ENOSYS, syscall.EUSERS:
	default:
		return false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.step+1 == len(wallSteps) {
		return false
	}
	w.step++
	w.reason = refused.Error()
	return true
}

// childEnvironment is empty: a child needs nothing, and gets no key.
func childEnvironment() []string { return []string{} }

// killTree ends a child and what may be below it.
func killTree(p *os.Process) {
	_ = syscall.Kill(-p.Pid, syscall.SIGKILL) // its session's group
	_ = p.Kill()
}

// residentMemory is how much memory a process has, in bytes.
func residentMemory(pid int) (int64, bool) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		return 0, false
	}
	fields := bytes.Fields(text)
	if len(fields) < 3 {
		return 0, false
	}
	resident, err := strconv.ParseInt(string(fields[1]), 10, 64)
	if err != nil {
		return 0, false
	}
	shared, err := strconv.ParseInt(string(fields[2]), 10, 64) // files, such as machine code and snapshots
	return (resident - shared) * int64(os.Getpagesize()), err == nil
}
