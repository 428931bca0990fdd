package js

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	mathrand "math/rand/v2"
	"time"

	"wb/sandbox"
	"wb/sandbox/dock"
)

// world is the part of a job that a VM sees.
type world struct {
	limits         sandbox.Limits
	caps           sandbox.Caps
	stdin          []byte
	stdout, stderr io.Writer
	sources        sources
	tree           files
	dock           *dock.Dock // nil when nothing was granted
	random         io.Reader  // nil until it is asked for
	manifests      map[string]*manifest
	checking       bool // nothing is to run: only syntax and imports are checked
}

// hostFunction serves one member of the guest's host object. Its arguments are
// lent; its result is given away, 0 standing for undefined. An *guestError is
// thrown in the guest, any other error ends it.
type hostFunction func(m *machine, ctx context.Context, args []handle) (handle, error)

var hostFunctions = map[string]hostFunction{
	"write":    (*machine).hostWrite,
	"stdin":    (*machine).hostStdin,
	"encode":   ofText((*machine).hostEncode),
	"decode":   (*machine).hostDecode,
	"kind":     (*machine).hostKind,
	"target":   (*machine).hostTarget,
	"promise":  (*machine).hostPromise,
	"sleep":    (*machine).hostSleep,
	"random":   (*machine).hostRandom,
	"exit":     (*machine).hostExit,
	"source":   ofTexts((*machine).hostSource),
	"evaluate": ofTexts((*machine).hostEvaluate),
	"module":   ofText((*machine).hostModule),

	"sourceText": ofText((*machine).hostSourceText),
	"sourceKind": ofText((*machine).hostSourceKind),

	"dock":   (*machine).hostDock,
	"hash":   (*machine).hostHash,
	"pack":   ofText((*machine).hostPack),
	"unpack": ofText((*machine).hostUnpack),

	"readFile":  ofText((*machine).hostReadFile),
	"writeFile": ofText((*machine).hostWriteFile),
	"readDir":   ofText((*machine).hostReadDir),
	"stat":      ofText((*machine).hostStat),
	"mkdir":     ofText((*machine).hostMkdir),
	"remove":    ofText((*machine).hostRemove),
	"rename":    ofTexts((*machine).hostRename),
}

// ofText is a host function whose first argument is a text.
func ofText(f func(m *machine, ctx context.Context, text string, more []handle) (handle, error)) hostFunction {
	return func(m *machine, ctx context.Context, args []handle) (handle, error) {
		text, err := m.text(ctx, args[0])
		if err != nil {
			return 0, err
		}
		return f(m, ctx, text, args[1:])
	}
}

// ofTexts is a host function of two texts.
func ofTexts(f func(m *machine, ctx context.Context, one, two string) (handle, error)) hostFunction {
	return ofText(func(m *machine, ctx context.Context, one string, more []handle) (handle, error) {
		two, err := m.text(ctx, more[0])
		if err != nil {
			return 0, err
		}
		return f(m, ctx, one, two)
	})
}

// guestError is thrown in the guest as an Error.
type guestError struct {
	Code    string // its code property, "" for none
	Message string
}

func (e *guestError) Error() string { return e.Message }

// exited ends the guest because the program asked for it.
type exited struct{ code int }

func (e *exited) Error() string { return fmt.Sprintf("exited with code %d", e.code) }

// host are the functions quickjs.wasm imports.
func (m *machine) host() []sandbox.HostModule {
	return []sandbox.HostModule{{Name: "env", Funcs: []sandbox.HostFunc{
		m.imported("host_get_timezone_offset", 2, 1, func(_ context.Context, stack []uint64) error { stack[0] = 0; return nil }),
		m.imported("host_interrupt", 0, 1, func(_ context.Context, stack []uint64) error { stack[0] = 0; return nil }),
		m.imported("host_promise_rejection", 3, 0, func(ctx context.Context, stack []uint64) error {
			return m.promiseRejection(ctx, handle(stack[0]), handle(stack[1]), uint32(stack[2]) != 0)
		}),
		m.imported("host_module_normalize", 2, 1, m.moduleName),
		m.imported("host_module_load", 2, 1, m.moduleSource),
		m.imported("host_call", 5, 1, m.hostCall),
	}}}
}

var i32s = [...]sandbox.ValueType{sandbox.I32, sandbox.I32, sandbox.I32, sandbox.I32, sandbox.I32}

func (m *machine) imported(name string, params, results int, call func(context.Context, []uint64) error) sandbox.HostFunc {
	return sandbox.HostFunc{Name: name, Params: i32s[:params], Results: i32s[:results],
		Call: func(ctx context.Context, _ *sandbox.Instance, stack []uint64) error { return call(ctx, stack) }}
}

