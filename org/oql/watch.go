package oql

import (
	"context"
	"hash/maphash"
	"io/fs"
	"os"
	"strings"
	"time"

	"wb/internal/value"
)

// WatchInterval is how often files are looked at.
const WatchInterval = 150 * time.Millisecond

// Watch calls emit for every row that the answer gains, until the context ends.
// Rows that are there at the start count as known, unless replay is set. Files
// are looked at by size, times and inode; one that has changed is asked again,
// and the rows it did not have before are new. A log that has grown is asked
// for what follows its last known line; one that was truncated or replaced is
// new. A query with groups is asked again as a whole.
func Watch(ctx context.Context, r Request, replay bool, emit func(value.Value) error) error {
	w := &watcher{request: r, emit: emit, seed: maphash.MakeSeed(), files: map[string]*watched{}}
	if len(r.Paths) == 0 {
		w.request.Paths = []string{"."}
	}
	if r.Query.grouped() || len(r.Query.Joins) > 0 || len(r.Query.Sort) > 0 || !r.Query.ReadsArguments() {
		w.whole = true
	}
	if err := w.look(ctx, replay); err != nil {
		return err
	}
	tick := time.NewTicker(WatchInterval)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
		if err := w.look(ctx, true); err != nil {
			return err
		}
	}
}

type watcher struct {
	request Request
	whole   bool // the answer does not come file by file
	emit    func(value.Value) error
	seed    maphash.Seed
	files   map[string]*watched
}

// watched is the state of a file at the last look.
type watched struct {
	info os.FileInfo
	rows map[uint64]int // how often each row was in its answer
	line int            // of its last row, for logs
	head string         // its first bytes, for logs: a new log begins otherwise
}

// look asks the files that have changed.
func (w *watcher) look(ctx context.Context, tell bool) error {
	names, err := Files(w.request.Paths)
	if err != nil {
		if os.IsNotExist(err) { // an editor is saving
			return nil
		}
		return err
	}
	present := map[string]bool{}
	changed := false
	for _, name := range names {
		present[name] = true
		info, err := os.Stat(name)
		if err != nil {
			continue
		}
		old := w.files[name]
		if old != nil && sameFile(old.info, info) {
			continue
		}
		changed = true
		if w.whole {
			w.files[name] = &watched{info: info}
			continue
		}
		if err := w.ask(ctx, name, info, old, tell); err != nil {
			return err
		}
	}
	for name := range w.files {
		if !present[name] && name != "" {
			delete(w.files, name)
			changed = true
		}
	}
	if w.whole && changed {
		return w.ask(ctx, "", nil, w.files[""], tell)
	}
	return nil
}

func sameFile(a, b fs.FileInfo) bool {
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}

// ask answers for one file, or for all when name is "", and tells of new rows.
func (w *watcher) ask(ctx context.Context, name string, info os.FileInfo, old *watched, tell bool) error {
	r := w.request
	now := &watched{info: info, rows: map[uint64]int{}}
	if name != "" {
		r.Paths = []string{name}
		if old != nil && old.info != nil && os.SameFile(old.info, info) && old.info.Size() < info.Size() && isLogFile(name) && old.head == firstBytes(name, len(old.head)) {
			now.line, r.Options.After = old.line, old.line
			now.rows = old.rows
		}
	}
	a, err := Ask(ctx, r)
	if os.IsNotExist(err) {
		return nil // it will be back
	}
	if err != nil {
		return err
	}
	defer a.Close()
	for i := range a.Rows {
		var key uint64
		if a.Places != nil {
			now.line = max(now.line, a.Places[i].Line)
		}
		if r.Options.After == 0 {
			key = w.hash(a.Result, i)
			now.rows[key]++
			if old != nil && now.rows[key] <= old.rows[key] {
				continue
			}
		}
		if !tell {
			continue
		}
		if err := w.emit(a.object(i)); err != nil {
			return err
		}
	}
	now.line = max(now.line, a.Last)
	if name != "" && isLogFile(name) {
		now.head = firstBytes(name, int(min(512, info.Size())))
	}
	w.files[name] = now
	return nil
}

// hash identifies a row by what it says; its line is not part of that, since
// editing above moves it.
func (w *watcher) hash(r *Result, i int) uint64 {
	var h maphash.Hash
	h.SetSeed(w.seed)
	for k, name := range r.Columns {
		if name != "line" {
			h.WriteString(plainText(r.Rows[i][k]))
			h.WriteByte(0)
		}
	}
	return h.Sum64()
}

// firstBytes are the first n bytes of a file.
func firstBytes(name string, n int) string {
	f, err := os.Open(name)
	if err != nil {
		return ""
	}
	defer f.Close()
	head := make([]byte, n)
	n, _ = f.ReadAt(head, 0)
	return string(head[:n])
}

// isLogFile reports whether a file starts as a log does.
func isLogFile(name string) bool {
	f, err := os.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, 16)
	n, _ := f.Read(head)
	return strings.HasPrefix(string(head[:n]), "* Run ") || strings.HasPrefix(string(head[:n]), "* Agent run ")
}
