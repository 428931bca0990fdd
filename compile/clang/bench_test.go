package clang

import (
	"context"
	"testing"

	"wb/compile"
)

// BenchmarkBuildHello is the edit of an edit-run cycle: compile and link, the
// compiler loaded.
func BenchmarkBuildHello(b *testing.B) {
	lane := compiler(b).C()
	src := block("C", compile.ShapeBabel, `printf("hello %d\n", 42);`, "includes", "<stdio.h>")
	build(b, lane, src)
	for b.Loop() {
		build(b, lane, src)
	}
}

func build(b *testing.B, lane compile.Lane, src *compile.Source) *compile.Artifact {
	art, err := lane.Build(context.Background(), src)
	if err != nil {
		b.Fatal(err)
	}
	return art
}

// BenchmarkRunTiny is one run of a built command, instance included.
func BenchmarkRunTiny(b *testing.B) {
	lane := compiler(b).C()
	art := build(b, lane, block("C", compile.ShapeCommand, "int main(void) { return 3; }"))
	for b.Loop() {
		out, err := lane.Run(context.Background(), art, &compile.Job{})
		if err != nil || out.Exit != 3 {
			b.Fatal(out, err)
		}
	}
}

// BenchmarkRunHello is the same with printf.
func BenchmarkRunHello(b *testing.B) {
	lane := compiler(b).C()
	art := build(b, lane, block("C", compile.ShapeBabel, `printf("hello %d\n", 42);`, "includes", "<stdio.h>"))
	for b.Loop() {
		if _, err := lane.Run(context.Background(), art, &compile.Job{}); err != nil {
			b.Fatal(err)
		}
	}
}
