package lanes

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"wb/compile"
	"wb/internal/test/lanetest"
	"wb/sandbox"
	"wb/sandbox/dock"
	"wb/sandbox/dock/broker"
	"wb/sandbox/dock/store"
	"wb/sandbox/netbroker"
)

// step is one operation that a guest of every language asks for.
type step struct {
	operation string
	args      []string // JSON parameters as JSON
	// field is what is looked at of a JSON result: a key, or "0" for the first
	// of a list. Languages that leave JSON alone show all of it.
	field string
	want  string // what the guest sees: "done", "none", a code, or a part of the result
}

// steps use every operation of the dock.
var steps = []step{
	{"session.info", nil, "name", "book.org"},
	{"kv.put", []string{"a", "one"}, "", "done"},
	{"kv.get", []string{"a"}, "", "one"},
	{"kv.get", []string{"b"}, "", "denied"},
	{"kv.list", []string{""}, "0", "a"},
	{"kv.delete", []string{"a"}, "", "done"},
	{"kv.get", []string{"a"}, "", "none"},
	{"queue.push", []string{"q", "message"}, "", "done"},
	{"queue.length", []string{"q"}, "", "1"},
	{"queue.pop", []string{"q"}, "", "message"},
	{"vfs.write", []string{"memory:f", "content"}, "", "done"},
	{"vfs.read", []string{"memory:f"}, "", "content"},
	{"vfs.list", []string{"memory:"}, "0", "memory:f"},
	{"vfs.query", []string{"SELECT length(content) AS n FROM vfs"}, "rows", "7"},
	{"vfs.remove", []string{"memory:f"}, "", "done"},
	{"vars.get", []string{"region"}, "", "eu-1"},
	{"vars.list", nil, "0", "region"},
	{"secrets.sign", []string{"key", "data"}, "", "LYWdKvNCYUtEy1WOyQC7TeBzr6EjAvZfLjg8dPrq6eo="},
	{"secrets.public", []string{"key"}, "", "notfound"},
	{"commands.run", []string{"upper", "text", `["x"]`}, "", "TEXT x"},
	{"commands.many", []string{"upper", `["p","q"]`, ""}, "", `Q`},
	{"exec.run", []string{"upper", "again", ""}, "", "AGAIN"},
	{"process.spawn", []string{"upper", "later", ""}, "", "1"},
	{"process.list", nil, "0", "1"},
	{"process.wait", []string{"1"}, "output", "LATER"},
	{"process.kill", []string{"1"}, "", "none"},
	{"build.run", []string{"js", "source", "input", `{"args":["x"]}`}, "output", "built js source input [x]"},
	{"llm.complete", []string{"question"}, "", "answer to question"},
	{"net.get", []string{"https://example.com/page"}, "", "GET /page"},
	{"net.fetch", []string{"https://example.com/page", `{"method":"POST"}`}, "text", "POST /page"},
	{"packages.fetch", []string{"Small_Thing==1.0", `{"index":"https://example.com/simple"}`}, "file", "small_thing-1.0-py3-none-any.whl"},
	{"browse.fetch", []string{"https://example.com/page"}, "", "page: GET /page"},
	{"tcp.request", []string{"example.com:7", "hello", `{"timeout":5}`}, "", "heard hello"},
	{"tcp.request", []string{"example.org:7", "hello", ""}, "", "denied"},
	{"udp.request", []string{"example.com:9", "hello", ""}, "", "datagram hello"},
	{"tls.request", []string{"example.com:8", "hello", ""}, "", "secret hello"},
	{"serve.listen", []string{"", `{"requests":1}`}, "url", "http://127.0.0.1:"},
	{"serve.next", nil, "path", "/asked"},
	{"serve.reply", []string{"1", "the answer", `{"status":201}`}, "", "done"},
	{"serve.next", nil, "", "none"},
	{"serve.close", nil, "", "done"},
	{"tcpserve.listen", []string{"", `{"until":"\n"}`}, "address", "127.0.0.1:"},
	{"tcpserve.next", nil, "text", "client"},
	{"tcpserve.reply", []string{"1", "the reply"}, "", "done"},
	{"tcpserve.close", nil, "", "done"},
}

