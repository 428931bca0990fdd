//go:build unix && !linux

package tier

import (
	"os"
	"os/exec"
	"syscall"
)

// wallSet: this system has a session of its own to offer, and no more.
type wallSet struct{}

func (*wallSet) raise(cmd *exec.Cmd) []string {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return []string{"this system has no namespaces"}
}

func (*wallSet) weaken(error) bool { return false }

func childEnvironment() []string { return []string{} }

func killTree(p *os.Process) {
	_ = syscall.Kill(-p.Pid, syscall.SIGKILL)
	_ = p.Kill()
}

func residentMemory(int) (int64, bool) { return 0, false }
