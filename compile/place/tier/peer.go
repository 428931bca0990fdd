package tier

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"time"

	"wb/compile/place/frame"
	"wb/compile/place/remote"
	"wb/sandbox"
)

// peer is the caller's end of one child.
type peer struct {
	cmd    *exec.Cmd
	in     *frame.Writer
	pipe   io.Closer // of in
	out    *frame.Reader
	stderr *opening
	notes  []string

	served int
	idle   time.Time // since when it is unused
	broken bool

	killOnce sync.Once
	killed   func() // ends what exec cannot: the container
	waitOnce sync.Once
	waitErr  error
}

// startPeer starts a command that leads to a child and waits for its greeting.
func startPeer(ctx context.Context, l *launch) (*peer, error) {
	cmd := l.cmd
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	p := &peer{cmd: cmd, in: frame.NewWriter(in), pipe: in, out: frame.NewReader(out, callerTakes), stderr: &opening{}, killed: l.kill, notes: l.notes}
	cmd.Stderr = p.stderr
	cmd.WaitDelay = 5 * time.Second
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, p.kill)
	late := time.AfterFunc(patience, p.kill)
	f, err := p.out.Read()
	late.Stop()
	stop()
	var g greeting
	if err == nil {
		err = json.Unmarshal(f.Payload, &g)
	}
	if err == nil && (f.Kind != frameReady || g.Protocol != protocol) {
		err = errors.New("it is another version of wb")
	}
	if err != nil {
		p.kill()
		p.wait()
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, fmt.Errorf("it ended before it was ready (%s)%s", p.how(), colon(p.stderr.first()))
	}
	p.notes = append(p.notes, g.Notes...)
	return p, nil
}

func colon(text string) string {
	if text == "" {
		return ""
	}
	return ": " + text
}

// maxReply bounds a reply beyond what the program's limits allow.
const maxReply = 256 << 20

// callerTakes are the frames a caller takes, and how long they may be.
func callerTakes(kind byte) int64 {
	switch kind {
	case frameReady:
		return 64 << 10
	case frameBuilt:
		return 0
	case frameQuestion:
		return remote.MaxQuestion
	case frameReply:
		return maxReply
	}
	return -1
}

// maxQuestions is how many questions of a child are answered at once; more wait
// in the pipe.
const maxQuestions = 64

// serve takes one request to the child and brings its reply. A nil error leaves
// the child ready for the next.
func (p *peer) serve(ctx context.Context, trip remote.Trip, config *Config) ([]byte, error) {
	p.broken = true // until the reply is here
	p.served++
	defer context.AfterFunc(ctx, p.kill)()
	ctx, cancel := context.WithCancel(ctx)
	watch := p.watch(trip, config)
	defer watch.stop()

	var answers sync.WaitGroup
	defer answers.Wait()
	defer cancel() // no caller waits for these answers any more
	slots := make(chan struct{}, maxQuestions)
	go func() {
		if p.in.Write(frame.Frame{Kind: frameRequest, Payload: trip.Request}) != nil {
			p.kill() // reading tells
		}
	}()
	for {
		f, err := p.out.Read()
		if err != nil {
			if parent := context.Cause(ctx); parent != nil {
				return nil, parent
			}
			return nil, p.lost(trip, watch, err)
		}
		switch f.Kind {
		case frameBuilt:
			watch.built()
		case frameQuestion:
			slots <- struct{}{}
			answers.Go(func() {
				defer func() { <-slots }()
				if p.in.Write(frame.Frame{Kind: frameAnswer, ID: f.ID, Payload: trip.Answer(ctx, f.Payload)}) != nil {
					p.kill()
				}
			})
		case frameReply:
			p.broken = watch.fired() != ""
			return f.Payload, nil
		default:
			return nil, p.lost(trip, watch, errors.New("it greeted twice"))
		}
	}
}

// lost says what became of a child that does not answer.
func (p *peer) lost(trip remote.Trip, w *watch, cause error) error {
	p.kill()
	p.wait()
	switch w.fired() {
	case overTime:
		return &OverrunError{Component: trip.Component, What: w.what(), After: w.limit().String(), Err: w.timeError()}
	case overMemory:
		return &OverrunError{Component: trip.Component, What: w.what(), After: fmt.Sprintf("%d MiB of memory", w.memory>>20),
			Err: &sandbox.LimitError{Kind: sandbox.LimitMemory, Limit: w.memory}}
	}
	how := p.how()
	if !errors.Is(cause, io.EOF) && !errors.Is(cause, io.ErrUnexpectedEOF) && !strings.Contains(cause.Error(), "file already closed") {
		how = "it was killed because it broke the protocol: " + cause.Error()
	}
	return &LostError{Component: trip.Component, How: how, Said: clean(p.stderr.first())}
}

// how is the end of the process, in words.
func (p *peer) how() string {
	p.wait()
	if p.waitErr == nil {
		return "exit status 0"
	}
	return p.waitErr.Error()
}

// kill ends the child at once.
func (p *peer) kill() {
	p.killOnce.Do(func() {
		if p.cmd.Process != nil {
			killTree(p.cmd.Process)
		}
		if p.killed != nil {
			p.killed()
		}
	})
}

// close lets an idle child end by itself, and sees that it does.
func (p *peer) close() {
	_ = p.pipe.Close()
	late := time.AfterFunc(2*time.Second, p.kill)
	p.wait()
	late.Stop()
}

// wait waits for the process to end. It may be called by several goroutines.
func (p *peer) wait() { p.waitOnce.Do(func() { p.waitErr = p.cmd.Wait() }) }

// opening is the beginning of what a child writes to standard error.
type opening struct {
	mu   sync.Mutex
	head []byte
}

const openingKeeps = 8 << 10

func (t *opening) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if room := openingKeeps - len(t.head); room > 0 {
		t.head = append(t.head, b[:min(room, len(b))]...)
	}
	return len(b), nil
}

// first is the first line that says something.
func (t *opening) first() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	for line := range strings.Lines(string(t.head)) {
		if line = strings.TrimSpace(line); line != "" {
			return line
		}
	}
	return ""
}

// clean makes text of a child harmless and short.
func clean(text string) string {
	text = string(sandbox.Neutralize([]byte(text)))
	if runes := []rune(text); len(runes) > 200 {
		return string(runes[:199]) + "…"
	}
	return text
}
