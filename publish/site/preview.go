package site

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"mime"
	"net"
	"net/http"
	"path"
	"strings"
	"sync"
	"time"

	"wb/internal/diag"
	"wb/proof/manifest"
)

// Preview serves a site to a browser on this machine and builds it again when
// files change. Pages that are open reload when they are other than before, and
// show mistakes while there are any. What it serves is not signed.
type Preview struct {
	Builder *Builder
	Port    int                // 0 is any that is free
	Ready   func(string) error // hears the address, once
	Note    func(string)       // hears what was built, and what went wrong

	mu      sync.Mutex
	files   manifest.Files
	found   []diag.Finding
	base    string
	clients map[chan string]bool
}

// How often the directory is looked at, and where the preview has its own
// resources.
const (
	lookEvery    = 100 * time.Millisecond
	previewPath  = "_wb/"
	eventsPath   = previewPath + "events"
	scriptPath   = previewPath + "preview.js"
	readTimeout  = 10 * time.Second
	shutdownTime = 2 * time.Second
)

//go:embed preview.js
var previewScript []byte

// Serve builds the site and serves it until the context ends.
func (p *Preview) Serve(ctx context.Context) error {
	p.clients = map[chan string]bool{}
	state, err := p.Builder.p.state()
	if err != nil {
		return err
	}
	if err := p.rebuild(ctx); err != nil {
		return err
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", fmt.Sprintf("127.0.0.1:%d", p.Port))
	if err != nil {
		return err
	}
	// The context of requests ends with the server's, so that streams do.
	server := &http.Server{Handler: p, ReadHeaderTimeout: readTimeout, BaseContext: func(net.Listener) context.Context { return ctx }}
	done := make(chan error, 1)
	go func() { done <- server.Serve(listener) }()
	if p.Ready != nil {
		if err := p.Ready("http://" + listener.Addr().String() + p.base); err != nil {
			return errors.Join(err, server.Close())
		}
	}
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTime)
			defer cancel()
			return server.Shutdown(last)
		case err := <-done:
			return err
		case <-tick.C:
			now, err := p.Builder.p.state()
			if err != nil || now == state {
				continue // a directory that is being replaced is back a moment later
			}
			state = now
			if err := p.Builder.p.Reload(); err != nil {
				p.note(err.Error())
				continue
			}
			if err := p.rebuild(ctx); err != nil && ctx.Err() == nil {
				p.note(err.Error())
			}
		}
	}
}

func (p *Preview) note(text string) {
	if p.Note != nil {
		p.Note(text)
	}
}

// rebuild builds what changed and tells the pages that are open.
func (p *Preview) rebuild(ctx context.Context) error {
	start := time.Now()
	r, err := p.Builder.Build(ctx)
	if err != nil {
		return err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	var changed []string
	for name, data := range r.Files {
		if !bytes.Equal(data, p.files[name]) {
			changed = append(changed, name)
		}
	}
	p.files, p.found, p.base = r.Files, r.Found, p.Builder.p.Config.BasePath
	what := "again"
	if !r.Framed {
		what = strings.Join(r.Rebuilt, ", ")
	}
	p.note(fmt.Sprintf("built %s: %s, %s, %s", what, Pages(len(r.Rebuilt)), Summary(r.Found), time.Since(start).Round(100*time.Microsecond)))
	for _, d := range r.Found {
		p.note(d.String())
	}
	text, err := json.Marshal(map[string]any{"changed": changed, "found": r.Found})
	if err != nil {
		return err
	}
	for c := range p.clients {
		select {
		case c <- string(text):
		default: // it has one to read already, and reloads for that
		}
	}
	return nil
}

// ServeHTTP answers for browsers of this machine that ask for it by its own
// name: a page from elsewhere cannot have its host lead here.
func (p *Preview) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	host, _, err := net.SplitHostPort(r.Host)
	if err != nil {
		host = r.Host
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		http.Error(w, "this preview is for this machine only", http.StatusForbidden)
		return
	}
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		http.Error(w, "GET only", http.StatusMethodNotAllowed)
		return
	}
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	p.mu.Lock()
	base, files := p.base, p.files
	p.mu.Unlock()
	name, ok := strings.CutPrefix(r.URL.Path, base)
	switch {
	case !ok && r.URL.Path+"/" == base || !ok && r.URL.Path == "/":
		http.Redirect(w, r, base, http.StatusFound)
	case ok && name == eventsPath:
		p.stream(w, r)
	case ok && name == scriptPath:
		w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
		_, _ = w.Write(previewScript)
	default:
		if name == "" || strings.HasSuffix(name, "/") {
			name += HomePage
		}
		p.file(w, files, name, ok)
	}
}

// file sends a file of the site; pages get the script that follows along.
func (p *Preview) file(w http.ResponseWriter, files manifest.Files, name string, ok bool) {
	data, there := files[name]
	status := http.StatusOK
	if !ok || !there {
		status, name = http.StatusNotFound, "404.html"
		data = files[name]
	}
	kind := mime.TypeByExtension(path.Ext(name))
	switch path.Ext(name) {
	case ".mjs", ".js":
		kind = "text/javascript; charset=utf-8"
	case "":
		kind = "application/octet-stream"
	}
	w.Header().Set("Content-Type", kind)
	w.WriteHeader(status)
	if manifest.IsPage(name) {
		tag := []byte("<script src=\"" + p.base + scriptPath + "\" defer></script>\n")
		if i := bytes.LastIndex(data, []byte("</body")); i >= 0 {
			data = bytes.Join([][]byte{data[:i], tag, data[i:]}, nil)
		}
	}
	_, _ = w.Write(data)
}

// stream sends what changes to one page that is open.
func (p *Preview) stream(w http.ResponseWriter, r *http.Request) {
	flusher, ok := w.(http.Flusher)
	if !ok {
		http.Error(w, "streams are not supported here", http.StatusNotImplemented)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	changes := make(chan string, 1)
	p.mu.Lock()
	p.clients[changes] = true
	first, err := json.Marshal(map[string]any{"found": p.found})
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		delete(p.clients, changes)
		p.mu.Unlock()
	}()
	if err != nil {
		return
	}
	for text := string(first); ; {
		if _, err := fmt.Fprintf(w, "data: %s\n\n", text); err != nil {
			return
		}
		flusher.Flush()
		select {
		case <-r.Context().Done():
			return
		case text = <-changes:
		}
	}
}

// state names the state of the directory: what files there are, their sizes
// and times. What hosts keep and what is built is left out.
func (p *Project) state() (string, error) {
	output := path.Clean(strings.TrimPrefix(p.Config.Output, "./"))
	var out strings.Builder
	err := fs.WalkDir(p.root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case name != "." && (manifest.Private(name) || name == output || path.Base(name) == "node_modules"):
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case d.IsDir():
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return nil // gone since
		}
		fmt.Fprintf(&out, "%s %d %d\n", name, info.Size(), info.ModTime().UnixNano())
		return nil
	})
	return out.String(), err
}
