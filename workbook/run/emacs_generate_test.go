package run

import (
	"fmt"
	"math/rand"
	"slices"
	"strings"
)

// generator makes random documents whose execution is compared with Emacs. The
// same seed makes the same document.
type generator struct {
	*rand.Rand
	b     strings.Builder
	langs []string
	data  []string // names of tables, lists and texts
	code  []string // names of blocks that were written
	taken int      // names given so far
}

// generate returns the document of a seed, its blocks in some of the languages.
func generate(seed int64, langs ...string) string {
	g := &generator{Rand: rand.New(rand.NewSource(seed)), langs: langs}
	g.preamble()
	for range 1 + g.Intn(3) {
		g.element()
	}
	for range g.Intn(3) {
		g.heading()
		for range 1 + g.Intn(4) {
			g.element()
		}
	}
	text := g.b.String()
	switch {
	case g.chance(3):
		text = strings.ReplaceAll(text, "\n", "\r\n")
	case g.chance(10) && !strings.Contains(text, "append"):
		text = strings.TrimRight(text, "\n")
		if strings.HasPrefix(strings.ToLower(text[strings.LastIndex(text, "\n")+1:]), "#+results") {
			text += "\n" // Emacs would write on that line
		}
	}
	return text
}

func (g *generator) chance(percent int) bool { return g.Intn(100) < percent }

func (g *generator) pick(choices ...string) string { return choices[g.Intn(len(choices))] }

func (g *generator) maybe(percent int, choices ...string) string {
	if !g.chance(percent) {
		return ""
	}
	return g.pick(choices...)
}

// lines writes text at an indentation; blank lines stay bare.
func (g *generator) lines(indent, text string) {
	for l := range strings.Lines(text) {
		if strings.TrimSpace(l) != "" {
			g.b.WriteString(indent)
		}
		g.b.WriteString(strings.TrimSuffix(l, "\n") + "\n")
	}
}

func (g *generator) line(indent, format string, args ...any) {
	g.lines(indent, fmt.Sprintf(format, args...)+"\n")
}

func (g *generator) preamble() {
	if g.chance(40) {
		g.line("", "#+TITLE: Some notes")
	}
	if g.chance(25) {
		g.line("", "#+PROPERTY: header-args %s", g.common())
	}
	if g.chance(10) {
		g.line("", "#+PROPERTY: header-args:%s %s", g.pick(g.langs...), g.common())
	}
	if g.chance(8) {
		g.line("", "#+PROPERTY: header-args+ %s", g.pick(":var k=7", ":wrap aside", ":results drawer"))
	}
	if g.chance(60) {
		g.line("", "\nSome text.\n")
	}
}

func (g *generator) heading() {
	g.line("", "* %s%s%s", g.maybe(20, "TODO ", "DONE ", "COMMENT "), g.pick("Alpha", "Beta gamma", "Δelta"), g.maybe(15, "  :tag:", " :noexport:"))
	if g.chance(30) {
		g.line("", ":PROPERTIES:")
		g.line("", ":%s %s", g.pick("header-args:", "header-args+:", "header-args:say:", "HEADER-ARGS:"), g.common())
		g.line("", ":END:")
	}
}

// common are header arguments that any block may inherit.
func (g *generator) common() string {
	return g.pick(":results raw", ":results drawer", ":results output", ":results value", ":results verbatim", ":exports both", ":results list",
		":eval yes", ":var k=3", `:var k="seven"`, ":wrap quote", ":hlines yes", ":results append", ":colnames yes", ":cache no", ":results pp")
}

func (g *generator) element() {
	switch g.Intn(20) {
	case 0, 1, 2:
		g.dataElement()
	case 3:
		g.prose()
	case 4:
		g.inList()
	case 5:
		g.inContainer()
	case 6, 7:
		g.callLine()
	case 8, 9:
		g.inlineCode()
	default:
		g.block("")
	}
}

func (g *generator) prose() {
	g.line("", "%s", g.pick("Just a paragraph\nof two lines.", "- an item\n- another\n  - below", "| a | b |\n| 1 | 2 |", "# a comment", ":LOGBOOK:\nnote\n:END:"))
	g.gap()
}

// gap ends an element: mostly with a blank line, sometimes with none or two.
func (g *generator) gap() {
	switch {
	case g.chance(75):
		g.line("", "")
	case g.chance(20):
		g.line("", "\n")
	case g.chance(30):
		g.line("", "Text that follows.")
	}
}

