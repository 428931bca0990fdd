package sandbox

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"io"
	mrand "math/rand/v2"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

// wasiName is the import module of the system interface guests are built for.
// The implementation is our own: nothing in it can name a host path, all of it
// is deterministic unless Caps says otherwise, and whatever waits also watches
// the run's deadline and context.
const wasiName = "wasi_snapshot_preview1"

// wasi is one guest's side of the system interface.
type wasi struct {
	args, env []string
	files     FS
	fds       []*descriptor // by number; nil where closed
	clock     clock
	random    io.Reader
	realTimes bool
	times     map[string]fileTimes // that the guest set, by name
	stdin     stdin
	output    quota // bytes written to stdout and stderr
	storage   quota // bytes added to files

	resources  map[uint32]any // of a component, by handle
	nextHandle uint32
	requests   *requests2
}

// quota is a byte count with a limit.
type quota struct {
	kind  LimitKind
	limit int64 // negative: none
	used  int64
	hit   bool
}

// take uses n bytes and returns how many of them are allowed.
func (q *quota) take(n int) int {
	if q.limit >= 0 && q.used+int64(n) > q.limit {
		n = int(max(0, q.limit-q.used))
		q.hit = true
	}
	q.used += int64(n)
	return n
}

func (q *quota) err() error { return &LimitError{q.kind, q.limit} }

func newWASI(c Command, limits Limits) *wasi {
	w := &wasi{
		args:      c.Args,
		env:       environment(c),
		files:     c.Files,
		clock:     clock{real: c.Caps.Clock, started: time.Now(), begin: epoch},
		realTimes: c.Caps.Clock,
		stdin:     stdin{source: c.Stdin},
		output:    quota{kind: LimitOutput, limit: limits.Output},
		storage:   quota{kind: LimitFiles, limit: limits.Files},
		requests:  newRequests(c.HTTP),
	}
	if !c.Now.IsZero() {
		w.clock.begin = c.Now
	}
	if w.files == nil {
		w.files = NewMemFS()
	}
	if c.Caps.Random {
		w.random = rand.Reader
	} else {
		var seed [32]byte
		binary.LittleEndian.PutUint64(seed[:], c.Seed)
		w.random = mrand.NewChaCha8(seed)
	}
	w.fds = []*descriptor{
		{kind: fdInput, readable: true},
		{kind: fdOutput, writer: c.Stdout, writable: true},
		{kind: fdOutput, writer: c.Stderr, writable: true},
	}
	for _, name := range preopens(c) {
		w.fds = append(w.fds, &descriptor{kind: fdDir, name: treeName(c, name), preopen: name})
	}
	return w
}

// preopens are the names of the directories that the guest begins with.
func preopens(c Command) []string {
	if c.Preopens == nil {
		return []string{"/"}
	}
	return c.Preopens
}

// treeName is a preopened directory's name in the guest's tree.
func treeName(c Command, preopen string) string {
	if preopen == "." {
		preopen = c.Dir
	}
	name := path.Clean("/" + preopen)[1:]
	if name == "" {
		return "."
	}
	return name
}

// environment is the guest's environment: c.Env, and PWD from c.Dir.
func environment(c Command) []string {
	hasPWD := slices.ContainsFunc(c.Env, func(kv string) bool { return strings.HasPrefix(kv, "PWD=") })
	if c.Dir == "" || hasPWD {
		return c.Env
	}
	return append(slices.Clip(c.Env), "PWD="+path.Clean("/"+c.Dir))
}

func (w *wasi) close() {
	w.requests.close()
	for _, d := range w.fds {
		if d != nil {
			d.close()
		}
	}
	w.fds = nil
	w.stdin.close()
}

// wasiFunc is one system call. Parameters are in stack; the result is an errno.
type wasiFunc func(in *Instance, stack []uint64) errno

// wasiFuncs lists every function of preview 1 with its parameters: i for a 32
// bit word, I for 64 bits.
var wasiFuncs = []struct {
	name, params string
	call         wasiFunc
}{
	{"args_get", "ii", (*Instance).argsGet},
	{"args_sizes_get", "ii", (*Instance).argsSizesGet},
	{"environ_get", "ii", (*Instance).environGet},
	{"environ_sizes_get", "ii", (*Instance).environSizesGet},
	{"clock_res_get", "ii", (*Instance).clockResGet},
	{"clock_time_get", "iIi", (*Instance).clockTimeGet},
	{"fd_advise", "iIIi", (*Instance).fdAdvise},
	{"fd_allocate", "iII", (*Instance).fdAllocate},
	{"fd_close", "i", (*Instance).fdClose},
	{"fd_datasync", "i", (*Instance).fdSync},
	{"fd_fdstat_get", "ii", (*Instance).fdFdstatGet},
	{"fd_fdstat_set_flags", "ii", (*Instance).fdFdstatSetFlags},
	{"fd_fdstat_set_rights", "iII", (*Instance).fdFdstatSetRights},
	{"fd_filestat_get", "ii", (*Instance).fdFilestatGet},
	{"fd_filestat_set_size", "iI", (*Instance).fdFilestatSetSize},
	{"fd_filestat_set_times", "iIIi", (*Instance).fdFilestatSetTimes},
	{"fd_pread", "iiiIi", (*Instance).fdPread},
	{"fd_prestat_get", "ii", (*Instance).fdPrestatGet},
	{"fd_prestat_dir_name", "iii", (*Instance).fdPrestatDirName},
	{"fd_pwrite", "iiiIi", (*Instance).fdPwrite},
	{"fd_read", "iiii", (*Instance).fdRead},
	{"fd_readdir", "iiiIi", (*Instance).fdReaddir},
	{"fd_renumber", "ii", (*Instance).fdRenumber},
	{"fd_seek", "iIii", (*Instance).fdSeek},
	{"fd_sync", "i", (*Instance).fdSync},
	{"fd_tell", "ii", (*Instance).fdTell},
	{"fd_write", "iiii", (*Instance).fdWrite},
	{"path_create_directory", "iii", (*Instance).pathCreateDirectory},
	{"path_filestat_get", "iiiii", (*Instance).pathFilestatGet},
	{"path_filestat_set_times", "iiiiIIi", (*Instance).pathFilestatSetTimes},
	{"path_link", "iiiiiii", (*Instance).pathLink},
	{"path_open", "iiiiiIIii", (*Instance).pathOpen},
	{"path_readlink", "iiiiii", (*Instance).pathReadlink},
	{"path_remove_directory", "iii", (*Instance).pathRemoveDirectory},
	{"path_rename", "iiiiii", (*Instance).pathRename},
	{"path_symlink", "iiiii", (*Instance).pathSymlink},
	{"path_unlink_file", "iii", (*Instance).pathUnlinkFile},
	{"poll_oneoff", "iiii", (*Instance).pollOneoff},
	{"proc_raise", "i", (*Instance).notSupported},
	{"sched_yield", "", (*Instance).schedYield},
	{"random_get", "ii", (*Instance).randomGet},
	{"sock_accept", "iii", (*Instance).notSupported},
	{"sock_recv", "iiiiii", (*Instance).notSupported},
	{"sock_send", "iiiii", (*Instance).notSupported},
	{"sock_shutdown", "ii", (*Instance).notSocket},
}