// dialect writes programs of one language. A program prints, for each step, a
// line "== N" and what it saw.
type dialect struct {
	head string
	// step is the code of a step: what it calls, with literal arguments.
	step func(n int, op *dock.Operation, s step) string
	tail string
}

func quoted(text string) string { return strconv.Quote(text) }

// literals are the arguments of a step: texts by quote, JSON by parse.
func literals(op *dock.Operation, s step, quote, parse func(string) string) string {
	var list []string
	for i, p := range op.Params {
		if p.JSON {
			list = append(list, parse(s.args[i]))
		} else {
			list = append(list, quote(s.args[i]))
		}
	}
	return strings.Join(list, ", ")
}

// orNone gives JSON to f, and none where there is none.
func orNone(none string, f func(string) string) func(string) string {
	return func(text string) string {
		if text == "" {
			return none
		}
		return f(text)
	}
}

func capital(word string) string { return strings.ToUpper(word[:1]) + word[1:] }

// typeName is a module as Go and Ruby write it.
func typeName(module string) string {
	switch module {
	case "kv", "vfs", "llm", "tcp", "udp", "tls":
		return strings.ToUpper(module)
	case "tcpserve":
		return "TCPServe"
	}
	return capital(module)
}

func inLua(v any) string {
	switch v := v.(type) {
	case []any:
		var items []string
		for _, item := range v {
			items = append(items, inLua(item))
		}
		return "{" + strings.Join(items, ", ") + "}"
	case map[string]any:
		var items []string
		for key, item := range v {
			items = append(items, fmt.Sprintf("[%q] = %s", key, inLua(item)))
		}
		return "{" + strings.Join(items, ", ") + "}"
	case string:
		return quoted(v)
	}
	return fmt.Sprint(v)
}