func (g *generator) newName() string {
	g.taken++
	return fmt.Sprintf("%s-%d", g.pick("one", "Two", "three_3", "x.y"), g.taken)
}

func (g *generator) dataElement() {
	name := g.newName()
	g.data = append(g.data, name)
	g.line("", "\n#+NAME: %s", name)
	g.line("", "%s", g.pick(
		"| 1 | 2 |\n| 3 | 4 |",
		"| a | b |\n|---+---|\n| 1 | x |\n| 2.5 | y z |",
		"| one |\n| two |",
		"| a | b | c |\n|---+---+---|\n| 1 | 2 | 3 |\n|---+---+---|\n| 4 | 5 | 6 |",
		"|   | x | y |\n| r | 1 | 2 |\n| s | 3 | 4 |",
		"- apples\n- 12\n- pears and plums",
		"- a\n  - nested\n- b",
		": fixed width",
		": 42",
		": two words",
		"#+begin_example\nexample text\n#+end_example",
		"| 日本 | é |\n| <l> | 5 |",
	))
	g.line("", "")
}

// inList puts a block or call into a list item.
func (g *generator) inList() {
	g.line("", "\n- an item")
	g.block("  ")
	if g.chance(50) {
		g.line("", "- another")
		if g.chance(50) {
			g.line("  ", "- nested")
			g.block("    ")
		}
	}
	g.line("", "\n")
}

func (g *generator) inContainer() {
	open, end := "#+begin_quote", "#+end_quote"
	switch g.Intn(4) {
	case 0:
		open, end = ":DRAWER:", ":END:"
	case 1:
		open, end = "#+begin_center", "#+end_center"
	case 2:
		open, end = "#+begin_aside", "#+end_aside"
	}
	indent := g.maybe(20, "  ")
	g.line(indent, "%s", open)
	g.block(indent)
	g.line(indent, "%s", end)
	g.gap()
}

// block writes a source block and, half of the time, an old result.
func (g *generator) block(indent string) {
	lang := g.pick(g.langs...)
	name := ""
	if g.chance(50) {
		name = g.newName()
		g.line(indent, "#+%s: %s", g.pick("NAME", "name"), name)
	}
	if g.chance(12) && lang != "python" { // whose body must know whether it may return
		g.line(indent, "#+%s: %s", g.pick("HEADER", "header", "HEADERS"), g.common())
	}
	if g.chance(8) {
		g.line(indent, "%s", g.pick("#+CAPTION: Shown", "#+ATTR_HTML: :width 3"))
	}
	indent += g.maybe(6, " ", "    ", "\t")
	args, vars := g.args(lang, name)
	keyword := g.pick("begin", "begin", "BEGIN")
	g.line(indent, "#+%s_%s %s%s", keyword, g.pick("src", "src", "SRC"), lang, args)
	g.lines(indent+g.maybe(15, "  "), g.body(lang, vars, name, args))
	g.line(indent, "#+%s_src", strings.Replace(keyword, "begin", "end", 1))
	if keyword == "BEGIN" {
		text := g.b.String()
		g.b.Reset()
		g.b.WriteString(strings.TrimSuffix(text, "BEGIN_src\n") + map[bool]string{true: "END_src\n", false: ""}[strings.HasSuffix(text, "BEGIN_src\n")])
	}
	if name != "" {
		g.code = append(g.code, name)
	}
	if g.chance(45) {
		g.oldResult(indent, name)
		g.line("", "") // what stands below an old result may become part of it
	}
	g.gap()
}

