package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
)

// Error codes of JSON-RPC and of the protocol.
const (
	codeParse          = -32700
	codeInvalidRequest = -32600
	codeNoMethod       = -32601
	codeInvalidParams  = -32602
	codeInternal       = -32603
	codeNotInitialized = -32002
	codeFailed         = -32803
	codeCancelled      = -32800
)

// wireError is a failed request as the other side sees it.
type wireError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
	Data    any    `json:"data,omitempty"`
}

func (e *wireError) Error() string { return e.Message }

func failf(code int, format string, args ...any) *wireError {
	return &wireError{Code: code, Message: fmt.Sprintf(format, args...)}
}

// message is any message: a request has ID and Method, a notification only
// Method, a response only ID.
type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   *wireError      `json:"error,omitempty"`
}

// handler answers a request or takes a notification, whose answer is dropped.
type handler func(ctx context.Context, params json.RawMessage) (any, error)

// router decides how a message is handled. Handlers of ordered methods run one
// after another in the order of the messages and before anything later is
// looked at; the others run beside each other.
type router interface {
	route(method string, request bool) (h handler, ordered bool, err *wireError)
}

// conn is one JSON-RPC 2.0 connection.
type conn struct {
	in  *frameReader
	out io.Writer

	writing sync.Mutex
	running sync.WaitGroup

	mu      sync.Mutex
	cancels map[string]context.CancelFunc // requests being handled, by id
	waiting map[string]chan message       // requests we made, by id
	lastID  int
}

func newConn(in io.Reader, out io.Writer) *conn {
	return &conn{in: newFrameReader(in), out: out, cancels: map[string]context.CancelFunc{}, waiting: map[string]chan message{}}
}

// serve handles messages until the stream ends or stop is closed. It waits for
// handlers that are still running, which it cancels.
func (c *conn) serve(ctx context.Context, r router, stop <-chan struct{}) error {
	ctx, cancel := context.WithCancel(ctx)
	defer c.running.Wait()
	defer cancel()
	incoming, failed := c.read(ctx)
	for {
		select {
		case <-stop:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		case err := <-failed:
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		case data := <-incoming:
			c.dispatch(ctx, r, data)
		}
	}
}

// read reads messages beside whatever handles them.
func (c *conn) read(ctx context.Context) (<-chan []byte, <-chan error) {
	incoming, failed := make(chan []byte), make(chan error, 1)
	go func() {
		for {
			data, err := c.in.next()
			switch {
			case errors.Is(err, errMessageSize):
				c.respond(nil, nil, failf(codeInvalidRequest, "%v", err))
				continue
			case err != nil:
				failed <- err
				return
			}
			select {
			case incoming <- data:
			case <-ctx.Done():
				return
			}
		}
	}()
	return incoming, failed
}

// dispatch hands one message to whom it is for.
func (c *conn) dispatch(ctx context.Context, r router, data []byte) {
	var m message
	if err := json.Unmarshal(data, &m); err != nil {
		c.respond(nil, nil, failf(codeParse, "message is not JSON-RPC: %v", err))
		return
	}
	request := len(m.ID) > 0 && string(m.ID) != "null"
	switch {
	case m.Method == "" && request:
		c.deliver(m)
		return
	case m.Method == "":
		c.respond(nil, nil, failf(codeInvalidRequest, "message has neither method nor id"))
		return
	case m.Method == "$/cancelRequest":
		c.cancel(m.Params)
		return
	}
	handle, ordered, refused := r.route(m.Method, request)
	switch {
	case refused != nil:
		if request {
			c.respond(m.ID, nil, refused)
		}
		return
	case handle == nil:
		return
	}
	work := c.begin(ctx, m, request, handle)
	if ordered {
		work()
		return
	}
	c.running.Go(work)
}

// drain waits until no request is being handled, or until it has waited enough:
// one may be waiting for an answer that cannot come while we wait.
func (c *conn) drain(most time.Duration) {
	idle := make(chan struct{})
	go func() {
		c.running.Wait()
		close(idle)
	}()
	select {
	case <-idle:
	case <-time.After(most):
	}
}

