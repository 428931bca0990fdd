package dock

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
)

var (
	//go:embed guest/dock.go.txt
	goRuntime string
	//go:embed guest/dock.rs
	rustRuntime string
	//go:embed guest/dock.zig
	zigRuntime string
	//go:embed guest/dock.c
	shimRuntime string
)

// needed is the name of an operation's import: host_NEEDED.
func (o *Operation) needed() string {
	if o.Capability == "" {
		return "session"
	}
	return o.Capability
}

// imports lists what the operations need, each once, in the order of the table.
func imports() []string {
	var names []string
	for _, o := range operations {
		if !slices.Contains(names, o.needed()) {
			names = append(names, o.needed())
		}
	}
	return names
}

// moduleNames are the modules as languages write them whose types begin with a
// capital letter.
func moduleNames() map[string]string {
	names := map[string]string{}
	for _, m := range Modules() {
		switch m {
		case "kv", "vfs", "llm", "tcp", "udp", "tls":
			names[m] = strings.ToUpper(m)
		case "tcpserve":
			names[m] = "TCPServe"
		default:
			names[m] = capital(m)
		}
	}
	return names
}

func capital(word string) string { return strings.ToUpper(word[:1]) + word[1:] }

// CShim is C with a function wb_dock_CAPABILITY for each capability, and
// wb_dock_reply: for languages that are compiled by way of C.
func CShim() string {
	var b strings.Builder
	b.WriteString(shimRuntime)
	for _, name := range imports() {
		fmt.Fprintf(&b, "__attribute__((import_module(%q), import_name(\"host_%s\"))) unsigned wb_host_%s(const void *frame, size_t length);\n", HostModuleName, name, cName(name))
		fmt.Fprintf(&b, "unsigned wb_dock_%[1]s(const void *frame, size_t length) { return wb_host_%[1]s(frame, length); }\n", cName(name))
	}
	return b.String()
}

// GoPackage is the source of the package wb.
func GoPackage() string {
	var b strings.Builder
	b.WriteString(goRuntime)
	for _, name := range imports() {
		fmt.Fprintf(&b, "\n//go:wasmimport %s host_%s\nfunc host_%s(frame unsafe.Pointer, length uint32) uint32\n", HostModuleName, name, cName(name))
	}
	names := moduleNames()
	b.WriteString("\n// The modules.\nvar (\n")
	for _, m := range Modules() {
		fmt.Fprintf(&b, "\t%s mod_%s\n", names[m], m)
	}
	b.WriteString(")\n")
	for _, m := range Modules() {
		fmt.Fprintf(&b, "\ntype mod_%s struct{}\n", m)
	}
	for _, o := range operations {
		var params, args []string
		for _, p := range o.Params {
			switch {
			case p.JSON:
				params, args = append(params, p.Name+"_ any"), append(args, "value("+p.Name+"_)")
			case p.Data:
				params, args = append(params, p.Name+"_ []byte"), append(args, p.Name+"_")
			default:
				params, args = append(params, p.Name+"_ string"), append(args, "text("+p.Name+"_)")
			}
		}
		results, conclude := "([]byte, bool, error)", "return body, found, err"
		switch o.Result {
		case Nothing:
			results, conclude = "error", "_, _ = body, found\n\treturn err"
		case Text:
			results, conclude = "(string, bool, error)", "return string(body), found, err"
		}
		fmt.Fprintf(&b, "\n// %s: %s.\nfunc (mod_%s) %s(%s) %s {\n\tbody, found, err := take(host_%s(frame(%s)))\n\t%s\n}\n",
			capital(o.Name), o.Doc, o.Module, capital(o.Name), strings.Join(params, ", "), results, cName(o.needed()), strings.Join(append([]string{fmt.Sprintf("%q", &o)}, args...), ", "), conclude)
	}
	return b.String()
}

// RustModule is a module wb to put at the end of a program. It needs [CShim].
func RustModule() string {
	var b strings.Builder
	b.WriteString(rustRuntime)
	for _, m := range Modules() {
		fmt.Fprintf(&b, "    pub mod %s {\n        use super::Error;\n", m)
		declared := ""
		for _, o := range operations {
			if o.Module != m {
				continue
			}
			if host := "wb_dock_" + cName(o.needed()); !strings.Contains(declared, host+"(") {
				declared += host + "("
				fmt.Fprintf(&b, "        extern \"C\" { fn %s(frame: *const u8, length: usize) -> u32; }\n", host)
			}
			var params, args []string
			for _, p := range o.Params {
				if p.Data {
					params, args = append(params, p.Name+"_: &[u8]"), append(args, p.Name+"_")
				} else {
					params, args = append(params, p.Name+"_: &str"), append(args, p.Name+"_.as_bytes()")
				}
			}
			result, reply := "Option<String>", "super::text(super::take(n as usize))"
			switch o.Result {
			case Nothing:
				result, reply = "()", "super::nothing(super::take(n as usize))"
			case Bytes:
				result, reply = "Option<Vec<u8>>", "super::take(n as usize)"
			}
			fmt.Fprintf(&b, "        /// %s\n        pub fn %s(%s) -> Result<%s, Error> {\n            let f = super::frame(%q, &[%s]);\n            let n = unsafe { wb_dock_%s(f.as_ptr(), f.len()) };\n            %s\n        }\n",
				o.Doc, o.Name, strings.Join(params, ", "), result, &o, strings.Join(args, ", "), cName(o.needed()), reply)
		}
		b.WriteString("    }\n")
	}
	b.WriteString("}\n")
	return b.String()
}

// ZigModule is the source of the module wb. It needs [CShim].
func ZigModule() string {
	var b strings.Builder
	b.WriteString(zigRuntime)
	for _, name := range imports() {
		fmt.Fprintf(&b, "extern fn wb_dock_%s(frame: [*]const u8, length: usize) u32;\n", cName(name))
	}
	for _, m := range Modules() {
		fmt.Fprintf(&b, "\npub const %s = struct {\n", m)
		for _, o := range operations {
			if o.Module != m {
				continue
			}
			var params, args []string
			for _, p := range o.Params {
				params, args = append(params, p.Name+"_: []const u8"), append(args, p.Name+"_")
			}
			result, conclude := "?[]u8", "return take(n);"
			if o.Result == Nothing {
				result, conclude = "void", "if (try take(n)) |body| free(body);"
			}
			fmt.Fprintf(&b, "    /// %s\n    pub fn %s(%s) Error!%s {\n        const f = try frame(%q, &.{%s});\n        defer allocator.free(f);\n        const n = wb_dock_%s(f.ptr, f.len);\n        %s\n    }\n",
				o.Doc, o.Name, strings.Join(params, ", "), result, &o, strings.Join(args, ", "), cName(o.needed()), conclude)
		}
		b.WriteString("};\n")
	}
	return b.String()
}