var dialects = map[string]dialect{
	"js": {head: "import wb from \"wb\";\nfunction show(n, f, field) {\n  let r;\n  try { r = f(); } catch (e) { r = e.code; }\n  if (r && typeof r === 'object' && field in r) r = r[field];\n  console.log('== ' + n + '\\n' + (r === undefined ? 'nothing' : typeof r === 'object' ? JSON.stringify(r) : r));\n}\n",
		step: func(n int, op *dock.Operation, s step) string {
			return fmt.Sprintf("show(%d, () => wb.%s(%s), %q);\n", n, op, literals(op, s, quoted, orNone("undefined", func(t string) string { return t })), s.field)
		}},
	"ts": {head: "import wb from \"wb\";\nfunction show(n: number, f: () => any, field: string) {\n  let r: any;\n  try { r = f(); } catch (e) { r = (e as any).code; }\n  if (r && typeof r === 'object' && field in r) r = r[field];\n  console.log('== ' + n + '\\n' + (r === undefined ? 'nothing' : typeof r === 'object' ? JSON.stringify(r) : r));\n}\n",
		step: func(n int, op *dock.Operation, s step) string {
			return fmt.Sprintf("show(%d, () => wb.%s(%s), %q);\n", n, op, literals(op, s, quoted, orNone("undefined", func(t string) string { return t })), s.field)
		}},
	"python": {head: "import wb, json\ndef show(n, f, field):\n    try:\n        r = f()\n    except wb.Error as e:\n        r = e.code\n    if isinstance(r, dict) and field in r: r = r[field]\n    elif isinstance(r, list) and field == '0': r = r[0]\n    print('==', n)\n    print('nothing' if r is None else r)\n",
		step: func(n int, op *dock.Operation, s step) string {
			return fmt.Sprintf("show(%d, lambda: wb.%s(%s), %q)\n", n, op, literals(op, s, quoted, orNone("None", func(t string) string { return "json.loads(" + quoted(t) + ")" })), s.field)
		}},
	"lua": {head: "local wb = require 'wb'\nlocal function show(n, field, f, ...)\n  local ok, r = pcall(f, ...)\n  if not ok then r = r.code or tostring(r) end\n  if type(r) == 'table' and field ~= '' then r = field == '0' and r[1] or r[field] end\n  if type(r) == 'table' then r = type(r[1]) == 'table' and tostring(r[1][1] or r[2].output) or tostring(r[1]) end\n  print('== ' .. n)\n  print(r == nil and 'nothing' or r)\nend\n",
		step: func(n int, op *dock.Operation, s step) string {
			args := literals(op, s, quoted, orNone("nil", func(t string) string {
				var v any
				_ = json.Unmarshal([]byte(t), &v)
				return inLua(v)
			}))
			if args != "" {
				args = ", " + args
			}
			return fmt.Sprintf("show(%d, %q, wb.%s%s)\n", n, s.field, op, args)
		}},
	"ruby": {head: "require 'wb'\ndef show(n, field)\n  begin\n    r = yield\n  rescue WB::Error => e\n    r = e.code\n  end\n  r = r[field] if r.is_a?(Hash) && r.key?(field)\n  r = r[0] if r.is_a?(Array) && field == '0'\n  puts \"== #{n}\", r.nil? ? 'nothing' : r.to_s\nend\n",
		step: func(n int, op *dock.Operation, s step) string {
			return fmt.Sprintf("show(%d, %q) { WB::%s.%s(%s) }\n", n, s.field, typeName(op.Module), op.Name, literals(op, s, quoted, orNone("nil", func(t string) string { return "JSON.parse(" + quoted(t) + ")" })))
		}},
	"go": {head: "package main\n\nimport (\n\t\"encoding/json\"\n\t\"fmt\"\n\t\"wb\"\n)\n\nvar _ json.RawMessage\n\nfunc show(n int, r any, found bool, err error) {\n\tfmt.Println(\"==\", n)\n\tswitch {\n\tcase err != nil:\n\t\tfmt.Println(err.(*wb.Error).Code)\n\tcase !found:\n\t\tfmt.Println(\"nothing\")\n\tdefault:\n\t\tfmt.Printf(\"%s\\n\", r)\n\t}\n}\n\nfunc main() {\n",
		step: func(n int, op *dock.Operation, s step) string {
			var list []string
			for i, p := range op.Params {
				switch {
				case p.JSON && s.args[i] == "":
					list = append(list, "nil")
				case p.JSON:
					list = append(list, "json.RawMessage("+quoted(s.args[i])+")")
				case p.Data:
					list = append(list, "[]byte("+quoted(s.args[i])+")")
				default:
					list = append(list, quoted(s.args[i]))
				}
			}
			call := fmt.Sprintf("wb.%s.%s(%s)", typeName(op.Module), capital(op.Name), strings.Join(list, ", "))
			if op.Result == dock.Nothing {
				return fmt.Sprintf("\tshow(%d, nil, false, %s)\n", n, call)
			}
			return fmt.Sprintf("\t{\n\t\tr, found, err := %s\n\t\tshow(%d, r, found, err)\n\t}\n", call, n)
		}, tail: "}\n"},
	"c": {head: "#include <stdio.h>\n#include <wb.h>\nstatic void show(int n, wb_reply r) {\n  printf(\"== %d\\n%s\\n\", n, r.status == WB_NONE || r.status == WB_OK && r.length == 0 ? \"nothing\" : r.data);\n  wb_free(r);\n}\nint main(void) {\n",
		step: cStep, tail: "  return 0;\n}\n"},
	"cpp": {head: "#include <iostream>\n#include <wb.h>\nstatic void show(int n, wb_reply r) {\n  std::cout << \"== \" << n << \"\\n\" << (r.status == WB_NONE || (r.status == WB_OK && r.length == 0) ? \"nothing\" : r.data) << std::endl;\n  wb_free(r);\n}\nint main() {\n",
		step: cStep, tail: "  return 0;\n}\n"},
	"rust": {head: "fn see<T: std::fmt::Display>(n: i32, r: Result<Option<T>, wb::Error>) {\n    println!(\"== {}\", n);\n    match r {\n        Ok(Some(v)) => println!(\"{}\", v),\n        Ok(None) => println!(\"nothing\"),\n        Err(e) => println!(\"{}\", e.code),\n    }\n}\nfn text(r: Result<Option<Vec<u8>>, wb::Error>) -> Result<Option<String>, wb::Error> {\n    r.map(|o| o.map(|b| String::from_utf8(b).unwrap()))\n}\nfn none(r: Result<(), wb::Error>) -> Result<Option<String>, wb::Error> {\n    r.map(|_| None)\n}\nfn main() {\n",
		step: func(n int, op *dock.Operation, s step) string {
			var list []string
			for i, p := range op.Params {
				if p.Data {
					list = append(list, "b"+quoted(s.args[i]))
				} else {
					list = append(list, quoted(s.args[i]))
				}
			}
			call := fmt.Sprintf("wb::%s::%s(%s)", op.Module, op.Name, strings.Join(list, ", "))
			switch op.Result {
			case dock.Nothing:
				call = "none(" + call + ")"
			case dock.Bytes:
				call = "text(" + call + ")"
			}
			return fmt.Sprintf("    see(%d, %s);\n", n, call)
		}, tail: "}\n"},
	"zig": {head: "const std = @import(\"std\");\nconst wb = @import(\"wb\");\nextern fn printf(format: [*:0]const u8, ...) c_int;\nfn show(n: c_int, r: wb.Error!?[]u8) void {\n    if (r) |found| {\n        if (found) |v| {\n            _ = printf(\"== %d\\n%.*s\\n\", n, @as(c_int, @intCast(v.len)), v.ptr);\n        } else {\n            _ = printf(\"== %d\\nnothing\\n\", n);\n        }\n    } else |e| {\n        const name = @errorName(e);\n        _ = printf(\"== %d\\n%.*s\\n\", n, @as(c_int, @intCast(name.len)), name.ptr);\n    }\n}\nfn none(r: wb.Error!void) wb.Error!?[]u8 {\n    try r;\n    return null;\n}\npub fn main() !void {\n",
		step: func(n int, op *dock.Operation, s step) string {
			call := fmt.Sprintf("wb.%s(%s)", op, literals(op, s, quoted, quoted))
			if op.Result == dock.Nothing {
				call = "none(" + call + ")"
			}
			return fmt.Sprintf("    show(%d, %s);\n", n, call)
		}, tail: "}\n"},
	"sh": {head: "show() {\n  echo \"== $1\"; shift\n  if out=$(wb \"$@\" 2>&1); then echo \"${out:-nothing}\"; else case $? in 1) echo nothing;; 7) echo denied;; *) echo \"$out\";; esac; fi\n}\n",
		step: func(n int, op *dock.Operation, s step) string {
			words := []string{"show", strconv.Itoa(n), op.Module, op.Name}
			for i, p := range op.Params {
				var list []string
				if p.JSON && p.Name == "args" {
					_ = json.Unmarshal([]byte(s.args[i]), &list)
					words = append(words, list...)
				} else if s.args[i] != "" || i < len(op.Params)-1 {
					words = append(words, "'"+s.args[i]+"'")
				}
			}
			return strings.Join(words, " ") + "\n"
		}},
	"wat": {},
}

