package clang

import (
	"bytes"
	"fmt"
	"testing"
)

// TestMacrosBefore says which files can begin from a precompiled header.
func TestMacrosBefore(t *testing.T) {
	for source, want := range map[string]string{
		"#include \"all.h\"\nint x;":                                      "",
		"/* Words\n   of a license */\n// more\n#include \"all.h\"\n":     "",
		"#define A 1\n#  include  \"all.h\"\n":                            "#define A 1\n",
		"#ifndef A /* or so */\n# define A 1\n#endif\n#include \"all.h\"": "#ifndef A\n# define A 1\n#endif\n",
	} {
		if got, ok := macrosBefore("all.h", source); !ok || got != want {
			t.Errorf("%q: %q, %v; want %q", source, got, ok, want)
		}
	}
	for _, source := range []string{
		"int x;\n#include \"all.h\"\n",
		"#include <stdio.h>\n#include \"all.h\"\n",
		"#if A\n#endif\n#include \"all.h\"\n",
		"#define A \\\n 1\n#include \"all.h\"\n",
		"char *name = \"all.h\";\n",
		"int x;\n",
		"/* #include \"all.h\" */\nint x;\n",
	} {
		if got, ok := macrosBefore("all.h", source); ok {
			t.Errorf("%q begins with %q, want that it does not begin with all.h", source, got)
		}
	}
}

// TestSharedOpenings compiles files that begin alike, with and without their header
// precompiled: to the same bytes.
func TestSharedOpenings(t *testing.T) {
	c := compiler(t)
	files := map[string][]byte{
		"all.h":  []byte("#ifndef ALL\n#define ALL\n#include <stdio.h>\n#ifndef N\n#define N 1\n#endif\nstatic inline int twice(int x) { return 2 * x * N; }\n#endif\n"),
		"more.h": []byte("#ifndef MORE\n#define MORE\nstruct more { int x; };\n#endif\n"),
		"main.c": []byte("#include <stdio.h>\n#include \"all.h\"\nint f0(int); int main(void) { printf(\"%d\\n\", f0(1)); }\n"),
	}
	for i := range 2 * fewest {
		macro := ""
		if i%2 == 1 {
			macro = "#define N 3\n"
		}
		files[fmt.Sprintf("f%d.c", i)] = fmt.Appendf(nil, "/* %d */\n%s#include \"all.h\"\n#include \"more.h\"\nint f%d(int x) { struct more m = {twice(x)}; return m.x + __LINE__; }\n", i, macro, i)
	}
	tool, err := c.tool(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	sources := sourcesOf(files)
	without, err := c.objects(t.Context(), tool, files, sources, Options{})
	if err != nil {
		t.Fatal(err)
	}
	opts := Options{Headers: []string{"all.h", "more.h"}}
	if got := opts.openingsOf(files, sources); len(got) != 2*fewest || got["f0.c"] != got["f2.c"] || got["f0.c"] == got["f1.c"] {
		t.Fatalf("%d files share openings: %v", len(got), got)
	}
	with, err := c.objects(t.Context(), tool, files, sources, opts)
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range sources {
		if !bytes.Equal(with[i], without[i]) {
			t.Errorf("%s has another object when its header is precompiled", name)
		}
	}
	files["all.h"] = append(files["all.h"], "wrong\n"...)
	if _, err := c.objects(t.Context(), tool, files, sources, opts); err == nil {
		t.Error("a mistake in the header is not an error")
	}
}
