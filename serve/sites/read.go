package sites

import (
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"wb/proof/manifest"
)

// policy limits what a browser lets pages of a site do. The sandbox gives them an
// origin of their own: a site's scripts must not reach the server's other pages,
// nor its API with the cookie of whoever reads. Pages bring a stricter policy of
// their own; both hold.
const policy = "sandbox allow-scripts allow-downloads allow-popups; default-src 'none'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; " +
	"script-src 'self' 'unsafe-inline' 'wasm-unsafe-eval'; worker-src 'self' blob:; connect-src 'self'; font-src 'self'; media-src 'self'; " +
	"form-action 'none'; base-uri 'none'; frame-ancestors 'none'"

// types are the media types of files, by their names' ends. Anything else is
// bytes, which no browser makes something of.
var types = map[string]string{
	".html": "text/html; charset=utf-8", ".htm": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8",
	".js": "text/javascript; charset=utf-8", ".mjs": "text/javascript; charset=utf-8", ".json": "application/json",
	".jsonl": "application/jsonl; charset=utf-8", ".wasm": "application/wasm", ".xml": "application/xml", ".txt": "text/plain; charset=utf-8", ".org": "text/plain; charset=utf-8",
	".md": "text/plain; charset=utf-8", ".csv": "text/csv; charset=utf-8", ".svg": "image/svg+xml", ".png": "image/png", ".jpg": "image/jpeg",
	".jpeg": "image/jpeg", ".gif": "image/gif", ".webp": "image/webp", ".avif": "image/avif", ".ico": "image/x-icon", ".pdf": "application/pdf",
	".woff2": "font/woff2", ".mp4": "video/mp4", ".webm": "video/webm", ".mp3": "audio/mpeg", ".webmanifest": "application/manifest+json",
}

// release is the release that readers see, with what it has.
type release struct {
	id    string
	files map[string]string // digest by path
	dirs  map[string]bool
}

// shown is the release that readers see, nil when there is none.
func (at *site) shown() (*release, error) {
	id, err := at.dir.Current()
	if err != nil || id == "" {
		return nil, err
	}
	at.mu.Lock()
	defer at.mu.Unlock()
	if at.last != nil && at.last.id == id {
		return at.last, nil
	}
	text, err := os.ReadFile(filepath.Join(at.dir.ReleasePath(id), filepath.FromSlash(manifest.SitePath)))
	if err != nil {
		return nil, err
	}
	m, err := manifest.ReadSite(text)
	if err != nil {
		return nil, err
	}
	out := &release{id: id, files: map[string]string{manifest.SitePath: manifest.SHA256(text)}, dirs: map[string]bool{}}
	for _, f := range m.Files {
		out.files[f.Path] = f.SHA256
	}
	for _, p := range manifest.LogPaths(m.Sequence) {
		out.files[manifest.LogPrefix+p] = "" // not listed: no digest to name it by
	}
	for name := range out.files {
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			out.dirs[dir] = true
		}
	}
	at.last = out
	return out, nil
}

// get serves a file of the release that readers see: one that its manifest
// lists, or its proof, and nothing else.
func (s *Server) get(w http.ResponseWriter, r *http.Request) {
	_, at, ok := s.find(r)
	if !ok {
		s.nothing(w, r)
		return
	}
	shown, err := at.shown()
	if err != nil {
		s.config.Warn(err)
		http.Error(w, "the site cannot be read", http.StatusInternalServerError)
		return
	}
	if shown == nil {
		s.nothing(w, r)
		return
	}
	h := w.Header()
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Access-Control-Allow-Origin", "*") // what is published is for everybody; pages have no origin to be the same as
	h.Set("Cache-Control", "no-cache")        // kept, but asked about
	name := r.PathValue("path")
	if name == "" || strings.HasSuffix(name, "/") {
		name += "index.html"
	}
	digest, listed := shown.files[name]
	if !listed && shown.dirs[name] {
		http.Redirect(w, r, r.URL.EscapedPath()+"/", http.StatusMovedPermanently)
		return
	}
	if !listed {
		at.missing(w, r, shown)
		return
	}
	at.send(w, r, shown, name, digest)
}

// missing answers with the site's own page for what is not there.
func (at *site) missing(w http.ResponseWriter, r *http.Request, shown *release) {
	page, err := os.ReadFile(filepath.Join(at.dir.ReleasePath(shown.id), "404.html"))
	if _, listed := shown.files["404.html"]; !listed || err != nil {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", types[".html"])
	w.WriteHeader(http.StatusNotFound)
	_, _ = w.Write(page)
}

func (at *site) send(w http.ResponseWriter, r *http.Request, shown *release, name, digest string) {
	root, err := os.OpenRoot(at.dir.ReleasePath(shown.id))
	if err != nil { // pruned meanwhile
		http.NotFound(w, r)
		return
	}
	defer root.Close()
	f, err := root.Open(filepath.FromSlash(name))
	if err != nil {
		http.NotFound(w, r)
		return
	}
	defer f.Close()
	kind, known := types[strings.ToLower(path.Ext(name))]
	switch {
	case !known && path.Base(name) == "checkpoint":
		kind = "text/plain; charset=utf-8"
	case !known:
		kind = "application/octet-stream"
	}
	w.Header().Set("Content-Type", kind)
	if digest != "" {
		w.Header().Set("ETag", `"`+digest+`"`)
	}
	http.ServeContent(w, r, name, time.Time{}, f)
}
