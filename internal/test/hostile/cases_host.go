package hostile

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"wb/sandbox/dock"
)

// secretCases try to read a secret: by every operation that takes a name, and by
// sending it where it must not go.
func secretCases() []Case {
	list := []Case{
		attempt("secret/vars.get", dock.CodeDenied, "vars.get", "key"),
		attempt("secret/vars.list", Harmless, "vars.list"),
		attempt("secret/public half of one that has none", dock.CodeNotFound, "secrets.public", "key"),
		attempt("secret/sign with the name of a variable", dock.CodeNotFound, "secrets.sign", "region", "x"),
		attempt("secret/kv.get", None, "kv.get", "key"),
		attempt("secret/vfs", dock.CodeInvalid, "vfs.query", "SELECT * FROM vars"),
		attempt("secret/in an error", dock.CodeNotFound, "secrets.sign", "{{secret:key}}", "x"),
		attempt("secret/in a value", Harmless, "kv.put", "a", "{{secret:key}}"),
		attempt("secret/in a prompt", Harmless, "llm.complete", "{{secret:key}}"),
		attempt("secret/in a URL", Harmless+"|"+dock.CodeFailed, "net.get", "http://named.example.com/{{secret:key}}"),
		attempt("secret/to a host that sends it back", Harmless, "net.fetch", "http://named.example.com/", `{"headers":{"X-Token":"{{secret:key}}"}}`),
		attempt("secret/in a body that is sent back", Harmless, "net.fetch", "http://named.example.com/", `{"method":"POST","body":"{{secret:key}}"}`),
		attempt("secret/to a host that nobody named", dock.CodeDenied, "net.fetch", "http://other.example.com/", `{"headers":{"X-Token":"{{secret:key}}"}}`),
		attempt("secret/in the name of a header", Harmless+"|"+dock.CodeInvalid+"|"+dock.CodeFailed, "net.fetch", "http://named.example.com/", `{"headers":{"{{secret:key}}":"x"}}`),
		attempt("secret/over tcp", Harmless+"|"+dock.CodeFailed, "tcp.request", "named.example.com:80", "{{secret:key}}", ""),
		attempt("secret/to a program", Harmless, "commands.run", "echo", "{{secret:key}}", `["{{secret:key}}"]`),
		attempt("secret/to a built program", Harmless, "build.run", "js", "{{secret:key}}", "{{secret:key}}", ""),
	}
	return list
}

// commandCases run what is not registered, too much of it, and bombs of it.
func commandCases() []Case {
	var list []Case
	for _, module := range []string{"commands.run", "exec.run", "process.spawn"} {
		for _, name := range []string{"sh", "bash", "/bin/sh", "../echo", "echo;sh", "echo sh", "echo\n", "ECHO", "", "echo\x00", "$(sh)", "*", "wb", "-c"} {
			list = append(list, attempt(fmt.Sprintf("command/%s/%q", module, name), dock.CodeNotFound, module, name, "", ""))
		}
		list = append(list,
			attempt("command/"+module+"/arguments that are not texts", dock.CodeInvalid, module, "echo", "", `[1,{}]`),
			attempt("command/"+module+"/arguments that are an object", dock.CodeInvalid, module, "echo", "", `{"a":"b"}`),
			attempt("command/"+module+"/a NUL in an argument", dock.CodeInvalid, module, "echo", "", `["a\u0000b"]`))
	}
	inputs := func(n int) string {
		text, _ := json.Marshal(slices.Repeat([]string{"x"}, n)) // of texts
		return string(text)
	}
	list = append(list,
		attempt("command/an injection is an argument", Harmless, "commands.run", "echo", "", `["; rm -rf /","$(id)","`+"`id`"+`","| sh"]`),
		attempt("command/it fails", dock.CodeFailed, "commands.run", "fail", "", ""),
		attempt("command/it floods", dock.CodeLimit, "commands.run", "flood", "", ""),
		attempt("command/fan-out at its limit", Harmless, "commands.many", "echo", inputs(1024), ""),
		attempt("command/fan-out beyond it", dock.CodeLimit, "commands.many", "echo", inputs(1025), ""),
		attempt("command/fan-out of numbers", dock.CodeInvalid, "commands.many", "echo", "[1,2,3]", ""),
		attempt("command/fan-out of what is not registered", Harmless, "commands.many", "sh", `["a"]`, ""),
		attempt("command/fan-out that floods", dock.CodeLimit+"|"+dock.CodeFailed, "commands.many", "flood", `["a"]`, ""),
		attempt("command/fan-out whose answers are too much together", dock.CodeLimit, "commands.many", "flood", inputs(1024), ""),
		Case{Name: "process/as many as may live", Before: []Step{{Operation: "process.spawn", Args: []Arg{{Text: "hang"}, {}, {}}, Times: 31}}, Step: call("process.spawn", "hang", "", ""), Want: Harmless},
		Case{Name: "process/one more", Before: []Step{{Operation: "process.spawn", Args: []Arg{{Text: "hang"}, {}, {}}, Times: 32}}, Step: call("process.spawn", "echo", "", ""), Want: dock.CodeLimit},
		Case{Name: "process/those that ended count too", Before: []Step{{Operation: "process.spawn", Args: []Arg{{Text: "echo"}, {}, {}}, Times: 32}}, Step: call("process.spawn", "echo", "", ""), Want: dock.CodeLimit},
		Case{Name: "process/killed ones do not", Before: []Step{{Operation: "process.spawn", Args: []Arg{{Text: "hang"}, {}, {}}, Times: 32}, call("process.kill", "7")}, Step: call("process.spawn", "echo", "", ""), Want: Harmless},
		Case{Name: "process/waited for twice", Before: []Step{call("process.spawn", "echo", "", ""), call("process.wait", "1")}, Step: call("process.wait", "1"), Want: None},
		Case{Name: "process/the flood of one that is waited for", Before: []Step{call("process.spawn", "flood", "", "")}, Step: call("process.wait", "1"), Want: dock.CodeLimit},
		Case{Name: "process/started, then revoked", Before: []Step{call("process.spawn", "hang", "", "")}, Step: call("process.wait", "1"), Revoked: true, Want: dock.CodeDenied},
	)
	for _, id := range []string{"0", "-1", "1", "99999999999999999999", "", "*", "01", "1 ", "../1", "\x00"} {
		list = append(list, attempt(fmt.Sprintf("process/wait for %q", id), None, "process.wait", id), attempt(fmt.Sprintf("process/kill %q", id), None, "process.kill", id))
	}
	return list
}