func cStep(n int, op *dock.Operation, s step) string {
	var list []string
	for i, p := range op.Params {
		list = append(list, quoted(s.args[i]))
		if p.Data {
			list = append(list, strconv.Itoa(len(s.args[i])))
		}
	}
	return fmt.Sprintf("  show(%d, wb_%s_%s(%s));\n", n, op.Module, op.Name, strings.Join(list, ", "))
}

// watProgram imports what the steps need and prints the replies: how a module
// without a library speaks to the dock.
func watProgram() string {
	var imports, data, body strings.Builder
	declared := map[string]bool{}
	at := 1024
	put := func(bytes []byte) (offset int) {
		var escaped strings.Builder
		for _, c := range bytes {
			fmt.Fprintf(&escaped, "\\%02x", c)
		}
		fmt.Fprintf(&data, "  (data (i32.const %d) \"%s\")\n", at, escaped.String())
		offset, at = at, at+len(bytes)
		return offset
	}
	for n, s := range steps {
		op, _ := dock.Find(s.operation)
		needs := op.Capability
		if needs == "" {
			needs = "session"
		}
		if !declared[needs] {
			declared[needs] = true
			fmt.Fprintf(&imports, "  (import \"env\" \"host_%[1]s\" (func $%[1]s (param i32 i32) (result i32)))\n", needs)
		}
		var args [][]byte
		for _, a := range s.args {
			args = append(args, []byte(a))
		}
		title := fmt.Sprintf("\n== %d\n", n)
		frame := dock.AppendFrame(nil, s.operation, args...)
		fmt.Fprintf(&body, "    (call $print (i32.const %d) (i32.const %d))\n", put([]byte(title)), len(title))
		fmt.Fprintf(&body, "    (call $answer (call $%s (i32.const %d) (i32.const %d)))\n", needs, put(frame), len(frame))
	}
	return "(module\n" + imports.String() + `  (import "env" "host_reply" (func $reply (param i32)))
  (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 2)
` + data.String() + `  (func $print (param $at i32) (param $length i32)
    (i32.store (i32.const 0) (local.get $at))
    (i32.store (i32.const 4) (local.get $length))
    (drop (call $write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 8))))
  (func $answer (param $length i32)
    (call $reply (i32.const 65536))
    (call $print (i32.const 65537) (i32.sub (local.get $length) (i32.const 1))))
  (func (export "_start")
` + body.String() + "  ))\n"
}

