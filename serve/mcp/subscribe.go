package mcp

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// lookEvery is how often files that clients have subscribed to are looked at, and
// maxWatched how many there may be.
const (
	lookEvery  = time.Second
	maxWatched = 1000
)

// watcher tells clients that files they have subscribed to have changed. It looks
// at the files rather than asking the kernel: editors replace files, and what
// runs write comes in bursts, of which one notification is enough. Which session
// wants what is the SDK's to know.
type watcher struct {
	server *server
	every  time.Duration
	told   func(ctx context.Context, uri string) error
	anyone func() bool // whether any session is left

	mu    sync.Mutex
	known map[string]*watched // by URI
	stop  context.CancelFunc  // of the loop, nil when nothing is watched
	done  sync.WaitGroup
}

// watched is a file that sessions have subscribed to.
type watched struct {
	last     fileState
	sessions int
}

// fileState tells two states of a file apart.
type fileState struct {
	modified time.Time
	size     int64
	there    bool
}

// subscribe starts to look at a file. Resources of other schemes are watched by
// those who offer them.
func (w *watcher) subscribe(ctx context.Context, r *mcp.SubscribeRequest) error {
	name, own := strings.CutPrefix(r.Params.URI, scheme)
	if !own {
		return nil
	}
	if _, err := w.server.home(ctx).Path(name); err != nil {
		return mcp.ResourceNotFoundError(r.Params.URI)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	file := w.known[r.Params.URI]
	if file == nil {
		if len(w.known) >= maxWatched {
			return errors.New("the client subscribes to too many files")
		}
		file = &watched{last: w.state(name)}
		w.known[r.Params.URI] = file
	}
	file.sessions++
	if w.stop == nil {
		ctx, cancel := context.WithCancel(context.Background())
		w.stop = cancel
		w.done.Go(func() { w.look(ctx) })
	}
	return nil
}

// unsubscribe stops to look at a file that no other session wants. Sessions that
// end without a word are counted until the last one has ended; what is told of
// their files is not sent.
func (w *watcher) unsubscribe(_ context.Context, r *mcp.UnsubscribeRequest) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if file := w.known[r.Params.URI]; file != nil {
		if file.sessions--; file.sessions <= 0 {
			delete(w.known, r.Params.URI)
		}
	}
	return nil
}

func (w *watcher) state(name string) fileState {
	info, err := w.server.root.Stat(filepath.FromSlash(name))
	if err != nil {
		return fileState{}
	}
	return fileState{info.ModTime(), info.Size(), true}
}

// look tells of changes until ctx ends or no session is left.
func (w *watcher) look(ctx context.Context) {
	tick := time.NewTicker(w.every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if !w.anyone() {
			w.mu.Lock()
			clear(w.known)
			w.stop()
			w.stop = nil
			w.mu.Unlock()
			return
		}
		for _, uri := range w.changed() {
			_ = w.told(ctx, uri) // a client that has gone needs no word
		}
	}
}

// changed are the resources that are not as they were when looked at last.
func (w *watcher) changed() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var all []string
	for uri, file := range w.known {
		if now := w.state(strings.TrimPrefix(uri, scheme)); now != file.last {
			file.last = now
			all = append(all, uri)
		}
	}
	return all
}

func (w *watcher) close() {
	w.mu.Lock()
	if w.stop != nil {
		w.stop()
	}
	w.mu.Unlock()
	w.done.Wait()
}
