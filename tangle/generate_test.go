package tangle

import (
	"fmt"
	"math/rand"
	"strings"
)

// generator makes random org documents for the comparison with Emacs. The
// same seed makes the same document.
type generator struct {
	*rand.Rand
	b         strings.Builder
	comments  bool     // :comments may appear: only languages with a mode then
	names     []string // of source blocks
	refs      []string // :noweb-ref values
	data      []string // names of tables, lists and texts
	functions []string // names of blocks that can be run
	n         int
	self      int // index of the name of the block being written, -1 for none
}

// generate returns the document of a seed.
func generate(seed int64) string {
	g := &generator{Rand: rand.New(rand.NewSource(seed))}
	g.comments = g.chance(50)
	g.prepareNames()
	g.preamble()
	for range g.Intn(6) {
		g.element("")
	}
	level := 1
	for range g.Intn(6) {
		g.heading(level)
		for range g.Intn(5) {
			g.element("")
		}
		level = max(1, level+g.Intn(3)-1)
	}
	text := g.b.String()
	switch {
	case g.chance(4):
		text = strings.ReplaceAll(text, "\n", "\r\n")
	case g.chance(5):
		text = strings.TrimSuffix(text, "\n")
	}
	return text
}

func (g *generator) chance(percent int) bool { return g.Intn(100) < percent }

func (g *generator) pick(choices ...string) string { return choices[g.Intn(len(choices))] }

// maybe returns one of the choices with the given probability.
func (g *generator) maybe(percent int, choices ...string) string {
	if !g.chance(percent) {
		return ""
	}
	return g.pick(choices...)
}

func (g *generator) line(format string, args ...any) { fmt.Fprintf(&g.b, format+"\n", args...) }

// prepareNames decides on names beforehand, so that references may point
// forward.
func (g *generator) prepareNames() {
	for i := range 4 {
		g.names = append(g.names, fmt.Sprintf("%s-%d", g.pick("alpha", "Beta", "gamma delta", "x.y/z", "ünï"), i))
	}
	g.refs = []string{"parts", "more-parts"}
}

func (g *generator) preamble() {
	if g.chance(5) {
		g.line("# -*- mode: org -*-")
	}
	if g.chance(10) {
		g.line(":PROPERTIES:\n:header-args: %s\n:END:", g.args("sh", true))
	}
	if g.chance(40) {
		g.line("#+TITLE: %s", g.words())
	}
	if g.chance(30) {
		g.line("#+PROPERTY: header-args %s", g.args("sh", true))
	}
	for g.chance(15) {
		g.line("#+%s: header-args%s %s", g.pick("PROPERTY", "property"), g.pick("+", "+", "", "+:sh", ":sh+"), g.args("sh", true))
	}
	if g.chance(15) {
		g.line("#+PROPERTY: header-args:%s %s", g.language(), g.args("sh", true))
	}
	if g.chance(5) {
		g.line("#+TODO: OPEN WAIT | CLOSED")
	}
	if g.chance(30) {
		g.line("")
	}
}

func (g *generator) words() string {
	all := []string{"Alpha", "beta", "[[https://e.org][link]]", "x/y", "a  b", "[1/2]", "*bold*", "日本語", "é", "%file", "%link",
		"(paren)", "[brackets]", "back\\slash", "\"quoted\"", "50%", "<<anchor>>", "#hash", "dots...", "tag:like", "a:b", "~code~", "--", "'"}
	var words []string
	for range 1 + g.Intn(3) {
		words = append(words, all[g.Intn(len(all))])
	}
	return strings.Join(words, " ")
}

func (g *generator) heading(level int) {
	title := strings.Repeat("*", level) + " "
	title += g.maybe(15, "TODO ", "DONE ", "OPEN ")
	title += g.maybe(8, "[#A] ", "[#C] ")
	title += g.maybe(5, "COMMENT ")
	if g.chance(95) {
		title += g.words()
	}
	title += g.maybe(15, " :tag:", "   :a:b:", " :noexport:", " :ARCHIVE:", " :x_y@z:")
	g.line("%s", title)
	if g.chance(8) {
		g.line("SCHEDULED: <2026-01-02 Fri>")
	}
	if g.chance(35) {
		g.line(":PROPERTIES:")
		for range 1 + g.Intn(2) {
			switch g.Intn(6) {
			case 0:
				g.n++
				g.line(":CUSTOM_ID: cid-%d", g.n)
			case 1:
				g.line(":header-args+: %s", g.args("sh", true))
			case 2:
				g.line(":header-args:%s: %s", g.language(), g.args("sh", true))
			case 3:
				g.line("%s", g.pick(":Foo: bar", ":header-args: nil", ":header-args:", ":header-args+:", ":ID: the-id", ":header-args+: nil"))
			default:
				g.line(":%s: %s", g.pick("header-args", "HEADER-ARGS"), g.args("sh", true))
			}
		}
		g.line(":END:")
	}
	if g.chance(4) {
		g.line(":LOGBOOK:\n- note\n:END:")
	}
}

