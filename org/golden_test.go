package org

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "rewrite the golden files in testdata")

// TestGolden parses each NAME.org of testdata/tree/*.txtar and compares the
// tree, with what else the file means, with the NAME.tree that follows it.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/tree/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no golden files", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			out := &txtar.Archive{Comment: a.Comment}
			want := map[string]string{}
			for _, f := range a.Files {
				want[f.Name] = string(f.Data)
			}
			for _, f := range a.Files {
				name, ok := strings.CutSuffix(f.Name, ".org")
				if !ok {
					continue
				}
				checkDocument(t, f.Data)
				got := outline(Parse(f.Data))
				out.Files = append(out.Files, f, txtar.File{Name: name + ".tree", Data: []byte(got)})
				if !*update && got != want[name+".tree"] {
					t.Errorf("%s:\n%s\nwant:\n%s", f.Name, got, want[name+".tree"])
				}
			}
			if *update {
				if err := os.WriteFile(file, txtar.Format(out), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// outline prints a tree with indentation, leaves with their text, and then
// results, header arguments and problems.
func outline(d *Document) string {
	var b strings.Builder
	printNode(&b, d.root, 0)
	for n := range d.Nodes(KindSrcBlock, KindCall) {
		line, _ := d.Position(n.core().Start)
		if args := argText(d, n); args != "" {
			fmt.Fprintf(&b, "args %d:%s\n", line, args)
		}
		if r, ok := d.ResultOf(n); ok {
			fmt.Fprintf(&b, "result %d: %q %q hash=%s name=%s\n", line, d.Text(r.Line), d.Text(r.Body), r.Hash, r.Name)
		}
	}
	for h := range d.Headlines() {
		line, _ := d.Position(h.start)
		if tags, own := d.Tags(h), h.LocalTags(); len(tags) != len(own) {
			fmt.Fprintf(&b, "tags %d: %v\n", line, tags)
		}
	}
	for _, p := range d.Problems() {
		line, col := d.Position(p.Span.Start)
		fmt.Fprintf(&b, "problem %d:%d: %v %s\n", line, col, p.Kind, p.Name)
	}
	return b.String()
}

func argText(d *Document, n *Node) string {
	var b strings.Builder
	for _, a := range d.HeaderArgs(n) {
		line, col := d.Position(a.Span.Start)
		fmt.Fprintf(&b, " %s=%q@%d:%d", a.Key, a.Text(), line, col)
	}
	return b.String()
}

func printNode(b *strings.Builder, n *Node, depth int) {
	fmt.Fprintf(b, "%s%v", strings.Repeat("  ", depth), n.kind)
	if name := n.Name(); name.Present() {
		fmt.Fprintf(b, " name=%s", name)
	}
	for _, p := range dumpProps(n) {
		b.WriteString(" " + p)
	}
	if n.kind == KindPlanning {
		printPlanning(b, n)
	}
	if n.IsLeaf() {
		fmt.Fprintf(b, " %q", n.Text())
	}
	b.WriteString("\n")
	for c := range n.Children() {
		printNode(b, c, depth+1)
	}
	if root := n.doc.Objects(n); root != nil && root.first != nil && (root.first != root.last || root.first.kind != KindText) {
		printNode(b, root, depth+1)
	}
}

func printPlanning(b *strings.Builder, n *Node) {
	p, _ := n.Planning()
	for _, part := range []struct {
		name string
		ts   Timestamp
	}{{"scheduled", p.Scheduled}, {"deadline", p.Deadline}, {"closed", p.Closed}} {
		if part.ts.Present() {
			fmt.Fprintf(b, " %s=%s", part.name, n.doc.Text(part.ts.Span))
		}
	}
}
