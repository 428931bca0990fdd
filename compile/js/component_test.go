package js

import (
	"strings"
	"testing"

	"wb/compile"
	"wb/internal/test/lanetest"
	"wb/internal/value"
)

func TestComponent(t *testing.T) {
	for _, c := range []struct{ body, fn, outs, args, want string }{
		{"export function greet(name) { return `hello, ${name}!` }", "greet", "greeting", `{"name": "ada"}`, `"hello, ada!"`},
		{"export function parse() { return { parsed: JSON.parse(inputRaw) } }", "parse_input", "parsed", `{}`, `{"value":21}`},
		{"export function p(x) { return { parsed: x } }", "other", "parsed", `{"x": {"value": 21}}`, `{"value":21}`},
		{"export function p() { return { parsed: 1, more: 2 } }", "", "parsed", `{}`, `{"parsed":1,"more":2}`},
		{"export default async (a, b) => (await a) + b", "", "sum", `{"a": 1, "b": 2}`, `3`},
		{"export const helper = 1; export default () => 'd'; export function other() {}", "none", "x", `{}`, `"d"`},
		{"export function scoreItems() { return 's' } export function other() {}", "score_items", "x", `{}`, `"s"`},
		{"export function run(input) { return input } export const version = () => 1", "flow", "", `{"i": 7}`, `7`},
		{"export const f = () => new Promise(r => setTimeout(r, 86400000, 'tomorrow'))", "", "", `{}`, `"tomorrow"`},
		{"export const f = () => { setInterval(() => {}, 1); return 1 }", "", "", `{}`, `1`},
		{"export const f = async () => { try { await Promise.reject(new Error('x')) } catch (e) { return e.message } }", "", "", `{}`, `"x"`},
		{"const v = await Promise.resolve(5); export const f = () => v", "", "", `{}`, `5`},
		{"export const f = ({ length }) => length", "", "", `{"t": [[1,2],[3,4]]}`, `2`},
		{"export const f = () => ({ a: 1, b: 2, c: 3 })", "", "b a", `{}`, `{"b":2,"a":1}`},
		{"import { v } from './lib/x.js'; export const f = () => v", "", "", `{}`, "7"},
		{"import data from './data.json' with { type: 'json' }; export const f = () => data.n", "", "", `{}`, "3"},
		{"import old from './old.cjs'; export const f = () => old.name", "", "", `{}`, `"old"`},
		{"import pad, { left } from 'pad'; import deep from '@s/p/deep'; export const f = () => pad(left + deep)", "", "", `{}`, `"<ld>"`},
		{"import fs, { readFileSync } from 'node:fs'; import { join } from 'path'; export const f = () => [typeof fs.statSync, typeof readFileSync, join('a', '..', 'b')]", "", "", `{}`, `["function","function","b"]`},
		{"export const f = async () => (await import('./lib/y.js')).w", "", "", `{}`, "6"},
		{"export const f = () => require('./old').name", "", "", `{}`, `"old"`},
		{"export const f = () => ({ x: [1, NaN, -Infinity, 2n ** 64n - 1n] })", "", "", `{}`, `{"x":[1,{"$float":"NaN"},{"$float":"-Infinity"},18446744073709551615]}`},
		{"export const f = v => v.map(x => `${typeof x} ${x}`)", "", "", `{"v":[{"$float":"NaN"},{"$float":"Infinity"},18446744073709551615]}`,
			`["number NaN","number Infinity","bigint 18446744073709551615"]`},
		{"export async function f() { const g = async function* () { yield 1; yield 2 }; let s = 0; for await (const x of g()) s += x; return s }", "", "", `{}`, `3`},
	} {
		src := block(compile.ShapeComponent, c.body)
		src.Func, src.Outs = c.fn, strings.Fields(c.outs)
		src.Files = map[string][]byte{
			"lib/x.js": []byte("import {w} from './y.js'; export const v = w + 1"), "lib/y.js": []byte("export const w = 6"),
			"data.json": []byte("{\"n\": 3, \"__proto__\": null}\n"), "old.cjs": []byte("exports.name = require('./package.json').name"), "package.json": []byte(`{"name": "old"}`),
			"node_modules/pad/package.json": []byte(`{"exports": {".": {"require": "./no.js", "import": "./main.mjs"}}}`), "node_modules/pad/main.mjs": []byte("export const left = 'l'; export default s => `<${s}>`"),
			"node_modules/@s/p/package.json": []byte(`{"main": "index.js"}`), "node_modules/@s/p/deep.js": []byte("export default 'd'"),
		}
		out := mustExecute(t, src, &compile.Job{Stdin: []byte(`{"value": 21}`), Inputs: lanetest.Inputs(t, c.args)})
		if got := out.Value.String(); got != c.want {
			t.Errorf("%s: got %s, want %s", c.body, got, c.want)
		}
	}
}

