package js

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"unicode/utf8"

	"wb/sandbox"
)

// machine is one QuickJS VM. JavaScript values are handles; a machine serves
// one goroutine at a time.
type machine struct {
	in    *sandbox.Instance
	image *image
	world world // of the job it works for
	// rejected are the promises rejected so far without a handler, in order.
	rejected []rejection
}

// handle is a JavaScript value: the address of a reference the guest keeps.
// Handles are freed when there can be many of them; the rest goes with the VM.
type handle = uint32

// Evaluation flags of QuickJS (JS_EVAL_*).
const (
	evalScript  = 0
	evalModule  = 1
	compileOnly = 1 << 5
)

// stackSize is QuickJS's share of the guest's 1 MiB of stack. Its default
// is larger and would trap in place of a RangeError.
const stackSize = 512 << 10

func (m *machine) close(ctx context.Context) {
	if m.in != nil {
		m.in.Close(ctx)
	}
}

// call calls an exported function of quickjs.wasm.
func (m *machine) call(ctx context.Context, name string, args ...uint64) (uint32, error) {
	results, err := m.in.Call(ctx, name, args...)
	if err != nil || len(results) == 0 {
		return 0, err
	}
	return uint32(results[0]), nil
}

func (m *machine) release(ctx context.Context, v handle) error {
	_, err := m.call(ctx, "qjs_free_value", uint64(v))
	return err
}

// alloc copies bytes into the guest with a NUL behind them.
func (m *machine) alloc(ctx context.Context, data string) (uint32, error) {
	p, err := m.call(ctx, "wasm_malloc", uint64(len(data)+1))
	if err != nil {
		return 0, err
	}
	if p == 0 || !m.in.Memory().WriteString(p, data) || !m.in.Memory().WriteString(p+uint32(len(data)), "\x00") {
		return 0, m.in.OutOfMemory()
	}
	return p, nil
}

func (m *machine) free(ctx context.Context, p uint32) error {
	_, err := m.call(ctx, "wasm_free", uint64(p))
	return err
}

// newString makes a JavaScript string; invalid UTF-8 becomes U+FFFD.
func (m *machine) newString(ctx context.Context, s string) (handle, error) {
	p, err := m.alloc(ctx, decodeUTF8(s))
	if err != nil {
		return 0, err
	}
	n := uint64(len(decodeUTF8(s)))
	v, err := m.call(ctx, "qjs_new_string", uint64(p), n)
	return v, firstOf(err, m.free(ctx, p))
}

// newBytes makes a Uint8Array that holds a copy of data.
func (m *machine) newBytes(ctx context.Context, data []byte) (handle, error) {
	p, err := m.alloc(ctx, string(data))
	if err != nil {
		return 0, err
	}
	v, err := m.call(ctx, "qjs_new_uint8_array", uint64(p), uint64(len(data)))
	return v, firstOf(err, m.free(ctx, p))
}

// text reads a value as a string; half a surrogate pair becomes U+FFFD.
func (m *machine) text(ctx context.Context, v handle) (string, error) {
	p, err := m.call(ctx, "qjs_get_string_len", uint64(v), uint64(m.image.Scratch))
	if err != nil {
		return "", err
	}
	if p == 0 {
		return "", errNoText
	}
	length, _ := m.in.Memory().ReadU32(m.image.Scratch)
	view, ok := m.in.Memory().Read(p, length)
	if !ok {
		return "", errNoText
	}
	s := decodeUTF8(string(view))
	_, err = m.call(ctx, "qjs_free_cstring", uint64(p))
	return s, err
}

var errNoText = errors.New("quickjs: a value has no text")

// bytes reads a Uint8Array. The result is a copy.
func (m *machine) bytes(ctx context.Context, v handle) ([]byte, error) {
	at := m.image.Scratch
	buffer, err := m.call(ctx, "qjs_get_typed_array_buffer", uint64(v), uint64(at), uint64(at+4), uint64(at+8))
	if err != nil {
		return nil, err
	}
	defer m.release(ctx, buffer)
	if _, err := m.check(ctx, buffer); err != nil {
		return nil, err
	}
	offset, _ := m.in.Memory().ReadU32(at)
	length, _ := m.in.Memory().ReadU32(at + 4)
	p, err := m.call(ctx, "qjs_get_array_buffer", uint64(buffer), uint64(at))
	if err != nil || length == 0 {
		return nil, err
	}
	view, ok := m.in.Memory().Read(p+offset, length)
	if !ok {
		return nil, errNoText
	}
	return bytes.Clone(view), nil
}

// cstring reads a NUL-terminated string at an address.
func (m *machine) cstring(p uint32) string {
	const longest = 64 << 10
	s, _ := m.in.Memory().ReadCString(p, longest)
	return decodeUTF8(s)
}

func (m *machine) property(ctx context.Context, object handle, name string) (handle, error) {
	p, err := m.alloc(ctx, name)
	if err != nil {
		return 0, err
	}
	v, err := m.call(ctx, "qjs_get_prop_string", uint64(object), uint64(p))
	return v, firstOf(err, m.free(ctx, p))
}

func (m *machine) setProperty(ctx context.Context, object handle, name string, v handle) error {
	p, err := m.alloc(ctx, name)
	if err != nil {
		return err
	}
	_, err = m.call(ctx, "qjs_set_prop_string", uint64(object), uint64(p), uint64(v))
	return firstOf(err, m.free(ctx, p))
}

// thrown is an exception of the program.
type thrown struct {
	value   handle // what was thrown, while the machine that threw it runs; 0 when it is not known
	Name    string `json:"name"`
	Message string `json:"message"`
	Stack   string `json:"stack"`
	Class   string `json:"class"` // the constructor's name
	Cause   string `json:"cause"` // what caused it, as inspect shows it
}

