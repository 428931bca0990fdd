package python

import (
	"errors"
	"strings"
	"testing"

	"wb/compile"
	"wb/internal/diag"
	"wb/internal/test/lanetest"
)

func TestComponent(t *testing.T) {
	for _, c := range []struct{ body, fn, outs, in, want string }{
		{"def add(a, b):\n    return a + b", "add", "sum", `{"a":1,"b":2}`, `3`},
		{"def sub(b, a):\n    return a - b", "", "d", `{"a":5,"b":2}`, `3`}, // by name
		{"def first(x, y):\n    return x", "", "f", `{"a":5,"b":2}`, `5`},   // in order
		{"def f(a):\n    return {'total': a}", "", "total", `{"a":5}`, `5`},
		{"def f(a):\n    return {'total': a, 'n': 1}", "", "total", `{"a":5}`, `{"total":5,"n":1}`},
		{"def f(a):\n    return a, a + 1", "", "x,y", `{"a":5}`, `{"x":5,"y":6}`},
		{"def helper(n): return n\ndef main(n): return helper(n) * 2", "", "r", `{"n":4}`, `8`},
		{"def _helper(n): return n\ndef double(n): return _helper(n) * 2", "", "r", `{"n":4}`, `8`},
		{"from statistics import mean", "mean", "m", `{"xs":[1,2,6]}`, `3`},
		{"double = lambda x: 2 * x", "double", "m", `{"x":2.5}`, `5.0`},
		{"def f(s):\n    return [s, None, True, 1.5, {'k': [s]}]", "", "r", `{"s":"é😀"}`, `["é😀",null,true,1.5,{"k":["é😀"]}]`},
		{"from dataclasses import dataclass\n@dataclass\nclass P:\n    x: int\n    y: float = 1.5\ndef f(p: P) -> P:\n    return P(p.x + 1)", "", "r", `{"p":{"x":1}}`, `{"x":2,"y":1.5}`},
		{"from typing import NamedTuple\nclass P(NamedTuple):\n    x: int\n    y: int\ndef f(ps: list[P]):\n    return [P(p.y, p.x) for p in ps]", "", "r", `{"ps":[[1,2],{"x":3,"y":4}]}`, `[{"x":2,"y":1},{"x":4,"y":3}]`},
		{"from datetime import date, timedelta\ndef f(d: date):\n    return {'next': d + timedelta(days=1), 'gap': timedelta(minutes=1)}", "", "r", `{"d":"2024-02-28"}`, `{"next":"2024-02-29","gap":60.0}`},
		{"from decimal import Decimal\ndef f(d: Decimal):\n    return [d + Decimal('0.10'), Decimal('1.123456789012345678901'), Decimal(7)]", "", "r", `{"d":1.1}`, `[1.2,"1.123456789012345678901",7]`},
		{"from enum import Enum\nclass C(Enum):\n    RED = 'red'\ndef f(c: C):\n    return {c: {c}}", "", "r", `{"c":"red"}`, `{"red":["red"]}`},
		{"def f(n):\n    return [2 ** 62, 2 ** 70, float('inf'), {3, 1, 2}, (x * n for x in range(3))]", "", "r", `{"n":2}`, `[4611686018427387904,"1180591620717411303424",{"$float":"Infinity"},[1,2,3],[0,2,4]]`},
		{"async def f(n):\n    import asyncio\n    await asyncio.sleep(3600)\n    a, b = await asyncio.gather(g(n), g(n + 1))\n    return a + b\nasync def g(n):\n    return n", "f", "r", `{"n":2}`, `5`},
		{"import json\ndef parse():\n    return json.loads(inputRaw)", "", "r", `{}`, `{"a":[1]}`},
		{"import json\ndef parse(text):\n    return json.loads(text)['a']", "", "r", `{}`, `[1]`},
		{"def f(n):\n    print('told')\n    return n\nif __name__ == '__main__':\n    f(1)", "", "r", `{"n":2}`, `2`},
		{"def f(t):\n    return [len(t), t]", "", "r", `{"t":[["a",1],{"$hline":true},["b",2]]}`, `[3,[["a",1],null,["b",2]]]`},
		{"def f(*xs, **kw):\n    return sum(xs) + sum(kw.values())", "", "r", `{"a":1,"b":2}`, `3`},
	} {
		src := block(compile.ShapeComponent, c.body)
		src.Func, src.Outs = c.fn, strings.Split(c.outs, ",")
		in := lanetest.Inputs(t, c.in)
		for _, field := range in {
			src.Params = append(src.Params, field.Name)
		}
		out, err := execute(t, src, &compile.Job{Inputs: in, Stdin: []byte(`{"a":[1]}`)})
		if err != nil || out.Exit != 0 || out.Value.String() != c.want {
			t.Errorf("%s: got %v %s, want %s", c.body, out, lanetest.Said(out, err), c.want)
		}
	}
}

// What cannot work is said before anything runs, with its place and a way out.
func TestComponentRefused(t *testing.T) {
	for _, c := range []struct{ body, fn, params, want, hint string }{
		{"x = 1", "", "a", "a.org:10:1: error: the block defines no function to call", "write def main(a)"},
		{"def f(a): pass\ndef g(a): pass", "", "a", "a.org:10:1: error: the block defines several functions: f, g", "name one main"},
		{"def f(a): pass", "mean", "a", "a.org:10:1: error: the block defines no function mean", "it defines f"},
		{"\ndef f(a, b): pass", "", "a", "a.org:11:1: error: f takes 2 arguments, but the component has 1 input", "by name or in order: a"},
		{"def f(a): pass", "", "a,b", "a.org:10:1: error: f takes 1 argument, but the component has 2 inputs", "by name or in order: a, b"},
		{"def f(a):\n  return a +", "", "a", "a.org:11:13: error: SyntaxError invalid syntax", ""},
		{"def f(a):\nreturn a", "", "a", "a.org:11:1: error: IndentationError expected an indented block after function definition on line 1", ""},
		{"def f(a):\n    é = 'ü' $ 1", "", "a", "a.org:11:15: error: SyntaxError invalid syntax", ""},
	} {
		src := block(compile.ShapeComponent, c.body)
		src.Func, src.Params = c.fn, strings.Split(c.params, ",")
		_, err := testLane(t).Build(t.Context(), src)
		var build *diag.FindingsError
		if !errors.As(err, &build) || err.Error() != c.want || !strings.Contains(build.Hint(), c.hint) {
			t.Errorf("%s: got %v, want %s", c.body, err, c.want)
		}
	}
}

// What a function returns must be data.
func TestNotData(t *testing.T) {
	for body, want := range map[string]string{
		"def f():\n    return {'a': [b'x']}":                  "NotAValue: the result['a'][0] is bytes",
		"class A: pass\ndef f():\n    return A()":             "NotAValue: the result is an A, which is not data",
		"def f():\n    return {(1, 2): 3}":                    "has the key (1, 2)",
		"def f():\n    a = []\n    a.append(a)\n    return a": "RecursionError",
	} {
		out, err := execute(t, block(compile.ShapeComponent, body), nil)
		if err != nil || out.Exit != 1 || !strings.Contains(string(out.Stderr), want) {
			t.Errorf("%s: got %s, want %s", body, lanetest.Said(out, err), want)
		}
	}
}