// args are a block's header arguments and the variables they define.
func (g *generator) args(lang, name string) (text string, vars []string) {
	var out []string
	words := g.maybe(70, g.results())
	if lang == "python" && !strings.Contains(words, "output") {
		words = strings.TrimSpace("value " + strings.ReplaceAll(words, "value", ""))
	}
	if words != "" { // empty, Emacs fails
		out = append(out, ":results "+words)
	}
	for g.chance(35) && len(vars) < 3 {
		v := string(rune('x' + len(vars)))
		if expr := g.expression(lang); expr != "" {
			out = append(out, ":var "+v+"="+expr)
			vars = append(vars, v)
		}
	}
	if len(vars) > 0 {
		out = append(out, g.maybe(20, ":colnames yes", ":colnames no", ":colnames nil", ":rownames yes", ":hlines yes", ":hlines no", `:colnames '("p" "q")`))
	}
	if g.chance(15) {
		out = append(out, ":wrap"+g.pick("", " quote", " example", " src js", " export html", " src org :a b", " results", " no", " center", " \"src js\""))
	}
	if g.chance(10) {
		out = append(out, g.pick(":file out.txt", ":file-ext txt", `:file "a b.txt"`, ":file out.txt :output-dir made", ":file-ext dat :output-dir made/deep"))
		out = append(out, g.maybe(50, ":file-desc Words", ":file-desc", `:file-desc "two words"`, ":file-mode (identity #o600)"))
	}
	if name == "" { // what others take from such blocks is not what they print; see testdata/differences
		out = append(out, g.maybe(8, ":cache yes", ":cache no"), g.maybe(8, ":eval no", ":eval never", ":noeval"))
	}
	out = append(out, g.maybe(15, ":exports both", ":exports none", ":exports results", ":exports code"),
		g.maybe(6, ":eval yes", ":eval no-export", ":eval never-export"), g.maybe(5, ":session none"), g.maybe(3, ":sep ,"))
	if g.chance(6) && lang != "say" {
		out = append(out, g.pick(`:prologue "echo before"`, `:epilogue "echo after"`))
		if lang != "sh" && lang != "bash" {
			out = out[:len(out)-1]
		}
	}
	if g.chance(8) && len(g.code) > 0 {
		out = append(out, ":noweb "+g.pick("yes", "no", "eval", "no-export", "tangle", "strip-export", "strip-tangle"))
	}
	if g.chance(5) && len(g.code) > 0 {
		out = append(out, ":post "+g.pick(g.code...)+g.pick("(x=*this*)", "()"))
	}
	for _, a := range out {
		if a != "" {
			text += " " + a
		}
	}
	return text, vars
}

// results are words of :results, mostly sensible.
func (g *generator) results() string {
	kinds := []string{"table", "vector", "list", "scalar", "verbatim", "file"}
	if g.langs[0] != "say" {
		kinds = kinds[:5] // what a program prints ends in a line break, which Emacs puts into the link
	}
	words := []string{g.maybe(50, "value", "output"), g.maybe(40, kinds...),
		g.maybe(40, g.forms()...),
		g.maybe(25, "replace", "silent", "none", "append", "prepend", "discard")}
	return strings.Join(strings.Fields(strings.Join(words, " ")), " ")
}

// forms are words of :results about form. Pictures of Python need matplotlib.
func (g *generator) forms() []string {
	forms := []string{"raw", "org", "html", "latex", "code", "pp", "drawer", "link", "graphics"}
	if slices.Contains(g.langs, "python") {
		return forms[:8]
	}
	return forms
}

// expression is the right side of a :var.
func (g *generator) expression(lang string) string {
	literals := []string{"5", "-2.5", `"a text"`, "word", `"x,y"`, "1e3"}
	if lang == "say" {
		literals = append(literals, "'(1 2 3)", "(list 1 \"b\")", "(+ 1 2)", `'(("a" 1) ("b" 2))`, "()", `""`)
	}
	names := g.data
	if lang == "say" || g.chance(30) {
		names = append(names[:len(names):len(names)], g.code...)
	}
	if len(names) == 0 || g.chance(30) {
		return g.pick(literals[:3]...) + ""
	}
	name := g.pick(names...)
	switch g.Intn(6) {
	case 0:
		return name + g.pick("[0]", "[1]", "[0,1]", "[,0]", "[0:1,0]", "[-1]", "[1:-1]", "[0:0]", "[,-1]", "[]", "[*,0]", "[0:1]")
	case 1:
		for _, c := range g.code {
			if c == name {
				return name + "()"
			}
		}
	}
	return name
}

// body is what a block says. Others may refer to blocks that have a name, and
// put their values into tables and running text: only the others (free) give
// texts of several lines, or nothing; see testdata/differences.
func (g *generator) body(lang string, vars []string, name, args string) string {
	if strings.Contains(args, ":noweb ") && lang != "js" && g.chance(60) && len(g.code) > 0 {
		return g.nowebBody(lang)
	}
	free := name == "" && !strings.Contains(args, " table") && !strings.Contains(args, " vector") && !strings.Contains(args, " file")
	switch lang {
	case "say", "emacs-lisp":
		return g.sayBody(vars, free)
	case "python":
		return g.pythonBody(vars, args)
	case "js":
		return g.jsBody(vars)
	}
	return g.shellBody(vars, free)
}

