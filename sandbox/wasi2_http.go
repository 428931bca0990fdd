package sandbox

import (
	"encoding/binary"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/net/http/httpguts"
)

// request2 is a request that a component puts together.
type request2 struct {
	method, scheme  string
	path, authority *string
	header          *fields2
	body            *body2 // nil until it is asked for
}

// body2 is what a component writes into a request.
type body2 struct {
	in       *Instance
	data     []byte
	x        *exchange2 // nil until the request was handed over
	written  bool       // its stream was asked for
	finished bool
	lost     bool // it was dropped instead of finished
}

// Write adds to the body, whose bytes the host holds until they are sent.
func (b *body2) Write(p []byte) (int, error) {
	if b.finished || !b.in.sys.requests.hold(int64(len(p))) {
		return 0, syscall.EFBIG
	}
	b.data = append(b.data, p...)
	return len(p), nil
}

// dropped is called for a body that was not finished: nobody shall take a part of it for
// the whole.
func (b *body2) dropped(w *wasi) {
	b.finished, b.lost = true, true
	if b.x != nil {
		b.x.fail(w, errUnfinished)
	}
}

func (r *request2) dropped(w *wasi) {
	r.header.dropped(w)
	if r.body != nil {
		w.requests.release(int64(len(r.body.data)))
		r.body.data = nil
	}
}

// options2 are the timeouts of a request: to connect, to the first byte, between bytes.
type options2 [3]*time.Duration

// response2 is a reply; its body can be had once.
type response2 struct {
	reply  HTTPReply
	header *fields2
	taken  bool
}

func (r *response2) dropped(w *wasi) {
	if !r.taken {
		w.requests.release(int64(len(r.reply.Body)))
	}
}

// incoming2 is the body of a reply.
type incoming2 struct {
	data  []byte
	taken bool
}

func (b *incoming2) dropped(w *wasi) { w.requests.release(int64(len(b.data))) }

// trailers2 are those of a reply, which has none.
type trailers2 struct{ taken bool }

// methods2 and schemes2 are the cases of the variants; the last is other(string).
var (
	methods2 = []string{"GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH"}
	schemes2 = []string{"http", "https"}
)

// word is the text of a variant whose last case has one.
func (c *call2) word(i int, cases []string) (string, bool) {
	if n := c.u32(i); n < uint32(len(cases)) {
		return cases[n], true
	}
	text := string(c.bytes(i + 1))
	return text, httpguts.ValidHeaderFieldName(text)
}

// tell writes a variant as word reads it; at is where a string lies that was given.
func tell(buf []byte, text string, cases []string, at uint64) {
	for i, one := range cases {
		if one == text {
			buf[0] = byte(i)
			return
		}
	}
	buf[0] = byte(len(cases))
	binary.LittleEndian.PutUint64(buf[4:], at)
}

// optional reads an option of a string.
func (c *call2) optional(i int) *string {
	if c.u32(i) == 0 {
		return nil
	}
	text := string(c.bytes(i + 1))
	return &text
}

// answerOptional writes an option of a string.
func (c *call2) answerOptional(pointer uint32, text *string) {
	if text == nil {
		c.out(pointer, 12)
		return
	}
	at := c.list([]byte(*text))
	buf := c.out(pointer, 12)
	buf[0] = 1
	binary.LittleEndian.PutUint64(buf[4:], at)
}

// good answers with a result that has nothing either way.
func (c *call2) good(ok bool) {
	if c.stack[0] = 1; ok {
		c.stack[0] = 0
	}
}

// child answers with a result that has a resource, or nothing.
func (c *call2) child(pointer uint32, resource any) {
	buf := c.out(pointer, 8)
	if buf[0] = 1; resource != nil {
		buf[0] = 0
		binary.LittleEndian.PutUint32(buf[4:], c.own(resource))
	}
}

// take is a resource that the guest hands over.
func take[T any](c *call2, i int) (r T, ok bool) {
	if r, ok = resource[T](c, i); ok {
		delete(c.in.sys.resources, c.u32(i))
	}
	return r, ok
}

// validPath reports whether text can stand behind the host in a URL.
func validPath(text string) bool {
	return (text == "" || text[0] == '/' || text[0] == '?') && !strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r == 0x7f || r == '#' })
}

// validAuthority reports whether text can be the host and port of a URL. Which hosts
// there may be the broker knows.
func validAuthority(text string) bool {
	_, port, _ := strings.Cut(text[strings.LastIndexByte(text, ']')+1:], ":")
	_, err := strconv.ParseUint(port, 10, 16)
	return text != "" && (port == "" || err == nil) && !strings.ContainsFunc(text, func(r rune) bool { return r <= ' ' || r >= 0x7f || strings.ContainsRune(`/?#@\<>"^{}|%`, r) })
}

// of is a getter of a request.
func of[T any](form string, get func(c *call2, r T)) func2 {
	return func2{form, func(c *call2) {
		if r, ok := resource[T](c, 0); ok {
			get(c, r)
		}
	}}
}

