package org_test

import (
	"fmt"

	"wb/org"
)

func ExampleParse() {
	doc := org.ParseString(`* TODO [#A] Write the report :work:
:PROPERTIES:
:EFFORT: 2:00
:END:
#+name: total
#+begin_src python :var n=2
return n + 1
#+end_src

#+RESULTS: total
: 3
`)
	for h := range doc.Headlines() {
		effort, _ := h.Property("effort")
		fmt.Println(h.Keyword, h.Priority, h.Title, h.LocalTags(), effort)
	}
	for b := range doc.Blocks(org.KindSrcBlock) {
		line, _ := doc.Position(b.Start())
		fmt.Println(line, b.Name(), b.Lang, b.Code())
		if r, ok := doc.ResultOf(b.Node); ok {
			fmt.Printf("%q\n", doc.Text(r.Body))
		}
	}
	// Output:
	// TODO A Write the report [work] 2:00
	// 5 total python return n + 1
	// ": 3\n"
}

func ExampleDocument_HeaderArgs() {
	doc := org.ParseString(`#+PROPERTY: header-args :results silent
* Heading
:PROPERTIES:
:header-args+: :dir /data
:END:
#+header: :var x=2
#+begin_src sh :var x=1 :results output
#+end_src
`)
	for b := range doc.Blocks() {
		for _, arg := range doc.HeaderArgs(b.Node) {
			line, col := doc.Position(arg.Span.Start)
			fmt.Printf("%d:%d %s %s\n", line, col, arg.Key, arg.Value)
		}
	}
	// Output:
	// 6:11 :var x=2
	// 7:25 :results silent output
	// 4:16 :dir /data
}

func ExampleApply() {
	src := []byte("* TODO Water the plants\n")
	for h := range org.Parse(src).Headlines() {
		edits, err := org.SetKeyword(h, "DONE")
		if err != nil {
			fmt.Println(err)
			return
		}
		out, err := org.Apply(src, edits)
		fmt.Printf("%s%v\n", out, err)
	}
	// Output:
	// * DONE Water the plants
	// <nil>
}

func ExampleDocument_Objects() {
	doc := org.ParseString("See [[https://orgmode.org][the /manual/]] or src_sh{date}.\n")
	for n := range doc.AllObjects(org.KindLink, org.KindInlineSrc) {
		if l, ok := n.Link(); ok {
			fmt.Println(l.Type, l.Path, l.Desc)
		}
		if s, ok := n.InlineSrc(); ok {
			fmt.Println(s.Lang, s.Body)
		}
	}
	// Output:
	// https //orgmode.org the /manual/
	// sh date
}
