package js

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"unicode/utf8"

	"wb/sandbox"
)

// machine is one QuickJS VM. JavaScript values are handles: addresses of
// reference-counted values in the guest's memory. A machine lives for one run,
// so handles are not freed one by one.
type machine struct {
	in      *sandbox.Instance
	opts    machineOptions
	control uint32 // what the prelude returned
	failed  error  // a host function failed for a reason of ours, such as a broken pipe
}

// machineOptions are the world of one run.
type machineOptions struct {
	limits         sandbox.Limits
	caps           sandbox.Caps
	stdin          []byte
	stdout, stderr io.Writer
	// modules are the sources that import finds, by name.
	modules map[string]string
}

// handle is a JavaScript value in the guest.
type handle = uint32

// Evaluation flags of QuickJS (JS_EVAL_*).
const (
	evalScript = 0
	evalModule = 1
)

// stackSize is what QuickJS may use of the guest's 1 MiB of stack: its default
// is larger and would trap in place of a RangeError.
const stackSize = 512 << 10

func (m *machine) close(ctx context.Context) { m.in.Close(ctx) }

func (m *machine) call(ctx context.Context, name string, args ...uint64) (uint32, error) {
	results, err := m.in.Call(ctx, name, args...)
	if err != nil {
		return 0, err
	}
	if len(results) == 0 {
		return 0, nil
	}
	return uint32(results[0]), nil
}

// alloc copies bytes into the guest with a NUL behind them.
func (m *machine) alloc(ctx context.Context, s string) (uint32, error) {
	p, err := m.call(ctx, "wasm_malloc", uint64(len(s)+1))
	if err != nil {
		return 0, err
	}
	if p == 0 || !m.in.Memory().WriteString(p, s) || !m.in.Memory().WriteString(p+uint32(len(s)), "\x00") {
		return 0, &sandbox.LimitError{Kind: sandbox.LimitMemory, Limit: m.opts.limits.Memory}
	}
	return p, nil
}

func (m *machine) free(ctx context.Context, p uint32) { _, _ = m.call(ctx, "wasm_free", uint64(p)) }

// newString makes a JavaScript string; invalid UTF-8 becomes U+FFFD.
func (m *machine) newString(ctx context.Context, s string) (handle, error) {
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\uFFFD")
	}
	p, err := m.alloc(ctx, s)
	if err != nil {
		return 0, err
	}
	defer m.free(ctx, p)
	return m.call(ctx, "qjs_new_string", uint64(p), uint64(len(s)))
}

// text reads a value as a string.
func (m *machine) text(ctx context.Context, v handle) (string, error) {
	lengthAt, err := m.call(ctx, "wasm_malloc", 4)
	if err != nil {
		return "", err
	}
	defer m.free(ctx, lengthAt)
	p, err := m.call(ctx, "qjs_get_string_len", uint64(v), uint64(lengthAt))
	if err != nil {
		return "", err
	}
	if p == 0 {
		return "", errors.New("a value has no text")
	}
	length, _ := m.in.Memory().ReadU32(lengthAt)
	view, ok := m.in.Memory().Read(p, length)
	if !ok {
		return "", errors.New("a string lies outside memory")
	}
	s := string(view)
	_, err = m.call(ctx, "qjs_free_cstring", uint64(p))
	return s, err
}

// cstring reads a NUL-terminated string at an address.
func (m *machine) cstring(p uint32) string {
	const longest = 4096
	for n := uint32(64); ; n *= 2 {
		view, ok := m.in.Memory().Read(p, min(n, m.in.Memory().Size()-min(p, m.in.Memory().Size())))
		if i := bytes.IndexByte(view, 0); i >= 0 {
			return string(view[:i])
		}
		if !ok || n >= longest {
			return string(view)
		}
	}
}

