package clang

import (
	"context"
	"testing"

	"wb/compile"
	"wb/internal/test/lanetest"
	"wb/internal/value"
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

const iostreamProgram = `#include <iostream>
#include <vector>
#include <map>
#include <string>
#include <algorithm>
#include <memory>
struct Shape { virtual double area() const = 0; virtual ~Shape() {} };
struct Square : Shape { double side; Square(double s) : side(s) {} double area() const override { return side * side; } };
int main() {
  std::vector<int> v{3, 1, 2};
  std::sort(v.begin(), v.end());
  std::map<std::string, int> m{{"a", 1}, {"b", 2}};
  for (auto x : v) std::cout << x << ' ';
  for (auto &[k, n] : m) std::cout << k << '=' << n << ' ';
  std::unique_ptr<Shape> p = std::make_unique<Square>(3);
  std::cout << p->area() << std::endl;
}`

// BenchmarkBuildIostream compiles and links C++ that uses much of the standard
// library, its headers precompiled.
func BenchmarkBuildIostream(b *testing.B) {
	lane := compiler(b).CPP()
	src := block("C++", compile.ShapeBabel, iostreamProgram)
	build(b, lane, src)
	for b.Loop() {
		build(b, lane, src)
	}
}

// BenchmarkBuildHelloCPP is hello world with iostream.
func BenchmarkBuildHelloCPP(b *testing.B) {
	lane := compiler(b).CPP()
	src := block("C++", compile.ShapeBabel, "#include <iostream>\nint main() { std::cout << \"hello \" << 42 << std::endl; }")
	build(b, lane, src)
	for b.Loop() {
		build(b, lane, src)
	}
}

// BenchmarkComponent is one call of a component, instance included, with a
// thousand numbers in and one out.
func BenchmarkComponent(b *testing.B) {
	lane := compiler(b).C()
	art := build(b, lane, component(b, "C", "sum(xs: list<f64>) -> f64", "double sum(const double *xs, size_t n) { double s = 0; while (n--) s += xs[n]; return s; }"))
	xs := make([]value.Value, 1000)
	for i := range xs {
		xs[i] = value.OfFloat(float64(i))
	}
	job := &compile.Job{Inputs: []value.Field{{Name: "xs", Value: value.OfList(xs...)}}}
	for b.Loop() {
		if out, err := lane.Run(context.Background(), art, job); err != nil || out.Value.Float() != 499500 {
			b.Fatal(out, err)
		}
	}
}

// BenchmarkKernel is one call of a started kernel with 64 bytes in and out.
func BenchmarkKernel(b *testing.B) {
	lane := compiler(b).C()
	art := build(b, lane, block("C", compile.ShapeKernel, "int process(int n) { for (int i = 0; i < n; i++) WB_OUT[i] = WB_IN[i] ^ 0x20; return n; }"))
	lanetest.TimeKernel(b, lane, art)
}
