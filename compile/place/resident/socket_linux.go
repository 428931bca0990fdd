package resident

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"wb/internal/sha"
)

// Supported is nil where there are residents.
func Supported() error { return nil }

// socketPath is where the resident of this build listens for those who use a
// cache, in a directory that is made if need be and is the user's alone.
func socketPath(cache string) (string, error) {
	build, err := ownBuild()
	if err != nil {
		return "", err
	}
	if cache, err = filepath.Abs(cache); err != nil {
		return "", err
	}
	dir := filepath.Join(cmp.Or(os.Getenv("XDG_RUNTIME_DIR"), cache), "wb-resident")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	if err := ownAlone(dir); err != nil {
		return "", err
	}
	return filepath.Join(dir, sha.Hex(build + "\n" + cache)[:16]), nil
}

// ownAlone refuses a directory that others may enter or that is a link.
func ownAlone(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	if stat, ok := info.Sys().(*syscall.Stat_t); !ok || !info.IsDir() || int(stat.Uid) != os.Geteuid() || info.Mode().Perm()&0o077 != 0 {
		return &fs.PathError{Op: "use", Path: dir, Err: errors.New("it is not a directory of this user's alone")}
	}
	return nil
}

// connect reaches whoever listens at path, if it is this user.
func connect(path string) (*net.UnixConn, error) {
	conn, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: path, Net: "unix"})
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ECONNREFUSED) { // a refusal is of a socket that was left behind
		return nil, ErrNone
	}
	if err != nil {
		return nil, err
	}
	if err := sameUser(conn); err != nil {
		conn.Close()
		return nil, err
	}
	return conn, nil
}

// sameUser refuses another user at the other end.
func sameUser(conn *net.UnixConn) error {
	raw, err := conn.SyscallConn()
	if err != nil {
		return err
	}
	var peer *unix.Ucred
	var failed error
	if err := raw.Control(func(fd uintptr) { peer, failed = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED) }); err != nil {
		return err
	}
	if failed != nil {
		return failed
	}
	if int(peer.Uid) != os.Geteuid() {
		return fmt.Errorf("the other end of the socket is user %d", peer.Uid)
	}
	return nil
}

// The lock beside a socket is held by who makes the socket, and from then on by the
// resident, until it has ended however that happens.
func lock(path string) (*os.File, error) {
	f, err := os.OpenFile(path+".lock", os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err == nil {
			return f, nil
		}
		if err != unix.EINTR {
			f.Close()
			return nil, err
		}
	}
}

// reach connects to a resident that is being started, perhaps by another process. Its
// socket is there a moment before it can be connected to.
func reach(path string) (*net.UnixConn, error) {
	for range 100 {
		if conn, err := connect(path); !errors.Is(err, ErrNone) {
			return conn, err
		}
		time.Sleep(5 * time.Millisecond)
	}
	return nil, ErrNone
}
