package org

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// oddLines are the building blocks of random documents: every construct, and
// many that only look like one.
var oddLines = strings.Split(`
* A headline :tag:a:
* TODO [#A] COMMENT title *b* :x_y:
** 
*** DONE :not a tag
*
* *
SCHEDULED: <2026-01-02 Fri 10:00-11:30 +1w -2d> DEADLINE: <2026-01-03>
CLOSED: [2026-01-02 Fr 10:00]
:PROPERTIES:
:PROPERTIES:
:ID: x
:header-args+: :var a=1
:END:
:END:
:END:
:LOGBOOK:
:my-drawer:
:no drawer:
:
: fixed
:fixed
CLOCK: [2026-01-02 Fri 10:00]--[2026-01-02 Fri 11:00] =>  1:00
CLOCK: [2026-01-02 Fri 10:00]
CLOCK: => 1:00
#+begin_src sh -n 10 -r -l "x" :var x="a :tangle b" :results output
#+begin_src
#+BEGIN_SRC python :var y=(list 1 2) z = 3
#+end_src
#+END_SRC
#+end_src x
#+begin_example -n
#+end_example
#+begin_quote
#+end_quote
#+begin_center
#+end_center
#+begin_verse
#+end_verse
#+begin_comment
#+end_comment
#+begin_export html
#+end_export
#+begin_note a b
#+end_note
#+begin_
#+begin: clocktable :maxlevel 2
#+begin:
#+end:
#+end
#+name: n1
#+NAME:
#+caption[short]: long *b*
#+header: :var h=1
#+attr_html: :width 1
#+attr_: x
#+results:
#+RESULTS[abc012]: n1
#+results[xy]: z
#+title: x
#+key[opt]: v
#+key[o p]: v
#+call: f[:var a=1](x=1, y="a,b") :results list
#+call: g()
#+tblfm: $1=2
#+tblfm:
#+ x
#+
# comment
#
#not a comment
#+include: "x.org" :lines "1-2"
#+todo: TODO A(a) B | C(c!) DONE
#+filetags: :f:g:
#+property: header-args :var p=1 :results silent
#+property: header-args+ :exports none
| a | b |
| a || *c* |
|-+-|
|
| 1 | a\vert b
+--+--+
+--+
| x|
+ plus
- item
- [ ] item
- [X] term :: def
- term :: def :: more
-
- 
-x
+
+ [@5] five
1. one
2) two
10. [@3] [-] x
a. alpha
 * star item
-----
------ x
----
[fn:1] a footnote
[fn:lab-el]
[fn:1]
[fn:2] another [fn::inline /x/]
%%(diary)
\begin{equation}
\end{equation}
x \end{align}
\begin{align} y
\begin{a b}
text
text *bold* /it/ _u_ +s+ =v= ~c~ [[l][d]] <<t>>
a *b
c* d /e/f/ *g*, (*h*) *i*x "~j~" =k==l=
src_sh[:results x]{echo {a}} call_f(1) {{{results(=1=)}}} src_{x} xsrc_a{b}
[[file:a.org::*H][desc *b*]] https://a.b/c(d)e. <mailto:x@y> [[#id]] [[(ref)]] [[x
y]] [[a]b]] [[]] [[a][b
<2026-01-02 Fri>--<2026-01-03 Sat> [2026-01-02 10:00] <%%(sexp x)> <2026-01-02 13:00 .+1d/3d --2w>
$a$ $$b$$ \(c\) \[d\] \alpha \beta{} \foo{x}[y] \\
x_{a}^b y_* ^2 a^{b_{c}} \_  x
{{{m}}} {{{n(a,b\,c)}}} {{{n(a
b)}}} @@html:x@@ [1/2] [50%] [/] [%]
[cite:@a; see @b p. 1; c] [cite/s/t:pre;@x] [cite:no]
<<<radio>>> and a radio here, aradio no
[fn:x] [fn:y:def *a*] [fn:] [fn::z]
`, "\n")