// buildCases ask for more than the one who builds has.
func buildCases() []Case {
	many, _ := json.Marshal(map[string]any{"uses": slices.Repeat([]string{"kv"}, 1000)}) // of texts
	return []Case{
		attempt("build/options that are a list", dock.CodeInvalid, "build.run", "js", "", "", "[]"),
		attempt("build/uses that are not texts", dock.CodeInvalid, "build.run", "js", "", "", `{"uses":[1]}`),
		attempt("build/uses that are a text", dock.CodeInvalid, "build.run", "js", "", "", `{"uses":"kv"}`),
		attempt("build/many uses", Harmless, "build.run", "js", "", "", string(many)),
		{Name: "build/source at its limit", Step: Step{Operation: "build.run", Args: []Arg{{Text: "js"}, {Text: "x", Times: dock.MaxSource}, {}, {}}}, Want: Harmless},
		{Name: "build/another language than granted", Step: call("build.run", "C", "", "", ""), Granted: []string{"build:js"}, Want: dock.CodeDenied},
		{Name: "build/the language in another case", Step: call("build.run", "JS", "", "", ""), Granted: []string{"build:js"}, Want: Harmless},
	}
}

// modelCases spend more than the budget.
func modelCases() []Case {
	prompt := Step{Operation: "llm.complete", Args: []Arg{{Text: "x"}}}
	spent := prompt
	spent.Times = 10
	return []Case{
		{Name: "model/within the budget", Step: prompt, Want: Harmless},
		{Name: "model/beyond it", Before: []Step{spent}, Step: prompt, Want: dock.CodeLimit},
		{Name: "model/a prompt beyond it", Step: Step{Operation: "llm.complete", Args: []Arg{{Text: "x", Times: 4000}}}, Want: dock.CodeLimit},
		{Name: "model/the largest prompt", Step: Step{Operation: "llm.complete", Args: []Arg{{Text: "x", Times: 1 << 20}}}, Want: dock.CodeLimit},
	}
}