// world is what the guests of one test can reach.
type world struct {
	dock *dock.Dock
	seen chan string // what clients of a guest's servers were answered
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{seen: make(chan string, 2)}
	s := store.Open(store.Config{Dir: t.TempDir(), Seal: func() ([]byte, error) { return make([]byte, 32), nil }})
	t.Cleanup(func() { s.Close() })
	for name, kind := range map[string]store.VarKind{"region": store.Plain, "key": store.Secret} {
		if err := s.SetVar(t.Context(), "t", name, kind, []byte(map[string]string{"region": "eu-1", "key": "canary"}[name])); err != nil {
			t.Fatal(err)
		}
	}
	run := func(_ context.Context, _ string, args []string, input []byte) (broker.Output, error) {
		return broker.Output{Stdout: []byte(strings.TrimSpace(strings.ToUpper(string(input)) + " " + strings.Join(args, " ")))}, nil
	}
	names := []string{"upper"}
	commands := broker.Commands(names, run, 2, broker.NewCounter(broker.MaxRunning))
	config := w.network(t)
	web := func(grants ...netbroker.Grant) *netbroker.Broker {
		c := config
		c.Allow = grants
		return netbroker.New(c)
	}
	https := netbroker.Grant{Scheme: "https", Host: "example.com", Port: 443}
	socket := func(network string, port int) dock.Broker {
		return broker.Socket(web(netbroker.Grant{Scheme: network, Host: "example.com", Port: port}), network)
	}
	serving := broker.ServeConfig{Started: w.visit}
	w.dock = dock.New(dock.Config{Principal: dock.Principal{Tenant: "t", Name: "/home/book.org"}, Granted: append(slices.DeleteFunc(dock.Capabilities(), func(c string) bool { return c == "kv" }), "kv:a*"),
		Brokers: map[string]dock.Broker{"kv": broker.KV(s), "queue": broker.Queue(s), "vfs": broker.VFS(s), "vars": broker.Vars(s), "secrets": broker.Secrets(s, nil),
			"commands": commands, "exec": commands, "process": broker.Processes(names, run, broker.NewCounter(broker.MaxLive)),
			"build": broker.Build(func(_ context.Context, p broker.BuildRequest) (broker.Output, error) {
				return broker.Output{Stdout: fmt.Appendf(nil, "built %s %s %s %v", p.Language, p.Source, p.Input, p.Args)}, nil
			}),
			"llm": broker.LLM(func(_ context.Context, prompt string) (broker.Completion, error) {
				return broker.Completion{Text: "answer to " + prompt}, nil
			}, 0),
			"packages": broker.Packages(web(https), broker.PackageConfig{Keep: func(context.Context, *dock.Call, broker.Wheel, []byte) error { return nil }}),
			"net":      broker.Net(web(https), nil), "browse": broker.Browse(web(https), func(r *netbroker.Reply) string { return "page: " + string(r.Body) }),
			"tcp": socket("tcp", 7), "tls": socket("tls", 8), "udp": socket("udp", 9),
			"serve": broker.Serve(serving), "tcpserve": broker.TCPServe(serving)}})
	t.Cleanup(w.dock.Close)
	return w
}

