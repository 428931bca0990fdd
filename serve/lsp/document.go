package lsp

import (
	"net/url"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"wb/org"
)

// document is a text the client has open. Its text changes only in the handlers
// of didChange, which run one after another.
type document struct {
	uri  string
	file string        // its path, or the URI when it is not a file
	turn chan struct{} // holds a token while it is run

	mu      sync.Mutex
	now     *snapshot
	changes []change // the latest, oldest first
	ran     *ranText
}

// ranText holds the last run's findings, with the text it ran.
type ranText struct {
	snap *snapshot
	list []diagnostic
}

// snapshot is one version of a document. It is analysed when the first request
// asks, once.
type snapshot struct {
	uri, file string
	version   int
	text      *text

	once     sync.Once
	analysed *analysis
}

func (s *snapshot) analysis() *analysis {
	s.once.Do(func() { s.analysed = analyze(s.uri, s.file, s.version, s.text) })
	return s.analysed
}

// change is one replacement of bytes and the version it led to.
type change struct {
	version    int
	start, end int // in the text before
	size       int // of what is there now
}

// maxChanges bounds how many changes a document remembers; edits older than
// that cannot be moved along.
const maxChanges = 4096

func newDocument(uri, source string, version int, enc encoding) *document {
	file := filePath(uri)
	return &document{uri: uri, file: file, turn: make(chan struct{}, 1), now: &snapshot{uri: uri, file: file, version: version, text: newText(source, enc)}}
}

// apply performs the changes of one didChange.
func (d *document) apply(version int, changes []contentChange) {
	d.mu.Lock()
	defer d.mu.Unlock()
	t := d.now.text
	for _, c := range changes {
		span := org.Span{End: len(t.source)}
		if c.Range != nil {
			span = t.span(*c.Range)
		}
		t = newText(t.source[:span.Start]+c.Text+t.source[span.End:], t.enc)
		d.changes = append(d.changes, change{version: version, start: span.Start, end: span.End, size: len(c.Text)})
	}
	if over := len(d.changes) - maxChanges; over > 0 {
		d.changes = append([]change(nil), d.changes[over:]...)
	}
	d.now = &snapshot{uri: d.uri, file: d.file, version: version, text: t}
}

// setRan keeps what a run of a text found.
func (d *document) setRan(snap *snapshot, list []diagnostic) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.ran = &ranText{snap, list}
}

// ranDiagnostics are the last run's findings, moved along with the text; those
// whose place was edited are gone. The document must be locked.
func (d *document) ranDiagnostics() []diagnostic {
	if d.ran == nil {
		return nil
	}
	var moved []diagnostic
	for _, diag := range d.ran.list {
		span := d.ran.snap.text.span(diag.Range)
		if e, ok := d.rebaseOne(org.Edit{Start: span.Start, End: span.End}, d.ran.snap.version); ok {
			diag.Range = d.now.text.rangeOf(org.Span{Start: e.Start, End: e.End})
			moved = append(moved, diag)
		}
	}
	return moved
}

// snapshot is the document as it stands now.
func (d *document) snapshot() *snapshot {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.now
}

// rebase moves edits made for a version to the text as it is now. An edit whose
// place has changed since is dropped; lost says how many were.
func (d *document) rebase(edits []org.Edit, version int) (moved []org.Edit, now *snapshot, lost int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.now.version == version {
		return edits, d.now, 0
	}
	if len(d.changes) == maxChanges && d.changes[0].version > version {
		return nil, d.now, len(edits)
	}
	for _, e := range edits {
		if e, ok := d.rebaseOne(e, version); ok {
			moved = append(moved, e)
		} else {
			lost++
		}
	}
	return moved, d.now, lost
}

func (d *document) rebaseOne(e org.Edit, version int) (org.Edit, bool) {
	for _, c := range d.changes {
		switch {
		case c.version <= version, c.start >= e.End: // a result stays with its block
		case c.end <= e.Start:
			shift := c.size - (c.end - c.start)
			e.Start, e.End = e.Start+shift, e.End+shift
		default:
			return e, false
		}
	}
	return e, true
}

// filePath is the path that a file URI names, or the URI itself.
func filePath(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" {
		return uri
	}
	path := u.Path
	if runtime.GOOS == "windows" {
		path = strings.TrimPrefix(path, "/")
	}
	return filepath.FromSlash(path)
}

// fileURI is the URI of an absolute path.
func fileURI(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}