// hostCall finds the host function a guest calls by its name.
func (m *machine) hostCall(ctx context.Context, stack []uint64) error {
	name, _ := m.in.Memory().Read(uint32(stack[0]), uint32(stack[1]))
	f, argc, argv := hostFunctions[string(name)], uint32(stack[3]), uint32(stack[4])
	if f == nil {
		return m.throw(ctx, &guestError{Message: fmt.Sprintf("no host function %q", name)}, stack)
	}
	args := make([]handle, max(argc, 4)) // absent ones are 0
	for i := range argc {
		args[i], _ = m.in.Memory().ReadU32(argv + 4*i)
	}
	v, err := f(m, ctx, args)
	if err != nil {
		return m.throw(ctx, err, stack)
	}
	if v == 0 {
		v, err = m.call(ctx, "qjs_dup_value", uint64(m.image.Undefined))
	}
	stack[0] = uint64(v)
	return err
}

// throw raises err in the guest and leaves the null result that says so. An
// error that is no affair of the guest's is passed on.
func (m *machine) throw(ctx context.Context, err error, stack []uint64) error {
	stack[0] = 0
	var failure *guestError
	var own *thrown
	switch {
	case errors.As(err, &failure):
	case errors.As(err, &own) && own.value != 0: // the guest's own, with its stack
		_, err = m.call(ctx, "qjs_throw", uint64(own.value))
		return err
	case errors.As(err, &own):
		failure = &guestError{Message: own.Error()}
	default:
		return err
	}
	e, err := m.call(ctx, "qjs_new_error")
	if err != nil {
		return err
	}
	for name, text := range map[string]string{"message": failure.Message, "code": failure.Code} {
		if text == "" {
			continue
		}
		v, err := m.newString(ctx, text)
		if err != nil {
			return err
		}
		if err := m.setProperty(ctx, e, name, v); err != nil {
			return err
		}
	}
	_, err = m.call(ctx, "qjs_throw", uint64(e))
	return firstOf(err, m.release(ctx, e))
}

// is asks QuickJS about a value: is(ctx, v, "string").
func (m *machine) is(ctx context.Context, v handle, what string) bool {
	if v == 0 {
		return false
	}
	yes, err := m.call(ctx, "qjs_is_"+what, uint64(v))
	return err == nil && yes != 0
}

func (m *machine) truth(ctx context.Context, v handle) bool {
	if v == 0 {
		return false
	}
	yes, err := m.call(ctx, "qjs_get_bool", uint64(v))
	return err == nil && yes != 0
}

func (m *machine) number(ctx context.Context, v handle) (float64, error) {
	results, err := m.in.Call(ctx, "qjs_get_float64", uint64(v))
	if err != nil {
		return 0, err
	}
	return math.Float64frombits(results[0]), nil
}

// data reads a string or a Uint8Array.
func (m *machine) data(ctx context.Context, v handle) ([]byte, error) {
	if m.is(ctx, v, "string") {
		text, err := m.text(ctx, v)
		return []byte(text), err
	}
	return m.bytes(ctx, v)
}

// charge counts the bytes the host moves for the guest as fuel.
func (m *machine) charge(ctx context.Context, n int) { m.in.Charge(ctx, int64(n)/8+16) }

// hostWrite(fd, data) writes to standard output or standard error.
func (m *machine) hostWrite(ctx context.Context, args []handle) (handle, error) {
	fd, err := m.number(ctx, args[0])
	if err != nil {
		return 0, err
	}
	data, err := m.data(ctx, args[1])
	if err != nil {
		return 0, err
	}
	m.charge(ctx, len(data))
	w := m.world.stdout
	if fd == 2 {
		w = m.world.stderr
	}
	if w != nil {
		_, err = w.Write(data)
	}
	return 0, err
}

// hostStdin() is all of standard input.
func (m *machine) hostStdin(ctx context.Context, _ []handle) (handle, error) {
	m.charge(ctx, len(m.world.stdin))
	return m.newBytes(ctx, m.world.stdin)
}

// hostEncode(text) is text in UTF-8.
func (m *machine) hostEncode(ctx context.Context, text string, _ []handle) (handle, error) {
	m.charge(ctx, len(text))
	return m.newBytes(ctx, []byte(text))
}

// hostDecode(bytes, fatal) reads UTF-8. When fatal, what is none gives undefined.
func (m *machine) hostDecode(ctx context.Context, args []handle) (handle, error) {
	data, err := m.bytes(ctx, args[0])
	if err != nil {
		return 0, err
	}
	m.charge(ctx, len(data))
	text := decodeUTF8(string(data))
	if text != string(data) && m.truth(ctx, args[1]) {
		return 0, nil
	}
	return m.newString(ctx, text)
}

// hostKind(value) is the class of an object, whatever its prototype says.
func (m *machine) hostKind(ctx context.Context, args []handle) (handle, error) {
	return m.call(ctx, "qjs_get_class_name", uint64(args[0])) // an exception passes as it is
}

