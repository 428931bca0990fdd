package dot

import (
	"context"
	"fmt"
	"strings"

	"wb/sandbox"
)

// The exported functions, by what they are called in C.
const (
	fnStart       = "A" // constructors
	fnMalloc      = "F"
	fnRead        = "I" // viz_read_one_graph(text) -> graph
	fnYInvert     = "B" // viz_set_y_invert(int)
	fnDup         = "J" // viz_string_dup(graph, text) -> string
	fnGraphAttr   = "Q" // viz_set_default_graph_attribute(graph, name, string)
	fnNodeAttr    = "R"
	fnEdgeAttr    = "S"
	fnContext     = "V" // viz_create_context() -> context
	fnLayout      = "X" // viz_layout(context, graph, layout) -> 0 or an error
	fnResetErrors = "Z"
	fnRender      = "_" // viz_render(context, graph, format) -> text
)

// Errors of the operating system, as Emscripten numbers them.
const (
	errNoEntry = -44
	errBadFile = -8
	errNoTTY   = -59
	errNoSys   = -52
	errSeek    = 70
	wasiBadFD  = 8
)

// host are the functions the program imports: the system calls of a C library
// in a world without files, with a clock that stands still.
func (r *render) host() []sandbox.HostModule {
	number := func(n int32) func(*sandbox.Instance, []uint64) error {
		return func(_ *sandbox.Instance, stack []uint64) error {
			stack[0] = uint64(uint32(n))
			return nil
		}
	}
	nothing := func(*sandbox.Instance, []uint64) error { return nil }
	function := func(name, params, result string, call func(in *sandbox.Instance, stack []uint64) error) sandbox.HostFunc {
		return sandbox.HostFunc{Name: name, Params: types(params), Results: types(result),
			Call: func(_ context.Context, in *sandbox.Instance, stack []uint64) error { return call(in, stack) }}
	}
	return []sandbox.HostModule{{Name: "a", Funcs: []sandbox.HostFunc{
		function("a", "iiii", "", func(in *sandbox.Instance, stack []uint64) error { // assert
			what, _ := in.Memory().ReadCString(uint32(stack[0]), 1000)
			return fmt.Errorf("graphviz: assertion failed: %s", what)
		}),
		function("b", "iii", "", func(*sandbox.Instance, []uint64) error { return fmt.Errorf("graphviz: exception") }),
		function("c", "i", "", func(_ *sandbox.Instance, stack []uint64) error { return &exited{int(int32(stack[0]))} }),
		function("d", "iiii", "i", r.write),
		function("e", "i", "i", number(0)),   // close
		function("f", "iii", "i", number(0)), // fcntl
		function("g", "", "f", nothing),      // date
		function("h", "", "", func(*sandbox.Instance, []uint64) error { return fmt.Errorf("graphviz: aborted") }),
		function("i", "iiii", "i", number(wasiBadFD)), // read
		function("j", "iii", "i", number(errNoTTY)),   // ioctl
		function("k", "i", "i", grow),
		function("l", "iiii", "i", number(errNoEntry)),  // openat
		function("m", "iiiiIii", "i", number(errNoSys)), // mmap
		function("n", "iiiiiI", "i", number(0)),         // munmap
		function("o", "Ii", "i", func(in *sandbox.Instance, stack []uint64) error { // localtime: 1970-01-01
			at := uint32(stack[1])
			for i, n := range []uint32{0, 0, 0, 1, 0, 70, 4, 0, 0, 0} {
				in.Memory().WriteU32(at+uint32(4*i), n)
			}
			stack[0] = 0
			return nil
		}),
		function("p", "i", "i", r.complain),
		function("q", "iiii", "", nothing), // tzset
		function("r", "iIii", "i", number(errSeek)),
		function("s", "ii", "i", number(0)), // environ
		function("t", "ii", "i", func(in *sandbox.Instance, stack []uint64) error {
			in.Memory().WriteU32(uint32(stack[0]), 0)
			in.Memory().WriteU32(uint32(stack[1]), 0)
			stack[0] = 0
			return nil
		}),
		function("u", "ii", "i", func(in *sandbox.Instance, stack []uint64) error { // random: always the same
			if view, ok := in.Memory().Read(uint32(stack[0]), uint32(stack[1])); ok {
				for i := range view {
					view[i] = byte(i*37 + 11)
				}
			}
			stack[0] = 0
			return nil
		}),
		function("v", "iiii", "i", number(errNoEntry)), // newfstatat
		function("w", "ii", "i", number(errBadFile)),   // fstat
		function("x", "iIi", "i", func(in *sandbox.Instance, stack []uint64) error { // clock
			in.Memory().Write(uint32(stack[2]), make([]byte, 8))
			stack[0] = 0
			return nil
		}),
		function("y", "iiii", "i", number(errNoEntry)), // faccessat
	}}}
}

// types reads a signature: i and I are integers of 32 and 64 bits, f a double.
func types(letters string) (list []sandbox.ValueType) {
	for _, c := range letters {
		list = append(list, map[rune]sandbox.ValueType{'i': sandbox.I32, 'I': sandbox.I64, 'f': sandbox.F64}[c])
	}
	return list
}

// exited ends the program because it asked for it.
type exited struct{ code int }

func (e *exited) Error() string { return fmt.Sprintf("graphviz gave up with code %d", e.code) }

// write keeps what the program writes to its standard streams.
func (r *render) write(in *sandbox.Instance, stack []uint64) error {
	vector, count, result := uint32(stack[1]), uint32(stack[2]), uint32(stack[3])
	total := uint32(0)
	for i := range min(count, 1024) {
		at, _ := in.Memory().ReadU32(vector + 8*i)
		n, _ := in.Memory().ReadU32(vector + 8*i + 4)
		if view, ok := in.Memory().Read(at, n); ok && r.said.Len() < maxMessages {
			r.said.Write(view)
		}
		total += n
	}
	in.Memory().WriteU32(result, total)
	stack[0] = 0
	return nil
}

// maxMessages bounds what is kept of messages, in bytes.
const maxMessages = 64 << 10

// complain hears an error or a warning of Graphviz, a part of a line at a time.
func (r *render) complain(in *sandbox.Instance, stack []uint64) error {
	text, _ := in.Memory().ReadCString(uint32(stack[0]), 4096)
	if r.said.Len() < maxMessages {
		r.said.WriteString(strings.ToValidUTF8(text, "\uFFFD"))
	}
	stack[0] = 0
	return nil
}

// grow makes memory at least so many bytes large.
func grow(in *sandbox.Instance, stack []uint64) error {
	const page = 65536
	want, have := uint64(uint32(stack[0])), uint64(in.Memory().Size())
	stack[0] = 0
	if want <= have || in.GrowMemory(uint32((want-have+page-1)/page)) {
		stack[0] = 1
	}
	return nil
}