// begin makes a message cancellable at once, so that a cancellation that
// follows it closely finds it, and returns what handles it.
func (c *conn) begin(ctx context.Context, m message, request bool, handle handler) func() {
	if !request {
		return func() { _, _ = guarded(ctx, handle, m) } // a notification has no answer
	}
	ctx, cancel := context.WithCancel(ctx)
	id := string(m.ID)
	c.mu.Lock()
	c.cancels[id] = cancel
	c.mu.Unlock()
	return func() {
		defer cancel()
		answer, err := guarded(ctx, handle, m)
		c.mu.Lock()
		delete(c.cancels, id)
		c.mu.Unlock()
		if err == nil && ctx.Err() != nil {
			err = ctx.Err()
		}
		c.respond(m.ID, answer, asWire(err))
	}
}

// guarded turns a handler's panic into an error: one bad request must not end
// an author's session.
func guarded(ctx context.Context, handle handler, m message) (answer any, err error) {
	defer func() {
		if p := recover(); p != nil {
			answer, err = nil, failf(codeInternal, "%s: internal error: %v", m.Method, p)
		}
	}()
	return handle(ctx, m.Params)
}

func asWire(err error) *wireError {
	var wire *wireError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &wire):
		return wire
	case errors.Is(err, context.Canceled):
		return failf(codeCancelled, "cancelled")
	}
	return failf(codeFailed, "%v", err)
}

// cancel ends the request that $/cancelRequest names, if it is still going.
func (c *conn) cancel(params json.RawMessage) {
	var p struct {
		ID json.RawMessage `json:"id"`
	}
	if json.Unmarshal(params, &p) != nil {
		return
	}
	c.mu.Lock()
	stop := c.cancels[string(p.ID)]
	c.mu.Unlock()
	if stop != nil {
		stop()
	}
}

func (c *conn) respond(id json.RawMessage, answer any, fault *wireError) {
	if id == nil {
		id = json.RawMessage("null")
	}
	response := struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Result  any             `json:"result"`
	}{"2.0", id, answer}
	if fault != nil {
		c.send(message{Version: "2.0", ID: id, Error: fault})
		return
	}
	c.send(response)
}

// send writes one message. An error means that the client is gone; the
// reading side finds out by itself.
func (c *conn) send(v any) {
	body, err := json.Marshal(v)
	if err != nil {
		return
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	_ = writeFrame(c.out, body)
}

// notify tells the other side something.
func (c *conn) notify(method string, params any) {
	c.send(struct {
		Version string `json:"jsonrpc"`
		Method  string `json:"method"`
		Params  any    `json:"params"`
	}{"2.0", method, params})
}

// call makes a request of our own and waits for its answer. It must not be
// called by a handler of an ordered method.
func (c *conn) call(ctx context.Context, method string, params, answer any) error {
	c.mu.Lock()
	c.lastID++
	id := fmt.Sprintf(`"wb-%d"`, c.lastID)
	arrived := make(chan message, 1)
	c.waiting[id] = arrived
	c.mu.Unlock()
	defer func() {
		c.mu.Lock()
		delete(c.waiting, id)
		c.mu.Unlock()
	}()
	c.send(struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Method  string          `json:"method"`
		Params  any             `json:"params"`
	}{"2.0", json.RawMessage(id), method, params})
	select {
	case <-ctx.Done():
		return ctx.Err()
	case m := <-arrived:
		if m.Error != nil {
			return m.Error
		}
		if answer == nil || len(m.Result) == 0 {
			return nil
		}
		return json.Unmarshal(m.Result, answer)
	}
}

// deliver hands a response to whom it is for; one without a waiting request is
// dropped.
func (c *conn) deliver(m message) {
	c.mu.Lock()
	arrived := c.waiting[string(m.ID)]
	c.mu.Unlock()
	if arrived != nil {
		select {
		case arrived <- m:
		default:
		}
	}
}
