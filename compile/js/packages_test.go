package js

import (
	"strings"
	"testing"

	"wb/compile"
	"wb/internal/test/lanetest"
)

// installed are packages as npm lays them out, in the many ways there are to
// say what a name means.
var installed = map[string][]byte{
	"node_modules/cjs/package.json":                   []byte(`{"name":"cjs","main":"./lib/main"}`),
	"node_modules/cjs/lib/main.js":                    []byte("const { twice } = require('./twice'); exports.six = twice(3); exports.delete = 'kept'; exports.late = () => require('./data.json').n"),
	"node_modules/cjs/lib/twice.js":                   []byte("module.exports.twice = n => 2 * n"),
	"node_modules/cjs/lib/data.json":                  []byte(`{"n":7}`),
	"node_modules/fn/package.json":                    []byte(`{"name":"fn"}`),
	"node_modules/fn/index.js":                        []byte("#!/usr/bin/env node\nmodule.exports = function hello(n) { return `hello ${n}` }; module.exports.extra = 1"),
	"node_modules/babel/package.json":                 []byte(`{"name":"babel","main":"index.js"}`),
	"node_modules/babel/index.js":                     []byte("Object.defineProperty(exports, '__esModule', { value: true }); exports.default = 'the default'; exports.named = 'named'"),
	"node_modules/esm/package.json":                   []byte(`{"name":"esm","type":"module","exports":{".":"./main.js","./sub/*":"./src/*.js","./hidden/*":null},"imports":{"#inner":"./src/inner.js"}}`),
	"node_modules/esm/main.js":                        []byte("import inner from '#inner'; import { b } from 'esm/sub/b'; export default `esm ${inner} ${b}`; export const which = 'esm'"),
	"node_modules/esm/src/inner.js":                   []byte("export default 'inner'"),
	"node_modules/esm/src/b.js":                       []byte("export const b = 'b'"),
	"node_modules/esm/src/secret.js":                  []byte("export const s = 1"),
	"node_modules/dual/package.json":                  []byte(`{"name":"dual","exports":{".":{"types":"./x.d.ts","import":"./i.mjs","require":"./r.cjs"}}}`),
	"node_modules/dual/i.mjs":                         []byte("export const way = 'import'"),
	"node_modules/dual/r.cjs":                         []byte("exports.way = 'require'"),
	"node_modules/bundler/package.json":               []byte(`{"name":"bundler","main":"m.js","module":"e.js"}`),
	"node_modules/bundler/m.js":                       []byte("exports.way = 'main'"),
	"node_modules/bundler/e.js":                       []byte("export const way = 'module'"),
	"node_modules/@s/p/package.json":                  []byte(`{"name":"@s/p","main":"a.js"}`),
	"node_modules/@s/p/a.js":                          []byte("exports.v = require('dep').v"),
	"node_modules/@s/p/b/c.js":                        []byte("exports.deep = true"),
	"node_modules/@s/p/node_modules/dep/i.js":         []byte("exports.v = 'nested'"),
	"node_modules/@s/p/node_modules/dep/package.json": []byte(`{"name":"dep","main":"i.js"}`),
	"node_modules/native/package.json":                []byte(`{"name":"native","main":"build/x.node"}`),
	"node_modules/native/build/x.node":                []byte("\x7fELF"),
	"node_modules/loader/package.json":                []byte(`{"name":"loader"}`),
	"node_modules/loader/index.js":                    []byte("module.exports = require('bindings')('x')"),
	"node_modules/net/package.json":                   []byte(`{"name":"net"}`),
	"node_modules/web/package.json":                   []byte(`{"name":"web"}`),
	"node_modules/web/index.js":                       []byte("const http = require('http'); module.exports = http"),
	"node_modules/loop/package.json":                  []byte(`{"name":"loop"}`),
	"node_modules/loop/index.js":                      []byte("exports.a = 1; exports.seen = require('./other').seen; exports.b = 2"),
	"node_modules/loop/other.js":                      []byte("exports.seen = Object.keys(require('./index'))"),
}

// Packages are found as node finds them, whichever of its ways they use.
func TestPackages(t *testing.T) {
	for _, c := range []struct{ body, want string }{
		{"import c, { six, late } from 'cjs'; console.log(six, late(), c.delete, Object.keys(c))", "6 7 kept [ 'six', 'delete', 'late' ]\n"},
		{"import * as ns from 'cjs'; console.log(ns.six, ns.delete)", "6 kept\n"},
		{"import f, { extra } from 'fn'; console.log(f('x'), extra)", "hello x 1\n"},
		{"import d, { named } from 'babel'; console.log(d, named, require('babel').default)", "the default named the default\n"},
		{"import e, { which } from 'esm'; import { b } from 'esm/sub/b'; console.log(e, which, b)", "esm inner b esm b\n"},
		{"console.log(require('esm').which, require('esm/sub/b').b)", "esm b\n"},
		{"import { way } from 'dual'; console.log(way, require('dual').way)", "import require\n"},
		{"import { way } from 'bundler'; console.log(way, require('bundler').way)", "module main\n"},
		{"import p from '@s/p'; import c from '@s/p/b/c.js'; console.log(p.v, c.deep)", "nested true\n"},
		{"import l from 'loop'; console.log(l)", "{ a: 1, seen: [ 'a' ], b: 2 }\n"},
		{"const { six } = await import('cjs'); console.log(six)", "6\n"},
		{"import 'esm/hidden/secret'", `import "esm/hidden/secret": the package does not export it`},
		{"import 'esm/src/secret.js'", `import "esm/src/secret.js": the package does not export it`},
		{"import 'native'", `import "native": a native addon: machine code does not run in the sandbox`},
		{"import 'loader'", `require "bindings": a native addon is loaded by it: machine code does not run in the sandbox (asked for by node_modules/loader/index.js)`},
		{"import 'web'", `require "http": the network is a capability that this block was not granted (asked for by node_modules/web/index.js)`},
		{"import 'node:sqlite'", `import "node:sqlite": node has no such module`},
		{"import 'stream'", `import "stream": streams are not there`},
	} {
		src := block(compile.ShapeCommand, c.body)
		src.Files = installed
		out, err := execute(t, src, nil)
		got := lanetest.Said(out, err)
		if err == nil && out.Exit == 0 {
			got = string(out.Stdout)
		}
		if !strings.Contains(got, c.want) || err == nil && out.Exit == 0 && got != c.want {
			t.Errorf("%s: got %q, want %q", c.body, got, c.want)
		}
	}
}
