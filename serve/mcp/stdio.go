package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"sync"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// ServeStdio speaks with one client over in and out until in ends, and answers
// whatever the client has asked by then: `wb mcp < requests` works in a pipe.
// The SDK alone drops answers under way when its input ends.
func ServeStdio(ctx context.Context, server *sdk.Server, in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	p := &pending{asked: map[string]bool{}, change: make(chan struct{}, 1)}
	transport := &sdk.IOTransport{
		Reader: &requestReader{ctx: ctx, in: in, pending: p},
		Writer: &answerWriter{out: out, pending: p},
	}
	return server.Run(ctx, transport)
}

// pending are the requests without an answer yet, by id as written.
type pending struct {
	mu     sync.Mutex
	asked  map[string]bool
	change chan struct{} // holds a token after an answer
}

// message holds the fields that tell requests, answers and notifications of JSON-RPC apart.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		RequestID json.RawMessage `json:"requestId"`
	} `json:"params"`
}

func (p *pending) received(line []byte) {
	var m message
	if json.Unmarshal(line, &m) != nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case m.Method == "notifications/cancelled":
		delete(p.asked, string(m.Params.RequestID))
	case m.Method != "" && m.ID != nil:
		p.asked[string(m.ID)] = true
	}
}

func (p *pending) sent(line []byte) {
	var m message
	if json.Unmarshal(line, &m) != nil || m.Method != "" {
		return
	}
	p.mu.Lock()
	delete(p.asked, string(m.ID))
	p.mu.Unlock()
	select {
	case p.change <- struct{}{}:
	default:
	}
}

// settled waits until every request has its answer.
func (p *pending) settled(ctx context.Context) {
	for {
		p.mu.Lock()
		open := len(p.asked)
		p.mu.Unlock()
		if open == 0 {
			return
		}
		select {
		case <-p.change:
		case <-ctx.Done():
			return
		}
	}
}

// requestReader notes requests line by line and ends when they are answered.
type requestReader struct {
	ctx     context.Context
	in      io.Reader
	pending *pending
	line    []byte // what has been read of a line so far
}

func (r *requestReader) Read(b []byte) (int, error) {
	n, err := r.in.Read(b)
	r.line = append(r.line, b[:n]...)
	for {
		line, rest, whole := bytes.Cut(r.line, []byte("\n"))
		if !whole {
			break
		}
		r.pending.received(line)
		r.line = rest
	}
	if err != nil {
		if len(r.line) > 0 {
			r.pending.received(r.line)
			r.line = nil
		}
		if n > 0 {
			return n, nil // the end is told by the next call
		}
		r.pending.settled(r.ctx)
	}
	return n, err
}

func (r *requestReader) Close() error {
	if c, ok := r.in.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

// answerWriter notes answers; the SDK writes a message per call.
type answerWriter struct {
	out     io.Writer
	pending *pending
}

func (w *answerWriter) Write(b []byte) (int, error) {
	n, err := w.out.Write(b)
	for line := range bytes.Lines(b) {
		w.pending.sent(line)
	}
	return n, err
}

func (w *answerWriter) Close() error { return nil }