// network puts servers of this machine in the place of example.com.
func (w *world) network(t *testing.T) netbroker.Config {
	t.Helper()
	site := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/simple/small-thing/" {
			fmt.Fprint(w, `<a href="../../small_thing-1.0.tar.gz">small_thing-1.0.tar.gz</a><a href="../../wheel#sha256=zz">small_thing-1.0-py3-none-any.whl</a>`)
			return
		}
		fmt.Fprint(w, r.Method, " ", r.URL.Path)
	}))
	t.Cleanup(site.Close)
	certificates := site.TLS.Certificates
	at := map[string]string{"443": site.Listener.Addr().String()}
	for port, greeting := range map[string]string{"7": "heard ", "8": "secret "} {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { listener.Close() })
		if port == "8" {
			listener = tls.NewListener(listener, &tls.Config{Certificates: certificates})
		}
		at[port] = listener.Addr().String()
		go func() {
			for {
				conn, err := listener.Accept()
				if err != nil {
					return
				}
				data, _ := io.ReadAll(conn)
				io.WriteString(conn, greeting+string(data))
				conn.Close()
			}
		}()
	}
	packets, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { packets.Close() })
	at["9"] = packets.LocalAddr().String()
	go func() {
		buffer := make([]byte, 2048)
		for {
			n, from, err := packets.ReadFrom(buffer)
			if err != nil {
				return
			}
			packets.WriteTo(append([]byte("datagram "), buffer[:n]...), from)
		}
	}()
	return netbroker.Config{TLS: site.Client().Transport.(*http.Transport).TLSClientConfig,
		Resolve: func(context.Context, string) ([]netip.Addr, error) {
			return []netip.Addr{netip.MustParseAddr("93.184.216.34")}, nil
		},
		Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
			_, port, _ := net.SplitHostPort(address)
			return (&net.Dialer{}).DialContext(ctx, network, at[port])
		}}
}

// visit is a client of a server that a guest has started.
func (w *world) visit(call *dock.Call, address string) {
	go func() {
		if call.Operation.Module == "serve" {
			client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
			r, err := client.Get("http://" + address + "/asked")
			if err != nil {
				w.seen <- err.Error()
				return
			}
			defer r.Body.Close()
			data, _ := io.ReadAll(r.Body)
			w.seen <- fmt.Sprint(r.StatusCode, " ", string(data))
			return
		}
		conn, err := net.Dial("tcp", address)
		if err != nil {
			w.seen <- err.Error()
			return
		}
		defer conn.Close()
		io.WriteString(conn, "client\n")
		data, _ := io.ReadAll(conn)
		w.seen <- string(data)
	}()
}

// saw reports whether what a guest printed is what a step wants. What says
// nothing is "nothing" in every language, whether it means done or none.
func (s step) saw(printed string) bool {
	printed = strings.TrimSpace(printed)
	switch s.want {
	case "done", "none":
		return printed == "nothing" || printed == ""
	case "notfound":
		return strings.Contains(strings.ToLower(printed), s.want) || strings.Contains(printed, "no such") // the shell has no code for it
	case "denied":
		return strings.Contains(strings.ToLower(printed), s.want)
	}
	return strings.Contains(printed, s.want)
}

