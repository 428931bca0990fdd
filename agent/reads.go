package agent

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"wb/internal/textdiff"
	"wb/sandbox"
)

// Origin is the content of a file when the agent began to change it.
type Origin struct {
	Base  []byte `json:"base,omitempty"`
	Fresh bool   `json:"fresh,omitempty"` // there was no such file
	// Append says that a fresh file was made by adding to it.
	Append bool `json:"append,omitempty"`
	// Stale says that somebody wrote the file after the run began and that the agent
	// has not read it since.
	Stale bool `json:"stale,omitempty"`
}

// is reports whether a content is what the change began from.
func (o Origin) is(content []byte) bool {
	return !o.Fresh && !o.Stale && bytes.Equal(o.Base, content) && o.Base != nil
}

// reads records what a run has read of its working directory. It is safe for concurrent
// use.
type reads struct {
	mu    sync.Mutex
	began time.Time
	// call is what the tool call in progress has read, knows what the agent itself
	// has, origins where the changes began that are not in the directory.
	call, knows map[string][]byte
	origins     map[string]Origin
	callSize    int
}

// What is remembered of files that a call reads.
const (
	maxReadFile = 1 << 20
	maxReadCall = 16 << 20
)

func (r *reads) begin() {
	r.began = time.Now()
	r.call, r.knows, r.origins = map[string][]byte{}, map[string][]byte{}, map[string]Origin{}
}

// note remembers the content of a file that was opened to be read, and gives the file
// with that content.
func (r *reads) note(name string, f sandbox.File) sandbox.File {
	info, err := f.Stat()
	if err != nil || info.Size() > maxReadFile {
		return f
	}
	r.mu.Lock()
	full := r.callSize+int(info.Size()) > maxReadCall
	r.mu.Unlock()
	if full {
		return f
	}
	data, err := io.ReadAll(io.NewSectionReader(f, 0, info.Size()))
	if err != nil {
		return f
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.callSize += len(data) - len(r.call[name])
	r.call[name] = data
	return &noted{bytes.NewReader(data), f, info}
}

// know remembers what the agent itself has read.
func (r *reads) know(name string, data []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.knows[name] = slices.Clone(data)
}

// shown remembers the files that stand whole in a text which the agent reads.
func (r *reads) shown(text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for name, data := range r.call {
		if len(data) > 0 && strings.Contains(text, strings.TrimSuffix(string(data), "\n")) {
			r.knows[name] = data
		}
	}
}

// known is the state of a file when the call in progress read it, else when the agent
// did.
func (r *reads) known(name string) ([]byte, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if data, ok := r.call[name]; ok {
		return data, true
	}
	data, ok := r.knows[name]
	return data, ok
}

// originOr is where the changes of a file began, else where they begin now.
func (r *reads) originOr(name string, otherwise Origin) Origin {
	r.mu.Lock()
	defer r.mu.Unlock()
	if o, ok := r.origins[name]; ok {
		return o
	}
	return otherwise
}

// from sets where the changes of a file began, unless they began before.
func (r *reads) from(name string, o Origin) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.origins[name]; !ok {
		o.Base = slices.Clone(o.Base)
		r.origins[name] = o
	}
}

func (r *reads) originOf(name string) Origin { return r.originOr(name, Origin{}) }

// below are the files under a directory whose changes have begun.
func (r *reads) below(dir string) []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var names []string
	for name, o := range r.origins {
		if strings.HasPrefix(name, dir+"/") && !o.Fresh {
			names = append(names, name)
		}
	}
	return names
}

// callEnded forgets what the call read.
func (r *reads) callEnded() {
	r.mu.Lock()
	defer r.mu.Unlock()
	clear(r.call)
	r.callSize = 0
}

// landed forgets where changes began that are in the directory now.
func (r *reads) landed() {
	r.mu.Lock()
	defer r.mu.Unlock()
	clear(r.origins)
}

// wrote remembers a change of the agent's own. What it knew of a file before it
// knows with its change, and not what others wrote into it.
func (r *reads) wrote(c FileChange) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if c.Removed {
		delete(r.knows, c.Path)
		return
	}
	before, knew := r.knows[c.Path]
	if !knew || bytes.Equal(before, c.Base) {
		r.knows[c.Path] = c.Content
		return
	}
	lines, clash := textdiff.Merger{Again: true}.Merge(textdiff.Lines(string(c.Base)), textdiff.Lines(string(c.Content)), textdiff.Lines(string(before)))
	if clash == nil {
		r.knows[c.Path] = []byte(strings.Join(append(lines, ""), "\n"))
	}
}

// Shown tells the tree what the agent reads of a call's output: a file that stands
// whole in it is known to the agent.
func (t *Tree) Shown(text string) { t.reads.shown(text) }