func (t *thrown) Error() string {
	if t.Message == "" {
		return t.Name
	}
	return t.Name + ": " + t.Message
}

// outOfMemory reports whether t was thrown because QuickJS could not allocate:
// either it says so, or it could not even make the error that would.
func (m *machine) outOfMemory(t *thrown) bool {
	return m.in.MemoryRefused() && (t.Name == "InternalError" && t.Message == "out of memory" || t.Name == "Uncaught" && t.Message == "null")
}

// check turns an exception value into an error.
func (m *machine) check(ctx context.Context, v handle) (handle, error) {
	bad, err := m.call(ctx, "qjs_is_exception", uint64(v))
	if err != nil || bad == 0 {
		return v, err
	}
	return 0, m.pending(ctx)
}

// pending is the exception that is waiting to be taken.
func (m *machine) pending(ctx context.Context) error {
	e, err := m.call(ctx, "qjs_get_exception")
	if err != nil {
		return err
	}
	return m.describe(ctx, e)
}

// describe reads something thrown, with as little of the guest's help as its
// state allows: a VM without stack or memory cannot run much.
func (m *machine) describe(ctx context.Context, e handle) error {
	t := &thrown{value: e}
	for name, into := range map[string]*string{"name": &t.Name, "message": &t.Message, "stack": &t.Stack} {
		v, err := m.property(ctx, e, name)
		if err != nil {
			return err
		}
		if *into, err = m.text(ctx, v); err != nil && !errors.Is(err, errNoText) {
			return err
		}
	}
	if t.Name == "SyntaxError" || m.image.Control["describe"] == 0 {
		return t
	}
	full, err := m.describeInGuest(ctx, e)
	var failed *thrown
	switch {
	case err == nil:
		full.value = e
		return full
	case errors.As(err, &failed):
		if t.Name == "" {
			t.Name, t.Message = "Uncaught", "null"
		}
		return t
	}
	return err
}

// eval evaluates source; a module's value is the promise of its namespace.
func (m *machine) eval(ctx context.Context, source, file string, flags uint64) (handle, error) {
	code, err := m.alloc(ctx, source)
	if err != nil {
		return 0, err
	}
	name, err := m.alloc(ctx, file)
	if err != nil {
		return 0, err
	}
	v, err := m.call(ctx, "qjs_eval", uint64(code), uint64(len(source)), uint64(name), flags)
	if err := firstOf(err, m.free(ctx, code), m.free(ctx, name)); err != nil {
		return 0, err
	}
	return m.check(ctx, v)
}

// apply calls a function value.
func (m *machine) apply(ctx context.Context, function, this handle, args ...handle) (handle, error) {
	argv, err := m.call(ctx, "wasm_malloc", uint64(4*len(args)+4))
	if err != nil {
		return 0, err
	}
	for i, a := range args {
		if !m.in.Memory().WriteU32(argv+uint32(4*i), a) {
			return 0, m.in.OutOfMemory()
		}
	}
	v, err := m.call(ctx, "qjs_call", uint64(function), uint64(this), uint64(len(args)), uint64(argv))
	if err := firstOf(err, m.free(ctx, argv)); err != nil {
		return 0, err
	}
	return m.check(ctx, v)
}

// control calls one of the functions that guest/ keeps for the host.
func (m *machine) control(ctx context.Context, name string, args ...handle) (handle, error) {
	return m.apply(ctx, m.image.Control[name], m.image.Undefined, args...)
}

// controlText is control for functions that answer with text.
func (m *machine) controlText(ctx context.Context, name string, args ...handle) (string, error) {
	v, err := m.control(ctx, name, args...)
	if err != nil {
		return "", err
	}
	text, err := m.text(ctx, v)
	return text, firstOf(err, m.release(ctx, v))
}

// controlBool is control for functions that answer with true or false.
func (m *machine) controlBool(ctx context.Context, name string, args ...handle) (bool, error) {
	v, err := m.control(ctx, name, args...)
	if err != nil {
		return false, err
	}
	yes, err := m.call(ctx, "qjs_get_bool", uint64(v))
	return yes != 0, firstOf(err, m.release(ctx, v))
}

// firstOf is the first error among those of a call and its cleaning up: after a
// limit every further call fails the same way.
func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// decodeUTF8 replaces what is not UTF-8 by U+FFFD, one for each maximal part of
// a character as the encoding standard asks.
func decodeUTF8(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n <= 1 {
			n = invalidPart(s[i:])
			r = utf8.RuneError
		}
		b.WriteRune(r)
		i += n
	}
	return b.String()
}

// invalidPart is how many bytes at the start of s one U+FFFD stands for: those
// that could have begun a character.
func invalidPart(s string) int {
	low, high, need := byte(0x80), byte(0xBF), 0
	switch c := s[0]; {
	case c >= 0xC2 && c <= 0xDF:
		need = 1
	case c >= 0xE0 && c <= 0xEF:
		need = 2
		if c == 0xE0 {
			low = 0xA0
		}
		if c == 0xED { // surrogates, whole ones included, as QuickJS writes them
			if len(s) >= 3 && s[1] >= 0xA0 && s[1] <= 0xBF && s[2]&0xC0 == 0x80 {
				return 3
			}
			high = 0x9F
		}
	case c >= 0xF0 && c <= 0xF4:
		need = 3
		if c == 0xF0 {
			low = 0x90
		}
		if c == 0xF4 {
			high = 0x8F
		}
	}
	n := 1
	for n <= need && n < len(s) && s[n] >= low && s[n] <= high {
		n++
		low, high = 0x80, 0xBF
	}
	return n
}
