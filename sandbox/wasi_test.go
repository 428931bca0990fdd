package sandbox

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// rig drives a guest that does nothing but pass on system calls. It lays out
// the guest's memory as: results at 0, vectors at 64, names at 1024 and 2048,
// data from 4096 on.
type rig struct {
	t  testing.TB
	in *Instance
}

const (
	rigResult = 0
	rigVector = 64
	rigName   = 1024
	rigName2  = 2048
	rigData   = 4096
)

func newRig(t testing.TB, e *Engine, c Command) *rig {
	return &rig{t, testInstance(t, e, "syscalls", c)}
}

// call makes a system call and returns its errno.
func (r *rig) call(name string, args ...uint64) errno {
	r.t.Helper()
	got, err := r.in.Call(r.t.Context(), name, args...)
	if err != nil {
		r.t.Fatalf("%s: %v", name, err)
	}
	return errno(got[0])
}

// want fails the test unless a system call has the given result.
func (r *rig) want(e errno, name string, args ...uint64) {
	r.t.Helper()
	if got := r.call(name, args...); got != e {
		r.t.Errorf("%s%v: errno %d, want %d", name, args, got, e)
	}
}

func (r *rig) u32(at uint32) uint32 {
	v, _ := r.in.Memory().ReadU32(at)
	return v
}

func (r *rig) u64(at uint32) uint64 {
	v, _ := r.in.Memory().ReadU64(at)
	return v
}

// name puts a path into memory and returns it as pointer and length.
func (r *rig) name(at uint64, s string) (uint64, uint64) {
	r.in.Memory().WriteString(uint32(at), s)
	return at, uint64(len(s))
}

// open opens a path below the root.
func (r *rig) open(path string, oflags, rights uint64) (uint64, errno) {
	r.t.Helper()
	p, n := r.name(rigName, path)
	e := r.call("path_open", 3, lookupFollow, p, n, oflags, rights, rights, 0, rigResult)
	return uint64(r.u32(rigResult)), e
}

func (r *rig) write(fd uint64, data string) (int, errno) {
	r.in.Memory().WriteU32(rigVector, rigData)
	r.in.Memory().WriteU32(rigVector+4, uint32(len(data)))
	r.in.Memory().WriteString(rigData, data)
	e := r.call("fd_write", fd, rigVector, 1, rigResult)
	return int(r.u32(rigResult)), e
}

func (r *rig) read(fd uint64, n uint32) (string, errno) {
	r.in.Memory().WriteU32(rigVector, rigData)
	r.in.Memory().WriteU32(rigVector+4, n)
	e := r.call("fd_read", fd, rigVector, 1, rigResult)
	b, _ := r.in.Memory().Read(rigData, r.u32(rigResult))
	return string(b), e
}

// readFile reads a file by the system calls a C library makes.
func (r *rig) readFile(path string) (string, errno) {
	fd, e := r.open(path, 0, rightRead)
	if e != 0 {
		return "", e
	}
	defer r.call("fd_close", fd)
	return r.read(fd, 65536)
}

// list reads a directory through a buffer of the given size.
func (r *rig) list(path string, size uint64) []string {
	fd, e := r.open(path, oflagDirectory, 0)
	if e != 0 {
		r.t.Fatalf("open %s: %d", path, e)
	}
	defer r.call("fd_close", fd)
	var names []string
	for cookie := uint64(0); ; {
		r.want(0, "fd_readdir", fd, rigData, size, cookie, rigResult)
		used := r.u32(rigResult)
		buf, _ := r.in.Memory().Read(rigData, used)
		for len(buf) >= 24 {
			n := int(binary.LittleEndian.Uint32(buf[16:]))
			if len(buf) < 24+n {
				break
			}
			cookie = binary.LittleEndian.Uint64(buf)
			names = append(names, string(buf[24:24+n]))
			buf = buf[24+n:]
		}
		if uint64(used) < size {
			return names
		}
	}
}