// addressCases reach for addresses that are not public, over each kind of socket.
func addressCases() []Case {
	denied := []string{
		"127.0.0.1:80", "127.1:80", "127.0.0.1.:80", "0.0.0.0:80", "10.0.0.1:80", "172.16.0.1:80", "192.168.1.1:80", "169.254.169.254:80", "100.64.0.1:80", "224.0.0.1:80", "255.255.255.255:80", "192.0.2.1:80", "198.18.0.1:80", "240.0.0.1:80",
		"[::1]:80", "[::]:80", "[::ffff:127.0.0.1]:80", "[::ffff:7f00:1]:80", "[64:ff9b::7f00:1]:80", "[fe80::1]:80", "[fd00::1]:80", "[ff02::1]:80", "[2002:7f00:1::]:80", "[2001:db8::1]:80",
		"localhost:80", "LOCALHOST:80", "localhost.:80", "a.localhost:80", "printer.local:80", "metadata.google.internal:80", "router.lan:80", "2130706433:80", "0x7f000001:80", "0177.0.0.1:80", "127.0.0.0x1:80",
		"inside.example.com:80", "loopback.example.com:80", "mapped.example.com:80", "both.example.com:80", "six.example.com:80", "cgnat.example.com:80", "zero.example.com:80", "１２７.0.0.1:80", "example。com:80", "exa mple.com:80", "a..b:80", "-:80.80",
	}
	broken := []string{"", ":", ":80", "example.com", "example.com:", "example.com:0", "example.com:65536", "example.com:-1", "example.com:+80", "example.com:http", "example.com:80:80", "example.com:80\x00", "[::1", "::1:80", "user@example.com:80", "example.com:*", "*:*", "[fe80::1%25eth0]:80", "[fe80::1%eth0]:80", "tcp://example.com:80", "example.com/:80", "/var/run/docker.sock", "unix:/var/run/docker.sock", strings.Repeat("a", 300) + ".com:80"}
	var list []Case
	for _, network := range []string{"tcp", "udp", "tls"} {
		for _, address := range denied {
			list = append(list, attempt(fmt.Sprintf("address/%s/%q", network, address), dock.CodeDenied+"|"+dock.CodeFailed, network+".request", address, "x", ""))
		}
		for _, address := range broken {
			list = append(list, attempt(fmt.Sprintf("address/%s/broken %.40q", network, address), dock.CodeFailed+"|"+dock.CodeDenied, network+".request", address, "x", ""))
		}
		list = append(list,
			attempt("socket/"+network+"/negative bytes", dock.CodeInvalid, network+".request", "example.com:80", "x", `{"bytes":-1}`),
			attempt("socket/"+network+"/negative time", dock.CodeInvalid, network+".request", "example.com:80", "x", `{"timeout":-1}`),
			attempt("socket/"+network+"/bytes that are a text", dock.CodeInvalid, network+".request", "example.com:80", "x", `{"bytes":"1"}`))
	}
	// The server speaks no TLS: that is the end of it, not a way around it.
	return append(list, attempt("socket/tls/a server without TLS", dock.CodeFailed, "tls.request", "example.com:443", "x", `{"timeout":2}`))
}

// netCases are what the corpus of package netbroker cannot see: the guest's side.
func netCases() []Case {
	var list []Case
	for _, url := range []string{"http://127.0.0.1/", "http://inside.example.com/", "http://both.example.com/", "file:///etc/passwd", "gopher://example.com/", "http://user@example.com/", "http://example.com:22/", "ftp://example.com/", "unix:///var/run/docker.sock", "http://[::1]/", "//example.com/", "javascript:alert(1)", "data:text/plain,x", "http://localhost/", "\x00http://example.com/", ""} {
		for _, op := range []string{"net.get", "browse.fetch"} {
			list = append(list, attempt(fmt.Sprintf("net/%s/%q", op, url), dock.CodeDenied+"|"+dock.CodeFailed, op, url))
		}
	}
	for name, options := range map[string]string{
		"CONNECT": `{"method":"CONNECT"}`, "TRACE": `{"method":"TRACE"}`, "a method with a line": `{"method":"GET / HTTP/1.1\r\nX: y"}`, "a header with a line": `{"headers":{"X":"a\r\nHost: inside"}}`, "a header's name with a line": `{"headers":{"X\r\nHost":"inside"}}`,
		"headers that are a list": `{"headers":[]}`, "a body that is a number": `{"body":1}`, "base64 that is none": `{"base64":"!"}`, "body and base64": `{"body":"a","base64":"YQ=="}`, "follow that is a text": `{"follow":"no"}`,
	} {
		list = append(list, attempt("net/options/"+name, dock.CodeDenied+"|"+dock.CodeFailed+"|"+dock.CodeInvalid, "net.fetch", "http://example.com/", options))
	}
	return append(list, attempt("net/another host in the header", Harmless, "net.fetch", "http://example.com/", `{"headers":{"Host":"inside.example.com"}}`))
}

