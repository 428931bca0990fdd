package sandbox

import (
	"encoding/binary"
	"net/http"
	"slices"
	"strings"

	"golang.org/x/net/http/httpguts"
)

// fields2 are the headers of a request or reply, in order.
type fields2 struct {
	list  []field2
	fixed bool // they belong to a request that was made, or to a reply
	held  int64
}

type field2 struct {
	name  string
	value []byte
}

// The cases of header-error.
const (
	headerSyntax    = 0
	headerForbidden = 1
	headerImmutable = 2
	headerGood      = -1
)

// forbiddenHeaders are those of the connection, which are the host's.
var forbiddenHeaders = []string{"connection", "host", "http2-settings", "keep-alive", "proxy-authenticate", "proxy-authorization",
	"proxy-connection", "te", "trailer", "transfer-encoding", "upgrade"}

// fieldOverhead is what a header takes of the host beside its bytes.
const fieldOverhead = 64

// add appends a header, and says why not with a header-error.
func (f *fields2) add(c *call2, name string, value []byte) int {
	switch {
	case f.fixed:
		return headerImmutable
	case !httpguts.ValidHeaderFieldName(name) || !httpguts.ValidHeaderFieldValue(string(value)):
		return headerSyntax
	case slices.Contains(forbiddenHeaders, strings.ToLower(name)):
		return headerForbidden
	}
	size := int64(len(name) + len(value) + fieldOverhead)
	if !c.in.sys.requests.hold(size) {
		c.trap("too many headers")
		return headerForbidden
	}
	f.held += size
	f.list = append(f.list, field2{name, slices.Clone(value)})
	return headerGood
}

// remove takes the headers of a name away.
func (f *fields2) remove(name string) int {
	switch {
	case f.fixed:
		return headerImmutable
	case !httpguts.ValidHeaderFieldName(name):
		return headerSyntax
	case slices.Contains(forbiddenHeaders, strings.ToLower(name)):
		return headerForbidden
	}
	f.list = slices.DeleteFunc(f.list, func(h field2) bool { return strings.EqualFold(h.name, name) })
	return headerGood
}

// named are the values of a name.
func (f *fields2) named(name string) (values [][]byte) {
	for _, h := range f.list {
		if strings.EqualFold(h.name, name) {
			values = append(values, h.value)
		}
	}
	return values
}

// header is what the host makes of the fields.
func (f *fields2) header() http.Header {
	h := http.Header{}
	for _, one := range f.list {
		h.Add(one.name, string(one.value))
	}
	return h
}

// fieldsOf are the headers of a reply, sorted, with names as HTTP/2 has them.
func fieldsOf(h http.Header) *fields2 {
	f := &fields2{fixed: true}
	for name, values := range h {
		for _, v := range values {
			f.list = append(f.list, field2{strings.ToLower(name), []byte(v)})
		}
	}
	slices.SortStableFunc(f.list, func(a, b field2) int { return strings.Compare(a.name, b.name) })
	return f
}

// dropped gives back what the host kept for fields that the guest owned.
func (f *fields2) dropped(w *wasi) { w.requests.release(f.held); f.held = 0 }

// headerDone answers with a result that has nothing, or a header-error.
func (c *call2) headerDone(pointer uint32, e int) {
	if buf := c.out(pointer, 2); e != headerGood {
		buf[0], buf[1] = 1, byte(e)
	}
}

// pairs reads a list of two lists of bytes each.
func (c *call2) pairs(i int, size uint32) (list [][]byte) {
	at, n := c.u32(i), c.u32(i+1)
	if n > 1<<16 {
		c.trap("too many headers")
		return nil
	}
	words, ok := c.in.Memory().Read(at, n*size)
	for ; ok && len(words) > 0; words = words[8:] {
		var data []byte
		data, ok = c.in.Memory().Read(binary.LittleEndian.Uint32(words), binary.LittleEndian.Uint32(words[4:]))
		list = append(list, data)
	}
	if !ok {
		c.trap("out of bounds memory access")
	}
	return list
}

var fields2Funcs = map[string]func2{
	"[constructor]fields": {":i", func(c *call2) { c.stack[0] = uint64(c.own(&fields2{})) }},
	"[static]fields.from-list": {"iii", func(c *call2) {
		f, e := &fields2{}, headerGood
		list := c.pairs(0, 16)
		for i := 0; i+1 < len(list) && e == headerGood; i += 2 {
			e = f.add(c, string(list[i]), list[i+1])
		}
		buf := c.out(c.u32(2), 8)
		if e != headerGood {
			f.dropped(c.in.sys)
			buf[0], buf[4] = 1, byte(e)
			return
		}
		binary.LittleEndian.PutUint32(buf[4:], c.own(f))
	}},
	"[method]fields.get": {"iiii", func(c *call2) {
		if f, ok := resource[*fields2](c, 0); ok {
			values := f.named(string(c.bytes(1)))
			c.lists(c.u32(3), len(values), 8, func(i int) []uint64 { return []uint64{c.list(values[i])} })
		}
	}},
	"[method]fields.has": {"iii:i", func(c *call2) {
		if f, ok := resource[*fields2](c, 0); ok {
			c.stack[0] = uint64(min(1, len(f.named(string(c.bytes(1))))))
		}
	}},
	"[method]fields.set": {"iiiiii", func(c *call2) {
		f, ok := resource[*fields2](c, 0)
		if !ok {
			return
		}
		name, values := string(c.bytes(1)), c.pairs(3, 8)
		e := f.remove(name)
		for i := 0; i < len(values) && e == headerGood; i++ {
			e = f.add(c, name, values[i])
		}
		c.headerDone(c.u32(5), e)
	}},
	"[method]fields.delete": {"iiii", func(c *call2) {
		if f, ok := resource[*fields2](c, 0); ok {
			c.headerDone(c.u32(3), f.remove(string(c.bytes(1))))
		}
	}},
	"[method]fields.append": {"iiiiii", func(c *call2) {
		if f, ok := resource[*fields2](c, 0); ok {
			c.headerDone(c.u32(5), f.add(c, string(c.bytes(1)), c.bytes(3)))
		}
	}},
	"[method]fields.entries": {"ii", func(c *call2) {
		if f, ok := resource[*fields2](c, 0); ok {
			c.lists(c.u32(1), len(f.list), 16, func(i int) []uint64 {
				return []uint64{c.list([]byte(f.list[i].name)), c.list(f.list[i].value)}
			})
		}
	}},
	"[method]fields.clone": {"i:i", func(c *call2) {
		f, ok := resource[*fields2](c, 0)
		if !ok {
			return
		}
		copied := &fields2{}
		for _, h := range f.list {
			copied.add(c, h.name, h.value)
		}
		c.stack[0] = uint64(c.own(copied))
	}},
}