func (g *generator) nowebBody(lang string) string {
	ref := "<<" + g.pick(g.code...) + g.maybe(30, "()") + ">>"
	switch lang {
	case "python":
		return "# " + ref + "\npass"
	case "say", "emacs-lisp":
		return g.pick(ref, "(progn\n  "+ref+")", "(list 1\n"+ref+")", "\"some "+ref+"\"")
	}
	return g.pick(ref, "echo start\n"+ref, "echo \""+ref+"\"")
}

// sayBody is a Lisp expression.
func (g *generator) sayBody(vars []string, free bool) string {
	if len(vars) > 0 && g.chance(70) {
		v := vars[g.Intn(len(vars))]
		return g.pick(v, v, "(list "+strings.Join(vars, " ")+")", "(format \"%s!\" "+v+")", "(list (if (stringp "+v+") (length "+v+") "+v+") 1)", "(if (listp "+v+") (length "+v+") "+v+")", "(format \"%S\" "+v+")")
	}
	if free && g.chance(50) {
		return g.pick(`"two\nlines"`, `"two\nlines\n"`, `"1\n2\n3\n4\n5\n6\n7\n8\n9\n"`, `"1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n"`,
			`"* star\n#+key: x\n,* more\n"`, `"a\n\nb"`, `"\n\nlead"`, `"  indented\n    more"`, `"| a | b |\n| 1 | long |"`,
			`"- x\n- y"`, `""`, "nil", `":drawer:\nx\n:end:"`, `"#+begin_example\nx\n#+end_example"`, `"* h\n| a|b |"`,
			`"11\n* 12\n13\n14\n15\n16\n17\n18\n19\n,* 20\n21"`, `"trailing  \nblank "`)
	}
	return g.pick(
		`"text"`, `"tab\there"`, "42", "-1", "2.5", "1.0", "1e20", "'(1 2 3)", `'("a" "b")`, "'((1 2) (3 4))",
		`'(("head" "er") hline (1 2.25) ("longer" "x"))`, "'((1) (2 3))", "'(hline (1 2) hline)", `'("a" (1 2) "c")`, `'(("a" "b") ("c" "d"))`,
		`'(("x|y" "p q"))`, `'(("日本" 1) ("e" 22))`, "(list 1 (list 2 3))", "'symbol", "t",
		`"[[file:x.png]]"`, `"out.txt"`, `"comma, here"`, `"x \\, y"`, "'((1.5 \"\") (\"\" 10))", `'("a" "b c" 3)`,
	)
}

// pythonBody prints or returns a value; what is printed is one line.
func (g *generator) pythonBody(vars []string, args string) string {
	output := strings.Contains(args, "output")
	if output && strings.Contains(args, "table") {
		return "print(42)" // Emacs reads a list and its line end as Lisp; see docs/emacs.org
	}
	form := g.pick("6*7", `"text"`, "[1, 2, 3]", `[["a", 1], ["b", 2.5]]`, "-1.5", "[[1, 2], [3, 4]]", `["x", "y z"]`, "2**70", "None", "True", `("p", 1)`, "1e20", `{"k": 1}`, `"two words"`)
	if len(vars) > 0 && g.chance(60) {
		v := vars[g.Intn(len(vars))]
		form = g.pick("type("+v+").__name__", "["+strings.Join(vars, ", ")+"]", "str("+v+")", v)
	}
	if output {
		return "print(" + form + ")"
	}
	return "return " + form
}

// jsBody avoids strings with blanks: ob-js reads them as Lisp.
func (g *generator) jsBody(vars []string) string {
	if len(vars) > 0 && g.chance(60) {
		v := vars[g.Intn(len(vars))]
		return g.pick("return typeof "+v, "return ["+strings.Join(vars, ", ")+"]")
	}
	return g.pick("return 6*7", `return "text"`, "return [1,2,3]", `return [["a",1],["b",2.5]]`, "return -1.5", "return [[1,2],[3,4]]", `return ["x", "y z"]`, "return 2**40")
}

func (g *generator) shellBody(vars []string, free bool) string {
	if len(vars) > 0 && g.chance(60) {
		v := vars[g.Intn(len(vars))]
		return g.pick(`printf '%s\n' "$`+v+`" | wc -l | tr -d ' '`, `echo ${#`+v+`}`)
	}
	if free && g.chance(60) {
		return g.pick(`printf 'a\tb\nc\td\n'`, "printf 'a,b\\n1,2\\n'", "seq 3", "seq 12", "echo 1; echo two", "true", `printf '* star\n#+key\n'`,
			"printf 'a b\\nc d\\n'", "printf 'x \\ny \\n'", "printf '1 2\\n3\\n'", "printf 'é ü\\n'", "echo a b | tr ' ' '\\n'")
	}
	return g.pick("echo hello", "echo hello world", "printf 'no newline'", `echo '| a | b |'`, `echo "quo\"te"`, "echo ' lead'", "echo 3.50", "echo 007",
		"echo 'a|b'", "printf 'a,\"b c\"\\n'", "echo $((6*7))")
}

