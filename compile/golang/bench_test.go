package golang

import (
	"context"
	"fmt"
	"testing"
	"time"

	"wb/compile"
	"wb/internal/test/lanetest"
	"wb/internal/value"
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
	i := int(time.Now().UnixNano()) // no program that the engine's cache knows
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
	if _, err := l.Run(context.Background(), art, &compile.Job{}); err != nil { // makes machine code of it
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := l.Run(context.Background(), art, &compile.Job{}); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkComponent is one call of a component, instance included, with a
// thousand numbers in and one out.
func BenchmarkComponent(b *testing.B) {
	l := testLane(b)
	art, err := l.Build(context.Background(), component(b, "sum(xs: list<f64>) -> f64", "func sum(xs []float64) (s float64) {\n\tfor _, x := range xs {\n\t\ts += x\n\t}\n\treturn\n}"))
	if err != nil {
		b.Fatal(err)
	}
	xs := make([]value.Value, 1000)
	for i := range xs {
		xs[i] = value.OfFloat(float64(i))
	}
	job := &compile.Job{Inputs: []value.Field{{Name: "xs", Value: value.OfList(xs...)}}}
	if _, err := l.Run(context.Background(), art, job); err != nil { // makes machine code of it
		b.Fatal(err)
	}
	for b.Loop() {
		if out, err := l.Run(context.Background(), art, job); err != nil || out.Value.Float() != 499500 {
			b.Fatal(out, err)
		}
	}
}

// BenchmarkKernel is one call of a started kernel with 64 bytes in and out.
func BenchmarkKernel(b *testing.B) {
	l := testLane(b)
	art, err := l.Build(context.Background(), source(compile.ShapeKernel, kernelBody))
	if err != nil {
		b.Fatal(err)
	}
	lanetest.TimeKernel(b, l, art)
}
