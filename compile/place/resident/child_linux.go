package resident

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"wb/compile"
	"wb/compile/place/walls"
)

// The arguments of a resident, behind childVerb. The last two are there once it has
// confined itself.
const (
	argCache = iota + 1
	argPath
	argIdle
	argMemory
	argStatm // the number of the descriptor that tells its size
	argNotes
)

// IsChild reports whether the arguments of a program make it a resident.
func IsChild(args []string) bool { return len(args) > argMemory && args[0] == childVerb }

// Child is the main function of a resident. lanes makes the languages of an
// environment. The first call confines the process and starts it anew.
func Child(args []string, errs io.Writer, lanes func(*compile.Env) (*compile.Registry, error)) int {
	if err := child(args, lanes); err != nil {
		fmt.Fprintln(errs, err)
		return 1
	}
	return 0
}

func child(args []string, lanes func(*compile.Env) (*compile.Registry, error)) error {
	if len(args) == argMemory+1 {
		return confine(args)
	}
	idle, err := time.ParseDuration(args[argIdle])
	if err != nil {
		return err
	}
	memory, err := strconv.ParseInt(args[argMemory], 10, 64)
	if err != nil {
		return err
	}
	statm, err := strconv.Atoi(args[argStatm])
	if err != nil || len(args) != argNotes+1 {
		return fmt.Errorf("%s: this is not for people", childVerb)
	}
	s := &server{config: Config{Cache: args[argCache], Idle: idle, Memory: memory}, path: args[argPath],
		statm: os.NewFile(uintptr(statm), "statm"), began: time.Now(), used: time.Now()}
	if err := json.Unmarshal([]byte(args[argNotes]), &s.notes); err != nil {
		return err
	}
	listener, err := net.FileListener(os.Stdin)
	if err != nil {
		return err
	}
	s.listener = listener.(*net.UnixListener)
	s.notes = append(s.notes, walls.Seal(unix.SYS_ACCEPT4)...)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	s.env, err = compile.NewEnv(ctx, compile.EnvConfig{Dir: s.config.Cache, Keep: true})
	if err != nil {
		return err
	}
	if s.lanes, err = lanes(s.env); err != nil {
		return err
	}
	return s.run(ctx)
}

// confine puts up the walls and starts anew behind them.
func confine(args []string) error {
	statm, err := os.Open("/proc/self/statm")
	if err != nil {
		return err
	}
	const high = 100 // out of the way of descriptors that are closed
	fd, err := unix.FcntlInt(statm.Fd(), unix.F_DUPFD, high)
	if err != nil {
		return err
	}
	for _, dir := range []string{"artifacts", "engine", "toolchains"} {
		if err := os.MkdirAll(filepath.Join(args[argCache], dir), 0o755); err != nil {
			return err
		}
	}
	_, err = walls.Restart(walls.Fence{
		Dir: "/", Write: []string{args[argCache], filepath.Dir(args[argPath])}, Keep: []int{fd},
		Args: func(notes []string) []string {
			text, _ := json.Marshal(notes) // of strings
			return append(args, strconv.Itoa(fd), string(text))
		}})
	return err
}
