// Package chromium drives a headless Chromium in tests, over the DevTools
// protocol through a pipe: no port is opened and no client library is needed.
//
// A [Browser] is one process; a [Page] is one tab that remembers what it asked
// the network for and what went wrong in it. Tests that need a browser skip
// where there is none, and fail in CI.
package chromium

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"
)

// Path is the browser to drive; ok is false when there is none.
func Path() (path string, ok bool) {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, true
		}
	}
	return "", false
}

// Need is the browser's path. Without one the test skips, or fails in CI.
func Need(t testing.TB) string {
	t.Helper()
	path, ok := Path()
	if !ok {
		if os.Getenv("CI") == "true" {
			t.Fatal("no chromium: apt-get install chromium")
		}
		t.Skip("no chromium: apt-get install chromium")
	}
	return path
}

// Args are the arguments under which the browser works in tests: headless,
// with a profile of its own, asking nobody for anything by itself.
func Args(profile string) []string {
	return []string{"--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--mute-audio", "--hide-scrollbars", "--force-color-profile=srgb", "--user-data-dir=" + profile}
}

// Patience is how long a test waits for the browser before it gives up: far
// longer than anything takes on a loaded machine.
const Patience = time.Minute

// Browser is a running browser.
type Browser struct {
	t   testing.TB
	in  io.Writer
	cmd *exec.Cmd

	mu      sync.Mutex
	next    int
	waiting map[int]chan reply
	pages   map[string]*Page // by session
	err     error            // why no more is to come
}

type reply struct {
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Message string `json:"message"`
	} `json:"error"`
}

// Start starts a browser that ends with the test.
func Start(t testing.TB) *Browser {
	t.Helper()
	path := Need(t)
	toBrowser, ours, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	theirs, fromBrowser, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	b := &Browser{t: t, in: ours, waiting: map[int]chan reply{}, pages: map[string]*Page{}}
	ctx, cancel := context.WithCancel(context.Background())
	b.cmd = exec.CommandContext(ctx, path, append(Args(t.TempDir()), "--remote-debugging-pipe", "about:blank")...)
	b.cmd.ExtraFiles = []*os.File{toBrowser, fromBrowser}
	if err := b.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	toBrowser.Close()
	fromBrowser.Close()
	done := make(chan struct{})
	go func() {
		defer close(done)
		b.listen(theirs)
	}()
	t.Cleanup(func() {
		_, _ = b.call("", "Browser.close", nil) // gone or not, it is killed below
		ours.Close()
		exited := make(chan error, 1)
		go func() { exited <- b.cmd.Wait() }()
		select {
		case <-exited:
		case <-time.After(10 * time.Second):
			cancel()
			<-exited
		}
		cancel()
		theirs.Close()
		<-done
	})
	return b
}

// listen hands messages to whom they are for until the browser ends.
func (b *Browser) listen(from io.Reader) {
	r := bufio.NewReaderSize(from, 1<<20)
	for {
		text, err := r.ReadBytes(0)
		if err != nil {
			b.mu.Lock()
			b.err = errors.New("the browser has ended")
			for id, c := range b.waiting {
				close(c)
				delete(b.waiting, id)
			}
			b.mu.Unlock()
			return
		}
		var m struct {
			ID        int             `json:"id"`
			Method    string          `json:"method"`
			SessionID string          `json:"sessionId"`
			Params    json.RawMessage `json:"params"`
			reply
		}
		if json.Unmarshal(bytes.TrimSuffix(text, []byte{0}), &m) != nil {
			continue
		}
		b.mu.Lock()
		if m.ID != 0 {
			if c := b.waiting[m.ID]; c != nil {
				c <- m.reply
				delete(b.waiting, m.ID)
			}
		} else if p := b.pages[m.SessionID]; p != nil {
			p.note(m.Method, m.Params)
		}
		b.mu.Unlock()
	}
}

// call sends a command and waits for its answer.
func (b *Browser) call(session, method string, params any) (json.RawMessage, error) {
	if params == nil {
		params = map[string]any{}
	}
	b.mu.Lock()
	if b.err != nil {
		b.mu.Unlock()
		return nil, b.err
	}
	b.next++
	id, answer := b.next, make(chan reply, 1)
	b.waiting[id] = answer
	message := map[string]any{"id": id, "method": method, "params": params}
	if session != "" {
		message["sessionId"] = session
	}
	text, err := json.Marshal(message)
	if err == nil {
		_, err = b.in.Write(append(text, 0))
	}
	b.mu.Unlock()
	if err != nil {
		return nil, err
	}
	select {
	case r, ok := <-answer:
		if !ok {
			return nil, errors.New("the browser has ended")
		}
		if r.Error != nil {
			return nil, fmt.Errorf("%s: %s", method, r.Error.Message)
		}
		return r.Result, nil
	case <-time.After(Patience):
		return nil, fmt.Errorf("%s: no answer after %s", method, Patience)
	}
}