// oldResult is what an earlier run, or a hand, left below a block.
func (g *generator) oldResult(indent, name string) {
	gap := g.pick("\n", "\n", "\n", "", "\n\n")
	g.b.WriteString(gap)
	hash := g.maybe(10, "[0123456789abcdef0123456789abcdef01234567]")
	label := name
	if name != "" {
		label = " " + name
	}
	if g.chance(8) {
		g.line(indent, "#+CAPTION: of a result")
	}
	g.line(indent, "#+%s%s:%s", g.pick("RESULTS", "RESULTS", "results"), hash, label)
	g.lines(indent, g.pick(
		": old\n", ": old\n: lines\n", "| 1 | 2 |\n", "| 1 | 2 |\n#+TBLFM: $1=3\n", "- old\n- list\n", ":results:\nold\n:end:\n", ":RESULTS:\n| a |\n\ntext\n:END:\n",
		"#+begin_example\nold\n#+end_example\n", "#+begin_src say\nold\n#+end_src\n", "#+begin_export html\n<b>old</b>\n#+end_export\n",
		"[[file:old.txt]]\n", "#+begin_quote\nold\n#+end_quote\n", "", "", "old paragraph\nof lines\n", "#+begin_results\nold\n#+end_results\n",
		"[[file:old.txt]]\nand more text\n", "#+attr_html: :x y\n| 1 |\n", "#+begin_results\n: unclosed\n", "# comment\n", "\\begin{equation}\nx\n\\end{equation}\n",
		"-----\n", "1. x\n2. y\n",
	))
}

func (g *generator) callLine() {
	if len(g.code) == 0 {
		g.block("")
		return
	}
	indent := g.maybe(15, "  ")
	name := ""
	if g.chance(30) {
		name = g.newName()
		g.line(indent, "#+NAME: %s", name)
	}
	inside := g.maybe(20, "[:results output]", "[:var q=1]", "[:results verbatim]")
	args := g.pick("", "", "x=4", `x="given"`, "x=(+ 1 1)", "x=5, y=6")
	if len(g.data) > 0 && g.chance(25) {
		args = "x=" + g.pick(g.data...)
	}
	end := g.maybe(35, "[:results list]", "[:wrap quote]", "[:results raw]", ":results drawer", ":results append", "[:results org]", ":wrap example", "[:results silent]")
	if end != "" {
		end = " " + strings.TrimPrefix(end, " ")
	}
	g.line(indent, "#+%s: %s%s(%s)%s", g.pick("CALL", "call"), g.pick(g.code...), inside, args, strings.ReplaceAll(end, " [", "["))
	if g.chance(30) {
		g.oldResult(indent, name)
	}
	g.gap()
}

func (g *generator) inlineCode() {
	before := g.pick("Inline ", "The value is ", "- item with ", "* heading ", "| a | ")
	if before == "| a | " {
		before = "Words, "
	}
	var code string
	if len(g.code) > 0 && g.chance(45) {
		code = "call_" + g.pick(g.code...) + g.maybe(15, "[:results raw]") + "(" + g.pick("", "", "x=3") + ")" + g.maybe(25, "[:results html]", "[:results raw]", "[:wrap example]")
	} else {
		header := g.maybe(40, "[:results raw]", "[:results html]", "[:results verbatim]", "[:var x=2]", "[:results output]", "[:wrap src js]", "[:exports code]", "[:results code]", "[:results latex]", "[:results org]", "[:results silent]")
		body := g.pick("42", `"a text"`, `"x, y"`, "(+ 1 2)", `"line\n"`, `"two\nlines"`)
		lang := "say"
		if g.langs[0] != "say" {
			lang, body = "sh", g.pick("echo hi", "printf 'a, b'", "echo 1")
		}
		code = "src_" + lang + header + "{" + body + "}"
	}
	old := g.maybe(35, " {{{results(=old=)}}}", " {{{results(old)}}}", "  {{{results(@@html:x@@)}}}", "\n{{{results(=next line=)}}}")
	g.line("", "%s%s%s%s", before, code, old, g.maybe(60, " and on.", ".", ", more", "\nnext line"))
	g.gap()
}