func TestComponentFaults(t *testing.T) {
	for _, c := range []struct{ body, fn, outs, want string }{
		{"export const f = () => ({ a: 1 })", "", "a b", "a.org:10:1: TypeError: the returned object has no b"},
		{"export const f = () => 5", "", "a b", "must return an object with a, b; it returned 5"},
		{"export const f = () => { 5 }", "", "a", "the function returned undefined; return the value of a"},
		{"export const f = () => 2n ** 64n", "", "", "a BigInt of more than 64 bits"},
		{"export const f = () => { const o = { in: {} }; o.in.o = o; return o }", "", "", "in.o is part of itself"},
		{"export const f = () => ({ g: () => 1 })", "", "", "g is a function"},
		{"export const f = () => ({ p: Promise.resolve(1) })", "", "", "p is a promise: await it"},
		{"export const f = () => new Date(NaN)", "", "", "the result is an invalid Date"},
		{"export const f = () => [/x/]", "", "", "[0] is a RegExp"},
		{"export const f = () => -(2n ** 63n) - 1n", "", "", "a BigInt of more than 64 bits"},
		{"export const f = () => new Map([[{}, 1]])", "", "", "a Map with the key {}"},
		{"export const f = () => new Promise(() => {})", "", "", "never settles"},
		{"await new Promise(() => {}); export const f = 1", "", "", "never settles"},
		{"export const f = 1", "f", "", "the block exports no function: write export function f(…)"},
		{"export const f = () => 1, g = () => 2", "h", "", "exports f, g; none is called h"},
		{"export const f = () => 1, g = () => 2", "", "", "make one of them the default export"},
		{"export const f = () => { Promise.reject(new RangeError('lost')); return new Promise(r => setTimeout(r, 9)) }", "", "", "RangeError: lost"},
		{"export const f = () => import('./none.js')", "", "", `import "./none.js": no such file`},
		{"export const f = () => require('http')", "", "", "require \"http\": the network is a capability"},
		{"export const f = () => require('child_process')", "", "", "there are no processes"},
		{"export const f = () => { throw new Error('outer', { cause: new TypeError('inner') }) }", "", "", "[cause]: TypeError: inner"},
	} {
		src := block(compile.ShapeComponent, c.body)
		src.Func, src.Outs = c.fn, strings.Fields(c.outs)
		out, err := execute(t, src, nil)
		if text := lanetest.Said(out, err); !strings.Contains(text, c.want) || out != nil && out.Exit == 0 {
			t.Errorf("%s: got %s, want %s", c.body, text, c.want)
		}
	}
}

