package org

import (
	"fmt"
	"strings"
	"testing"
)

// first returns the first node of a kind in src.
func first(t *testing.T, src string, kind Kind) *Node {
	t.Helper()
	d := ParseString(src)
	for n := range d.Nodes(kind) {
		return n
	}
	for n := range d.AllObjects(kind) {
		return n
	}
	t.Fatalf("no %v in %q", kind, src)
	return nil
}

func TestInclude(t *testing.T) {
	for _, c := range []struct{ line, want string }{
		{`"a b.org::*H" :lines "1-5" :only-contents t`, `a b.org|*H||| :lines=1-5 :only-contents=t`},
		{`x.py src python -n`, `x.py||src|python| -n=`},
		{`x.txt example`, `x.txt||example||`},
		{`"unclosed x`, `"unclosed||x||`},
	} {
		inc, ok := first(t, "#+INCLUDE: "+c.line, KindKeyword).Include()
		got := fmt.Sprintf("%s|%s|%s|%s|", inc.File, inc.Search, inc.Block, inc.Lang)
		for _, a := range inc.Args {
			got += " " + a.Key + "=" + a.Text()
		}
		if !ok || got != c.want {
			t.Errorf("%s: got %s, want %s", c.line, got, c.want)
		}
	}
}

func TestPlanning(t *testing.T) {
	p, _ := first(t, "* a\nSCHEDULED: <2026-11-21 10:00> DEADLINE: soon CLOSED: [2026-1-1]\n", KindPlanning).Planning()
	if !p.Scheduled.Present() || p.Scheduled.From.Hour != 10 || p.Deadline.Present() || p.Closed.Present() {
		t.Errorf("got %+v", p)
	}
	if fmt.Sprint(p.Bare) != "[DEADLINE: CLOSED:]" {
		t.Errorf("bare keywords are %v", p.Bare)
	}
}

func TestTimestampFields(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{"<%%(diary-float t 4 2) 10:00-11:30>", "(diary-float t 4 2) 10:00 11:30"},
		{"[2026-02-31 Sat]", "invalid"},
		{"<2026-11-21 Sat 24:00>", "2026-11-21 24:00"},
		{"<2026-11-21 Sat 25:00>", "invalid"},
		{"<2026-11-21 +2w/3w -1d>", "2026-11-21 + 2 w 3 w - 1 d"},
		{"<2026-11-21]", "2026-11-21 mismatch"},
		{"2026-11-21", "no"},
		{"<2026-11-21> ", "no"},
	} {
		ts, ok := ParseTimestamp(c.src)
		if got := describe(ts, ok); got != c.want {
			t.Errorf("%s: got %s, want %s", c.src, got, c.want)
		}
	}
}

func describe(ts Timestamp, ok bool) string {
	var parts []string
	clock := func(m Moment) {
		if m.HasTime {
			parts = append(parts, fmt.Sprintf("%02d:%02d", m.Hour, m.Minute))
		}
	}
	switch {
	case !ok:
		return "no"
	case ts.Diary != "":
		parts = append(parts, ts.Diary)
	case !ts.From.Valid():
		return "invalid"
	default:
		parts = append(parts, fmt.Sprintf("%d-%02d-%02d", ts.From.Year, ts.From.Month, ts.From.Day))
	}
	clock(ts.From)
	if ts.Range {
		clock(ts.To)
	}
	for _, s := range []Shift{ts.Repeat, ts.Warn} {
		if s.Mark != "" {
			parts = append(parts, s.Mark, fmt.Sprint(s.Count), string(s.Unit))
		}
		if s.Max.Count > 0 {
			parts = append(parts, fmt.Sprint(s.Max.Count), string(s.Max.Unit))
		}
	}
	if ts.Mismatch {
		parts = append(parts, "mismatch")
	}
	return strings.Join(parts, " ")
}

func TestTodoKeywords(t *testing.T) {
	d := ParseString("#+TODO: NEXT(n) WAIT(w@/!) HOLD(!) | OK(o) NO\n#+SEQ_TODO: A B\n#+TODO:\n")
	var got []string
	for _, k := range d.Todo().List {
		fast := "-"
		if k.Fast != 0 {
			fast = string(k.Fast)
		}
		got = append(got, fmt.Sprintf("%s %v %s %s", k.Name, k.Done, fast, k.Log))
	}
	want := "NEXT false n ,WAIT false w @/!,HOLD false - !,OK true o ,NO true - ,A false - ,B true - "
	if strings.Join(got, ",") != want {
		t.Errorf("got  %s\nwant %s", strings.Join(got, ","), want)
	}
}

