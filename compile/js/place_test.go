package js

import (
	"strings"
	"testing"

	"wb/compile"
	"wb/internal/diag"
	"wb/internal/test/lanetest"
	"wb/internal/value"
)

// Mistakes are reported where they stand in the org file.
func TestPlaces(t *testing.T) {
	for _, c := range []struct {
		shape      compile.Shape
		body, want string
	}{
		{compile.ShapeComponent, "export const f = () => 1;\nlet x = ;", "a.org:11:9: error: SyntaxError unexpected token in expression: ';'"},
		{compile.ShapeComponent, "export const f = 'é😀' + ;", "a.org:10:29: error: SyntaxError"},
		{compile.ShapeBabel, "return 5 +", "a.org:10:1: error: SyntaxError"},
		{compile.ShapeBabel, "return ]", "a.org:10:8: error: SyntaxError"},
		{compile.ShapeComponent, "export function f() {\n  throw new TypeError('no');\n}", "a.org:11:13: TypeError: no\n    at f (a.org:11:13)\n"},
		{compile.ShapeBabel, "let a = 1;\nundefinedName();", "a.org:11:1: ReferenceError: undefinedName is not defined"},
		{compile.ShapeBabel, "let s = '日本語😀'; null.x", "a.org:10:26: TypeError"},
		{compile.ShapeCommand, "\n\nnull.x", "a.org:12:1: TypeError: cannot read property 'x' of null"},
		{compile.ShapeCommand, "throw 'text'", "a.org:10:1: Uncaught: text"},
		{compile.ShapeCommand, "throw { a: [1] }", "a.org:10:1: Uncaught: { a: [ 1 ] }"},
		{compile.ShapeCommand, "class MyError extends Error { name = 'MyError' }\nfunction g() { throw new MyError('mine') }\ng()", "a.org:11:26: MyError: mine\n    at g (a.org:11:26)\n    at <anonymous> (a.org:12:1)\n"},
		{compile.ShapeCommand, "await 0;\nsetTimeout(() => { throw new Error('late') }, 1)", "a.org:11:30: Error: late"},
		{compile.ShapeCommand, "queueMicrotask(() => { throw new Error('soon') })", "a.org:10:34: Error: soon"},
		{compile.ShapeCommand, "import { bad } from './bad.js'", "bad.js:2:15: error: SyntaxError"},
		{compile.ShapeCommand, "import { no } from './good.js'", "a.org:10:1: SyntaxError: Could not find export 'no' in module 'good.js'"},
		{compile.ShapeCommand, "import { boom } from './good.js'\nboom()", "good.js:2:13: RangeError: é boom"},
		{compile.ShapeCommand, "const a = 1;\nimport { llm } from 'wb'; llm.complete('')", `a.org:11:31: Error: this block was granted no capabilities of the host`},
		{compile.ShapeCommand, "const a = 1;\nimport llm from 'wb/llm'; llm()", `a.org:11:17: error: import "wb/llm": the host has the module "wb" alone`},
		{compile.ShapeCommand, "import './x.js'", `a.org:10:8: error: import "./x.js": no such file`},
		{compile.ShapeCommand, "import _ from 'lodash'", `a.org:10:15: error: import "lodash": no such package; ask for it with :deps lodash on the block, or put it into node_modules`},
		{compile.ShapeCommand, "import 'https://e.org/x.js'", `a.org:10:8: error: import "https://e.org/x.js": modules are not fetched over the network`},
	} {
		src := block(c.shape, c.body)
		src.Files = map[string][]byte{"bad.js": []byte("export const bad =\n  function ( {"), "good.js": []byte("export function boom() {\n  throw new RangeError('é boom')\n}")}
		if c.shape == compile.ShapeBabel {
			src.Vars = []compile.Var{{Name: "v", Value: value.OfInt(1)}}
		}
		out, err := execute(t, src, nil)
		if text := lanetest.Said(out, err); !strings.HasPrefix(text, c.want) {
			t.Errorf("%q: got %q, want %s", c.body, text, c.want)
		}
	}
}

// Lines that come from elsewhere, as after noweb expansion, are placed there.
func TestPlacesOfNoweb(t *testing.T) {
	src := block(compile.ShapeBabel, "let a = 1;\n  a.b.c;")
	src.Lines = []diag.Position{{File: "a.org", Line: 10, Col: 1}, {File: "b.org", Line: 3, Col: 5}}
	out, err := execute(t, src, nil)
	if text := lanetest.Said(out, err); !strings.HasPrefix(text, "b.org:3:7: TypeError") {
		t.Errorf("%s", text)
	}
}