// Values keep their meaning on the way in and out.
func TestValues(t *testing.T) {
	for _, c := range []struct{ expression, in, want string }{
		{"x", `null`, `null`}, {"x", `[true, "é\u0000\ud83d\ude00", {"b": 1, "a": 2.5}]`, `[true,"é\u0000😀",{"b":1,"a":2.5}]`},
		{"typeof x", `9007199254740991`, `"number"`}, {"typeof x", `9007199254740993`, `"bigint"`},
		{"x", `9007199254740993`, `9007199254740993`}, {"x.a[0] + 1n", `{"a": [-9223372036854775807]}`, `-9223372036854775806`},
		{"[undefined, , 1]", `0`, `[null,null,1]`}, {"({ a: undefined, b: null })", `0`, `{"b":null}`},
		{"-0", `0`, `0`}, {"1e21", `0`, `1e+21`}, {"0.1 + 0.2", `0`, `0.30000000000000004`}, {"5n", `0`, `5`},
		{"new Date(0)", `0`, `"1970-01-01T00:00:00.000Z"`}, {"new Map([['k', new Set([1])], [2, 3]])", `0`, `{"k":[1],"2":3}`},
		{"new Uint8Array([1, 2])", `0`, `[1,2]`}, {"Object(5)", `0`, `5`}, {"'\\ud800'", `0`, `"` + "\uFFFD" + `"`},
		{"({ toJSON() { return { v: 1 } } })", `0`, `{"v":1}`}, {"new (class P { constructor() { this.q = 1 } })", `0`, `{"q":1}`},
		{"Object.assign(new Error('m'), { code: 'C' })", `0`, `{"name":"Error","message":"m","code":"C"}`},
		{"JSON.parse('{\"__proto__\": 1}')", `0`, `{"__proto__":1}`}, {"x", `{"__proto__": {"y": 1}}`, `{"__proto__":{"y":1}}`},
		{"new Proxy([1, 2], {})", `0`, `[1,2]`}, {"x", `2.0`, `2`}, {"x", `[{"$int": {"$int": "5"}}, 9007199254740993]`, `[{"$int":{"$int":"5"}},9007199254740993]`}, {"Buffer.from('hi')", `0`, `[104,105]`},
	} {
		src := block(compile.ShapeComponent, "export const f = x => "+c.expression)
		in, err := value.ParseJSON([]byte(c.in))
		if err != nil {
			t.Fatal(err)
		}
		out := mustExecute(t, src, &compile.Job{Inputs: []value.Field{{Name: "x", Value: in}}})
		if got := out.Value.String(); got != c.want {
			t.Errorf("%s of %s: got %s, want %s", c.expression, c.in, got, c.want)
		}
	}
}

func FuzzJSONBridge(f *testing.F) {
	for _, s := range []string{`{"a":[1,2.5,null,"é\u0000"]}`, `"\ud83d\ude00"`, `-0`, `[[]]`, `1e300`, `{"__proto__":1}`, `9007199254740993`, `{"$int":"x"}`, `{"$hline":true}`, `[{"$int":5},-9223372036854775808]`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v, err := value.ParseJSON([]byte(text))
		if err != nil || len(text) > 1<<16 {
			return
		}
		out, err := execute(t, block(compile.ShapeComponent, "export const f = x => x"), &compile.Job{Inputs: []value.Field{{Name: "x", Value: v}}})
		if err != nil {
			t.Fatal(err)
		}
		if out.Exit != 0 {
			t.Fatalf("%s: %s", v, out.Stderr)
		}
		if !sameInJS(v, out.Value) {
			t.Errorf("%s came back as %s", v, out.Value)
		}
	})
}

// sameInJS compares values as far as JavaScript keeps them apart: whole floats
// become integers.
func sameInJS(a, b value.Value) bool {
	switch a.Kind() {
	case value.Int:
		return b.Kind() == value.Int && a.Int() == b.Int()
	case value.Float:
		return a.Float() == b.Float()
	case value.List:
		if b.Kind() != value.List || len(a.Items()) != len(b.Items()) {
			return false
		}
		for i := range a.Items() {
			if !sameInJS(a.Items()[i], b.Items()[i]) {
				return false
			}
		}
		return true
	case value.Object:
		last := make(map[string]value.Value) // a name that comes twice is one member
		for _, f := range a.Fields() {
			last[f.Name] = f.Value
		}
		if b.Kind() != value.Object || len(last) != len(b.Fields()) {
			return false
		}
		for _, f := range b.Fields() {
			if v, ok := last[f.Name]; !ok || !sameInJS(v, f.Value) {
				return false
			}
		}
		return true
	}
	return value.Equal(a, b)
}
