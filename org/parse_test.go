package org

import (
	"slices"
	"testing"
)

// checkTree verifies what holds for every tree: leaves tile the source, and
// children touch each other and cover their parent.
func checkTree(t testing.TB, d *Document) {
	t.Helper()
	if got := d.String(); got != d.Source() {
		t.Fatalf("printing does not give the source back:\n got %q\nwant %q", got, d.Source())
	}
	for n := range d.All() {
		checkNode(t, n)
	}
}

func checkNode(t testing.TB, n *Node) {
	t.Helper()
	if n.first == nil {
		if n.start >= n.end && n.kind != KindDocument && n.kind != KindObjects {
			t.Fatalf("empty %v at %d", n.kind, n.start)
		}
		return
	}
	pos := n.start
	for c := n.first; c != nil; c = c.next {
		if c.parent != n {
			t.Fatalf("%v at %d has the wrong parent", c.kind, c.start)
		}
		if c.start != pos {
			t.Fatalf("%v at %d should start at %d, behind its sibling in %v", c.kind, c.start, pos, n.kind)
		}
		pos = c.end
		if c.next == nil && n.last != c {
			t.Fatalf("last child of %v at %d is not its last", n.kind, n.start)
		}
	}
	if pos != n.end {
		t.Fatalf("children of %v [%d,%d) end at %d", n.kind, n.start, n.end, pos)
	}
}

func TestTreeCoversOddInput(t *testing.T) {
	for _, src := range []string{
		"", "\n", "* ", "*", "* a", "a", "#+begin_src", "#+begin_src\n#+end_src", "- a\n\n\n- b", "|", "|-\n",
		":PROPERTIES:\n:a: b\n:END:", "\r\n* a\r\n  - b\r\n", "\x00\xff\xfe", "[fn:1]", "- [fn:1] x\n\n\n\n[fn:2]\n y\n",
		"#+name: x", "#+name: x\n", "#+name: x\n#+caption[a]: y\ntext\n", "#+results:\n- a\n - b\n\n  c\n\n\nd",
		"- \n\n  x\n- y\n", "+--+\n| a|\n+--+\n", "+--+\n+--+\n", "* a\n:PROPERTIES:\n:END:\n** b\n* c\n",
	} {
		checkTree(t, ParseString(src))
	}
}

// TestByteOrderMark: what begins a file of some editors is not text, and stays.
func TestByteOrderMark(t *testing.T) {
	for _, text := range []string{"* Head :tag:\n", "#+begin_src sh\necho\n#+end_src\n", ":PROPERTIES:\n:ID: a\n:END:\n", "| a |\n", "- a\n", "", "text", "\n# c\n#+TITLE: t\n"} {
		want, got := kinds(ParseString(text)), kinds(ParseString("\uFEFF"+text))
		if len(got) < 2 || got[1] != KindBlank || !slices.Equal(slices.Delete(got, 1, 2), want) {
			t.Errorf("%q with a mark: %v, without %v", text, got, want)
		}
		if d := ParseString("\uFEFF" + text); d.String() != d.Source() {
			t.Errorf("%q with a mark prints as %q", text, d.String())
		}
	}
}

func kinds(d *Document) []Kind {
	var all []Kind
	for n := range d.All() {
		all = append(all, n.Kind())
	}
	return all
}
