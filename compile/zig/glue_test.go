package zig

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"wb/compile"
	"wb/compile/clang"
	"wb/compile/toolchain"
	"wb/internal/test/golden"
)

// TestGlue holds the generated code, behind the part that is always the same.
// It needs no toolchain.
func TestGlue(t *testing.T) {
	for _, name := range []string{"mean", "options", "records", "result ok", "error", "named", "nothing", "inferred"} {
		t.Run(name, func(t *testing.T) {
			c := components[name]
			src := component(t, c.sig, c.body)
			f, err := chooseFunction(src)
			if err != nil {
				t.Fatal(err)
			}
			sig := src.Sig
			if sig == nil {
				if sig, err = signature(src, f); err != nil {
					t.Fatal(err)
				}
			}
			code, err := makeGlue(src, sig, f)
			if err != nil {
				t.Fatal(err)
			}
			made, ok := strings.CutPrefix(code, glueRuntime)
			if !ok {
				t.Fatal("the runtime of the glue is missing")
			}
			golden.Check(t, filepath.Join("testdata", strings.ReplaceAll(name, " ", "-")+".golden"), made)
		})
	}
}

// TestArrangement shows what moves out of main.
func TestArrangement(t *testing.T) {
	src := source(compile.ShapeBabel, "const a = 1;\nfn f(x: error{A}!u8) error{B}!void {\n    _ = \"}\"; // }\n}\nconst S = struct { x: u8 };\ntry f(a);")
	u, err := newUnit(src, true)
	if err != nil {
		t.Fatal(err)
	}
	blank := func(line string) string { return strings.Repeat(" ", len(line)) + "\n" }
	want := "const std = @import(\"std\");\nfn f(x: error{A}!u8) error{B}!void {\n    _ = \"}\"; // }\n}\nconst S = struct { x: u8 };\npub fn main() !void {\nconst a = 1;\n" +
		blank("fn f(x: error{A}!u8) error{B}!void {") + blank("    _ = \"}\"; // }") + blank("}") + blank("const S = struct { x: u8 };") + "try f(a);\n}\n"
	if u.text() != want {
		t.Errorf("got\n%s\nwant\n%s", u.text(), want)
	}
	for line, want := range map[int]string{3: "test.org:12:1", 7: "test.org:10:1", 12: "test.org:15:1"} {
		if pos, from := u.at(line, 1); pos.String() != want || from != "" {
			t.Errorf("line %d is at %s %s, want %s", line, pos, from, want)
		}
	}
}

// TestInstallationIsHonest shows what people hear without a Zig source tree, and
// with a directory that is none.
func TestInstallationIsHonest(t *testing.T) {
	env, err := compile.NewEnv(context.Background(), compile.EnvConfig{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer env.Close(context.Background())
	origin := newCompiler(env, clang.New(env)).recipe().Origin
	var unavailable *toolchain.UnavailableError
	err = origin.Fetch(context.Background(), &toolchain.Job{Tool: toolName, Dir: t.TempDir()})
	if !errors.As(err, &unavailable) || unavailable.ExitCode() != 3 ||
		err.Error() != "toolchain zig: not fetched, because no package registry has Zig's bootstrap compiler; give it: wb toolchain install zig --from DIR" ||
		!strings.HasPrefix(unavailable.Hint(), "DIR is a Zig source tree, with stage1/zig1.wasm and lib/ in it") {
		t.Errorf("nothing: %v", err)
	}
	err = origin.Fetch(context.Background(), &toolchain.Job{Tool: toolName, Dir: t.TempDir(), From: t.TempDir()})
	if !errors.As(err, &unavailable) || !strings.HasSuffix(err.Error(), "has no stage1/zig1.wasm: wb toolchain install zig --from DIR") {
		t.Errorf("an empty directory: %v", err)
	}
}
