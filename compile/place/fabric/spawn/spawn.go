// Package spawn starts this executable again as workers of a fabric on this
// machine: `wb run --workers N`. It starts nothing else, with arguments that are
// fixed here; what the workers then do comes to them through the fabric and runs
// in the sandbox.
package spawn

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// TokenVar is the environment variable in which workers get their token: other
// users see a process's arguments.
const TokenVar = "WB_FABRIC_TOKEN"

// Config says what workers join.
type Config struct {
	// Program is the executable, this process's own when empty.
	Program string
	URL     string
	Tenant  string
	Token   string
	Workers int
	// Slots is how much each does at once (1).
	Slots int
	// Stderr takes what they complain about.
	Stderr io.Writer
	// Died hears of a worker that ended unasked, and whether it is started anew.
	Died func(name string, err error, again bool)
}

// Workers are the processes that were started.
type Workers struct {
	config Config
	stop   context.CancelFunc
	all    sync.WaitGroup
	gone   chan struct{}

	mu      sync.Mutex
	running map[int]*exec.Cmd
}

// restarts is how often a worker that dies is replaced: one that dies again and
// again has another trouble than bad luck.
const restarts = 5

// Start starts the workers. They leave when this process is gone, however it
// ended: each holds the reading end of a pipe that ends with it.
func Start(ctx context.Context, config Config) (*Workers, error) {
	if config.Program == "" {
		var err error
		if config.Program, err = os.Executable(); err != nil {
			return nil, fmt.Errorf("workers: %w", err)
		}
	}
	if config.Died == nil {
		config.Died = func(string, error, bool) {}
	}
	ctx, stop := context.WithCancel(ctx)
	w := &Workers{config: config, stop: stop, running: map[int]*exec.Cmd{}, gone: make(chan struct{})}
	for i := range config.Workers {
		first, pipe, err := w.launch(i)
		if err != nil {
			stop()
			w.Close()
			return nil, fmt.Errorf("worker %d: %w", i+1, err)
		}
		w.all.Go(func() { w.tend(ctx, i, first, pipe) })
	}
	go func() {
		w.all.Wait()
		close(w.gone)
	}()
	return w, nil
}

// Gone is closed when no worker is left and none will take its place.
func (w *Workers) Gone() <-chan struct{} { return w.gone }

// Name is the name of the nth worker.
func Name(i int) string { return fmt.Sprintf("worker-%d", i+1) }

func (w *Workers) launch(i int) (*exec.Cmd, io.Closer, error) {
	cmd := exec.Command(w.config.Program, "worker", "--nats", w.config.URL, "--tenant", w.config.Tenant, "--nats-token", "env:"+TokenVar,
		"--slots", strconv.Itoa(max(1, w.config.Slots)), "--name", Name(i), "--until-stdin-ends", "--quiet")
	cmd.Args[0] = os.Args[0] // what this program is called may be how it knows what it is
	cmd.Env = append(withoutFabric(os.Environ()), TokenVar+"="+w.config.Token)
	cmd.Stderr = w.config.Stderr
	cmd.Dir = filepath.VolumeName(w.config.Program) + string(filepath.Separator) // a worker has no business in the caller's directory
	pipe, err := cmd.StdinPipe()
	if err != nil {
		return nil, nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, nil, err
	}
	w.mu.Lock()
	w.running[i] = cmd
	w.mu.Unlock()
	return cmd, pipe, nil
}

// withoutFabric is an environment without what names another fabric.
func withoutFabric(env []string) []string {
	return slices.DeleteFunc(env, func(v string) bool { return strings.HasPrefix(v, "WB_NATS") })
}

// tend waits for a worker and replaces it when it dies.
func (w *Workers) tend(ctx context.Context, i int, cmd *exec.Cmd, pipe io.Closer) {
	for left := restarts; ; left-- {
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		select {
		case <-ctx.Done():
			w.end(cmd, pipe, ended)
			return
		case err := <-ended:
			pipe.Close()
			if err == nil {
				err = errors.New("it left")
			}
			w.config.Died(Name(i), err, left > 0)
			if left == 0 {
				return
			}
		}
		var err error
		if cmd, pipe, err = w.launch(i); err != nil {
			w.config.Died(Name(i), err, false)
			return
		}
	}
}

// leaveWait is how long a worker may take to leave.
const leaveWait = 5 * time.Second

func (w *Workers) end(cmd *exec.Cmd, pipe io.Closer, ended <-chan error) {
	pipe.Close()
	_ = cmd.Process.Signal(syscall.SIGTERM) // it may have ended by itself
	select {
	case <-ended:
	case <-time.After(leaveWait):
		_ = cmd.Process.Kill()
		<-ended
	}
}

// Close tells the workers to leave and waits until they have.
func (w *Workers) Close() {
	w.stop()
	w.all.Wait()
}
