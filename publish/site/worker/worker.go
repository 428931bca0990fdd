// Package worker starts wb-publish, the program that lays out sites, and talks
// with it.
//
// Laying out links hugo and chroma, whose initialisation takes longer than most
// verbs of wb do, so it happens in a program of its own. That program gets a
// directory to read and one to write, and no key, no token and no address: what
// it builds is signed and deployed by wb.
//
// One [Request] goes to its standard input as JSON; standard input then stays
// open, and its end means that nobody waits any more. Lines of JSON come back on
// its standard output: notes, and a [Reply] at the end. Its command line is always the
// same.
package worker

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"

	"wb/internal/diag"
	"wb/proof/manifest"
	"wb/publish/site"
)

// Version is that of the protocol. Both sides must be of the same.
const Version = 3

// What a [Request] may ask for.
const (
	Site  = "site"  // build the site of Dir into Out
	Page  = "page"  // build the site of the one document File into Out
	Serve = "serve" // serve a preview of Dir until nobody waits any more
)

// Request is what wb-publish is to do.
type Request struct {
	Version int    `json:"version"`
	Do      string `json:"do"`
	Dir     string `json:"dir,omitempty"`
	File    string `json:"file,omitempty"`
	Out     string `json:"out,omitempty"`
	Port    int    `json:"port,omitempty"`
	Kept    string `json:"kept,omitempty"`    // site: the directory in which the site is built from release to release, instead of Out
	Machine string `json:"machine,omitempty"` // site: names what pages depend on besides Dir
	Strict  bool   `json:"strict,omitempty"`  // warnings are errors

	// Ask says which documents become pages.
	Ask site.Ask `json:"ask"`
}

// Reply is how it went.
type Reply struct {
	Error string         `json:"error,omitempty"`
	Hint  string         `json:"hint,omitempty"`
	Found []diag.Finding `json:"found,omitempty"`
	Left  []string       `json:"left,omitempty"`
	Pages int            `json:"pages"`
	// Until is when the dates of documents change which of them are pages; zero is never.
	Until time.Time `json:"until,omitzero"`
	Made  int       `json:"made,omitempty"` // pages that were made anew
	// Out is where the site is, when it is kept, and Digests are those of its files.
	Out     string            `json:"out,omitempty"`
	Digests map[string]string `json:"digests,omitempty"`
	// Assertions are what a page's manifest says besides, by the page's path.
	Assertions map[string][]manifest.Assertion `json:"assertions,omitempty"`
}

// message is one line of standard output.
type message struct {
	Note  string `json:"note,omitempty"`
	URL   string `json:"url,omitempty"`  // the preview answers there
	Made  *made  `json:"made,omitempty"` // so much is done
	Reply *Reply `json:"reply,omitempty"`
}

type made struct {
	Pages int `json:"pages"`
	Of    int `json:"of"`
}

// Listener hears what wb-publish says before it is done.
type Listener struct {
	Note func(string)
	URL  func(string) error
	Made func(pages, of int)
}

// Run starts wb-publish at path and waits for its reply. Canceling the context
// asks it to stop.
func Run(ctx context.Context, path string, r Request, to Listener, stderr io.Writer) (*Reply, error) {
	r.Version = Version
	text, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, path, "work")
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 5 * time.Second
	cmd.Stderr = stderr
	cmd.Env = environment()
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	defer in.Close()
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", path, err)
	}
	if _, err := in.Write(append(text, '\n')); err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", path, err), cmd.Wait())
	}
	reply, err := listen(out, to)
	if err != nil {
		_ = cmd.Cancel()
	}
	if waited := cmd.Wait(); reply == nil || err != nil {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err == nil {
			err = fmt.Errorf("%s ended without a reply", path)
		}
		return nil, errors.Join(err, waited)
	}
	if reply.Error != "" {
		if ctx.Err() != nil {
			return reply, ctx.Err() // which its words are about
		}
		return reply, &replyError{reply.Error, reply.Hint}
	}
	return reply, nil
}

// listen reads lines until the reply.
func listen(out io.Reader, to Listener) (*Reply, error) {
	lines := bufio.NewReader(out)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return nil, nil // the exit status says why
		}
		var m message
		if err := json.Unmarshal(line, &m); err != nil {
			return nil, fmt.Errorf("the reply of wb-publish is not JSON: %w", err)
		}
		switch {
		case m.Reply != nil:
			return m.Reply, nil
		case m.Note != "" && to.Note != nil:
			to.Note(m.Note)
		case m.Made != nil && to.Made != nil:
			to.Made(m.Made.Pages, m.Made.Of)
		case m.URL != "" && to.URL != nil:
			if err := to.URL(m.URL); err != nil {
				return nil, err
			}
		}
	}
}

// environment is what wb-publish sees of the user's: where caches are, and no
// key or token.
func environment() []string {
	var out []string
	for _, name := range []string{"HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "LOCALAPPDATA", "PATH", "TMPDIR", "LANG", "CI"} {
		if v, ok := os.LookupEnv(name); ok {
			out = append(out, name+"="+v)
		}
	}
	return out
}

type replyError struct{ text, hint string }

func (e *replyError) Error() string { return e.text }
func (e *replyError) Hint() string  { return e.hint }
