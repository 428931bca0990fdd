package dock

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"strings"
)

//go:embed guest/dock.py
var pythonRuntime string

//go:embed guest/dock.js
var javaScriptRuntime string

//go:embed guest/dock.h
var cRuntime string

//go:embed guest/dock.lua
var luaRuntime string

//go:embed guest/dock.rb
var rubyRuntime string

// described is an operation as the runtimes of guests read it.
type described struct {
	Module string   `json:"module"`
	Name   string   `json:"name"`
	Params []string `json:"params"` // "*value" takes bytes, "?args" a value as JSON
	Result string   `json:"result"` // "", "bytes", "text" or "json"
	Doc    string   `json:"doc"`
}

// tableJSON is the table for interpreters.
func tableJSON() string {
	results := map[Kind]string{Nothing: "", Bytes: "bytes", Text: "text", JSON: "json"}
	var list []described
	for _, o := range operations {
		d := described{Module: o.Module, Name: o.Name, Params: []string{}, Result: results[o.Result], Doc: o.Usage() + ": " + o.Doc}
		for _, p := range o.Params {
			mark := ""
			switch {
			case p.Data:
				mark = "*"
			case p.JSON:
				mark = "?"
			}
			d.Params = append(d.Params, mark+p.Name)
		}
		list = append(list, d)
	}
	text, err := json.Marshal(list)
	if err != nil {
		panic(err) // strings
	}
	return string(text)
}

// PythonModule is the text of the module wb.
func PythonModule() string {
	return strings.Replace(pythonRuntime, "TABLE = []", "TABLE = json.loads("+pythonQuote(tableJSON())+")", 1)
}

// pythonQuote writes text as a Python literal; JSON's escapes are Python's.
func pythonQuote(text string) string {
	quoted, _ := json.Marshal(text) // of a string
	return string(quoted)
}

// LuaModule is Lua that makes the module wb where host has null, encode and
// decode.
func LuaModule() string { return strings.Replace(luaRuntime, "TABLE", tableJSON(), 1) }

// RubyModule is Ruby that makes the module WB and answers require "wb". json has
// been required.
func RubyModule() string {
	names, _ := json.Marshal(moduleNames()) // of strings
	text := strings.Replace(rubyRuntime, "\nCONSTANTS\n", "\n"+string(names)+"\n", 1)
	return strings.Replace(text, "\nTABLE\n", "\n"+tableJSON()+"\n", 1)
}

// JavaScriptModule is a script of the JavaScript VM that makes the module wb.
func JavaScriptModule() string {
	return strings.Replace(javaScriptRuntime, "const table = [];", "const table = "+tableJSON()+";", 1)
}

// TypeScriptModule declares what JavaScriptModule makes. What answers with bytes
// is text where it is UTF-8; a program that knows it is not says
// get<Uint8Array>(key).
func TypeScriptModule() string {
	var b strings.Builder
	b.WriteString("declare module 'wb' {\n")
	for _, module := range Modules() {
		fmt.Fprintf(&b, "  export const %s: {\n", module)
		for _, o := range operations {
			if o.Module != module {
				continue
			}
			var params []string
			for _, p := range o.Params {
				switch {
				case p.JSON:
					params = append(params, p.Name+"?: unknown")
				case p.Data:
					params = append(params, p.Name+": string | ArrayBuffer | ArrayBufferView")
				case p.Name == "prefix":
					params = append(params, p.Name+"?: string")
				default:
					params = append(params, p.Name+": string")
				}
			}
			result := map[Kind]string{Nothing: "void", Bytes: "T | undefined", Text: "string | undefined", JSON: "any"}[o.Result]
			generic := ""
			if o.Result == Bytes {
				generic = "<T = string>"
			}
			fmt.Fprintf(&b, "    /** %s */\n    %s%s(%s): %s;\n", o.Doc, o.Name, generic, strings.Join(params, ", "), result)
		}
		b.WriteString("  };\n")
	}
	b.WriteString("  const wb: { " + "Error: new (problem: { error: string, code: string, hint?: string }) => Error & { code: string, hint: string }")
	for _, module := range Modules() {
		fmt.Fprintf(&b, ", %s: typeof %s", module, module)
	}
	b.WriteString(" };\n  export default wb;\n}\n")
	return b.String()
}

// CHeader is wb.h: for each operation a function, for C and C++.
func CHeader() string {
	var b strings.Builder
	runtime, rest, _ := strings.Cut(cRuntime, "/* operations */\n")
	b.WriteString(runtime)
	seen := map[string]bool{}
	for _, o := range operations {
		capability := o.Capability
		if capability == "" {
			capability = "session"
		}
		if !seen[capability] {
			seen[capability] = true
			fmt.Fprintf(&b, "\n__attribute__((import_module(%q), import_name(\"host_%s\"))) unsigned wb_host_%s(const void *frame, size_t length);\n", HostModuleName, capability, cName(capability))
		}
		var params, puts []string
		size := fmt.Sprintf("8 + %d", len(o.String()))
		for _, p := range o.Params {
			name := "wb_" + p.Name
			if p.Data {
				params = append(params, "const void *"+name, "size_t "+name+"_length")
				size += " + 4 + " + name + "_length"
				puts = append(puts, fmt.Sprintf("at = wb_put(at, %s, %s_length);", name, name))
			} else {
				params = append(params, "const char *"+name)
				size += " + 4 + wb_text_length(" + name + ")"
				puts = append(puts, fmt.Sprintf("at = wb_put(at, %s, wb_text_length(%s));", name, name))
			}
		}
		if len(params) == 0 {
			params = []string{"void"}
		}
		fmt.Fprintf(&b, "\n/* %s: %s. Needs %s. */\nstatic inline wb_reply wb_%s_%s(%s) {\n", o.Usage(), o.Doc, capability, o.Module, o.Name, strings.Join(params, ", "))
		fmt.Fprintf(&b, "  size_t length = %s;\n  char *frame = wb_frame(length), *at = frame;\n  if (!frame) return wb_no_memory();\n", size)
		fmt.Fprintf(&b, "  at = wb_put(at, %q, %d);\n  at = wb_put_count(at, %d);\n", o.String(), len(o.String()), len(o.Params))
		for _, put := range puts {
			b.WriteString("  " + put + "\n")
		}
		fmt.Fprintf(&b, "  return wb_take(wb_host_%s(frame, length), frame);\n}\n", cName(capability))
	}
	b.WriteString(rest)
	return b.String()
}

// cName is a capability as a part of a name.
func cName(capability string) string { return strings.ReplaceAll(capability, "-", "_") }