var httpFuncs2 = map[string]func2{
	"[constructor]outgoing-request": {"i:i", func(c *call2) {
		if f, ok := take[*fields2](c, 0); ok {
			c.stack[0] = uint64(c.own(&request2{method: "GET", header: f}))
		}
	}},
	"[method]outgoing-request.method": of("ii", func(c *call2, r *request2) {
		at := c.list([]byte(r.method))
		tell(c.out(c.u32(1), 12), r.method, methods2, at)
	}),
	"[method]outgoing-request.set-method": of("iiii:i", func(c *call2, r *request2) {
		method, ok := c.word(1, methods2)
		if ok {
			r.method = method
		}
		c.good(ok)
	}),
	"[method]outgoing-request.scheme": of("ii", func(c *call2, r *request2) {
		at := c.list([]byte(r.scheme))
		if buf := c.out(c.u32(1), 16); r.scheme != "" {
			buf[0] = 1
			tell(buf[4:], r.scheme, schemes2, at)
		}
	}),
	"[method]outgoing-request.set-scheme": of("iiiii:i", func(c *call2, r *request2) {
		scheme, ok := "", true
		if c.u32(1) != 0 {
			scheme, ok = c.word(2, schemes2)
		}
		if ok {
			r.scheme = scheme
		}
		c.good(ok)
	}),
	"[method]outgoing-request.path-with-query": of("ii", func(c *call2, r *request2) { c.answerOptional(c.u32(1), r.path) }),
	"[method]outgoing-request.set-path-with-query": of("iiii:i", func(c *call2, r *request2) {
		text := c.optional(1)
		ok := text == nil || validPath(*text)
		if ok {
			r.path = text
		}
		c.good(ok)
	}),
	"[method]outgoing-request.authority": of("ii", func(c *call2, r *request2) { c.answerOptional(c.u32(1), r.authority) }),
	"[method]outgoing-request.set-authority": of("iiii:i", func(c *call2, r *request2) {
		text := c.optional(1)
		ok := text == nil || validAuthority(*text)
		if ok {
			r.authority = text
		}
		c.good(ok)
	}),
	"[method]outgoing-request.headers": of("i:i", func(c *call2, r *request2) {
		c.stack[0] = uint64(c.own(&fields2{list: r.header.list, fixed: true}))
	}),
	"[method]outgoing-request.body": of("ii", func(c *call2, r *request2) {
		if r.body != nil {
			c.child(c.u32(1), nil)
			return
		}
		r.body = &body2{in: c.in}
		c.child(c.u32(1), r.body)
	}),

	"[method]outgoing-body.write": of("ii", func(c *call2, b *body2) {
		if b.written {
			c.child(c.u32(1), nil)
			return
		}
		b.written = true
		c.child(c.u32(1), &stream2{to: b})
	}),
	"[static]outgoing-body.finish": {"iiii", (*call2).bodyFinish},

	"[constructor]request-options":                      {":i", func(c *call2) { c.stack[0] = uint64(c.own(&options2{})) }},
	"[method]request-options.connect-timeout":           timeoutGet(0),
	"[method]request-options.set-connect-timeout":       timeoutSet(0),
	"[method]request-options.first-byte-timeout":        timeoutGet(1),
	"[method]request-options.set-first-byte-timeout":    timeoutSet(1),
	"[method]request-options.between-bytes-timeout":     timeoutGet(2),
	"[method]request-options.set-between-bytes-timeout": timeoutSet(2),
	"[method]future-incoming-response.subscribe":        of("i:i", func(c *call2, x *exchange2) { c.stack[0] = uint64(c.own(pollable2{x: x})) }),
	"[method]future-incoming-response.get":              {"ii", (*call2).futureGet},
	"[method]incoming-response.status":                  of("i:i", func(c *call2, r *response2) { c.stack[0] = uint64(r.reply.Status) }),
	"[method]incoming-response.headers":                 of("i:i", func(c *call2, r *response2) { c.stack[0] = uint64(c.own(r.header)) }),
	"[method]incoming-response.consume":                 of("ii", (*call2).consume),
	"[method]incoming-body.stream":                      of("ii", (*call2).bodyStream),
	"[static]incoming-body.finish": {"i:i", func(c *call2) {
		if b, ok := take[*incoming2](c, 0); ok {
			b.dropped(c.in.sys)
			c.stack[0] = uint64(c.own(&trailers2{}))
		}
	}},
	"[method]future-trailers.subscribe": of("i:i", func(c *call2, _ *trailers2) { c.stack[0] = uint64(c.own(pollable2{})) }),
	"[method]future-trailers.get": of("ii", func(c *call2, t *trailers2) {
		buf := c.out(c.u32(1), 56)
		if buf[0] = 1; t.taken {
			buf[8] = 1
		}
		t.taken = true
	}),
	"http-error-code": {"ii", func(c *call2) { c.out(c.u32(1), 40) }},
}

func timeoutGet(which int) func2 {
	return of("ii", func(c *call2, o *options2) {
		if buf := c.out(c.u32(1), 16); o[which] != nil {
			buf[0] = 1
			binary.LittleEndian.PutUint64(buf[8:], uint64(*o[which]))
		}
	})
}

func timeoutSet(which int) func2 {
	return of("iiI:i", func(c *call2, o *options2) {
		if o[which] = nil; c.u32(1) != 0 {
			d := time.Duration(min(c.stack[2], 1<<62))
			o[which] = &d
		}
		c.good(true)
	})
}

func (c *call2) consume(r *response2) {
	if r.taken {
		c.child(c.u32(1), nil)
		return
	}
	r.taken = true
	c.child(c.u32(1), &incoming2{data: r.reply.Body})
}

func (c *call2) bodyStream(b *incoming2) {
	if b.taken {
		c.child(c.u32(1), nil)
		return
	}
	b.taken = true
	c.child(c.u32(1), &stream2{from: strings.NewReader(string(b.data))})
}