// oddPieces are put together to lines of text.
var oddPieces = strings.Fields("* / _ + = ~ a b, (c) {d} [e] <f> *g* /h/ _i_ =j= ~k~ +l+ [[ ]] [[x]] [[y][z]] ][ << >> <<< >>> <<t>> " +
	"{{{ }}} {{{m}}} {{{n( )}}} @@ @@h: $ $$ \\( \\) \\[ \\] \\alpha \\beta{} \\sup2 \\_ \\x{ } { src_sh{ src_a[ call_f( call_g[ [fn: [fn:1] [fn::" +
	" [cite: [cite:@k; @q ; <2026-01-02 <2026-01-02> [2026-01-02] -- [1/2] [% %] http: https://x.y/ mailto:a@b. file:c <file:d> _{ ^{ ^2 _x _* ' \" - . ! ) ( ] [ : ü 日本 \u200b #")

func randomText(r *rand.Rand) string {
	var b strings.Builder
	for range 1 + r.IntN(12) {
		b.WriteString(oddPieces[r.IntN(len(oddPieces))])
		if r.IntN(3) == 0 {
			b.WriteByte(' ')
		}
	}
	return b.String()
}

func randomDocument(r *rand.Rand, lines int) string {
	var b strings.Builder
	// A document that sticks to few of the lines nests them more.
	few := make([]string, 4+r.IntN(20))
	for i := range few {
		few[i] = oddLines[r.IntN(len(oddLines))]
	}
	for range lines {
		line := few[r.IntN(len(few))]
		switch r.IntN(8) {
		case 0:
			line = ""
		case 1:
			line = randomText(r)
		case 2:
			line += strings.Repeat(" ", r.IntN(3))
		}
		if r.IntN(3) == 0 {
			line = strings.Repeat(" ", r.IntN(7)) + line
		} else if r.IntN(20) == 0 {
			line = "\t" + line
		}
		b.WriteString(line)
		b.WriteByte('\n')
	}
	s := b.String()
	if r.IntN(4) == 0 {
		s = strings.TrimRight(s, "\n")
	}
	return s
}

func TestRandomDocuments(t *testing.T) {
	for seed := range uint64(2000) {
		d := ParseString(randomDocument(rand.New(rand.NewPCG(seed, 1)), 40))
		checkTree(t, d)
		checkObjects(t, d)
	}
}

func checkObjects(t testing.TB, d *Document) {
	for n := range d.All() {
		root := d.Objects(n)
		if root == nil {
			continue
		}
		var text strings.Builder
		for o := range root.Walk() {
			checkNode(t, o)
		}
		for leaf := range root.Leaves() {
			text.WriteString(leaf.Text())
		}
		if text.String() != root.Text() {
			t.Fatalf("objects of %q do not tile it", root.Text())
		}
	}
}

// TestConfirmRandom compares random documents with Emacs, like
// [TestConfirmEmacs]; WB_ORG_RANDOM says how many, and from which seed on.
func TestConfirmRandom(t *testing.T) {
	lisp := os.Getenv("WB_ORG_LISP")
	if lisp == "" || os.Getenv("WB_ORG_RANDOM") == "" {
		t.Skip("set WB_ORG_LISP to the lisp directory of Org 9.8 and WB_ORG_RANDOM to COUNT or COUNT@SEED to compare with Emacs")
	}
	if _, err := exec.LookPath("emacs"); err != nil {
		t.Skip("no emacs: apt-get install emacs-nox")
	}
	countText, seedText, _ := strings.Cut(os.Getenv("WB_ORG_RANDOM"), "@")
	count, _ := strconv.Atoi(countText)
	first, _ := strconv.ParseUint(seedText, 10, 64)
	dir := t.TempDir()
	var files []string
	for i := range uint64(count) {
		name := filepath.Join(dir, fmt.Sprintf("%06d.org", first+i))
		if err := os.WriteFile(name, []byte(randomDocument(rand.New(rand.NewPCG(first+i, 1)), 30)), 0o644); err != nil {
			t.Fatal(err)
		}
		files = append(files, name)
	}
	for len(files) > 0 {
		n := min(len(files), 200)
		confirm(t, lisp, files[:n])
		files = files[n:]
	}
}