func (m *machine) property(ctx context.Context, object handle, name string) (handle, error) {
	p, err := m.alloc(ctx, name)
	if err != nil {
		return 0, err
	}
	defer m.free(ctx, p)
	return m.call(ctx, "qjs_get_prop_string", uint64(object), uint64(p))
}

// thrown is an exception of user code.
type thrown struct {
	Name    string `json:"name"`
	Message string `json:"message"`
	Stack   string `json:"stack"`
	Exit    *int   `json:"exit"`
}

func (t *thrown) Error() string { return t.Name + ": " + t.Message }

// check turns an exception value into an error.
func (m *machine) check(ctx context.Context, v handle) (handle, error) {
	bad, err := m.call(ctx, "qjs_is_exception", uint64(v))
	if err != nil || bad == 0 {
		return v, err
	}
	e, err := m.call(ctx, "qjs_get_exception")
	if err != nil {
		return 0, err
	}
	t := &thrown{}
	for name, into := range map[string]*string{"name": &t.Name, "message": &t.Message, "stack": &t.Stack} {
		p, err := m.property(ctx, e, name)
		if err != nil {
			return 0, err
		}
		if *into, err = m.text(ctx, p); err != nil {
			*into = ""
		}
	}
	t.explain()
	if t.Name == "undefined" || t.Name == "" {
		t.Name, t.Stack = "Uncaught", ""
		if t.Message, err = m.text(ctx, e); err != nil {
			t.Message = "an exception without text"
		}
	}
	return 0, t
}

// eval evaluates source; a module's value is the promise of its namespace.
func (m *machine) eval(ctx context.Context, source, file string, flags uint64) (handle, error) {
	code, err := m.alloc(ctx, source)
	if err != nil {
		return 0, err
	}
	defer m.free(ctx, code)
	name, err := m.alloc(ctx, file)
	if err != nil {
		return 0, err
	}
	defer m.free(ctx, name)
	v, err := m.call(ctx, "qjs_eval", uint64(code), uint64(len(source)), uint64(name), flags)
	if err != nil {
		return 0, err
	}
	return m.check(ctx, v)
}

func (m *machine) evalString(ctx context.Context, source, file string) (string, error) {
	v, err := m.eval(ctx, source, file, evalScript)
	if err != nil {
		return "", err
	}
	return m.text(ctx, v)
}

// apply calls a function value.
func (m *machine) apply(ctx context.Context, function, this handle, args ...handle) (handle, error) {
	argv, err := m.call(ctx, "wasm_malloc", uint64(4*len(args)+4))
	if err != nil {
		return 0, err
	}
	defer m.free(ctx, argv)
	for i, a := range args {
		m.in.Memory().WriteU32(argv+uint32(4*i), a)
	}
	v, err := m.call(ctx, "qjs_call", uint64(function), uint64(this), uint64(len(args)), uint64(argv))
	if err != nil {
		return 0, err
	}
	return m.check(ctx, v)
}

// do calls one of the functions the prelude gave the host.
func (m *machine) do(ctx context.Context, name string, args ...handle) (handle, error) {
	f, err := m.property(ctx, m.control, name)
	if err != nil {
		return 0, err
	}
	v, err := m.apply(ctx, f, m.control, args...)
	if err == nil {
		err = m.failed
	}
	return v, err
}

// jobs runs promise reactions until none is left.
func (m *machine) jobs(ctx context.Context) error {
	for {
		pending, err := m.call(ctx, "qjs_is_job_pending")
		if err != nil || pending == 0 {
			return errors.Join(err, m.failed)
		}
		if _, err := m.call(ctx, "qjs_execute_pending_job"); err != nil {
			return err
		}
	}
}

