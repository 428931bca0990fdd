package org

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// workbookText makes a document of about size bytes: a headline, prose and a
// source block with a result, over and over; a megabyte holds 2,000 blocks.
func workbookText(size int) string {
	var b strings.Builder
	b.WriteString("#+title: Benchmark\n#+property: header-args :results output\n\n")
	for i := 0; b.Len() < size; i++ {
		if i%5 == 0 {
			fmt.Fprintf(&b, "* TODO Heading %d :tag%d:\n:PROPERTIES:\n:ID: %08d\n:END:\n", i, i%7, i)
		}
		fmt.Fprintf(&b, "Some prose with *bold*, =code= and a [[https://example.org/%d][link]] that goes on\nfor a second line, as prose does.\n\n", i)
		fmt.Fprintf(&b, "#+name: block-%d\n#+begin_src sh :var x=%d :results output\nfor i in 1 2 3; do\n  echo \"line $i of $x\"\ndone\nprintf '%%s\\n' done and dusted\n#+end_src\n\n", i, i)
		fmt.Fprintf(&b, "#+results: block-%d\n: line 1 of %d\n: line 2\n: line 3\n\n- item one\n- item two\n\n| a | %d |\n|---+---|\n| b | 2 |\n\n", i, i, i)
	}
	return b.String()
}

// BenchmarkParse reads a megabyte with about 2,000 blocks.
func BenchmarkParse(b *testing.B) {
	src := []byte(workbookText(1 << 20))
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		Parse(src)
	}
}

// BenchmarkParseCorpus reads the files below WB_ORG_CORPUS.
func BenchmarkParseCorpus(b *testing.B) {
	var sources [][]byte
	size := int64(0)
	for _, dir := range filepath.SplitList(os.Getenv("WB_ORG_CORPUS")) {
		for _, name := range orgFiles(b, dir) {
			src, err := os.ReadFile(name)
			if err != nil {
				b.Fatal(err)
			}
			sources = append(sources, src)
			size += int64(len(src))
		}
	}
	if size == 0 {
		b.Skip("set WB_ORG_CORPUS to directories with org files")
	}
	b.SetBytes(size)
	for b.Loop() {
		for _, src := range sources {
			Parse(src)
		}
	}
}

// BenchmarkObjects parses every object of a megabyte on top of the elements.
func BenchmarkObjects(b *testing.B) {
	d := ParseString(workbookText(1 << 20))
	b.SetBytes(int64(len(d.text)))
	b.ReportAllocs()
	for b.Loop() {
		for range d.AllObjects() {
		}
	}
}

// BenchmarkHeaderArgs resolves the arguments of every block of a megabyte.
func BenchmarkHeaderArgs(b *testing.B) {
	d := ParseString(workbookText(1 << 20))
	b.ReportAllocs()
	for b.Loop() {
		for n := range d.Nodes(KindSrcBlock) {
			d.HeaderArgs(n)
		}
	}
}

// BenchmarkHeadlines reads every headline with its tags and properties.
func BenchmarkHeadlines(b *testing.B) {
	d := ParseString(workbookText(1 << 20))
	b.ReportAllocs()
	for b.Loop() {
		for h := range d.Headlines() {
			d.Tags(h)
			h.Property("ID")
		}
	}
}
