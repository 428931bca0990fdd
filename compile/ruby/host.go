package ruby

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"wb/compile/vm"
	"wb/sandbox"
	"wb/sandbox/dock"
)

// The functions ruby.wasm exports, by their names in its interface description.
const (
	fnInit   = "ruby-init: func(args: list<string>) -> ()"
	fnEval   = "rb-eval-string-protect: func(str: string) -> tuple<handle<rb-abi-value>, s32>"
	fnString = "rstring-ptr: func(value: handle<rb-abi-value>) -> string"
)

// host are the functions ruby.wasm imports beyond WASI. Handles of its values
// are the values themselves; what concerns JavaScript is refused.
func host() []sandbox.HostModule {
	i32, f64 := sandbox.I32, sandbox.F64
	function := func(name string, params string, result bool, call func(stack []uint64) error) sandbox.HostFunc {
		f := sandbox.HostFunc{Name: name, Call: func(_ context.Context, _ *sandbox.Instance, stack []uint64) error { return call(stack) }}
		for _, p := range params {
			if p == 'f' {
				f.Params = append(f.Params, f64)
			} else {
				f.Params = append(f.Params, i32)
			}
		}
		if result {
			f.Results = []sandbox.ValueType{i32}
		}
		return f
	}
	same := func([]uint64) error { return nil }
	none := func(name string, params string, result bool) sandbox.HostFunc {
		word, _, _ := strings.Cut(name, ":")
		return function(name, params, result, func([]uint64) error { return fmt.Errorf("JavaScript is not available here (%s)", word) })
	}
	const (
		js      = "handle<js-abi-value>"
		variant = "variant { success(" + js + "), failure(" + js + ") }"
	)
	return []sandbox.HostModule{
		{Name: "canonical_abi", Funcs: []sandbox.HostFunc{
			function("resource_drop_js-abi-value", "i", false, same),
			function("resource_get_rb-abi-value", "i", true, same),
			function("resource_new_rb-abi-value", "i", true, same),
		}},
		{Name: "rb-js-abi-host", Funcs: []sandbox.HostFunc{
			function("rb_wasm_throw_prohibit_rewind_exception", "ii", false, func([]uint64) error {
				return errors.New("ruby: a fiber switched where it must not")
			}),
			none("bool-to-js-bool: func(value: bool) -> "+js, "i", true),
			none("eval-js: func(code: string) -> "+variant, "iii", false),
			none("export-js-value-to-host: func(value: "+js+") -> ()", "i", false),
			none("float-to-js-number: func(value: float64) -> "+js, "f", true),
			none("global-this: func() -> "+js, "", true),
			none("import-js-value-from-host: func() -> "+js, "", true),
			none("instance-of: func(value: "+js+", klass: "+js+") -> bool", "ii", true),
			none("int-to-js-number: func(value: s32) -> "+js, "i", true),
			none("is-js: func(value: "+js+") -> bool", "i", true),
			none("js-value-equal: func(lhs: "+js+", rhs: "+js+") -> bool", "ii", true),
			none("js-value-strictly-equal: func(lhs: "+js+", rhs: "+js+") -> bool", "ii", true),
			none("js-value-to-integer: func(value: "+js+") -> variant { as-float(float64), bignum(string) }", "ii", false),
			none("js-value-to-string: func(value: "+js+") -> string", "ii", false),
			none("js-value-typeof: func(value: "+js+") -> string", "ii", false),
			none("proc-to-js-function: func(value: u32) -> "+js, "i", true),
			none("rb-object-to-js-rb-value: func(raw-rb-abi-value: u32) -> "+js, "i", true),
			none("reflect-apply: func(target: "+js+", this-argument: "+js+", arguments: list<"+js+">) -> "+variant, "iiiii", false),
			none("reflect-get: func(target: "+js+", property-key: string) -> "+variant, "iiii", false),
			none("reflect-set: func(target: "+js+", property-key: string, value: "+js+") -> "+variant, "iiiii", false),
			none("string-to-js-string: func(value: string) -> "+js, "ii", true),
		}},
	}
}

// alloc copies data into the guest.
func alloc(ctx context.Context, in *sandbox.Instance, data []byte) (uint32, error) {
	r, err := in.Call(ctx, "cabi_realloc", 0, 0, 4, uint64(len(data)))
	if err != nil {
		return 0, err
	}
	if at := uint32(r[0]); at != 0 && in.Memory().Write(at, data) {
		return at, nil
	}
	return 0, fmt.Errorf("ruby: no room for %d bytes", len(data))
}

// start starts the interpreter in an instance and loads boot.rb.
func start(ctx context.Context, in *sandbox.Instance) error {
	args := []string{"ruby.wasm\x00", "-EUTF-8\x00", "-e_=0\x00"}
	list, err := alloc(ctx, in, make([]byte, 8*len(args)))
	if err != nil {
		return err
	}
	for i, a := range args {
		at, err := alloc(ctx, in, []byte(a))
		if err != nil {
			return err
		}
		in.Memory().WriteU32(list+uint32(8*i), at)
		in.Memory().WriteU32(list+uint32(8*i)+4, uint32(len(a)))
	}
	if _, err := in.Call(ctx, fnInit, uint64(list), uint64(len(args))); err != nil {
		return err
	}
	// The file is named wb in traces, which hides its lines from people.
	_, err = eval(ctx, in, "eval("+quote(boot+dock.RubyModule())+", TOPLEVEL_BINDING, 'wb', 1)")
	return err
}

// eval evaluates source and returns the handle of its value.
func eval(ctx context.Context, in *sandbox.Instance, source string) (uint32, error) {
	code := []byte(source + "\x00")
	at, err := alloc(ctx, in, code)
	if err != nil {
		return 0, err
	}
	r, err := in.Call(ctx, fnEval, uint64(at), uint64(len(code)))
	if err != nil {
		return 0, err
	}
	handle, _ := in.Memory().ReadU32(uint32(r[0]))
	if status, _ := in.Memory().ReadU32(uint32(r[0]) + 4); status != 0 {
		return 0, fmt.Errorf("ruby: status %d", status)
	}
	return handle, nil
}

// quote writes a string as Ruby.
func quote(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(text) + "'"
}

// call asks boot.rb and returns its answer, as JSON.
func call(ctx context.Context, m *vm.Machine, request []byte) ([]byte, error) {
	handle, err := eval(ctx, m.Instance, "WB.serve("+quote(string(request))+")")
	if err != nil {
		return nil, err
	}
	r, err := m.Call(ctx, fnString, uint64(handle))
	if err != nil {
		return nil, err
	}
	at, _ := m.Memory().ReadU32(uint32(r[0]))
	n, _ := m.Memory().ReadU32(uint32(r[0]) + 4)
	view, ok := m.Memory().Read(at, n)
	if !ok || !json.Valid(view) {
		return nil, errors.New("ruby: the answer is damaged")
	}
	return append([]byte(nil), view...), nil
}
