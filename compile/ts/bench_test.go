package ts

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"wb/compile"
	"wb/internal/test/cpu"
	"wb/internal/test/lanetest"
	"wb/internal/value"
)

const small = "interface P { name: string; score: number }\nexport function best(ps: P[]): string {\n  const [top] = [...ps].sort((a, b) => b.score - a.score);\n  return top?.name ?? 'nobody';\n}\n"

func benchmarkBuild(b *testing.B, src *compile.Source) {
	l := testLane(b)
	if _, err := l.Build(context.Background(), src); err != nil {
		b.Fatal(err)
	}
	start := cpu.Own()
	for b.Loop() {
		if _, err := l.Build(context.Background(), src); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(cpu.Own()-start)/float64(b.N)/1e6, "cpu-ms/op")
}

// BenchmarkCheckSmall is a notebook's block: check, translation, syntax check of
// what came out.
func BenchmarkCheckSmall(b *testing.B) { benchmarkBuild(b, block(compile.ShapeComponent, small)) }

// BenchmarkCheckLarge is a file of 100 generic classes, 42 kB.
func BenchmarkCheckLarge(b *testing.B) { benchmarkBuild(b, block(compile.ShapeComponent, large(100))) }

// BenchmarkCheckFirst includes waking the compiler from the disk, as in every
// new process.
func BenchmarkCheckFirst(b *testing.B) {
	l, c := testLane(b), newCompiler(lanetest.Env(b), one.Runtime())
	src := block(compile.ShapeComponent, small)
	if _, err := l.Build(context.Background(), src); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		var answer reply
		fresh := c.runtime.NewTool(c.toolConfig(c.installed))
		if err := fresh.Call(context.Background(), nil, nil, &request{Readings: []reading{{Kind: kindModule, Text: small}}}, &answer); err != nil {
			b.Fatal(err)
		}
		fresh.Close()
	}
}

// BenchmarkSessionCheck is the tenth block of a session.
func BenchmarkSessionCheck(b *testing.B) {
	src := block(compile.ShapeBabel, "x9 + x0")
	src.Args["session"] = []string{"s"}
	for i := range 10 {
		before := block(compile.ShapeBabel, fmt.Sprintf("let x%d: number = %d;\nfunction f%d(n: number) { return n + x%d }", i, i, i, i))
		before.Args["session"] = []string{"s"}
		src.Session = append(src.Session, before)
	}
	benchmarkBuild(b, src)
}

// BenchmarkComponentCall is a call of what was built: nothing of TypeScript is
// left.
func BenchmarkComponentCall(b *testing.B) {
	l := testLane(b)
	art, err := l.Build(context.Background(), block(compile.ShapeComponent, small))
	if err != nil {
		b.Fatal(err)
	}
	ps, err := value.ParseJSON([]byte(`[{"name":"ada","score":3},{"name":"bob","score":2}]`))
	if err != nil {
		b.Fatal(err)
	}
	job := &compile.Job{Inputs: []value.Field{{Name: "ps", Value: ps}}}
	for b.Loop() {
		if out, err := l.Run(context.Background(), art, job); err != nil || out.Exit != 0 {
			b.Fatal(err, lanetest.Said(out, nil))
		}
	}
}

// large is a program of n generic classes.
func large(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `
export interface Item%[1]d<T extends { id: string }> { key: string; value: T; tags: ReadonlyArray<string>; parent?: Item%[1]d<T> }
export class Store%[1]d<T extends { id: string }> {
  private items = new Map<string, Item%[1]d<T>>();
  constructor(private readonly name: string, initial: readonly T[] = []) { for (const v of initial) this.add(v) }
  add(value: T, ...tags: string[]): this { this.items.set(value.id, { key: value.id, value, tags }); return this }
  find<K extends keyof T>(key: K, want: T[K]): T | undefined { return [...this.items.values()].find(i => i.value[key] === want)?.value }
}
`, i)
	}
	return b.String()
}