// wasiModule declares the system interface to the runtime.
func wasiModule(rt wazero.Runtime) wazero.HostModuleBuilder {
	b := rt.NewHostModuleBuilder(wasiName)
	for _, f := range wasiFuncs {
		params := make([]api.ValueType, len(f.params))
		for i, c := range f.params {
			params[i] = I32
			if c == 'I' {
				params[i] = I64
			}
		}
		call, brief := f.call, briefCalls[f.name]
		b = b.NewFunctionBuilder().WithGoFunction(api.GoFunc(func(ctx context.Context, stack []uint64) {
			in := instanceOf(ctx)
			if in.brief && !brief {
				in.halt(errNotBrief)
			}
			in.burn(ctx, hostCallFuel)
			stack[0] = uint64(call(in, stack))
		}), params, []api.ValueType{I32}).Export(f.name)
	}
	return b.NewFunctionBuilder().WithGoFunction(api.GoFunc(func(ctx context.Context, stack []uint64) {
		instanceOf(ctx).exit(int(uint32(stack[0])))
	}), []api.ValueType{I32}, nil).Export("proc_exit")
}

// notSocket is the end of a call for sockets, of which a guest has none.
func (in *Instance) notSocket(s []uint64) errno {
	if in.fd(s[0]) == nil {
		return errnoBadf
	}
	return errnoNotsock
}

func (in *Instance) notSupported([]uint64) errno { return errnoNotsup }

func (in *Instance) argsSizesGet(s []uint64) errno { return in.stringSizes(in.sys.args, s) }
func (in *Instance) argsGet(s []uint64) errno      { return in.stringList(in.sys.args, s) }

func (in *Instance) environSizesGet(s []uint64) errno { return in.stringSizes(in.sys.env, s) }
func (in *Instance) environGet(s []uint64) errno      { return in.stringList(in.sys.env, s) }

// stringSizes tells how many strings there are and how many bytes they take,
// NULs included.
func (in *Instance) stringSizes(list []string, s []uint64) errno {
	total := 0
	for _, v := range list {
		total += len(v) + 1
	}
	mem := in.Memory()
	if !mem.WriteU32(uint32(s[0]), uint32(len(list))) || !mem.WriteU32(uint32(s[1]), uint32(total)) {
		return errnoFault
	}
	return 0
}

// stringList writes NUL-terminated strings and an array of pointers to them.
func (in *Instance) stringList(list []string, s []uint64) errno {
	mem, ptrs, buf := in.Memory(), uint32(s[0]), uint32(s[1])
	for _, v := range list {
		if !mem.WriteU32(ptrs, buf) || !mem.WriteString(buf, v+"\x00") {
			return errnoFault
		}
		ptrs += 4
		buf += uint32(len(v)) + 1
	}
	return 0
}

// The clocks of preview 1. The two CPU-time clocks tell the monotonic time.
const (
	clockRealtime = iota
	clockMonotonic
	clockProcess
	clockThread
)

func (in *Instance) clockResGet(s []uint64) errno {
	if uint32(s[0]) > clockThread {
		return errnoInval
	}
	if !in.Memory().WriteU64(uint32(s[1]), 1000) {
		return errnoFault
	}
	return 0
}

func (in *Instance) clockTimeGet(s []uint64) errno {
	var now int64
	switch uint32(s[0]) {
	case clockRealtime:
		now = in.sys.clock.wall(in.fuelUsed()).UnixNano()
	case clockMonotonic, clockProcess, clockThread:
		now = int64(in.sys.clock.elapsed(in.fuelUsed()))
	default:
		return errnoInval
	}
	if !in.Memory().WriteU64(uint32(s[2]), uint64(now)) {
		return errnoFault
	}
	return 0
}

func (in *Instance) randomGet(s []uint64) errno {
	buf, ok := in.Memory().Read(uint32(s[0]), uint32(s[1]))
	if !ok {
		return errnoFault
	}
	if _, err := io.ReadFull(in.sys.random, buf); err != nil {
		return errnoIO
	}
	return 0
}

func (in *Instance) schedYield([]uint64) errno {
	if err := in.expired(in.calls.Context); err != nil {
		in.halt(err)
	}
	return 0
}
