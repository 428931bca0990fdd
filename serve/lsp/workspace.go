package lsp

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// Bounds of what is read of a workspace, so that a home directory opened as a
// folder does not stall the editor.
const (
	maxFiles    = 5000
	maxFileSize = 8 << 20
	maxEntries  = 200_000 // directory entries looked at
)

// workspace is the org files below the folders the client works in. A file is
// read when a request needs it, and again only when it has changed.
type workspace struct {
	enc encoding

	mu    sync.Mutex
	roots []string
	known map[string]*knownFile
}

// knownFile is a file as it was read last.
type knownFile struct {
	size  int64
	mtime time.Time
	snap  *snapshot
}

func newWorkspace(roots []string, enc encoding) *workspace {
	return &workspace{enc: enc, roots: roots, known: map[string]*knownFile{}}
}

func (w *workspace) add(root string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.roots = append(w.roots, root)
}

func (w *workspace) remove(root string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.roots = slices.DeleteFunc(w.roots, func(r string) bool { return r == root })
}

// files are the texts of the workspace: those that are open as they are, the
// others as they stand on disk.
func (w *workspace) files(ctx context.Context, open view) []*snapshot {
	w.mu.Lock()
	defer w.mu.Unlock()
	var all []*snapshot
	isOpen := map[string]bool{}
	for _, s := range open {
		all = append(all, s)
		isOpen[s.file] = true
	}
	entries := 0
	for _, root := range w.roots {
		_ = filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
			entries++
			switch {
			case ctx.Err() != nil || entries > maxEntries || len(all) >= maxFiles:
				return filepath.SkipAll
			case err != nil:
				return nil // what cannot be read is not there
			case e.IsDir() && path != root && (strings.HasPrefix(e.Name(), ".") || e.Name() == "node_modules"):
				return filepath.SkipDir
			case e.Type().IsRegular() && strings.HasSuffix(path, ".org") && e.Name() != "events.org" && !isOpen[path]:
				if s := w.read(path, e); s != nil {
					all = append(all, s)
					isOpen[path] = true
				}
			}
			return nil
		})
	}
	slices.SortFunc(all, func(a, b *snapshot) int { return strings.Compare(a.file, b.file) })
	return all
}

// read is the text of a file, nil when it cannot be read.
func (w *workspace) read(path string, e fs.DirEntry) *snapshot {
	info, err := e.Info()
	if err != nil || info.Size() > maxFileSize {
		return nil
	}
	if k := w.known[path]; k != nil && k.size == info.Size() && k.mtime.Equal(info.ModTime()) {
		return k.snap
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	s := &snapshot{uri: fileURI(path), file: path, text: newText(string(data), w.enc)}
	w.known[path] = &knownFile{size: info.Size(), mtime: info.ModTime(), snap: s}
	return s
}

// mentioning are the files of the workspace whose text holds a string: only
// those need to be analysed to find it.
func (w *workspace) mentioning(ctx context.Context, open view, text string) []*snapshot {
	return slices.DeleteFunc(w.files(ctx, open), func(s *snapshot) bool { return !strings.Contains(s.text.source, text) })
}