func memFS(t testing.TB, files map[string]string) *MemFS {
	m := NewMemFS()
	for name, data := range files {
		if err := m.WriteFile(name, []byte(data)); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

func TestFiles(t *testing.T) {
	e := testEngine(t)
	files := memFS(t, map[string]string{"a.txt": "alpha", "dir/b.txt": "beta"})
	r := newRig(t, e, Command{Files: files})

	if got, e := r.readFile("dir/../a.txt"); got != "alpha" || e != 0 {
		t.Errorf("read %q, %d", got, e)
	}
	fd, errno := r.open("new.txt", oflagCreate|oflagExcl, rightRead|rightWrite)
	if errno != 0 {
		t.Fatal(errno)
	}
	if n, e := r.write(fd, "hello, world"); n != 12 || e != 0 {
		t.Errorf("wrote %d, %d", n, e)
	}
	r.want(0, "fd_seek", fd, 7, 0, rigResult)
	if got, e := r.read(fd, 100); got != "world" || e != 0 {
		t.Errorf("read %q, %d", got, e)
	}
	r.want(0, "fd_filestat_set_size", fd, 5)
	r.want(errnoInval, "fd_seek", fd, ^uint64(0), 0, rigResult)
	r.want(0, "fd_seek", fd, 0, 2, rigResult)
	if r.u64(rigResult) != 5 {
		t.Errorf("end at %d", r.u64(rigResult))
	}
	r.want(0, "fd_close", fd)
	r.want(errnoBadf, "fd_close", fd)
	if b, err := files.ReadFile("new.txt"); string(b) != "hello" || err != nil {
		t.Errorf("host reads %q, %v", b, err)
	}

	p, n := r.name(rigName, "dir/new.txt")
	q, m := r.name(rigName2, "new.txt")
	r.want(0, "path_rename", 3, q, m, 3, p, n)
	r.want(errnoNoent, "path_unlink_file", 3, q, m)
	r.want(errnoIsdir, "path_unlink_file", 3, p, 3)
	r.want(errnoNotempty, "path_remove_directory", 3, p, 3)
	r.want(0, "path_unlink_file", 3, p, n)
	for _, size := range []uint64{4096, 30} { // in one go, and a name at a time
		if got := r.list("dir", size); !slices.Equal(got, []string{".", "..", "b.txt"}) {
			t.Errorf("listing by %d: %v", size, got)
		}
	}
	if _, e := r.open("a.txt/", 0, rightRead); e != errnoNotdir {
		t.Errorf("file as directory: %d", e)
	}
	if _, e := r.open("dir", oflagCreate, rightWrite); e != errnoIsdir {
		t.Errorf("directory as file: %d", e)
	}
	fd, _ = r.open("a.txt", 0, rightRead)
	if _, e := r.write(fd, "x"); e != errnoBadf {
		t.Errorf("write to what was opened for reading: %d", e)
	}
}

// A guest given a directory of the host cannot leave it, in any of the ways
// that have been found in practice.
func TestNoEscape(t *testing.T) {
	e := testEngine(t)
	outside := t.TempDir()
	secret := filepath.Join(outside, "secret")
	if err := os.WriteFile(secret, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, writable := range map[string]bool{"read-only": false, "overlay": false, "writable": true} {
		t.Run(name, func(t *testing.T) {
			inside := t.TempDir()
			rel, err := filepath.Rel(inside, secret)
			if err != nil {
				t.Fatal(err)
			}
			must := func(err error) {
				if err != nil {
					t.Skipf("cannot set up: %v", err)
				}
			}
			must(os.WriteFile(filepath.Join(inside, "ok"), []byte("fine"), 0o600))
			must(os.Mkdir(filepath.Join(inside, "sub"), 0o700))
			must(os.Symlink(rel, filepath.Join(inside, "relative")))
			must(os.Symlink(secret, filepath.Join(inside, "absolute")))
			must(os.Symlink(filepath.Dir(rel), filepath.Join(inside, "dirlink")))
			must(os.Symlink("relative", filepath.Join(inside, "twice")))
			must(os.Symlink("../ok", filepath.Join(inside, "sub", "inner")))
			must(os.Symlink("loop", filepath.Join(inside, "loop")))
			must(os.Symlink("/dev/zero", filepath.Join(inside, "device")))
			dir, err := HostDir(inside)
			if err != nil {
				t.Fatal(err)
			}
			defer dir.Close()
			var tree FS = dir
			switch name {
			case "read-only":
				tree = ReadOnly(dir)
			case "overlay":
				tree = Overlay(dir)
			}
			r := newRig(t, e, Command{Files: tree})

			if got, e := r.readFile("ok"); got != "fine" || e != 0 {
				t.Errorf("own file: %q, %d", got, e)
			}
			if got, e := r.readFile("sub/inner"); got != "fine" || e != 0 {
				t.Errorf("link that stays inside: %q, %d", got, e)
			}
			up := strings.Repeat("../", 20)
			for _, path := range []string{
				"relative", "absolute", "dirlink/secret", "twice", "loop", "device",
				rel, up + secret[1:], "sub/" + up + secret[1:], secret, "/etc/passwd", up + "etc/passwd",
				"sub/../../" + filepath.Base(outside) + "/secret", ".//..//../" + rel,
				"dev/zero", "proc/self/root" + secret, "proc/self/environ", "\x00/etc/passwd", "ok\x00", "..", "../", ".",
			} {
				for _, rights := range []uint64{rightRead, rightRead | rightWrite} {
					fd, e := r.open(path, 0, rights)
					if e != 0 {
						continue
					}
					if got, e := r.read(fd, 100); e == 0 {
						t.Errorf("opened %q and read %q", path, got)
					}
					r.call("fd_close", fd)
				}
				if fd, e := r.open(path, oflagCreate|oflagTrunc, rightWrite); e == 0 {
					r.write(fd, "owned")
					r.call("fd_close", fd)
				}
				p, n := r.name(rigName, path)
				r.call("path_unlink_file", 3, p, n)
				q, m := r.name(rigName2, "stolen")
				r.call("path_rename", 3, p, n, 3, q, m)
				r.call("path_filestat_get", 3, 1, p, n, rigData)
			}
			// A link can be made in memory only, and leads nowhere outside.
			for _, target := range []string{rel, secret, "relative", "dirlink/secret", up + secret[1:]} {
				p, n := r.name(rigName, target)
				q, m := r.name(rigName2, "mine")
				r.want(map[string]errno{"read-only": errnoRofs, "writable": errnoNotsup}[name], "path_symlink", p, n, 3, q, m)
				if got, e := r.readFile("mine"); e == 0 {
					t.Errorf("a link to %q led to %q", target, got)
				}
				r.call("path_unlink_file", 3, q, m)
				if r.call("path_link", 3, 0, p, n, 3, q, m) == 0 {
					t.Errorf("%q was given a second name", target)
				}
			}
			// Descriptors the guest was not given do not exist.
			for fd := uint64(4); fd < 4100; fd += 7 {
				r.want(errnoBadf, "fd_fdstat_get", fd, rigData)
			}
			r.want(errnoBadf, "fd_fdstat_get", 1<<32-1, rigData)

			if b, err := os.ReadFile(secret); string(b) != "secret" || err != nil {
				t.Errorf("the secret is now %q, %v", b, err)
			}
			if list, _ := os.ReadDir(outside); len(list) != 1 {
				t.Errorf("outside now has %v", list)
			}
			if b, err := os.ReadFile(filepath.Join(inside, "ok")); !writable && (string(b) != "fine" || err != nil) {
				t.Errorf("a tree that is not writable was written to: %q, %v", b, err)
			}
		})
	}
}

// Two runs see the same time, the same random numbers and the same order of
// files, unless they were granted otherwise.
func TestDeterminism(t *testing.T) {
	e := testEngine(t)
	observe := func(c Command) string {
		c.Files = memFS(t, map[string]string{"z": "", "a": "", "m/x": "", "B": ""})
		r := newRig(t, e, c)
		var b strings.Builder
		for _, clock := range []uint64{clockRealtime, clockMonotonic, clockProcess, clockThread} {
			r.want(0, "clock_time_get", clock, 0, rigResult)
			fmt.Fprintln(&b, r.u64(rigResult))
		}
		r.want(0, "random_get", rigData, 32)
		random, _ := r.in.Memory().Read(rigData, 32)
		fmt.Fprintf(&b, "%x\n", random)
		fmt.Fprintln(&b, r.list(".", 4096))
		p, n := r.name(rigName, "a")
		r.want(0, "path_filestat_get", 3, 0, p, n, rigData)
		stat, _ := r.in.Memory().Read(rigData, 64)
		fmt.Fprintf(&b, "%x %d", stat, r.in.Usage().Fuel)
		return b.String()
	}
	first := observe(Command{})
	if second := observe(Command{}); second != first {
		t.Errorf("two runs differ:\n%s\n%s", first, second)
	}
	for name, c := range map[string]Command{
		"seed": {Seed: 1}, "clock": {Caps: Caps{Clock: true}}, "random": {Caps: Caps{Random: true}},
	} {
		if observe(c) == first {
			t.Errorf("%s makes no difference", name)
		}
	}
}

// Virtual time passes: by looking at it, by working, and by sleeping.
func TestVirtualTime(t *testing.T) {
	e := testEngine(t)
	r := newRig(t, e, Command{})
	now := func() time.Duration {
		r.want(0, "clock_time_get", clockMonotonic, 0, rigResult)
		return time.Duration(r.u64(rigResult))
	}
	a, b := now(), now()
	if b <= a {
		t.Errorf("time stands still: %v, %v", a, b)
	}
	r.sleep(clockMonotonic, time.Hour, 0)
	c := now()
	if c < b+time.Hour {
		t.Errorf("slept an hour from %v to %v", b, c)
	}
	r.sleep(clockMonotonic, c+time.Minute, pollAbsolute)
	if d := now(); d < c+time.Minute {
		t.Errorf("slept until %v, woke at %v", c+time.Minute, d)
	}
	r.want(0, "clock_time_get", clockRealtime, 0, rigResult)
	if got := time.Unix(0, int64(r.u64(rigResult))).UTC(); got.Sub(epoch) < time.Hour || got.Sub(epoch) > 2*time.Hour {
		t.Errorf("it is %v", got)
	}
}

// sleep waits on one clock with poll_oneoff.
func (r *rig) sleep(clock uint32, d time.Duration, flags uint32) {
	r.t.Helper()
	mem := r.in.Memory()
	sub, _ := mem.Read(rigData, subscriptionSize)
	clear(sub)
	mem.WriteU64(rigData, 0x1234)
	mem.WriteU32(rigData+16, clock)
	mem.WriteU64(rigData+24, uint64(d))
	mem.WriteU32(rigData+40, flags)
	r.want(0, "poll_oneoff", rigData, rigData+64, 1, rigResult)
	if n, user := r.u32(rigResult), r.u64(rigData+64); n != 1 || user != 0x1234 {
		r.t.Errorf("poll: %d events, user data %#x", n, user)
	}
}

// With the clock granted, sleeping takes real time and ends with the run.
func TestRealSleepEndsWithTheRun(t *testing.T) {
	e := testEngine(t)
	r := newRig(t, e, Command{Caps: Caps{Clock: true}, Limits: Limits{Timeout: 20 * time.Millisecond}})
	mem := r.in.Memory()
	mem.WriteU32(rigData+16, clockMonotonic)
	mem.WriteU64(rigData+24, uint64(time.Hour))
	if _, err := r.in.Call(t.Context(), "poll_oneoff", rigData, rigData+64, 1, rigResult); limitOf(err) != LimitTime {
		t.Errorf("sleep ended with %v", err)
	}
}

func TestFileQuota(t *testing.T) {
	e := testEngine(t)
	tree := memFS(t, map[string]string{"old": strings.Repeat("x", 1<<16)})
	r := newRig(t, e, Command{Files: tree, Limits: Limits{Files: 64 << 10}})
	fd, _ := r.open("f", oflagCreate, rightRead|rightWrite)
	block := strings.Repeat("y", 16<<10)
	for i := range 3 {
		if n, e := r.write(fd, block); n != len(block) || e != 0 {
			t.Fatalf("block %d: %d, errno %d", i, n, e)
		}
	}
	if _, e := r.write(fd, block); e != errnoNospc {
		t.Errorf("above the quota: errno %d", e)
	}
	r.want(errnoNospc, "fd_filestat_set_size", fd, 1<<30)
	r.want(errnoNospc, "fd_allocate", fd, 0, 1<<30)
	r.want(errnoFbig, "fd_filestat_set_size", fd, 1<<60)
	// Overwriting costs nothing, and what is given up can be used again.
	old, _ := r.open("old", 0, rightWrite)
	if _, e := r.write(old, block); e != 0 {
		t.Errorf("overwriting: errno %d", e)
	}
	r.want(0, "fd_filestat_set_size", fd, 0)
	r.want(0, "fd_seek", fd, 0, 0, rigResult)
	if _, e := r.write(fd, block); e != 0 {
		t.Errorf("after truncation: errno %d", e)
	}
	// Empty files are not free.
	made := 0
	for ; made < 1000; made++ {
		fd, e := r.open(fmt.Sprint("empty", made), oflagCreate, rightWrite)
		if e != 0 {
			break
		}
		r.call("fd_close", fd)
	}
	if made == 1000 {
		t.Error("a thousand empty files fit into 64 KiB")
	}
	// A program that fails then failed for lack of room.
	if err := r.in.verdict(); limitOf(err) != LimitFiles || err.Error() != "files limit 64 KiB exceeded" {
		t.Errorf("verdict %v", err)
	}
}

func TestDescriptorLimit(t *testing.T) {
	e := testEngine(t)
	r := newRig(t, e, Command{Files: memFS(t, map[string]string{"f": ""})})
	for range maxDescriptors - 4 {
		if _, e := r.open("f", 0, rightRead); e != 0 {
			t.Fatalf("errno %d", e)
		}
	}
	if _, e := r.open("f", 0, rightRead); e != errnoMfile {
		t.Errorf("errno %d", e)
	}
}

// Pointers that lead out of memory are the guest's mistake, never ours.
func TestBadPointers(t *testing.T) {
	e := testEngine(t)
	r := newRig(t, e, Command{Files: memFS(t, map[string]string{"f": "data"}), Args: []string{"a"}, Env: []string{"A=1"}})
	fd, _ := r.open("f", 0, rightRead|rightWrite)
	const bad = 1<<32 - 8
	for _, f := range wasiFuncs {
		for position := range f.params {
			args := make([]uint64, len(f.params))
			for i := range args {
				args[i] = rigData
			}
			if len(args) > 0 {
				args[0] = fd
			}
			args[position] = bad
			if got := r.call(f.name, args...); got > errnoNotcapable {
				t.Errorf("%s: errno %d", f.name, got)
			}
		}
		if r.in.fd(fd) == nil { // closed or renumbered by one of the calls
			fd, _ = r.open("f", 0, rightRead|rightWrite)
		}
		if r.in.fd(3) == nil {
			r = newRig(t, e, Command{Files: memFS(t, map[string]string{"f": "data"})})
			fd, _ = r.open("f", 0, rightRead|rightWrite)
		}
	}
	// Huge counts too.
	r.want(errnoFault, "fd_read", fd, 0, 1<<31, rigResult)
	r.want(errnoInval, "poll_oneoff", 0, 0, 1<<30, rigResult)
}

func TestArgumentsAndEnvironment(t *testing.T) {
	e := testEngine(t)
	r := newRig(t, e, Command{Args: []string{"prog", "one two", ""}, Env: []string{"HOME=/"}, Dir: "work"})
	r.want(0, "args_sizes_get", rigResult, rigResult+4)
	if r.u32(rigResult) != 3 || r.u32(rigResult+4) != 5+8+1 {
		t.Errorf("args: %d, %d bytes", r.u32(rigResult), r.u32(rigResult+4))
	}
	r.want(0, "args_get", rigResult, rigData)
	if s, _ := r.in.Memory().ReadCString(r.u32(rigResult+4), 100); s != "one two" {
		t.Errorf("argument %q", s)
	}
	r.want(0, "environ_sizes_get", rigResult, rigResult+4)
	r.want(0, "environ_get", rigVector, rigData)
	env, _ := r.in.Memory().Read(rigData, r.u32(rigResult+4))
	if string(env) != "HOME=/\x00PWD=/work\x00" {
		t.Errorf("environment %q", env)
	}
	r.want(0, "fd_prestat_get", 3, rigResult)
	r.want(errnoBadf, "fd_prestat_get", 4, rigResult)
}

func TestNoSockets(t *testing.T) {
	e := testEngine(t)
	r := newRig(t, e, Command{})
	r.want(errnoNotsup, "sock_accept", 3, 0, rigResult)
	r.want(errnoNotsup, "sock_send", 3, 0, 0, 0, rigResult)
}

// Streams look like no terminal: C libraries then buffer by blocks.
func TestStreamsAreNoTerminal(t *testing.T) {
	e := testEngine(t)
	var out bytes.Buffer
	r := newRig(t, e, Command{Stdout: &out, Stdin: strings.NewReader("input")})
	r.want(0, "fd_fdstat_get", 1, rigData)
	buf, _ := r.in.Memory().Read(rigData, 24)
	const seekAndTell = 1<<2 | 1<<5
	if rights := binary.LittleEndian.Uint64(buf[8:]); buf[0] == typeChar && rights&seekAndTell == 0 {
		t.Error("stdout is a terminal")
	}
	if got, e := r.read(0, 3); got != "inp" || e != 0 {
		t.Errorf("stdin: %q, %d", got, e)
	}
	if got, e := r.read(0, 30); got != "ut" || e != 0 {
		t.Errorf("stdin: %q, %d", got, e)
	}
	if got, e := r.read(0, 30); got != "" || e != 0 {
		t.Errorf("stdin at its end: %q, %d", got, e)
	}
	if n, e := r.write(1, "out"); n != 3 || e != 0 || out.String() != "out" {
		t.Errorf("stdout: %d, %d, %q", n, e, out.String())
	}
	r.want(errnoSpipe, "fd_seek", 1, 0, 0, rigResult)
	if _, e := r.read(1, 1); e != errnoBadf {
		t.Errorf("reading stdout: %d", e)
	}
}

func TestErrnoOf(t *testing.T) {
	for err, want := range map[error]errno{
		nil: 0, fs.ErrNotExist: errnoNoent, pathError("x", "y", fs.ErrPermission): errnoPerm,
		errors.New("surprise"): errnoIO,
	} {
		if got := errnoOf(err); got != want {
			t.Errorf("%v: %d, want %d", err, got, want)
		}
	}
}

func TestPreopens(t *testing.T) {
	tree := NewMemFS()
	for _, name := range []string{"w/a.txt", "lib/b.txt"} {
		if err := tree.WriteFile(name, []byte(name)); err != nil {
			t.Fatal(err)
		}
	}
	r := newRig(t, testEngine(t), Command{Files: tree, Dir: "/w", Preopens: []string{".", "/lib"}})
	for fd, want := range map[uint64]string{3: ".", 4: "/lib"} {
		r.want(0, "fd_prestat_get", fd, rigResult)
		n := r.u64(rigResult) >> 32
		r.want(0, "fd_prestat_dir_name", fd, rigData, n)
		if got, _ := r.in.Memory().Read(rigData, uint32(n)); string(got) != want {
			t.Errorf("descriptor %d is %q, want %q", fd, got, want)
		}
	}
	r.want(errnoBadf, "fd_prestat_get", 5, rigResult)
	at, n := r.name(rigData, "b.txt")
	r.want(0, "path_open", 4, 0, at, n, 0, rightRead, 0, 0, rigResult)
	r.want(errnoNoent, "path_open", 3, 0, at, n, 0, rightRead, 0, 0, rigResult)
}
