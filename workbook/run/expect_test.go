package run

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

func TestExpectations(t *testing.T) {
	const doc = `
#+NAME: n
#+begin_src toy
return 42
#+end_src

#+NAME: text
#+begin_src toy :results output
print bread and butter
#+end_src

#+NAME: list
#+begin_src toy
return [1, "ada", 2.5]
#+end_src

#+NAME: object
#+begin_src toy
return {"a": 1, "b": "x"}
#+end_src

#+NAME: bad
#+begin_src toy
fail 3 out of luck
#+end_src

`
	tests := []struct{ expect, reason string }{
		{"n = 42", ""},
		{"n = 42.0", ""},
		{"n = 41", "n is 42, expected = 41"},
		{"n != 41", ""},
		{"n > 41", ""},
		{"n < 42", "n is 42, expected < 42"},
		{"text = bread and butter", ""},
		{`text = "bread and butter\n"`, ""},
		{"text ~ ^bread.*butter$", ""},
		{"text ~ ^butter", "expected ~ ^butter"},
		{"text ~ (", "missing closing"},
		{"text contains and", ""},
		{`list contains "ada"`, ""},
		{"list contains 2.5", ""},
		{"list contains 3", "expected contains 3"},
		{`list = [1,"ada",2.5]`, ""},
		{`object contains {"a":1}`, ""},
		{`object contains {"a":2}`, "expected contains"},
		{"object contains b", ""},
		{"bad fails", ""},
		{"bad fails out of luck", ""},
		{"bad fails hunger", `expected "hunger"`},
		{"bad = 1", "bad failed"},
		{"n fails", "was expected to fail"},
		{"nobody = 1", "not a component"},
		{"lint cycle", "lint does not find cycle"},
		{"what is this", "not understood"},
	}
	for i, test := range tests {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			report, err := Run(context.Background(), Options{
				Book:  Book{File: filepath.Join(t.TempDir(), "x.org"), Lanes: testLanes(t), Source: []byte(doc + "#+EXPECT: " + test.expect + "\n")},
				Write: WriteNothing,
			})
			if err != nil {
				t.Fatal(err)
			}
			unmet := report.CheckExpectations()
			switch {
			case test.reason == "" && len(unmet) > 0:
				t.Error(unmet[0])
			case test.reason != "" && (len(unmet) != 1 || !strings.Contains(unmet[0].Error(), test.reason)):
				t.Errorf("%s: got %v, want %q", test.expect, unmet, test.reason)
			}
		})
	}
}
