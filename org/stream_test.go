package org

import (
	"slices"
	"testing"
)

// checkStream reads a document headline by headline: each section has the nodes
// that it has in the whole tree, and the settings are those of the whole file.
func checkStream(t testing.TB, d *Document) {
	s := NewStream(d.text, d.presets)
	if got, want := s.Document().settings, d.settings; got.todo.String() != want.todo.String() || !slices.Equal(got.fileTags, want.fileTags) ||
		!slices.Equal(got.links, want.links) || len(got.properties) != len(want.properties) {
		t.Fatalf("settings are %+v, not %+v", got, want)
	}
	keywords := func(d *Document) (all []Span) {
		for k := range d.Keywords() {
			all = append(all, k.Span())
		}
		return all
	}
	if got, want := keywords(s.Document()), keywords(d); !slices.Equal(got, want) {
		t.Fatalf("keywords are at %v, not %v", got, want)
	}
	var want []Headline
	for h := range d.Headlines() {
		want = append(want, h)
	}
	if s.HeadlineCount() != len(want) {
		t.Fatalf("%d headlines, not %d", s.HeadlineCount(), len(want))
	}
	i := 0
	for h := range s.Headlines() {
		w := want[i]
		i++
		if h.Title != w.Title || h.Keyword != w.Keyword || h.TagList != w.TagList || h.Body() != w.Body() {
			t.Fatalf("headline %d is %+v, not %+v", i, h, w)
		}
		if got, want := ownNodes(h.Node), ownNodes(w.Node); !slices.Equal(got, want) {
			t.Fatalf("headline %d has the nodes %v, not %v", i, got, want)
		}
	}
}

type place struct {
	kind Kind
	span Span
}

// ownNodes are the nodes below a headline that lie below no other.
func ownNodes(h *Node) (all []place) {
	for c := range h.Children() {
		if c.kind == KindHeadline {
			break
		}
		for n := range c.Walk() {
			all = append(all, place{n.kind, n.Span()})
		}
	}
	return all
}

// TestStreamSettings: what a file says about itself counts wherever it stands.
func TestStreamSettings(t *testing.T) {
	checkStream(t, Parse([]byte("text\n* NEXT a\n- x\n  #+TODO: NEXT | DONE\n** b :t:\n#+begin_src sh\n#+FILETAGS: :no:\n#+end_src\n#+FILETAGS: :yes:\n* c\n#+begin_quote\n#+PROPERTY: k v\n#+end_quote\n#+PROPERTY: k+ w\n")))
}
