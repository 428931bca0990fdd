//go:build long

package clang

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"wb/compile"
	"wb/internal/lazyregexp"
)

// TestPublicPrograms runs other people's C++ programs that throw or catch, which
// are tools to test with and never part of this repository: any directory of
// programs of one file each, with their headers in directories named support. Such
// are the tests of libc++abi and of libc++ (language.support/support.exception,
// strings/string.conversions, …), named NAME.pass.cpp, which end with 0 when all is
// well, and collections of algorithms, which must print what g++'s program prints.
//
//	CPP_PROGRAMS=DIR go test -tags long ./compile/clang -run TestPublicPrograms -v
func TestPublicPrograms(t *testing.T) {
	root := os.Getenv("CPP_PROGRAMS")
	if root == "" {
		t.Skip("CPP_PROGRAMS names no directory of C++ programs")
	}
	programs, err := filepath.Glob(filepath.Join(root, "*", "*.cpp"))
	if err != nil {
		t.Fatal(err)
	}
	passed, ran := 0, 0
	for _, program := range programs {
		body, err := os.ReadFile(program)
		if err != nil {
			t.Fatal(err)
		}
		if !throwing.Match(body) {
			continue
		}
		t.Run(filepath.Base(filepath.Dir(program))+"/"+filepath.Base(program), func(t *testing.T) {
			if m := notHere.FindString(string(body)); m != "" {
				t.Skipf("it has %q", m)
			}
			if why := otherwise[filepath.Base(program)]; why != "" {
				t.Skip(why)
			}
			ran++
			src := block("C++", compile.ShapeCommand, string(body))
			src.Files = supportOf(t, filepath.Dir(program))
			art, err := laneOf(t, "C++").Build(context.Background(), src)
			if err != nil {
				t.Fatal(err)
			}
			out, err := laneOf(t, "C++").Run(context.Background(), art, &compile.Job{Source: src})
			if err != nil {
				t.Fatal(err)
			}
			if strings.HasSuffix(program, ".pass.cpp") {
				if out.Exit != 0 {
					t.Fatalf("exit %d\n%s%s", out.Exit, out.Stdout, out.Stderr)
				}
				passed++
				return
			}
			want, exit, known := native(t, "g++", program)
			if !known {
				t.Fatal("g++ does not compile it")
			}
			if out.Exit != exit || !bytes.Equal(out.Stdout, want) {
				t.Fatalf("exit %d, printed\n%s%s\nwant %d\n%s", out.Exit, out.Stdout, out.Stderr, exit, want)
			}
			passed++
		})
	}
	t.Logf("%d of %d programs", passed, ran)
}

var (
	throwing = lazyregexp.New(`\b(try|throw|catch)\b`)
	// notHere are programs that need threads, or the library's own sources.
	notHere = lazyregexp.New(`#include <(thread|mutex|future|pthread\.h|unwind\.h)>|#include "\.\./src/[a-z_.]*"|UNSUPPORTED: libcpp-has-no-threads`)
)

// otherwise are programs that do not pass, and why.
var otherwise = map[string]string{
	"sha256.cpp":                         "it takes size_t to have eight bytes",
	"catch_multi_level_pointer.pass.cpp": "its 16,384 functions are more than the compiler may take for a block",
	"test_vector1.pass.cpp":              "it calls __cxa_vec_new and its like, which compilers for wasm do not, and libc++abi has without exceptions",
	"test_vector3.pass.cpp":              "as test_vector1",
	"unwind_02.pass.cpp":                 "it has dynamic exception specifications, which C++17 has not",
	"unwind_03.pass.cpp":                 "as unwind_02",
	"unwind_04.pass.cpp":                 "as unwind_02",
	"unwind_05.pass.cpp":                 "as unwind_02",
	"utilities-any-any.nonmembers-any.cast-any_cast_reference.pass.cpp": "its helpers name macros of an older libc++",
}

// supportOf are the headers that programs in a directory include.
func supportOf(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	headers, err := filepath.Glob(filepath.Join(dir, "support", "*.[hi]*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, header := range headers {
		data, err := os.ReadFile(header)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimPrefix(header, dir+string(filepath.Separator))
		files[filepath.Base(header)], files[filepath.ToSlash(name)] = data, data
	}
	return files
}
