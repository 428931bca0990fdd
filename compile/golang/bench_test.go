package golang

import (
	"context"
	"fmt"
	"testing"

	"wb/compile"
)

// BenchmarkBuildHello is the edit of an edit-run cycle: compile and link, the
// compiler loaded.
func BenchmarkBuildHello(b *testing.B) {
	l := testLane(b)
	i := 0
	for b.Loop() {
		i++
		if _, err := l.Build(context.Background(), source(compile.ShapeBabel, fmt.Sprintf("fmt.Println(\"hello\", %d)", i))); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkEditRunHello is the whole cycle: compile, link, make machine code
// of the new program, run it.
func BenchmarkEditRunHello(b *testing.B) {
	l := testLane(b)
	i := 0
	for b.Loop() {
		i++
		art, err := l.Build(context.Background(), source(compile.ShapeBabel, fmt.Sprintf("fmt.Println(\"hello\", %d)", i)))
		if err != nil {
			b.Fatal(err)
		}
		if _, err := l.Run(context.Background(), art, &compile.Job{}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkRunHello is a run of a program that has been built.
func BenchmarkRunHello(b *testing.B) {
	l := testLane(b)
	art, err := l.Build(context.Background(), source(compile.ShapeBabel, `fmt.Println("hello")`))
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := l.Run(context.Background(), art, &compile.Job{}); err != nil {
			b.Fatal(err)
		}
	}
}
