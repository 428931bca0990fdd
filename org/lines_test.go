package org

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestLineEndings checks that CRLF files have the tree of their LF twins.
func TestLineEndings(t *testing.T) {
	shape := func(src string) []string {
		d := ParseString(src)
		var out []string
		add := func(n *Node) {
			text := ""
			if n.IsLeaf() {
				text = strings.ReplaceAll(n.Text(), "\r\n", "\n")
			}
			out = append(out, fmt.Sprintf("%v %q", n.kind, text))
		}
		for n := range d.All() {
			add(n)
			if root := d.Objects(n); root != nil {
				for o := range root.Walk() {
					add(o)
				}
			}
		}
		for n := range d.Nodes(KindSrcBlock) {
			b, _ := n.Block()
			_, args, _ := strings.Cut(dumpArgs(d, n)[len("args "):], " ")
			out = append(out, b.Code(), args)
		}
		return out
	}
	for seed := range uint64(500) {
		src := randomDocument(rand.New(rand.NewPCG(seed, 5)), 25)
		lf, crlf := shape(src), shape(strings.ReplaceAll(src, "\n", "\r\n"))
		for i := range lf {
			if i >= len(crlf) || lf[i] != crlf[i] {
				t.Fatalf("seed %d: node %d is\n%s\nwith LF and\n%s\nwith CRLF", seed, i, lf[i], crlf[min(i, len(crlf)-1)])
			}
		}
	}
}

func TestPosition(t *testing.T) {
	d := ParseString("ab\n\nc\r\nd")
	for _, c := range []struct{ offset, line, col int }{
		{-1, 1, 1}, {0, 1, 1}, {2, 1, 3}, {3, 2, 1}, {4, 3, 1}, {5, 3, 2}, {7, 4, 1}, {8, 4, 2}, {99, 4, 2},
	} {
		if line, col := d.Position(c.offset); line != c.line || col != c.col {
			t.Errorf("offset %d is at %d:%d, want %d:%d", c.offset, line, col, c.line, c.col)
		}
	}
	if s, ok := d.Line(3); !ok || d.Text(s) != "c" {
		t.Errorf("line 3 is %v", s)
	}
	if n := d.LineCount(); n != 4 {
		t.Errorf("%d lines", n)
	}
	if _, ok := d.Line(5); ok {
		t.Error("there is no line 5")
	}
	if line, col := ParseString("").Position(0); line != 1 || col != 1 {
		t.Errorf("empty document starts at %d:%d", line, col)
	}
}

func TestAt(t *testing.T) {
	d := ParseString("* a\n#+begin_src sh\nx\n#+end_src\n")
	for offset, want := range map[int]Kind{0: KindHeadlineLine, 4: KindBlockBegin, 19: KindBlockBody, 21: KindBlockEnd, 31: KindBlockEnd} {
		if n := d.At(offset); n.kind != want {
			t.Errorf("%v at %d, want %v", n.kind, offset, want)
		}
	}
	if d.At(32) != nil || d.At(-1) != nil {
		t.Error("found a leaf outside the document")
	}
}

// TestLongLine reads a line longer than any line buffer.
func TestLongLine(t *testing.T) {
	src := "* a\n#+RESULTS:\n: " + strings.Repeat("x", 10<<20) + "\n"
	d := ParseString(src)
	if d.String() != src {
		t.Fatal("printing does not give the source back")
	}
	for r := range d.Results() {
		if r.Body.Len() != 10<<20+3 {
			t.Errorf("result has %d bytes", r.Body.Len())
		}
	}
}
