package org

import (
	"bytes"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

// FuzzParse checks what holds for any input: the leaves tile the source and
// nodes nest; views stay within their nodes and cut out what the source says;
// the same holds for objects; and edits change only their range.
func FuzzParse(f *testing.F) {
	for seed := range uint64(30) {
		f.Add([]byte(randomDocument(rand.New(rand.NewPCG(seed, 7)), 8)))
	}
	f.Add([]byte("* a\r\n:PROPERTIES:\r\n:k: v\r\n:END:\r\n#+begin_src sh\r\necho\r\n#+end_src\r\n"))
	f.Add([]byte("* \xff\x00 :a:\n- \xc3\n|\x00|\n"))
	f.Fuzz(func(t *testing.T, src []byte) {
		if len(src) > 1<<16 {
			t.Skip()
		}
		checkDocument(t, src)
	})
}

func checkDocument(t testing.TB, src []byte) {
	d := Parse(src)
	if !bytes.Equal(d.Bytes(), src) {
		t.Fatalf("source changed")
	}
	checkTree(t, d)
	checkObjects(t, d)
	for n := range d.All() {
		checkViews(t, n)
		if root := d.Objects(n); root != nil {
			for o := range root.Walk() {
				checkViews(t, o)
			}
		}
	}
	for r := range d.Results() {
		if r.Body.Start != r.Line.End || r.Body.End < r.Body.Start {
			t.Fatalf("result %v has body %v", r.Line, r.Body)
		}
	}
	for _, p := range d.Problems() {
		if p.Span.Len() <= 0 || !strings.Contains(d.Text(p.Span), p.Name) {
			t.Fatalf("problem %v is not at %q", p, d.Text(p.Span))
		}
	}
	checkPositions(t, d)
	checkStream(t, d)
	checkEdits(t, d)
}

// checkViews reads a node in every way there is.
func checkViews(t testing.TB, n *Node) {
	d := n.doc
	v := reflect.ValueOf(n)
	for i := range v.NumMethod() {
		m := v.Method(i)
		if m.Type().NumIn() != 0 || m.Type().NumOut() != 2 {
			continue
		}
		out := m.Call(nil)
		if !out[1].Bool() {
			continue
		}
		if v.Type().Method(i).Name != "InlineResult" { // it lies behind the node
			checkTokens(t, n, v.Type().Method(i).Name, out[0])
		}
	}
	d.ResultOf(n)
	d.HeaderArgs(n)
	d.Property(n, "header-args")
	n.Name()
	n.Affiliated()
	if b, ok := n.Block(); ok {
		b.Code()
	}
	if h, ok := n.Headline(); ok {
		d.Tags(h)
		d.Properties(h)
		h.Body()
	}
}

// checkTokens verifies that the tokens and spans of a view lie in its node
// and say what the source says.
func checkTokens(t testing.TB, n *Node, view string, v reflect.Value) {
	switch v.Interface().(type) {
	case Token:
		tok := v.Interface().(Token)
		if tok.Present() && (!n.Span().Contains(tok.Span) || n.doc.Text(tok.Span) != tok.Text) {
			t.Fatalf("%s of %v %q: token %q at %v", view, n.kind, n.Text(), tok.Text, tok.Span)
		}
		return
	case Span:
		s := v.Interface().(Span)
		if s.Len() < 0 || s != (Span{}) && !n.Span().Contains(s) {
			t.Fatalf("%s of %v %q: span %v", view, n.kind, n.Text(), s)
		}
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				checkTokens(t, n, view, v.Field(i))
			}
		}
	case reflect.Slice:
		for i := range v.Len() {
			checkTokens(t, n, view, v.Index(i))
		}
	}
}

func checkPositions(t testing.TB, d *Document) {
	for offset := 0; offset <= len(d.text); offset += 1 + len(d.text)/50 {
		line, col := d.Position(offset)
		span, ok := d.Line(line)
		if !ok || offset < span.Start || span.Start+col-1 != offset {
			t.Fatalf("offset %d is at %d:%d, but line is %v", offset, line, col, span)
		}
		if leaf := d.At(offset); leaf == nil || offset < leaf.start || offset > leaf.end {
			t.Fatalf("no leaf at %d", offset)
		}
	}
}

func checkEdits(t testing.TB, d *Document) {
	src := d.Bytes()
	for h := range d.Headlines() {
		for _, set := range []func() ([]Edit, error){
			func() ([]Edit, error) { return SetKeyword(h, d.Todo().List[0].Name) },
			func() ([]Edit, error) { return SetKeyword(h, "") },
			func() ([]Edit, error) { return SetProperty(h, "KEY", "value") },
			func() ([]Edit, error) { return SetTags(h, []string{"x", "y"}) },
			func() ([]Edit, error) { return SetTags(h, nil) },
			func() ([]Edit, error) { return RemoveProperty(h, "ID"), nil },
		} {
			edits, err := set()
			if err != nil {
				t.Fatal(err)
			}
			out, err := Apply(src, edits)
			if err != nil {
				t.Fatal(err)
			}
			checkOnlyRanges(t, src, out, edits)
		}
	}
}

// checkOnlyRanges verifies that edits changed nothing but their ranges; they
// come in source order.
func checkOnlyRanges(t testing.TB, src, out []byte, edits []Edit) {
	pos := 0
	for _, e := range edits {
		kept := src[pos:e.Start]
		if !bytes.HasPrefix(out, kept) || !bytes.HasPrefix(out[len(kept):], []byte(e.New)) {
			t.Fatalf("edits %v changed other bytes", edits)
		}
		out = out[len(kept)+len(e.New):]
		pos = e.End
	}
	if !bytes.Equal(out, src[pos:]) {
		t.Fatalf("edits %v changed the rest", edits)
	}
}

func TestCheckRandomDocuments(t *testing.T) {
	for seed := range uint64(300) {
		checkDocument(t, []byte(randomDocument(rand.New(rand.NewPCG(seed, 3)), 25)))
	}
}
