package tier_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"wb/compile"
)

// What the starter of wb left open, as `exec 9</etc/shadow` does, is closed in
// the child: a file, and a socket that is connected already.
func TestInheritedDescriptors(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret.txt")
	if err := os.WriteFile(secret, []byte(canary), 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(secret)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	pair, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(pair[0])
	if _, err := syscall.Write(pair[0], []byte(canary)); err != nil {
		t.Fatal(err)
	}
	var numbers []string
	for _, fd := range []int{int(file.Fd()), pair[1]} {
		left, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD, 200) // a copy that children inherit
		if err != nil {
			t.Fatal(err)
		}
		defer syscall.Close(left)
		numbers = append(numbers, strconv.Itoa(left))
	}
	syscall.Close(pair[1])
	_, runner := open(t, nil)
	out := mustDo(t, runner, "descriptors", compile.Job{Args: numbers})
	if strings.Contains(out, canary) || strings.Count(out, syscall.EBADF.Error()) != len(numbers) {
		t.Errorf("the child reads\n%s", out)
	}
}