func (g *generator) element(indent string) {
	switch g.Intn(20) {
	case 0, 1:
		g.line("%s%s", indent, g.words())
		if g.chance(50) {
			g.line("%s%s", indent, g.words())
		}
		g.blank()
	case 2:
		g.table(indent)
	case 3:
		g.list(indent)
	case 4:
		g.text(indent)
	case 5:
		g.line("%s#+begin_quote", indent)
		g.block(indent)
		g.line("%s#+end_quote", indent)
	case 6:
		g.line("%s- item", indent)
		g.block(indent + "  ")
	case 7:
		if g.chance(50) {
			g.function(indent)
		} else {
			g.line("%s:DRAWER:", indent)
			g.block(indent)
			g.line("%s:END:", indent)
		}
	case 8:
		g.odd(indent)
	default:
		g.block(indent)
	}
}

func (g *generator) blank() {
	if g.chance(60) {
		g.line("")
	}
}

// odd writes what authors get wrong.
func (g *generator) odd(indent string) {
	switch g.Intn(12) {
	case 7:
		g.line("%s#+name: %s\n", indent, g.names[g.Intn(len(g.names))]) // names nothing
	case 8:
		g.line("%s#+foo: bar\n%s#+attr_html: :x y", indent, indent)
		g.block(indent)
	case 9:
		g.line("[fn:1] A footnote.\n")
		g.block(indent)
	case 10:
		g.line("%s:PROPERTIES:\n%s:header-args: :tangle lost.txt\n%s:END:", indent, indent, indent)
	case 11:
		g.line("#+begin_src sh :tangle strange.sh\nx\n#+end_srcfoo\ny\n#+end_src")
	case 0:
		g.line("%s#+begin_example\n%s#+begin_src sh :tangle odd.sh\nodd\n%s#+end_src\n%s#+end_example", indent, indent, indent, indent)
	case 1:
		g.line("%s#+begin_src sh :tangle never.sh\n%snever closed", indent, indent)
	case 2:
		g.line("# comment\n# #+begin_src sh :tangle no.sh\n# x\n# #+end_src")
	case 3:
		g.line("%s#+end_src", indent)
	case 4:
		g.line("%s#+RESULTS:\n%s: 5", indent, indent)
	case 5:
		g.line("text <<target-%d>>", g.Intn(3))
	case 6:
		g.line("#+begin_src sh :tangle star.sh\nbefore\n* Heading inside\nafter\n#+end_src")
	}
}

func (g *generator) named(kind string) string {
	g.n++
	name := fmt.Sprintf("%s%d", kind, g.n)
	g.data = append(g.data, name)
	return name
}

func (g *generator) cell() string {
	return g.pick("1", "2.5", "-3", "a", "two words", "", "\"q\"", "1e3", "it's", "x=1", "0x10", "[l]", "(+ 1 2)", "日本", "1.50", "a\\vert b")
}

func (g *generator) table(indent string) {
	g.line("%s#+%s: %s", indent, g.pick("name", "NAME"), g.named("tbl"))
	rows, columns := 1+g.Intn(4), 1+g.Intn(3)
	rule := -1
	if g.chance(60) {
		rule = g.Intn(rows)
	}
	for r := range rows {
		cells := make([]string, columns)
		for c := range cells {
			cells[c] = g.cell()
		}
		g.line("%s| %s |", indent, strings.Join(cells, " | "))
		if r == rule || g.chance(8) {
			g.line("%s|---|", indent)
		}
	}
	if g.chance(20) {
		g.line("%s#+TBLFM: $1=5", indent)
	}
	g.blank()
}

func (g *generator) list(indent string) {
	g.line("%s#+name: %s", indent, g.named("lst"))
	bullet := g.pick("-", "+", "1.", "1)")
	for range 1 + g.Intn(3) {
		g.line("%s%s %s%s", indent, bullet, g.maybe(15, "[X] ", "[@3] ", "tag :: "), g.cell()+"z")
		if g.chance(15) {
			g.line("%s   more text", indent)
		}
		if g.chance(15) {
			g.line("%s   - nested", indent)
		}
		if g.chance(10) {
			g.line("")
		}
	}
	g.line("\n\nAfter the list.")
}

