package resident

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// childVerb is the first argument of a resident. It is no verb for people.
const childVerb = "resident-child"

// launch starts a resident that listens at path, unless another one is about to.
// The new process has a session of its own, no environment, and three descriptors:
// the socket, the lock, and nothing to write to.
func launch(path string, config Config) error {
	held, err := lock(path)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return nil
	}
	if err != nil {
		return err
	}
	defer held.Close()
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) { // left behind by one that was killed
		return err
	}
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return err
	}
	defer listener.Close()
	listener.SetUnlinkOnClose(false)
	socket, err := listener.File()
	if err != nil {
		return err
	}
	defer socket.Close()
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	cache, err := filepath.Abs(config.Cache)
	if err != nil {
		return err
	}
	cmd := exec.Command(exe)
	cmd.Args = []string{"wb", childVerb, cache, path, config.Idle.String(), strconv.FormatInt(config.Memory, 10)}
	cmd.Env, cmd.Dir = []string{}, "/"
	cmd.Stdin, cmd.Stdout = socket, held
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return errors.Join(err, os.Remove(path))
	}
	go func() { _ = cmd.Wait() }() // who started it may live longer
	return nil
}
