package js

import (
	"context"
	"testing"

	"wb/compile"
	"wb/internal/test/lanetest"
	"wb/internal/value"
)

// BenchmarkComponentCall is a whole call of a component: a VM from the
// snapshot, the module, the call, the value.
func BenchmarkComponentCall(b *testing.B) {
	l := testLane(b)
	art, err := l.Build(context.Background(), block(compile.ShapeComponent, "export function greet(name) { return `hello, ${name}!` }"))
	if err != nil {
		b.Fatal(err)
	}
	job := &compile.Job{Inputs: []value.Field{{Name: "name", Value: value.OfString("ada")}}}
	for b.Loop() {
		if out, err := l.Run(context.Background(), art, job); err != nil || out.Exit != 0 {
			b.Fatal(err, lanetest.Said(out, nil))
		}
	}
}

// BenchmarkBuild is the check of a small block's syntax.
func BenchmarkBuild(b *testing.B) {
	l, src := testLane(b), block(compile.ShapeComponent, "export function greet(name) { return `hello, ${name}!` }")
	for b.Loop() {
		if _, err := l.Build(context.Background(), src); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkSessionCall is a call in a VM that already exists.
func BenchmarkSessionCall(b *testing.B) {
	l, src := testLane(b), block(compile.ShapeBabel, "return [1, 'a']")
	src.Args["session"] = []string{"bench"}
	art, err := l.Build(context.Background(), src)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := l.Run(context.Background(), art, &compile.Job{Session: "bench"}); err != nil {
			b.Fatal(err)
		}
	}
	l.CloseSession(context.Background(), "bench")
}

// BenchmarkBoot starts QuickJS and runs guest/, as happens once per machine.
func BenchmarkBoot(b *testing.B) {
	r := testLane(b).runtime
	tool, _ := r.env.Tools.Installed(ToolName)
	module, err := r.module(context.Background(), tool)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		img := &image{}
		if err := r.start(context.Background(), module, start{limits: bootLimits, furnish: furnish}, img); err != nil {
			b.Fatal(err)
		}
		img.snapshot.Close()
	}
}

// BenchmarkLoadImage takes that from the disk, as each process does once.
func BenchmarkLoadImage(b *testing.B) {
	lane := testLane(b)
	tool, _ := lane.runtime.env.Tools.Installed(ToolName)
	scripts, err := guestSources()
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		img, err := lane.runtime.freeze(context.Background(), tool, bootStart(scripts))
		if err != nil {
			b.Fatal(err)
		}
		img.snapshot.Close()
	}
}

// BenchmarkFib30 is arithmetic and calls; node's interpreter and compiler are
// the counterpart.
func BenchmarkFib30(b *testing.B) {
	l := testLane(b)
	art, err := l.Build(context.Background(), block(compile.ShapeComponent, "const fib = n => n < 2 ? n : fib(n - 1) + fib(n - 2); export const f = () => fib(30)"))
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		out, err := l.Run(context.Background(), art, &compile.Job{})
		if err != nil || out.Value.Int() != 832040 {
			b.Fatal(err, lanetest.Said(out, nil))
		}
		b.ReportMetric(float64(out.Usage.Fuel), "fuel/op")
	}
}

// BenchmarkJSON passes a table of 10,000 rows in and out.
func BenchmarkJSON(b *testing.B) {
	l := testLane(b)
	art, err := l.Build(context.Background(), block(compile.ShapeComponent, "export const f = rows => rows"))
	if err != nil {
		b.Fatal(err)
	}
	rows := make([]value.Value, 10000)
	for i := range rows {
		rows[i] = value.OfList(value.OfInt(int64(i)), value.OfString("text"), value.OfFloat(1.5))
	}
	job := &compile.Job{Inputs: []value.Field{{Name: "rows", Value: value.OfList(rows...)}}}
	for b.Loop() {
		if out, err := l.Run(context.Background(), art, job); err != nil || out.Exit != 0 {
			b.Fatal(err, lanetest.Said(out, nil))
		}
	}
}

// BenchmarkConsoleLog prints 10,000 lines.
func BenchmarkConsoleLog(b *testing.B) {
	l := testLane(b)
	art, err := l.Build(context.Background(), block(compile.ShapeCommand, "for (let i = 0; i < 10000; i++) console.log('line', i, { i })"))
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := l.Run(context.Background(), art, &compile.Job{}); err != nil {
			b.Fatal(err)
		}
	}
}
