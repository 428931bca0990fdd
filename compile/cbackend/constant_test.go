package cbackend

import (
	"strings"
	"testing"

	"wb/internal/value"
)

func TestConstants(t *testing.T) {
	d := Dialect{Language: "C", Text: "text", Point: true,
		List:  func(element string) string { return "list " + element },
		Items: func(items []string) string { return "[" + strings.Join(items, " ") + "]" }}
	for _, c := range []struct{ v, want string }{
		{`5`, `i64: 5`},
		{`"a\"\\\n"`, `text: "a\"\\\n"`},
		{`true`, `bool: true`},
		{`[]`, `list text: []`},
		{`null`, `list text: []`},
		{`[1, 2.5]`, `list f64: [1.0 2.5]`},
		{`[1, "a", true]`, `list text: ["1" "a" "true"]`},
		{`[["a", 1], {"$hline": true}, [2, "b"]]`, `list list text: [["a" "1"] ["2" "b"]]`},
		{`[[1, 2], [1.5, 2]]`, `list list text: [["1" "2"] ["1.5" "2"]]`},
		{`[[1, 2], []]`, `list list i64: [[1 2] []]`},
		{`[1, null]`, `an empty cell among values of type i64`},
		{`{"a": 1}`, `this value cannot become a C constant; give the block a :sig: to pass structured data`},
	} {
		v, err := value.ParseJSON([]byte(c.v))
		if err != nil {
			t.Fatal(err)
		}
		typ, literal, err := d.Constant(v)
		got := typ + ": " + literal
		if err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s: got %s, want %s", c.v, got, c.want)
		}
	}
}
