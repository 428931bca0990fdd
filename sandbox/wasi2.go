package sandbox

import (
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"wb/sandbox/component"
)

// Components, lowered to modules (package component), ask the host by the interfaces of
// WASI 0.2. They are served from the same state as preview 1: a descriptor's handle is
// the number of a descriptor there, and what reads, writes, waits and tells the time is
// the same code, with the same limits and the same determinism.

// call2 is a call of the host by the canonical ABI.
type call2 struct {
	in    *Instance
	ctx   context.Context
	stack []uint64
	alloc string // the guest's function that gives memory for the answer, "" for none
	err   error
}

// func2 is a function of WASI 0.2.
type func2 struct {
	// form are its core parameters, and its result behind a colon, with i for a 32-bit
	// word and I for 64 bits.
	form string
	call func(*call2)
}

// wasi2 are the functions there are, by interface and name.
var wasi2 = map[string]map[string]func2{
	component.Builtins:            {component.Drop: {"i", (*call2).drop}},
	"wasi:cli/environment":        environment2,
	"wasi:cli/exit":               exit2,
	"wasi:cli/stdin":              {"get-stdin": {":i", (*call2).stdin}},
	"wasi:cli/stdout":             {"get-stdout": {":i", (*call2).stdout}},
	"wasi:cli/stderr":             {"get-stderr": {":i", (*call2).stderr}},
	"wasi:cli/terminal-stdin":     {"get-terminal-stdin": {"i", (*call2).none}},
	"wasi:cli/terminal-stdout":    {"get-terminal-stdout": {"i", (*call2).none}},
	"wasi:cli/terminal-stderr":    {"get-terminal-stderr": {"i", (*call2).none}},
	"wasi:io/error":               {"[method]error.to-debug-string": {"ii", (*call2).debugString}},
	"wasi:io/poll":                poll2,
	"wasi:io/streams":             streams2,
	"wasi:clocks/monotonic-clock": monotonic2,
	"wasi:clocks/wall-clock":      wall2,
	"wasi:random/random":          {"get-random-bytes": {"Ii", (*call2).randomBytes}, "get-random-u64": {":I", (*call2).randomWord}},
	"wasi:random/insecure":        {"get-insecure-random-bytes": {"Ii", (*call2).randomBytes}, "get-insecure-random-u64": {":I", (*call2).randomWord}},
	"wasi:random/insecure-seed":   {"insecure-seed": {"i", (*call2).randomSeed}},
	"wasi:filesystem/preopens":    {"get-directories": {"i", (*call2).directories}},
	"wasi:filesystem/types":       files2,
	"wasi:http/types":             merged(httpFuncs2, fields2Funcs),
	"wasi:http/outgoing-handler":  {"handle": {"iiii", (*call2).handle}},
}

// merged is both maps in one.
func merged(a, b map[string]func2) map[string]func2 {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return all
}

// lacking2 are interfaces that programs import without need, and what to do instead. What
// they have can be imported, and ends a program that calls it.
var lacking2 = map[string]string{
	"wasi:sockets/": "components reach the network by wasi:http alone; blocks in wb's own languages have tcp, udp and tls",
	"wasi:http/":    "components make requests by wasi:http; blocks in wb's own languages answer them with :uses serve",
}

// preview2 are the host modules for what a module imports of WASI 0.2, beside those
// that the command gives it.
func (m *Module) preview2(given []HostModule) ([]HostModule, error) {
	var list []HostModule
	for _, need := range m.needs {
		if !strings.HasPrefix(need.module, "wasi:") || findHostFunc(given, need) != nil {
			continue
		}
		f, err := m.func2(need)
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(list, func(h HostModule) bool { return h.Name == need.module })
		if i < 0 {
			i = len(list)
			list = append(list, HostModule{Name: need.module})
		}
		list[i].Funcs = append(list[i].Funcs, f)
	}
	return append(slices.Clip(given), list...), nil
}

// func2 is the function of the host for an import.
func (m *Module) func2(need functionImport) (HostFunc, error) {
	name, number, allocates := strings.Cut(need.name, "#")
	host := HostFunc{Name: need.name, Params: need.params, Results: need.results}
	f, known := wasi2[need.module][name]
	prefix, _, _ := strings.Cut(need.module, "/")
	help, lacking := lacking2[prefix+"/"]
	switch {
	case known && f.form == form2(need):
	case known:
		return host, &LoadError{Module: m.name, Reason: fmt.Sprintf("imports %s.%s with other types than it has in WASI 0.2", need.module, name)}
	case strings.HasPrefix(name, "[resource-drop]"):
		f.call = (*call2).drop
	case lacking:
		f.call = func(c *call2) {
			c.err = &LoadError{Module: m.name, Reason: fmt.Sprintf("calls %s.%s, which components do not have here", need.module, name), Help: help}
		}
	default:
		return host, &LoadError{Module: m.name, Reason: fmt.Sprintf("imports %s.%s, which components do not have here", need.module, name)}
	}
	alloc := ""
	if allocates {
		alloc = component.Realloc + number
	}
	host.Call = func(ctx context.Context, in *Instance, stack []uint64) error {
		in.burn(ctx, hostCallFuel)
		c := call2{in: in, ctx: ctx, stack: stack, alloc: alloc}
		f.call(&c)
		return c.err
	}
	return host, nil
}