func (g *generator) text(indent string) {
	switch g.Intn(5) {
	case 0:
		g.line("%s#+name: %s\n%s: %s", indent, g.named("fix"), indent, g.pick("5", "some text", "1.5"))
	case 1:
		g.line("%s#+name: %s\n%s#+begin_example\n%s  one\n%s,* two\n%s#+end_example", indent, g.named("ex"), indent, indent, indent, indent)
	case 2:
		g.line("%s#+name: %s\n%sA paragraph\n%sof two lines.", indent, g.named("par"), indent, indent)
	case 3:
		g.line("%s#+name: %s\n%s#+begin_quote\n%s  quoted\n%s#+end_quote", indent, g.named("quo"), indent, indent, indent)
	case 4:
		g.line("%s#+name: %s\n%s: one\n%s:   two", indent, g.named("fix"), indent, indent)
	}
	g.blank()
}

// function writes a block that the tests can run.
func (g *generator) function(indent string) {
	g.n++
	name := fmt.Sprintf("fun%d", g.n)
	g.functions = append(g.functions, name)
	body := g.pick("(* n n)", "(list n 2 \"x\")", "(format \"<%s>\" n)", "(list (list n 1) (list \"a\" 2.5))", "(+ n 0.5)")
	g.line("%s#+name: %s\n%s#+begin_src emacs-lisp :var n=3\n%s%s\n%s#+end_src", indent, name, indent, indent, body, indent)
	g.blank()
}

// plainLanguages have an editing mode in Emacs; others are used only where no
// comments are asked for.
var plainLanguages = []string{"sh", "sh", "bash", "python", "python", "emacs-lisp", "C", "C++", "java", "js", "css", "html",
	"sql", "perl", "ruby", "awk", "makefile", "conf", "latex", "org", "lisp", "scheme", "octave", "fortran", "f90"}

var otherLanguages = []string{"text", "rust", "go", "yaml", "typescript", "haskell", "lua", "unknownlang", "json", "R", "julia",
	"ocaml", "dot", "lilypond", "plantuml", "processing", "D", "csharp", "maxima", "toml", "sed", "elisp", "cpp"}

func (g *generator) language() string {
	if !g.comments && g.chance(40) {
		return otherLanguages[g.Intn(len(otherLanguages))]
	}
	return plainLanguages[g.Intn(len(plainLanguages))]
}

// args makes header arguments; inherited ones hold no names.
func (g *generator) args(language string, inherited bool) string {
	var args []string
	add := func(percent int, format string, choices ...string) {
		if g.chance(percent) {
			args = append(args, strings.ReplaceAll(format, "%", g.pick(choices...)))
		}
	}
	add(70, ":tangle %", "yes", "yes", "no", "out.txt", "out.sh", "a.py", "sub/dir/x.c :mkdirp yes", "\"sp ace.txt\"",
		"(concat \"con\" \"cat.el\")", "(if (eq 1 1) \"if.txt\" \"no\")", "./dot.txt", "sub/../up.txt", "ünï.txt")
	if g.comments {
		add(50, ":comments %", "link", "yes", "no", "noweb", "org", "both")
	}
	add(25, ":padline %", "no", "yes")
	add(50, ":noweb %", "yes", "yes", "no", "tangle", "eval", "no-export", "strip-export", "strip-tangle")
	add(8, ":noweb-prefix %", "no", "yes")
	add(6, ":noweb-sep %", "\"\\n\\n\"", "\", \"", "\"\"")
	add(10, ":shebang %", "\"#!/bin/sh\"", "#!/usr/bin/env python3")
	add(8, ":tangle-mode %", "(identity #o755)", "o600", "rwxr-xr--", "u+x", "(identity #o444)")
	add(6, ":no-expand%", "", " yes")
	add(8, ":prologue %", "\"PRO\"", "pro logue")
	add(8, ":epilogue %", "\"EPI\"", "epi")
	add(5, ":results %", "output", "value table", "silent")
	add(4, ":exports %", "none", "both")
	add(3, ":eval %", "no", "never")
	add(4, ":hlines %", "yes", "no")
	add(4, ":colnames %", "yes", "no", "yes")
	add(1, ":rownames %", "yes", "no")
	add(2, ":unknown %", "x", "'sym")
	if inherited {
		add(5, ":noweb-ref %", g.refs...)
		add(8, ":var %", "inh=1", "inh=\"text\"")
		g.Shuffle(len(args), func(i, j int) { args[i], args[j] = args[j], args[i] })
		return strings.Join(args, " ")
	}
	add(12, ":noweb-ref %", g.refs...)
	if g.chance(30) && !g.noVars(language) {
		args = append(args, ":var "+g.variables())
	}
	g.Shuffle(len(args), func(i, j int) { args[i], args[j] = args[j], args[i] })
	return strings.Join(args, g.pick(" ", " ", " ", "  ", " \t"))
}

// noVars are languages where any list among the variables is an error in Emacs
// or becomes a temporary file.
func (g *generator) noVars(language string) bool {
	switch language {
	case "sql", "plantuml", "lua", "fortran":
		return true
	}
	return false
}