// host are the functions QuickJS and the prelude import.
func (m *machine) host() []sandbox.HostModule {
	i32 := func(n int) []sandbox.ValueType {
		types := make([]sandbox.ValueType, n)
		for i := range types {
			types[i] = sandbox.I32
		}
		return types
	}
	fn := func(name string, params, results int, call func(ctx context.Context, stack []uint64) error) sandbox.HostFunc {
		return sandbox.HostFunc{Name: name, Params: i32(params), Results: i32(results),
			Call: func(ctx context.Context, _ *sandbox.Instance, stack []uint64) error { return call(ctx, stack) }}
	}
	return []sandbox.HostModule{{Name: "env", Funcs: []sandbox.HostFunc{
		fn("host_get_timezone_offset", 2, 1, func(_ context.Context, stack []uint64) error { stack[0] = 0; return nil }),
		fn("host_interrupt", 0, 1, func(_ context.Context, stack []uint64) error { stack[0] = 0; return nil }),
		fn("host_promise_rejection", 3, 0, func(context.Context, []uint64) error { return nil }),
		fn("host_module_normalize", 2, 1, m.normalize),
		fn("host_module_load", 2, 1, m.load),
		fn("host_call", 5, 1, m.hostCall),
	}}}
}

// normalize resolves an import: relative names against the importer.
func (m *machine) normalize(ctx context.Context, stack []uint64) error {
	base, name := m.cstring(uint32(stack[0])), m.cstring(uint32(stack[1]))
	p, err := m.alloc(ctx, resolve(base, name))
	stack[0] = uint64(p)
	return err
}

// load gives QuickJS the source of a module, or 0 when there is none.
func (m *machine) load(ctx context.Context, stack []uint64) error {
	name, lengthAt := m.cstring(uint32(stack[0])), uint32(stack[1])
	stack[0] = 0
	for _, suffix := range []string{"", ".js", ".mjs", "/index.js"} {
		source, ok := m.opts.modules[name+suffix]
		if !ok {
			continue
		}
		p, err := m.alloc(ctx, source)
		m.in.Memory().WriteU32(lengthAt, uint32(len(source)))
		stack[0] = uint64(p)
		return err
	}
	return nil
}

// missingModule is how QuickJS says that load found nothing.
var missingModule = regexp.MustCompile(`^could not load module '(.*)'$`)

// explain says why there is no such module.
func (t *thrown) explain() {
	found := missingModule.FindStringSubmatch(t.Message)
	switch {
	case found == nil:
	case found[1] == "wb":
		t.Message = `import "wb": the host's capabilities are not granted to this run`
	default:
		t.Message = fmt.Sprintf("import %q: no such module; blocks import files of their :dir by relative name", found[1])
	}
}

// hostCall serves the prelude's host(op, text).
func (m *machine) hostCall(ctx context.Context, stack []uint64) error {
	argc, argv := uint32(stack[3]), uint32(stack[4])
	var words [2]string
	for i := range min(argc, 2) {
		p, _ := m.in.Memory().ReadU32(argv + 4*i)
		s, err := m.text(ctx, p)
		if err != nil {
			return err
		}
		words[i] = s
	}
	answer := ""
	switch op, text := words[0], words[1]; op {
	case "0":
		answer = latin1(m.opts.stdin)
	case "1":
		m.write(m.opts.stdout, []byte(text))
	case "2":
		m.write(m.opts.stderr, []byte(text))
	case "b1":
		m.write(m.opts.stdout, unlatin1(text))
	case "b2":
		m.write(m.opts.stderr, unlatin1(text))
	}
	if m.failed != nil {
		return m.failed
	}
	v, err := m.newString(ctx, answer)
	stack[0] = uint64(v)
	return err
}

func (m *machine) write(w io.Writer, data []byte) {
	if w == nil || m.failed != nil {
		return
	}
	if _, err := w.Write(data); err != nil {
		m.failed = err
	}
}

// latin1 writes each byte as the code point of that number.
func latin1(data []byte) string {
	runes := make([]rune, len(data))
	for i, b := range data {
		runes[i] = rune(b)
	}
	return string(runes)
}

func unlatin1(text string) []byte {
	out := make([]byte, 0, len(text))
	for _, r := range text {
		out = append(out, byte(r))
	}
	return out
}
