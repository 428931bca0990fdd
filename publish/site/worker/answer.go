package worker

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"sync"

	"wb/internal/diag"
)

// Talk is the side of wb-publish.
type Talk struct {
	mu  sync.Mutex
	out io.Writer
}

func (t *Talk) say(m message) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	_, err = t.out.Write(append(text, '\n'))
	return err
}

// Note tells the user something.
func (t *Talk) Note(format string, args ...any) error {
	return t.say(message{Note: fmt.Sprintf(format, args...)})
}

// Made says how many pages are made, of those that must be.
func (t *Talk) Made(pages, of int) { _ = t.say(message{Made: &made{pages, of}}) }

// URL says where the preview answers.
func (t *Talk) URL(at string) error { return t.say(message{URL: at}) }

// Answer reads a request, does it, and replies. The context that do gets ends
// when nobody waits any more.
func Answer(ctx context.Context, in io.Reader, out io.Writer, do func(context.Context, Request, *Talk) (*Reply, error)) error {
	lines := bufio.NewReader(in)
	line, err := lines.ReadBytes('\n')
	if err != nil {
		return fmt.Errorf("read the request: %w", err)
	}
	t := &Talk{out: out}
	var r Request
	if err := json.Unmarshal(line, &r); err != nil {
		return fmt.Errorf("read the request: %w", err)
	}
	if r.Version != Version {
		return t.say(message{Reply: &Reply{Error: "wb-publish and wb have different versions", Hint: "install both together"}})
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		_, _ = io.Copy(io.Discard, lines)
		cancel()
	}()
	reply, err := do(ctx, r, t)
	if reply == nil {
		reply = &Reply{}
	}
	if err != nil {
		reply.Error, reply.Hint = err.Error(), diag.HintOf(err)
	}
	return t.say(message{Reply: reply})
}