// serveCases listen where they must not, and answer what nobody asked.
func serveCases() []Case {
	var list []Case
	for module, capability := range map[string]string{"serve": "serve", "tcpserve": "tcp-serve"} {
		listen := module + ".listen"
		for _, address := range []string{"0.0.0.0:0", "[::]:0", "10.0.0.1:80", "93.184.216.34:80", "[fd00::1]:80"} {
			list = append(list, attempt(fmt.Sprintf("serve/%s/%q", listen, address), dock.CodeDenied, listen, address, ""))
		}
		for _, address := range []string{"65536", "-1", "+1", "01", "http", "example.com:80", "127.0.0.1:80:80", "127.0.0.1:x", "/tmp/socket", "[fe80::1%lo]:0", "\x00", "0 ", "localhost.evil.test:0"} {
			list = append(list, attempt(fmt.Sprintf("serve/%s/broken %q", listen, address), dock.CodeInvalid, listen, address, ""))
		}
		reply := []string{"1", "x"}
		if module == "serve" {
			reply = append(reply, "")
		}
		open := call(listen, "", "")
		list = append(list,
			attempt("serve/"+listen+"/too many requests", dock.CodeLimit, listen, "", `{"requests":10001}`),
			attempt("serve/"+listen+"/as many as may be", Harmless, listen, "", `{"requests":10000}`),
			attempt("serve/"+listen+"/negative requests", dock.CodeLimit, listen, "", `{"requests":-1}`),
			attempt("serve/"+listen+"/negative time", dock.CodeInvalid, listen, "", `{"seconds":-1}`),
			Case{Name: "serve/" + listen + "/a second port", Before: []Step{open}, Step: open, Want: dock.CodeLimit},
			Case{Name: "serve/" + listen + "/again after the end", Before: []Step{open, call(module + ".close")}, Step: open, Want: Harmless},
			Case{Name: "serve/" + listen + "/after a revocation", Step: open, Revoked: true, Want: dock.CodeDenied},
			Case{Name: "serve/" + listen + "/narrowed to every interface", Step: call(listen, "0.0.0.0:1", ""), Granted: []string{capability + ":0.0.0.0:2"}, Want: dock.CodeDenied},
			attempt("serve/"+module+".next/before listening", dock.CodeInvalid, module+".next"),
			attempt("serve/"+module+".reply/to nobody", dock.CodeNotFound, module+".reply", reply...),
			Case{Name: "serve/" + module + ".next/until time is up", Before: []Step{call(listen, "", `{"seconds":0.01}`)}, Step: call(module + ".next"), Want: None},
			Case{Name: "serve/" + module + ".next/after the end", Before: []Step{open, call(module + ".close")}, Step: call(module + ".next"), Want: None},
		)
	}
	for name, options := range map[string]string{
		"status 0": `{"status":-1}`, "status 100": `{"status":100}`, "status 600": `{"status":600}`, "a line in a header": `{"headers":{"X":"a\r\nSet-Cookie: b"}}`, "a line in its name": `{"headers":{"X\r\nY":"a"}}`, "no name": `{"headers":{"":"a"}}`, "NUL": `{"headers":{"X":"\u0000"}}`, "headers that are a list": `{"headers":[]}`,
	} {
		list = append(list, attempt("serve/reply/"+name, dock.CodeInvalid, "serve.reply", "1", "x", options))
	}
	slices.SortFunc(list, func(a, b Case) int { return strings.Compare(a.Name, b.Name) })
	return list
}

// packageCases name what is not a package, and indexes that are none.
func packageCases() []Case {
	var list []Case
	for _, requirement := range []string{"a", "a>=1", "a==", "==1", "../a==1", "a==../1", "a/b==1", "a==1/2", "-r==1", "a==1 --index-url=x", "a\x00==1", "a==1\n", "https://example.com/a.whl", "git+ssh://example.com", "a@1", "a==*", "ａ==1", strings.Repeat("a", 200) + "==1"} {
		list = append(list, attempt(fmt.Sprintf("package/%.30q", requirement), dock.CodeInvalid, "packages.fetch", requirement, `{"index":"http://example.com/simple"}`))
	}
	for _, index := range []string{"http://127.0.0.1/simple", "file:///etc", "http://inside.example.com/", "http://user:pass@example.com/", "http://example.com:8080/"} {
		list = append(list, attempt(fmt.Sprintf("package/index %q", index), dock.CodeDenied+"|"+dock.CodeFailed, "packages.fetch", "a==1", fmt.Sprintf(`{"index":%q}`, index)))
	}
	return append(list, attempt("package/no index", dock.CodeInvalid, "packages.fetch", "a==1", ""))
}