func (g *generator) variables() string {
	var vars []string
	for i := range 1 + g.Intn(2) {
		value := g.pick("5", "1.5", "\"text\"", "\"it's\"", "'sym", "'(1 2)", "'((1 \"a\") (2 \"b\"))", "(+ 1 2)", "\"a\\nb\"", "(list \"x\" 1)")
		switch {
		case len(g.functions) > 0 && g.chance(15):
			value = g.functions[g.Intn(len(g.functions))] + g.maybe(60, "()", "(4)", "(n=7)")
		case len(g.data) > 0 && g.chance(50):
			value = g.data[g.Intn(len(g.data))] + g.maybe(30, "[0]", "[-1]", "[0,0]", "[0:1]", "[,0]", "[*,-1]")
		}
		vars = append(vars, fmt.Sprintf("%s=%s", g.pick("x", "y", "val", "my_var")+fmt.Sprint(i), value))
	}
	return strings.Join(vars, g.pick(" ", " :var "))
}

func (g *generator) block(indent string) {
	language := g.language()
	g.self = -1
	if g.chance(30) {
		g.self = g.Intn(len(g.names))
		g.line("%s#+%s: %s%s", indent, g.pick("name", "NAME", "Name", "name", "name"), g.names[g.self], g.maybe(4, " ", "\t", "\n"))
	}
	if g.chance(8) {
		g.line("%s#+%s: %s", indent, g.pick("HEADER", "headers", "header"), g.args(language, false))
	}
	if g.chance(4) {
		g.line("%s#+CAPTION: a caption", indent)
	}
	begin, end := "begin_src", "end_src"
	if g.chance(20) {
		begin, end = "BEGIN_SRC", "END_SRC"
	}
	switches := g.maybe(15, " -n", " -r", " -i", " -n 10 -r", " -l \"<%s>\" -r", " +n", " -k")
	args := g.args(language, false)
	if args != "" {
		args = g.pick(" ", " ", "  ", "\t") + args
	}
	if g.chance(2) && !g.comments {
		language = ""
	}
	word := ""
	if language != "" {
		word = " " + language
	}
	if word == "" {
		args = strings.ReplaceAll(args, "\t", " ")
	}
	g.line("%s#+%s%s%s%s", indent, begin, word, switches, args+g.maybe(5, " ", "  "))
	inner := indent
	if g.chance(30) {
		inner += g.pick("  ", "\t", "    ")
	}
	for range g.Intn(5) {
		g.line("%s", g.code(inner))
	}
	g.line("%s#+%s", indent, end+g.maybe(3, "  "))
	g.blank()
}

// code makes one line of a body.
func (g *generator) code(indent string) string {
	switch g.Intn(12) {
	case 0:
		return g.pick("", "", indent, indent+"  ")
	case 1, 2, 3:
		return indent + g.pick("", "", "  ", "\t", "# ", "x = [") + "<<" + g.target() + ">>" + g.maybe(30, "]", " <<"+g.target()+">>", " tail")
	case 4:
		return indent + g.pick(",* star", ",#+keyword", ",,* double", ",plain", " ,#+x", "#+not-special")
	case 5:
		return indent + "coded" + g.pick(" (ref:one)", "  (ref:two) ", " <three>", " (ref:)")
	case 6:
		return indent + g.pick("  deeper", "\tdeeper", "    deeper")
	case 7:
		return g.pick("outdented", " less", "\u00a0nbsp", "\f", indent+" \t mixed", "a\tb", "\t\t", "x\r")
	case 8:
		return indent + g.pick("int main() {", "}", "if x:", "echo \"$x0\" $y1 val0", "int main(void)", "public class Foo {", "import a.b;", "*/ --> end", "trailing   ", "program x")
	}
	return indent + g.pick("echo hi", "print(1)", "日本", "x <- 1", "a << b >> c", "<<", ">>", "\"string\"", "\\backslash", "it's", "%s $1 \\1")
}

func (g *generator) target() string {
	switch {
	case len(g.functions) > 0 && g.chance(15):
		return g.functions[g.Intn(len(g.functions))] + g.pick("()", "(n=4)", "(5)")
	case g.chance(8):
		return g.pick("undefined", "cid-1", "cid-2", "the-id", "two words", "v", "a b")
	case g.chance(20) && (g.self < 0 || g.chance(3)):
		return g.refs[g.Intn(len(g.refs))]
	}
	// Mostly refer forward, so that few documents go in circles.
	from := g.self + 1
	if from == len(g.names) || g.chance(2) {
		from = 0
	}
	if from == 0 && g.self >= 0 && !g.chance(5) {
		return "nothing"
	}
	name := g.names[from+g.Intn(len(g.names)-from)]
	if g.chance(10) {
		return strings.ToUpper(name)
	}
	return name
}
