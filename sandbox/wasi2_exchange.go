package sandbox

import (
	"context"
	"encoding/binary"
	"errors"
	"io/fs"
	"strconv"
	"strings"
	"sync"
	"time"
)

// requests2 are the requests of a component that are under way, and what the host holds
// for them.
type requests2 struct {
	make    HTTP
	slots   chan struct{}
	arrived chan struct{} // told of each reply
	running sync.WaitGroup
	ctx     context.Context
	end     context.CancelFunc

	mu   sync.Mutex
	held int64
}

const (
	// maxAtOnce is how many requests of a component are made at once; others wait.
	maxAtOnce = 8
	// maxHeld bounds headers and bodies that the host holds for a component.
	maxHeld = 64 << 20
)

func newRequests(make2 HTTP) *requests2 {
	return &requests2{make: make2, slots: make(chan struct{}, maxAtOnce), arrived: make(chan struct{}, 1)}
}

// hold reports whether the host can hold so many bytes more.
func (r *requests2) hold(n int64) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.held+n > maxHeld {
		return false
	}
	r.held += n
	return true
}

func (r *requests2) release(n int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.held -= n
}

// close ends what is under way, and waits for it.
func (r *requests2) close() {
	if r.end != nil {
		r.end()
	}
	r.running.Wait()
}

// exchange2 is a request that was handed over, and what came of it.
type exchange2 struct {
	url     string
	request *request2
	timeout time.Duration // 0 for the broker's own
	begun   bool
	taken   bool
	cancel  context.CancelFunc

	done  chan struct{} // closed when one of the others is there
	reply HTTPReply
	err   *code2
}

// code2 is an error-code of wasi:http.
type code2 struct {
	code byte
	text string // of internal-error
	size uint64 // of HTTP-request-body-size
}

// The cases of error-code that the host tells.
const (
	codeDenied    = 15 // HTTP-request-denied
	codeBodySize  = 17 // HTTP-request-body-size(option<u64>)
	codeMethod    = 18 // HTTP-request-method-invalid
	codeURI       = 19 // HTTP-request-URI-invalid
	codeTimeout   = 33 // HTTP-response-timeout
	codeInternal  = 38 // internal-error(option<string>)
	errorCodeSize = 32
)

var errUnfinished = code2{code: codeInternal, text: "the body of the request was not finished"}

// fail ends an exchange that was not begun.
func (x *exchange2) fail(w *wasi, code code2) {
	if !x.begun {
		x.begun, x.err = true, &code
		x.request.dropped(w)
		close(x.done)
	}
}

// arrivedYet reports whether there is an answer.
func (x *exchange2) arrivedYet() bool {
	select {
	case <-x.done:
		return true
	default:
		return false
	}
}

func (x *exchange2) dropped(w *wasi) {
	if x.cancel != nil {
		x.cancel()
	}
	x.fail(w, errUnfinished)
	if x.arrivedYet() && !x.taken {
		w.requests.release(int64(len(x.reply.Body)))
	}
}

// begin makes the request.
func (x *exchange2) begin(c *call2) {
	r := c.in.sys.requests
	if r.ctx == nil {
		r.ctx, r.end = context.WithCancel(c.in.calls.Context)
	}
	limit := x.timeout
	if limit == 0 {
		limit = time.Hour // far beyond the broker's own
	}
	ctx, cancel := context.WithTimeout(r.ctx, limit)
	x.begun, x.cancel = true, cancel
	request := HTTPRequest{Method: x.request.method, URL: x.url, Header: x.request.header.header()}
	if x.request.body != nil {
		request.Body = x.request.body.data
	}
	c.in.burn(c.ctx, int64(len(request.Body)/8)+64)
	r.running.Go(func() {
		defer cancel()
		x.reply, x.err = r.exchange(ctx, request)
		x.request.dropped(c.in.sys)
		close(x.done)
		select {
		case r.arrived <- struct{}{}:
		default:
		}
	})
}

// exchange makes a request when it is its turn.
func (r *requests2) exchange(ctx context.Context, request HTTPRequest) (HTTPReply, *code2) {
	select {
	case r.slots <- struct{}{}:
		defer func() { <-r.slots }()
	case <-ctx.Done():
		return HTTPReply{}, codeOf(ctx.Err())
	}
	reply, err := r.make(ctx, request)
	switch {
	case err != nil:
		return HTTPReply{}, codeOf(err)
	case !r.hold(int64(len(reply.Body))):
		return HTTPReply{}, &code2{code: codeInternal, text: "the program holds too many replies at once"}
	}
	return reply, nil
}