// TestDockInEveryLanguage runs every operation of the dock in every language
// that has the module wb.
func TestDockInEveryLanguage(t *testing.T) {
	used := map[string]bool{}
	for _, s := range steps {
		used[s.operation] = true
	}
	for _, op := range dock.Operations() {
		if !used[op.String()] {
			t.Errorf("no step uses %s", &op)
		}
	}
	env := lanetest.Env(t)
	all, err := New(env)
	if err != nil {
		t.Fatal(err)
	}
	for name, d := range dialects {
		t.Run(name, func(t *testing.T) {
			lane, ok := all.Lookup(name)
			if !ok {
				t.Fatal("no such lane")
			}
			lanetest.Need(t, env, lane.Info().Toolchains...)
			var source bytes.Buffer
			source.WriteString(d.head)
			for n, s := range steps {
				op, ok := dock.Find(s.operation)
				if !ok {
					t.Fatal(s.operation)
				}
				if d.step != nil {
					source.WriteString(d.step(n, op, s))
				}
			}
			source.WriteString(d.tail)
			if name == "wat" {
				source.Reset()
				source.WriteString(watProgram())
			}
			w := newWorld(t)
			job := &compile.Job{Dock: w.dock, Limits: sandbox.Limits{Memory: 256 << 20, Timeout: time.Minute}}
			out, err := lanetest.Execute(t, lane, lanetest.Block(name, compile.ShapeCommand, source.String()), job)
			if err != nil || out.Exit != 0 {
				t.Fatalf("%s", lanetest.Complaint(out, err))
			}
			printed := map[string]string{}
			for _, part := range strings.Split("\n"+string(out.Stdout), "\n== ")[1:] {
				number, text, _ := strings.Cut(part, "\n")
				printed[number] = text
			}
			for n, s := range steps {
				if text, ok := printed[strconv.Itoa(n)]; !ok || !s.saw(text) {
					t.Errorf("%d %s(%s): the guest saw %q, want %s", n, s.operation, strings.Join(s.args, ", "), text, s.want)
				}
			}
			seen := []string{<-w.seen, <-w.seen}
			slices.Sort(seen)
			if !slices.Equal(seen, []string{"201 the answer", "the reply"}) {
				t.Errorf("clients were answered %q", seen)
			}
		})
	}
}

// TestGoFindsDock: a snippet of Go needs no import of wb, as it needs none of fmt,
// and a package of that name in :dir comes first.
func TestGoFindsDock(t *testing.T) {
	env := lanetest.Env(t)
	all, err := New(env)
	if err != nil {
		t.Fatal(err)
	}
	lane, _ := all.Lookup("go")
	lanetest.Need(t, env, lane.Info().Toolchains...)
	src := lanetest.Block("go", compile.ShapeBabel, "v, ok, err := wb.KV.Get(\"a\")\nfmt.Println(string(v), ok, err)")
	src.Results = []string{"output"}
	d := dock.New(dock.Config{Granted: []string{"kv"}, Brokers: map[string]dock.Broker{"kv": dock.BrokerFunc(func(context.Context, *dock.Call) (dock.Reply, error) {
		return dock.Found([]byte("value")), nil
	})}})
	if out := lanetest.MustExecute(t, lane, src, &compile.Job{Dock: d}); string(out.Stdout) != "value true <nil>\n" {
		t.Errorf("%q", out.Stdout)
	}
	src = lanetest.Block("go", compile.ShapeCommand, "package main\n\nimport \"wb\"\n\nfunc main() { println(wb.Own) }\n")
	src.Files = map[string][]byte{"wb/own.go": []byte("package wb\n\nconst Own = \"own\"\n")}
	if out := lanetest.MustExecute(t, lane, src, nil); string(out.Stderr) != "own\n" {
		t.Errorf("%q", out.Stderr)
	}
}
