package plan_test

import (
	"encoding/json"
	"testing"

	"wb/workbook/plan"
)

// A document is a function of its imports, typed by :sig: where there is one; so is
// each of several workflows, with what it needs and no more.
func TestSignatures(t *testing.T) {
	const prices = `#+TITLE: Prices
#+DESCRIPTION: What things cost.
* Gross
:PROPERTIES:
:in: net note rate
:out: gross
:sig: gross(net: f64, note: option<string>, rate: f64) -> f64
:default-rate: 0.19
:END:
#+begin_src js
export const gross = (net, note, rate) => net * (1 + rate)
#+end_src
`
	const two = `* First :workflow:
** A :component:
#+begin_src js :in x :out a
export default x => x
#+end_src
* Second :workflow:
** B :component:
#+begin_src js :in y :out b
export default y => y
#+end_src
`
	for _, c := range []struct{ text, want string }{
		{"* Nothing\n", `null`},
		{prices, `[{"Title":"Prices","About":"What things cost.","Only":null,"In":{"additionalProperties":false,"properties":{` +
			`"net":{"description":"an input of Gross","type":"number"},` +
			`"note":{"anyOf":[{"type":"string"},{"type":"null"}],"default":null,"description":"an input of Gross"},` +
			`"rate":{"default":0.19,"description":"an input of Gross","type":"number"}},"required":["net"],"type":"object"},` +
			`"Out":{"properties":{"gross":{"type":"number"}},"type":"object"}}]`},
		{two, `[{"Title":"t","About":"","Only":null,"In":{"additionalProperties":false,"properties":{"x":{"description":"an input of A"},"y":{"description":"an input of B"}},"required":["x","y"],"type":"object"},"Out":{"properties":{"a":{},"b":{}},"type":"object"}},` +
			`{"Title":"First","About":"","Only":["A"],"In":{"additionalProperties":false,"properties":{"x":{"description":"an input of A"}},"required":["x"],"type":"object"},"Out":{"properties":{"a":{}},"type":"object"}},` +
			`{"Title":"Second","About":"","Only":["B"],"In":{"additionalProperties":false,"properties":{"y":{"description":"an input of B"}},"required":["y"],"type":"object"},"Out":{"properties":{"b":{}},"type":"object"}}]`},
	} {
		got, err := json.Marshal(plan.New("t.org", []byte(c.text)).Signatures())
		if err != nil || string(got) != c.want {
			t.Errorf("%s\nwant %s (%v)", got, c.want, err)
		}
	}
}