// codeOf is an error as components see it.
func codeOf(err error) *code2 {
	switch {
	case errors.Is(err, fs.ErrPermission):
		return &code2{code: codeDenied}
	case errors.Is(err, context.DeadlineExceeded):
		return &code2{code: codeTimeout}
	}
	return &code2{code: codeInternal, text: err.Error()}
}

// put writes an error-code into 32 bytes; at is where its text lies.
func (e *code2) put(buf []byte, at uint64) {
	buf[0] = e.code
	switch e.code {
	case codeInternal:
		buf[8] = 1
		binary.LittleEndian.PutUint64(buf[12:], at)
	case codeBodySize:
		buf[8] = 1
		binary.LittleEndian.PutUint64(buf[16:], e.size)
	}
}

// handle takes a request, and makes it when its body is there.
func (c *call2) handle() {
	request, ok := take[*request2](c, 0)
	if !ok {
		return
	}
	x := &exchange2{request: request, done: make(chan struct{})}
	if c.u32(1) != 0 {
		options, ok := take[*options2](c, 2)
		if !ok {
			return
		}
		x.timeout = options.whole()
	}
	code := c.address(x)
	if code != nil {
		request.dropped(c.in.sys)
		code.put(c.refused(c.u32(3)), 0)
		return
	}
	switch {
	case request.body == nil:
		x.begin(c)
	case request.body.lost:
		x.fail(c.in.sys, errUnfinished)
	case request.body.finished:
		x.begin(c)
	default:
		request.body.x = x
	}
	binary.LittleEndian.PutUint32(c.out(c.u32(3), 8+errorCodeSize)[8:], c.own(x))
}

// whole is how long a request may take whose first byte has a time.
func (o *options2) whole() time.Duration {
	if o[1] == nil {
		return 0
	}
	d := *o[1]
	if o[0] != nil {
		d += *o[0]
	}
	return max(d, 1)
}

// refused is where the error-code of a result goes.
func (c *call2) refused(pointer uint32) []byte {
	buf := c.out(pointer, 8+errorCodeSize)
	buf[0] = 1
	return buf[8:]
}

// address says where a request goes, or why it can go nowhere.
func (c *call2) address(x *exchange2) *code2 {
	r, path := x.request, ""
	switch {
	case c.in.sys.requests.make == nil:
		return &code2{code: codeDenied}
	case r.method == "CONNECT" || r.method == "TRACE":
		return &code2{code: codeMethod}
	case r.authority == nil:
		return &code2{code: codeURI}
	case r.path != nil:
		path = *r.path
	}
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	scheme := r.scheme
	if scheme == "" {
		scheme = "https"
	}
	x.url = scheme + "://" + *r.authority + path
	return nil
}

// bodyFinish ends the body of a request, which then is made.
func (c *call2) bodyFinish() {
	b, ok := take[*body2](c, 0)
	if !ok {
		return
	}
	if c.u32(1) != 0 {
		if f, ok := take[*fields2](c, 2); ok {
			f.dropped(c.in.sys)
		}
	}
	if b.x == nil {
		b.finished = true
		c.out(c.u32(3), 8+errorCodeSize)
		return
	}
	if said := b.x.request.header.named("content-length"); len(said) > 0 && string(said[0]) != strconv.Itoa(len(b.data)) {
		code := code2{code: codeBodySize, size: uint64(len(b.data))}
		b.x.fail(c.in.sys, code)
		code.put(c.refused(c.u32(3)), 0)
		return
	}
	b.finished = true
	if !b.x.begun {
		b.x.begin(c)
	}
	c.out(c.u32(3), 8+errorCodeSize)
}

// futureGet answers with the reply, if it is there.
func (c *call2) futureGet() {
	x, ok := resource[*exchange2](c, 0)
	pointer := c.u32(1)
	if !ok || !x.arrivedYet() {
		c.out(pointer, 24+errorCodeSize)
		return
	}
	at := uint64(0)
	if x.err != nil && x.err.text != "" {
		at = c.list([]byte(x.err.text))
	}
	buf := c.out(pointer, 24+errorCodeSize)
	buf[0] = 1
	switch {
	case x.taken:
		buf[8] = 1
	case x.err != nil:
		buf[16] = 1
		x.err.put(buf[24:], at)
	default:
		c.in.burn(c.ctx, int64(len(x.reply.Body)/8)+64)
		binary.LittleEndian.PutUint32(buf[24:], c.own(&response2{reply: x.reply, header: fieldsOf(x.reply.Header)}))
	}
	x.taken = true
}
