package clang

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"wb/compile"
	"wb/internal/test/lanetest"
	"wb/sandbox"
)

// native is what a program prints, and how it ends, when the machine's own
// compiler builds it.
func native(t *testing.T, compiler, program string) (out []byte, exit int, ok bool) {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "program")
	args := []string{"-O1", "-w", "-o", binary, program}
	if compiler == "g++" {
		args = append([]string{"-std=gnu++17", "-D_GNU_SOURCE", "-I" + filepath.Dir(program), "-I" + filepath.Join(filepath.Dir(program), "support")}, args...)
	}
	if exec.Command(compiler, args...).Run() != nil {
		return nil, 0, false
	}
	cmd := exec.Command(binary)
	cmd.Dir = t.TempDir()
	out, _ = cmd.Output()
	return out, cmd.ProcessState.ExitCode(), true
}

// compilerOf is the machine's compiler for a file.
func compilerOf(program string) (lang, compiler string) {
	if filepath.Ext(program) == ".c" {
		return "C", "gcc"
	}
	return "C++", "g++"
}

// TestExceptions runs programs that throw, catch and jump. Their output stands
// beside them; where the machine has gcc it must be what gcc's programs print.
func TestExceptions(t *testing.T) {
	programs, err := filepath.Glob("testdata/exceptions/*.c*")
	if err != nil || len(programs) == 0 {
		t.Fatalf("%d programs, %v", len(programs), err)
	}
	for _, program := range programs {
		t.Run(filepath.Base(program), func(t *testing.T) {
			body, err := os.ReadFile(program)
			if err != nil {
				t.Fatal(err)
			}
			lang, compiler := compilerOf(program)
			golden := strings.TrimSuffix(program, filepath.Ext(program)) + ".out"
			want, err := os.ReadFile(golden)
			if _, missing := exec.LookPath(compiler); missing == nil {
				out, _, ok := native(t, compiler, program)
				if !ok {
					t.Fatalf("%s does not compile it", compiler)
				}
				if *update {
					err = os.WriteFile(golden, out, 0o644)
					want = out
				}
				if !bytes.Equal(out, want) {
					t.Errorf("%s's program prints\n%s\nnot what the golden has", compiler, out)
				}
			}
			if err != nil {
				t.Fatal(err)
			}
			src := block(lang, compile.ShapeCommand, string(body))
			art, err := laneOf(t, lang).Build(context.Background(), src)
			if err != nil {
				t.Fatal(err)
			}
			out, err := laneOf(t, lang).Run(context.Background(), art, &compile.Job{Source: src})
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(out.Stdout, want) {
				t.Errorf("got\n%s\nwant\n%s\nstderr %s", out.Stdout, want, out.Stderr)
			}
		})
	}
}

// TestUncaught holds the one line that an exception leaves which nobody catches.
func TestUncaught(t *testing.T) {
	for name, c := range map[string]struct{ body, want string }{
		"type and text": {"#include <stdexcept>\nint main() {\n  throw std::runtime_error(\"boom\");\n}", "a.org:12:1: error: uncaught exception: std::runtime_error: boom"},
		"number":        {"int f(int x) {\n  if (x > 1)\n    throw x;\n  return x;\n}\nint main() { return f(2); }", "a.org:12:1: error: uncaught exception: int"},
		"text":          {"int main() {\n  throw \"words\";\n}", "a.org:11:1: error: uncaught exception: char const*: words"},
		"own type":      {"namespace app { namespace { template <class T> struct Bad {}; } }\nint main() { try {\n  throw app::Bad<int>();\n} catch (int) {} }", "a.org:12:1: error: uncaught exception: app::(anonymous namespace)::Bad<int>"},
		"local type":    {"int main() {\n  struct Wrong {};\n  throw Wrong();\n}", "a.org:12:1: error: uncaught exception: Wrong"},
		"library":       {"#include <vector>\nint pick(const std::vector<int> &v) {\n  return v.at(2);\n}\nint main() { return pick({1}); }", "uncaught exception: std::out_of_range: vector"},
		"compiled part": {"#include <string>\nint main() {\n  return std::stoi(\"x\");\n}", "uncaught exception: std::invalid_argument: stoi: no conversion"},
		"after cleanup": {"#include <stdexcept>\n#include <string>\nint main() { try { std::string s(\"a long enough text for the heap\");\n  throw std::logic_error(s);\n} catch (int) {} }", "a.org:13:1: error: uncaught exception: std::logic_error: a long enough text for the heap"},
		"rethrown":      {"#include <stdexcept>\nint main() { try {\n  throw std::logic_error(\"once\");\n} catch (...) {\n  throw;\n} }", "a.org:12:1: error: uncaught exception: std::logic_error: once"},
		"noexcept":      {"#include <stdexcept>\nvoid f() noexcept {\n  throw std::logic_error(\"no\");\n}\nint main() { try { f(); } catch (...) {} }", "a.org:12:1: error: uncaught exception: std::logic_error: no"},
		"nothing":       {"#include <exception>\nint main() { std::terminate(); }", "std::terminate was called"},
	} {
		t.Run(name, func(t *testing.T) {
			src := block("C++", compile.ShapeCommand, c.body)
			out := execute(t, src, &compile.Job{Source: src})
			if text := string(out.Stderr); out.Exit != 134 || !strings.Contains(text, c.want) || strings.Count(text, "\n") != 1 {
				t.Errorf("exit %d, %q, want %q in one line", out.Exit, text, c.want)
			}
		})
	}
}

