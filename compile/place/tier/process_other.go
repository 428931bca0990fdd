//go:build !unix

package tier

import (
	"os"
	"os/exec"
)

// wallSet: this system has a process of its own to offer, and no more.
type wallSet struct{}

func (*wallSet) raise(*exec.Cmd) []string {
	return []string{"this system has no namespaces and no resource limits"}
}

func (*wallSet) weaken(error) bool { return false }

// childEnvironment holds the variables Windows needs to start a program.
func childEnvironment() []string { return []string{"SYSTEMROOT=" + os.Getenv("SYSTEMROOT")} }

func killTree(p *os.Process) { _ = p.Kill() }

func residentMemory(int) (int64, bool) { return 0, false }
