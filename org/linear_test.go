package org

import (
	"fmt"
	"strings"
	"testing"
)

// hostile are inputs that make careless parsers quadratic; each takes the
// number of bytes wanted.
var hostile = map[string]func(size int) string{
	"unterminated src":      repeat("#+begin_src\n"),
	"unterminated special":  numbered("#+begin_a%d\n"),
	"unterminated drawers":  repeat(":drawer:\n"),
	"unterminated latex":    numbered("\\begin{a%d}\n"),
	"stray ends":            repeat("#+end_src\n:end:\n"),
	"nested blocks":         nested("#+begin_a%d\n", "#+end_a%d\n"),
	"nested quotes":         nested("#+begin_quote\n", "#+end_quote\n"),
	"drawers in blocks":     nested("#+begin_a%d\n:d:\n", ":end:\n#+end_a%d\n"),
	"orphan keywords":       repeat("#+name: x\n"),
	"orphan captions":       repeat("#+caption[x]: y\n# z\n"),
	"keywords, footnotes":   repeat("#+name: x\n[fn:1] y\n"),
	"footnotes, one blank":  repeat("[fn:1] y\n\n"),
	"table.el rules":        repeat("+--+\n"),
	"table.el, no end":      func(n int) string { return repeat("+--+\n| |\n")(n) + "+x\n" },
	"headlines":             repeat("* a\n"),
	"deeper headlines":      growing("*", " a\n"),
	"deeper list":           growing(" ", "- a\n"),
	"shallower list":        shrinking(" ", "- a\n"),
	"list with text":        repeat("- a\n b\n"),
	"list with blocks":      repeat("- a\n  #+begin_src\n- b\n"),
	"list, blank lines":     repeat("- a\n\n"),
	"one item, blank lines": func(n int) string { return "- a\n - b\n" + strings.Repeat("    \n", n/5) },
	"blank lines":           repeat("\n"),
	"one line":              repeat("a"),
	"no keyword":            repeat("#+"),
	"property drawers":      repeat(":properties:\n:a: b\n"),
	"bullets":               repeat("- "),
	"clocks":                repeat("CLOCK: [2026-01-01 "),
	"tags":                  func(n int) string { return "* " + strings.Repeat(":a", n/2) + ":" },
}

// hostileText is the same for the objects of a paragraph.
var hostileText = map[string]func(size int) string{
	"bold":             repeat("*a "),
	"bold, closed":     repeat("*a* "),
	"nested emphasis":  nested("*/", "/*"),
	"verbatim":         repeat("=a "),
	"all marks":        repeat("*a /a _a +a =a ~a "),
	"links":            repeat("[[a"),
	"links, half":      repeat("[[a][b"),
	"escaped links":    repeat(`[[\\\`),
	"footnotes":        repeat("[fn:a:"),
	"footnotes nested": nested("[fn::", "]"),
	"citations":        repeat("[cite:@a;"),
	"citation":         func(n int) string { return "[cite:" + strings.Repeat("@a;", n/3) + "]" },
	"citation, no key": func(n int) string { return strings.Repeat("[cite:;", n/8) + strings.Repeat("]", n/8) },
	"macros":           repeat("{{{a("),
	"targets":          repeat("<<a"),
	"radio targets":    repeat("<<<a>>> "),
	"timestamps":       repeat("<2026-01-01 "),
	"diary":            repeat("<%%(a "),
	"diary, closed":    func(n int) string { return strings.Repeat("<%%(a ", n/6) + ">" },
	"angle links":      repeat("<http:"),
	"plain links":      repeat("http:"),
	"groups in links":  repeat("http:a(b(c "),
	"fragments":        repeat(`\(`),
	"fragments, open":  repeat(`\[a`),
	"dollars":          repeat("$a "),
	"double dollars":   repeat("$$a"),
	"macros of latex":  repeat(`\a{`),
	"entities":         repeat(`\alpha`),
	"subscripts":       repeat("a_{"),
	"scripts nested":   nested("a_{", "}"),
	"inline src":       repeat("src_"),
	"inline src, args": repeat("src_a["),
	"inline src, open": repeat("src_a{"),
	"calls":            repeat("call_a("),
	"call brackets":    repeat("call_a["),
	"snippets":         repeat("@@a:"),
	"cookies":          repeat("[1/"),
	"braces":           repeat("{{{"),
	"words":            repeat("word "),
}

func repeat(s string) func(int) string {
	return func(size int) string { return strings.Repeat(s, size/len(s)+1) }
}

func numbered(format string) func(int) string {
	return func(size int) string {
		var b strings.Builder
		for i := 0; b.Len() < size; i++ {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
}

func nested(open, close string) func(int) string {
	return func(size int) string {
		var b strings.Builder
		n := 0
		write := func(format string) {
			if strings.Contains(format, "%d") {
				format = fmt.Sprintf(format, n)
			}
			b.WriteString(format)
		}
		for ; b.Len() < size/2; n++ {
			write(open)
		}
		b.WriteString("x")
		if strings.HasSuffix(open, "\n") {
			b.WriteString("\n")
		}
		for n--; n >= 0; n-- {
			write(close)
		}
		return b.String()
	}
}

func growing(pad, line string) func(int) string {
	return func(size int) string {
		var b strings.Builder
		for i := 1; b.Len() < size; i++ {
			b.WriteString(strings.Repeat(pad, i) + line)
		}
		return b.String()
	}
}

func shrinking(pad, line string) func(int) string {
	return func(size int) string {
		lines := strings.SplitAfter(growing(pad, line)(size), "\n")
		var b strings.Builder
		for i := len(lines) - 1; i >= 0; i-- {
			b.WriteString(lines[i])
		}
		return b.String()
	}
}

// TestLinesAreSeenAFewTimes counts how often the parser looks at a line of
// hostile input: never more than a few times, whatever the size.
func TestLinesAreSeenAFewTimes(t *testing.T) {
	for name, input := range hostile {
		src := input(1 << 16)
		d, p := parse(src, Presets{})
		if d.String() != src {
			t.Errorf("%s: printing does not give the source back", name)
		}
		if lines := strings.Count(src, "\n") + 1; p.looks > 8*lines+10 {
			t.Errorf("%s: looked %d times at %d lines", name, p.looks, lines)
		}
	}
}

// TestHostileText parses the objects of hostile paragraphs; a parser that is
// not linear does not come back in time.
func TestHostileText(t *testing.T) {
	for name, input := range hostileText {
		src := input(1 << 18)
		d := ParseString(src)
		checkTree(t, d)
		checkObjects(t, d)
		if d.String() != src {
			t.Errorf("%s: printing does not give the source back", name)
		}
	}
}

// BenchmarkHostile parses hostile input of two sizes; the speed in bytes must
// not depend on the size.
func BenchmarkHostile(b *testing.B) {
	for name, input := range hostile {
		benchSizes(b, name, input, func(src string) { ParseString(src) })
	}
	for name, input := range hostileText {
		benchSizes(b, "text: "+name, input, func(src string) {
			for range ParseString(src).AllObjects() {
			}
		})
	}
}

func benchSizes(b *testing.B, name string, input func(int) string, run func(string)) {
	for _, size := range []int{1 << 16, 1 << 20} {
		src := input(size)
		b.Run(fmt.Sprintf("%s/%dK", name, size>>10), func(b *testing.B) {
			b.SetBytes(int64(len(src)))
			for b.Loop() {
				run(src)
			}
		})
	}
}