// TestExceptionsInShapes catches and throws in functions that are called, and in
// kernels.
func TestExceptionsInShapes(t *testing.T) {
	const body = "#include <stdexcept>\n#include <vector>\nint half(int x) {\n  std::vector<int> v(1);\n  try {\n    if (x % 2) throw std::invalid_argument(\"odd\");\n    return x / 2 + v.at(x == 8);\n  } catch (const std::out_of_range &) { return -1; }\n}"
	for _, c := range []struct{ in, want, err string }{
		{`{"x":6}`, `3`, ""}, {`{"x":8}`, `-1`, ""}, {`{"x":7}`, "", "a.org:15:1: error: uncaught exception: std::invalid_argument: odd"},
	} {
		src := component(t, "C++", "half(x: s32) -> s32", body)
		art, err := laneOf(t, "C++").Build(context.Background(), src)
		if err != nil {
			t.Fatal(err)
		}
		out, err := laneOf(t, "C++").Run(context.Background(), art, &compile.Job{Source: src, Inputs: lanetest.Inputs(t, c.in)})
		switch {
		case c.err != "" && (err == nil || err.Error() != c.err):
			t.Errorf("%s: %v, want %s", c.in, err, c.err)
		case c.err == "" && (err != nil || out.Value.String() != c.want):
			t.Errorf("%s: %v, %v, want %s", c.in, out, err, c.want)
		}
	}
	src := block("C++", compile.ShapeKernel, "int process(int n) {\n  try { if (n != 3) throw n; } catch (int x) { WB_OUT[0] = '0' + x; return 1; }\n  WB_OUT[0] = 'x';\n  return 1;\n}")
	for in, want := range map[string]string{"abc": `"x"`, "ab": `"2"`} {
		if out := execute(t, src, &compile.Job{Source: src, Stdin: []byte(in)}); out.Value.String() != want {
			t.Errorf("kernel of %q: %s, want %s", in, out.Value.String(), want)
		}
	}
}

// TestWithoutHandlers holds programs that catch nothing to what they were: the
// linked module is not rewritten.
func TestWithoutHandlers(t *testing.T) {
	for name, want := range map[string]bool{
		"int main() { return 0; }":                                  false,
		"#include <vector>\nint main() { std::vector<int> v(3); }":  false,
		"int main() { throw 1; }":                                   false,
		"int main() { try { throw 1; } catch (int) { return 0; } }": true,
	} {
		art, err := laneOf(t, "C++").Build(context.Background(), block("C++", compile.ShapeCommand, name))
		if err != nil {
			t.Fatal(err)
		}
		if got := bytes.Contains(art.Wasm, []byte("invoke_")); got != want {
			t.Errorf("%s: has handlers: %v, want %v", name, got, want)
		}
	}
}

// TestHelloStaysSmall compares a program that throws nothing with what it was
// without exceptions: neither its size nor its work may grow by a fifth.
func TestHelloStaysSmall(t *testing.T) {
	c := compiler(t)
	for name, body := range map[string]string{
		"printf":   "#include <cstdio>\nint main() { printf(\"hello %d\\n\", 42); }",
		"iostream": "#include <iostream>\nint main() { std::cout << \"hello \" << 42 << std::endl; }",
		"library":  iostreamProgram,
	} {
		without, err := c.CompileC(t.Context(), map[string][]byte{"hello.cpp": []byte(body)}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		art := build(t, c.CPP(), block("C++", compile.ShapeCommand, body))
		before, after := len(without), len(art.Wasm)
		work, now := fuelOf(t, without), fuelOf(t, art.Wasm)
		t.Logf("%s: %d bytes were %d, %d units of fuel were %d", name, after, before, now, work)
		if after > before*6/5 || now > work*6/5 {
			t.Errorf("%s: %d bytes were %d, %d units of fuel were %d", name, after, before, now, work)
		}
	}
}

// fuelOf is what a program burns.
func fuelOf(t *testing.T, wasm []byte) int64 {
	t.Helper()
	engine := lanetest.Env(t).Engine
	module, err := engine.Compile(t.Context(), "hello", wasm)
	if err != nil {
		t.Fatal(err)
	}
	exit, err := engine.Run(t.Context(), sandbox.Command{Module: module, Args: []string{"hello"}})
	if err != nil {
		t.Fatal(err)
	}
	return exit.Usage.Fuel
}
