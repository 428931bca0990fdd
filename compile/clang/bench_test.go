package clang

import (
	"context"
	"testing"
	"time"

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

func build(b testing.TB, lane compile.Lane, src *compile.Source) *compile.Artifact {
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

// BenchmarkExceptions runs programs that throw, and programs that do not, as they
// are ("plain") and with a handler around them ("caught"), which lets every call
// that may throw be checked.
func BenchmarkExceptions(b *testing.B) {
	const plain, caught = "int main() { work(); }", "int main() { try { work(); } catch (...) { return 1; } }"
	lane := compiler(b).CPP()
	for _, c := range []struct{ name, head, body string }{
		{"throw int 1e6", "[[gnu::noinline]] void f(int i) { throw i; }", "long s = 0; for (int i = 0; i < 1000000; i++) try { f(i); } catch (int x) { s += x; } sink = s;"},
		{"throw runtime_error 1e5", "[[gnu::noinline]] void f() { throw std::runtime_error(\"x\"); }", "for (int i = 0; i < 100000; i++) try { f(); } catch (std::exception &e) { sink += e.what()[0]; }"},
		{"through 20 frames 1e5", "struct D { ~D() { sink++; } }; [[gnu::noinline]] int f(int n) { D d; return n == 0 ? throw n : f(n - 1) + 1; }", "for (int i = 0; i < 100000; i++) try { f(20); } catch (int) { sink++; }"},
		{"try 1e7", "[[gnu::noinline]] void f(int i) { if (i < 0) throw i; sink += i; }", "for (int i = 0; i < 10000000; i++) try { f(i); } catch (int) { sink++; }"},
		{"destructor 1e7", "struct D { ~D() { sink++; } }; [[gnu::noinline]] void f(int i) { if (i < 0) abort(); sink += i; } [[gnu::noinline]] void g(int i) { D d; f(i); }", "for (int i = 0; i < 10000000; i++) g(i);"},
		{"virtual 1e7", "struct B { virtual int f(int i) = 0; }; struct C : B { int f(int i) override { return i + 1; } }; struct D : B { int f(int i) override { return i + 2; } };", "C c; D d; B *p[] = {&c, &d}; for (int i = 0; i < 10000000; i++) sink += p[i & 1]->f(i);"},
		{"fib(32)", "[[gnu::noinline]] int fib(int n) { if (n < 0) throw n; return n < 2 ? n : fib(n - 1) + fib(n - 2); }", "sink = fib(32);"},
		{"map 3e5", "", "std::map<std::string, int> m; for (int i = 0; i < 300000; i++) m[std::to_string(i * 7919 % 300000)] += i; sink = m.size();"},
		{"strings sorted 1e5", "", "std::vector<std::string> v; for (int i = 0; i < 100000; i++) v.push_back(\"item \" + std::to_string(i * 7919 % 100000)); std::sort(v.begin(), v.end()); sink = v.size();"},
		{"sort 1e6", "", "std::vector<int> v; for (int i = 0; i < 1000000; i++) v.push_back(i * 7919 % 1000003); std::sort(v.begin(), v.end()); sink = v[0];"},
	} {
		head := "#include <algorithm>\n#include <cstdlib>\n#include <map>\n#include <stdexcept>\n#include <string>\n#include <vector>\nvolatile long sink;\n" + c.head + "\nvoid work() { " + c.body + " }\n"
		for mode, main := range map[string]string{"plain": plain, "caught": caught} {
			if mode == "plain" && catchWords.MatchString(head) {
				continue
			}
			b.Run(c.name+"/"+mode, func(b *testing.B) {
				art := build(b, lane, block("C++", compile.ShapeCommand, head+main))
				var least time.Duration
				for b.Loop() {
					out, err := lane.Run(context.Background(), art, &compile.Job{})
					if err != nil || out.Exit != 0 {
						b.Fatal(out, err)
					}
					if least == 0 || out.Usage.Work < least {
						least = out.Usage.Work
					}
				}
				b.ReportMetric(float64(least.Milliseconds()), "work-ms")
				b.ReportMetric(float64(len(art.Wasm)), "bytes")
			})
		}
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