// hostTarget(value) is what a proxy stands before, undefined for other values.
func (m *machine) hostTarget(ctx context.Context, args []handle) (handle, error) {
	if !m.is(ctx, args[0], "proxy") {
		return 0, nil
	}
	v, err := m.call(ctx, "qjs_get_proxy_target", uint64(args[0]))
	if err != nil {
		return 0, err
	}
	return m.check(ctx, v)
}

// hostPromise(promise) is [fulfilled, value], undefined while it is pending.
func (m *machine) hostPromise(ctx context.Context, args []handle) (handle, error) {
	state, err := m.call(ctx, "qjs_promise_state", uint64(args[0]))
	if err != nil || state == pending {
		return 0, err
	}
	ok := "qjs_get_true"
	if state == rejected {
		ok = "qjs_get_false"
	}
	first, err := m.call(ctx, ok)
	if err != nil {
		return 0, err
	}
	second, err := m.call(ctx, "qjs_promise_result", uint64(args[0]))
	if err != nil {
		return 0, err
	}
	return m.list(ctx, first, second)
}

// list makes an array of values it takes over.
func (m *machine) list(ctx context.Context, values ...handle) (handle, error) {
	a, err := m.call(ctx, "qjs_new_array")
	if err != nil {
		return 0, err
	}
	for i, v := range values {
		if _, err := m.call(ctx, "qjs_set_prop_uint32", uint64(a), uint64(i), uint64(v)); err != nil {
			return 0, err
		}
	}
	return a, nil
}

// hostSleep(ms) waits in the sandbox's time.
func (m *machine) hostSleep(ctx context.Context, args []handle) (handle, error) {
	ms, err := m.number(ctx, args[0])
	if err != nil {
		return 0, err
	}
	m.in.Sleep(time.Duration(min(ms, math.MaxInt32) * float64(time.Millisecond)))
	return 0, nil
}

// hostRandom(n) are n random bytes, the same ones on every run unless random
// was granted.
func (m *machine) hostRandom(ctx context.Context, args []handle) (handle, error) {
	n, err := m.number(ctx, args[0])
	if err != nil {
		return 0, err
	}
	const most = 65536 // what getRandomValues allows
	if !(n >= 0 && n <= most) {
		return 0, &guestError{Code: "QuotaExceededError", Message: fmt.Sprintf("at most %d random bytes at a time", most)}
	}
	if m.world.random == nil {
		m.world.random = mathrand.NewChaCha8([32]byte{})
		if m.world.caps.Random {
			m.world.random = rand.Reader
		}
	}
	data := make([]byte, int(n))
	if _, err := io.ReadFull(m.world.random, data); err != nil {
		return 0, err
	}
	m.charge(ctx, len(data))
	return m.newBytes(ctx, data)
}

// hostExit(code) ends the program.
func (m *machine) hostExit(ctx context.Context, args []handle) (handle, error) {
	code, err := m.number(ctx, args[0])
	if err != nil {
		return 0, err
	}
	return 0, &exited{int(code) & 255}
}

// hostSource(base, name) is [file, text] of the module that base requires.
func (m *machine) hostSource(ctx context.Context, base, name string) (handle, error) {
	file, err := m.locate(base, name, "require")
	if err != nil {
		return 0, err
	}
	first, err := m.newString(ctx, file)
	if err != nil {
		return 0, err
	}
	data, _ := m.world.sources.get(file)
	second, err := m.newString(ctx, string(data))
	if err != nil {
		return 0, err
	}
	return m.list(ctx, first, second)
}

// hostSourceText(path) is the text of a source file, undefined when there is
// none.
func (m *machine) hostSourceText(ctx context.Context, file string, _ []handle) (handle, error) {
	data, ok := m.world.sources.get(file)
	if !ok {
		return 0, nil
	}
	m.charge(ctx, len(data))
	return m.newString(ctx, string(data))
}

// hostSourceKind(path) is "file", "directory" or "".
func (m *machine) hostSourceKind(ctx context.Context, file string, _ []handle) (handle, error) {
	kind := ""
	if _, ok := m.world.sources.get(file); ok {
		kind = "file"
	} else if m.world.sources.isDir(file) {
		kind = "directory"
	}
	m.charge(ctx, len(file))
	return m.newString(ctx, kind)
}

// hostEvaluate(code, file) evaluates a script.
func (m *machine) hostEvaluate(ctx context.Context, code, file string) (handle, error) {
	return m.eval(ctx, code, file, evalScript)
}

// describeInGuest asks the guest about something thrown; it knows more.
func (m *machine) describeInGuest(ctx context.Context, e handle) (*thrown, error) {
	text, err := m.controlText(ctx, "describe", e)
	if err != nil {
		return nil, err
	}
	t := &thrown{}
	return t, json.Unmarshal([]byte(text), t)
}
