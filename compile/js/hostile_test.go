package js

import (
	"context"
	"strings"
	"testing"
	"time"

	"wb/compile"
	"wb/internal/test/lanetest"
	"wb/sandbox"
)

// Programs that mean harm, or are merely wrong, end in one line that says why,
// and their fuel, not the clock, decides.
func TestHostile(t *testing.T) {
	limits := sandbox.Limits{Fuel: 15_000_000, Memory: 32 << 20, Output: 1 << 20, Files: 1 << 20, Timeout: -1}
	for _, c := range []struct{ name, body, want string }{
		{"endless loop", "for (;;) {}", "fuel limit"},
		{"endless promises", "const f = () => Promise.resolve().then(f); await f()", "fuel limit"},
		{"endless ticks", "const f = () => process.nextTick(f); f()", "fuel limit"},
		{"endless timers", "setInterval(() => {}, 1)", "fuel limit"},
		{"endless generator", "for (const x of (function* () { for (;;) yield 1 })()) {}", "fuel limit"},
		{"endless getter", "Object.prototype.toString = () => { for (;;); }; console.log('%s', `${{}}`)", "fuel limit"},
		{"loop in catch", "for (;;) { try { throw 1 } catch {} }", "fuel limit"},
		{"catastrophic regexp", "/(a+)+$/.test('a'.repeat(40) + 'b')", "fuel limit"},
		{"sort that never ends", "const a = [3, 1, 2]; a.sort(() => { for (;;); })", "fuel limit"},
		{"slow library work", "const s = 'ab'.repeat(500000); for (;;) s.replaceAll('a', 'bb')", "limit"},
		{"bytes moved by the host", "const b = new Uint8Array(1 << 20); const d = new TextDecoder(); for (;;) d.decode(b)", "fuel limit"},
		{"endless recursion", "const f = () => f() + 1; f()", "RangeError: Maximum call stack size exceeded"},
		{"recursion in JSON", "let o = {}; for (let i = 0; i < 1e5; i++) o = { o }; JSON.stringify(o)", "limit"},
		{"recursion in inspect", "let o = {}; for (let i = 0; i < 1e5; i++) o = { o }; require('util').inspect(o, { depth: Infinity })", "call stack"},
		{"recursion caught over and over", "function f() { try { f() } catch { f() } } f()", "fuel limit"},
		{"deep parentheses", "eval('('.repeat(100000))", "call stack"},
		{"deep array source", "JSON.parse('['.repeat(1000000))", "call stack"},
		{"memory", "const a = []; for (;;) a.push(new Uint8Array(1 << 20).fill(1))", "memory limit 32 MiB exceeded"},
		{"memory in strings", "const a = [], s = 'x'.repeat(1 << 20); for (;;) a.push((s + a.length).slice(1))", "limit"},
		{"memory in objects", "let o = null; for (;;) o = { o, a: [1, 2, 3] }", "limit"},
		{"string bomb", "let s = 'x'; for (;;) s += s", ""},
		{"array bomb", "new Array(4294967295).fill(1)", "limit"},
		{"regexp bomb", "new RegExp('(' + 'a?'.repeat(30000) + ')*').test('a'.repeat(30000))", ""},
		{"bigint bomb", "let n = 3n; for (;;) n *= n", ""},
		{"flood", "for (;;) console.log('x'.repeat(1000))", "output limit 1 MiB exceeded"},
		{"flood of bytes", "const b = new Uint8Array(1 << 20); for (;;) Javy.IO.writeSync(2, b)", "output limit 1 MiB exceeded"},
		{"file flood", "const fs = require('fs'); for (let i = 0; ; i++) fs.writeFileSync(`f${i}`, 'x'.repeat(1 << 16))", "files limit 1 MiB exceeded"},
		{"file outside", "require('fs').readFileSync('../../../../etc/passwd')", "ENOENT: no such file or directory, open '../../../../etc/passwd'"},
		{"module outside", "import '../../../etc/passwd'", "no such file"},
		{"prototype tampering", "Array.prototype.map = Promise.prototype.then = JSON.stringify = JSON.parse = null; Object.prototype.toJSON = () => 1; console.log('here')", ""},
		{"iterator tampering", "Array.prototype[Symbol.iterator] = null; Object.keys = null; Reflect.apply = null", ""},
		{"error tampering", "Error.prototype.name = { toString() { for (;;); } }; throw new Error('x')", "fuel limit"},
		{"stack tampering", "const e = new Error('x'); Object.defineProperty(e, 'stack', { get() { throw 1 } }); throw e", "Error: x"},
		{"stack that lies", "const e = new Error('x'); e.stack = 'at f (/etc/passwd.js:99999999999999999999:5)'; throw e", "Error: x"},
		{"message that never ends", "throw { toString() { throw 1 }, get message() { for (;;); } }", "fuel limit"},
		{"poisoned toString", "throw { toString() { throw 1 } }", "Uncaught"},
		{"thrown proxy", "throw new Proxy(new Error('p'), { get() { throw 2 } })", ""},
		{"thrown null", "throw null", "Uncaught: null"},
		{"thrown symbol", "throw Symbol('s')", "Uncaught: Symbol(s)"},
		{"host functions by hand", "console.log(typeof host, typeof kit)", ""},
		{"bad arguments to the host", "process.stdout.write({}); console.log(new TextDecoder().decode(5))", "TypeError"},
		{"detached buffer", "const b = new Uint8Array(8); structuredClone(b.buffer, { transfer: [b.buffer] }); Javy.IO.writeSync(1, b)", ""},
		{"resized buffer", "const r = new ArrayBuffer(8, { maxByteLength: 64 }); const b = new Uint8Array(r, 4); r.resize(2); Javy.IO.writeSync(1, b)", ""},
		{"exit in a getter", "Object.defineProperty(globalThis, 'x', { get() { process.exit(0) } }); for (;;) x", ""},
		{"sleep for ages", "setTimeout(() => console.log('slept'), 2147483647)", ""},
		{"freed promise", "for (let i = 0; i < 1e4; i++) { const p = Promise.reject(i); p.catch(() => {}) }", ""},
		{"atomics wait", "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)", ""},
		{"realm of eval", "(0, eval)('this').console.log((0, eval)('this') === globalThis)", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, err := execute(t, block(compile.ShapeCommand, c.body), &compile.Job{Limits: limits})
			text := lanetest.Said(out, err)
			if !strings.Contains(text, c.want) {
				t.Errorf("got %q, want %s", text, c.want)
			}
			if err != nil && strings.Count(err.Error(), "\n") > 0 {
				t.Errorf("more than a line: %q", err)
			}
			if strings.Contains(text, "wasm") || strings.Contains(text, "unreachable") || strings.Contains(text, "out of bounds") {
				t.Errorf("the engine's own words: %q", text)
			}
		})
	}
}

// A guest in a loop ends when its caller gives up.
func TestCancel(t *testing.T) {
	l, src := testLane(t), block(compile.ShapeCommand, "for (;;) {}")
	art, err := l.Build(context.Background(), src)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(20*time.Millisecond, cancel)
	if _, err := l.Run(ctx, art, &compile.Job{Limits: sandbox.Limits{Timeout: -1, Fuel: -1}}); err != context.Canceled {
		t.Errorf("got %v", err)
	}
}

// What a run breaks stays broken for that run only.
func TestIsolation(t *testing.T) {
	mustExecute(t, block(compile.ShapeCommand, "globalThis.leak = 1; Array.prototype.push = null; Math.random(); require('fs').writeFileSync('f', 'x')"), nil)
	out := mustExecute(t, block(compile.ShapeCommand, "const a = []; a.push(typeof leak, require('fs').existsSync('f')); console.log(...a)"), nil)
	if string(out.Stdout) != "undefined false\n" {
		t.Errorf("%s", out.Stdout)
	}
}