func TestProperty(t *testing.T) {
	d := ParseString(`#+PROPERTY: A file
#+PROPERTY: a+ more
#+PROPERTY: B file
:PROPERTIES:
:no: drawer here, it is not at the top
:END:
* one
:PROPERTIES:
:A+: one
:B: one
:C: nil
:END:
** two
:PROPERTIES:
:a+: two
:B+: two
:END:
`)
	for h := range d.Headlines() {
		var got []string
		for _, key := range []string{"A", "b", "C", "D"} {
			v, ok := d.Property(h.Node, key)
			got = append(got, fmt.Sprintf("%s=%q,%v", key, v, ok))
		}
		want := map[string]string{
			"one": `[A="file more one",true b="one",true C="nil",false D="",false]`,
			"two": `[A="file more one two",true b="one two",true C="nil",false D="",false]`,
		}[h.Title.Text]
		if fmt.Sprint(got) != want {
			t.Errorf("%s: got %v, want %v", h.Title, got, want)
		}
		if all := d.Properties(h); all["A"] != strings.Split(want, `"`)[1] || len(all) != 2 {
			t.Errorf("%s: properties are %v", h.Title, all)
		}
	}
}

func TestCode(t *testing.T) {
	for _, c := range []struct{ body, want string }{
		{"", ""},
		{"a\n", "a"},
		{"  a\n    b\n\n", "a\n  b\n"},
		{"  a\n \n  b\n", "a\n\nb"},
		{"\ta\n        b\n", "a\nb"},
		{"   a\n\tb\n", "a\n\tb"},
		{",* a\n,,* b\n,#+c\n,d\n ,* e\n", "* a\n,* b\n#+c\n,d\n * e"},
	} {
		b, _ := first(t, "#+begin_src x\n"+c.body+"#+end_src\n", KindSrcBlock).Block()
		if got := b.Code(); got != c.want {
			t.Errorf("%q: got %q, want %q", c.body, got, c.want)
		}
	}
	b, _ := first(t, "#+begin_src x -i\n  a\n#+end_src\n", KindSrcBlock).Block()
	if got := b.Code(); got != "  a" {
		t.Errorf("-i: got %q", got)
	}
	if s, _ := first(t, "x src_sh{a\n   b} y", KindInlineSrc).InlineSrc(); s.Code() != "a b" {
		t.Errorf("inline: got %q", s.Code())
	}
	for _, s := range []string{"* a\n#+b\n,* c\n  * d", "", "x\n"} {
		if got := Unescape(Escape(s)); got != s {
			t.Errorf("escape and unescape make %q of %q", got, s)
		}
	}
}

func TestInlineResult(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{"src_sh{a} {{{results(=1=)}}} x", " {{{results(=1=)}}}"},
		{"call_f(){{{results(=1=)}}}", "{{{results(=1=)}}}"},
		{"src_sh{a} x {{{results(=1=)}}}", ""},
		{"src_sh{a} {{{other(=1=)}}}", ""},
		{"src_sh{a}", ""},
	} {
		d := ParseString(c.src)
		for n := range d.AllObjects(KindInlineSrc, KindInlineCall) {
			if s, ok := n.InlineResult(); ok != (c.want != "") || d.Text(s) != c.want {
				t.Errorf("%q: got %q", c.src, d.Text(s))
			}
		}
	}
}

func TestNames(t *testing.T) {
	d := ParseString("#+name: A\n| 1 |\n\n#+name: a\n#+begin_src sh\n#+end_src\n\n#+results: X\n: 1\n\n#+results: x\n: 2\n")
	if n, ok := d.Named("a"); !ok || n.Kind() != KindTable {
		t.Errorf("a is %v", n)
	}
	if b, ok := d.BlockNamed("A"); !ok || b.Lang.Text != "sh" {
		t.Errorf("block A is %v", b)
	}
	if r, ok := d.ResultNamed("x"); !ok || d.Text(r.Body) != ": 1\n" {
		t.Errorf("result x is %v", r)
	}
	if _, ok := d.Named("x"); ok {
		t.Error("a result is no named element")
	}
}