// form2 is the form of an import.
func form2(need functionImport) string {
	letters := map[ValueType]string{I32: "i", I64: "I", F32: "f", F64: "F"}
	var b strings.Builder
	for _, t := range need.params {
		b.WriteString(letters[t])
	}
	for _, t := range need.results {
		b.WriteString(":" + letters[t])
	}
	return b.String()
}

func (c *call2) u32(i int) uint32 { return uint32(c.stack[i]) }

// trap ends the guest for what the canonical ABI forbids.
func (c *call2) trap(reason string) {
	if c.err == nil {
		c.err = &TrapError{Module: c.in.module.name, Reason: reason}
	}
}

// out is n bytes of memory from offset of a pointer, all zero.
func (c *call2) out(pointer uint32, n uint32) []byte {
	buf, ok := c.in.Memory().Read(pointer, n)
	if !ok {
		c.trap("out of bounds memory access")
		return make([]byte, n)
	}
	clear(buf)
	return buf
}

// bytes are those of the guest at a parameter and the length in the next.
func (c *call2) bytes(i int) []byte {
	buf, ok := c.in.Memory().Read(c.u32(i), c.u32(i+1))
	if !ok {
		c.trap("out of bounds memory access")
	}
	return buf
}

// allocate gives memory of the guest. Memory may have moved then.
func (c *call2) allocate(size, align uint32) uint32 {
	if c.err != nil {
		return align
	}
	got, err := c.in.Call(c.ctx, c.alloc, 0, 0, uint64(align), uint64(size))
	if err != nil {
		c.err = err
		return align
	}
	return uint32(got[0])
}

// list puts bytes into memory of the guest, and tells where: pointer and length.
func (c *call2) list(data []byte) uint64 {
	at := c.allocate(uint32(len(data)), 1)
	if !c.in.Memory().Write(at, data) {
		c.trap("out of bounds memory access")
	}
	return uint64(len(data))<<32 | uint64(at)
}

// lists gives the guest a list of so many items of size bytes, and tells a pointer where
// it is. Each item is written after memory for the list was asked for, in the order of
// the canonical ABI.
func (c *call2) lists(pointer uint32, count int, size uint32, item func(i int) []uint64) {
	at := c.allocate(uint32(count)*size, 4)
	for i := range count {
		words := item(i)
		buf := c.out(at+uint32(i)*size, size)
		for j, word := range words {
			if rest := buf[j*8:]; len(rest) >= 8 {
				binary.LittleEndian.PutUint64(rest, word)
			} else {
				binary.LittleEndian.PutUint32(rest, uint32(word))
			}
		}
	}
	binary.LittleEndian.PutUint64(c.out(pointer, 8), uint64(count)<<32|uint64(at))
}

// firstHandle is the first handle of what is no descriptor.
const firstHandle = 1 << 16

// own gives the guest a resource.
func (c *call2) own(resource any) uint32 {
	w := c.in.sys
	if w.resources == nil {
		w.resources = map[uint32]any{}
	}
	if len(w.resources) >= maxResources {
		c.trap("too many resources")
		return 0
	}
	for w.nextHandle < firstHandle || w.resources[w.nextHandle] != nil {
		w.nextHandle = max(firstHandle, (w.nextHandle+1)&(1<<28-1))
	}
	w.resources[w.nextHandle] = resource
	return w.nextHandle
}

// maxResources is how many streams, pollables and errors a guest may hold.
const maxResources = 1 << 16

// resource is what a handle stands for, and of the type that is asked for.
func resource[T any](c *call2, i int) (r T, ok bool) {
	if r, ok = c.in.sys.resources[c.u32(i)].(T); !ok {
		c.trap("unknown handle " + strconv.Itoa(int(c.u32(i))))
	}
	return r, ok
}

func (c *call2) drop() {
	handle := c.stack[0]
	if uint32(handle) >= firstHandle {
		if r, ok := c.in.sys.resources[uint32(handle)].(interface{ dropped(*wasi) }); ok {
			r.dropped(c.in.sys)
		}
		delete(c.in.sys.resources, uint32(handle))
	} else if c.in.fdClose([]uint64{handle}) != 0 {
		c.trap("unknown handle " + strconv.Itoa(int(uint32(handle))))
	}
}

// none answers with an option that has nothing.
func (c *call2) none() { c.out(c.u32(0), 8) }

var environment2 = map[string]func2{
	"get-environment": {"i", func(c *call2) {
		env := c.in.sys.env
		c.lists(c.u32(0), len(env), 16, func(i int) []uint64 {
			name, value, _ := strings.Cut(env[i], "=")
			return []uint64{c.list([]byte(name)), c.list([]byte(value))}
		})
	}},
	"get-arguments": {"i", func(c *call2) {
		args := c.in.sys.args
		c.lists(c.u32(0), len(args), 8, func(i int) []uint64 { return []uint64{c.list([]byte(args[i]))} })
	}},
	"initial-cwd": {"i", func(c *call2) {
		i := slices.IndexFunc(c.in.sys.env, func(kv string) bool { return strings.HasPrefix(kv, "PWD=") })
		if i < 0 {
			c.out(c.u32(0), 12)
			return
		}
		at := c.list([]byte(strings.TrimPrefix(c.in.sys.env[i], "PWD=")))
		buf := c.out(c.u32(0), 12)
		buf[0] = 1
		binary.LittleEndian.PutUint64(buf[4:], at)
	}},
}

var exit2 = map[string]func2{
	"exit":           {"i", func(c *call2) { c.in.exit(int(c.u32(0) & 1)) }},
	"exit-with-code": {"i", func(c *call2) { c.in.exit(int(c.u32(0) & 255)) }},
}
