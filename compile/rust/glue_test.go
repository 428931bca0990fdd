package rust

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"wb/compile"
	"wb/compile/clang"
	"wb/compile/toolchain"
	"wb/internal/diag"
	"wb/internal/test/golden"
	"wb/internal/test/lanetest"
	"wb/internal/value"
)

func component(t testing.TB, sig, body string) *compile.Source {
	t.Helper()
	src := &compile.Source{Pos: diag.Position{File: "test.org", Line: 10, Col: 1}, Lang: "rust", Body: body, Shape: compile.ShapeComponent}
	src.Sig = lanetest.Sig(t, sig)
	return src
}

var glued = map[string]struct{ sig, body string }{
	"mean":    {"mean(xs: list<f64>) -> f64", "fn mean(xs: &[f64]) -> f64 {\n    xs.iter().sum::<f64>() / xs.len() as f64\n}"},
	"strings": {"f(s: string, ws: list<string>, o: option<string>) -> string", "fn f(s: &str, ws: &[&str], o: Option<&str>) -> String {\n    format!(\"{}{}{:?}\", s, ws.join(\",\"), o)\n}"},
	"records": {"f(ps: list<record {n: string, v: option<f64>}>) -> record {names: list<string>, at: tuple<s32, bool>}",
		"pub struct P { n: String, v: Option<f64> }\npub struct R { names: Vec<String>, at: (i32, bool) }\npub fn f(ps: Vec<P>) -> R {\n    let at = (ps.len() as i32, ps.iter().any(|p| p.v.is_some()));\n    R { names: ps.into_iter().map(|p| p.n).collect(), at: at }\n}"},
	"result":   {"f(x: f64) -> result<f64, string>", "fn f(x: f64) -> Result<f64, String> {\n    if x < 0.0 { Err(\"negative\".to_string()) } else { Ok(x.sqrt()) }\n}"},
	"failing":  {"f(x: s64) -> s32", "use std::num::TryFromIntError;\nfn f(x: i64) -> Result<i32, TryFromIntError> {\n    i32::try_from(x)\n}"},
	"named":    {"f(t: string) -> (head: string, rest: option<list<s32>>)", "fn f(t: String) -> (String, Option<Vec<i32>>) {\n    (t, None)\n}"},
	"nothing":  {"f(xs: list<s32>)", "fn f(xs: &mut [i32]) {\n    xs[0] = 1;\n}"},
	"wider":    {"f(n: u32, k: s32) -> u32", "fn f(n: usize, k: i64) -> usize {\n    n + k as usize\n}"},
	"inferred": {"", "pub fn f(xs: &[f64], name: &str) -> Vec<(String, f64)> {\n    xs.iter().map(|x| (name.to_string(), *x)).collect()\n}\nfn other() {}"},
}

// TestGlue holds the generated code, behind the part that is always the same,
// and has a Rust compiler check all of it where there is one.
func TestGlue(t *testing.T) {
	rustc := "rustc"
	if err := exec.Command(rustc, "--version").Run(); err != nil { // rustup leaves one that is none
		rustc = ""
		t.Logf("no working rustc on PATH (%v): the glue is compared, not compiled", err)
	}
	for name, c := range glued {
		t.Run(name, func(t *testing.T) {
			src := component(t, c.sig, c.body)
			u, err := (lane{}).plan(src, &compile.Artifact{Meta: map[string]string{}})
			if err != nil {
				t.Fatal(err)
			}
			_, made, ok := strings.Cut(u.text, glueRuntime)
			if !ok {
				t.Fatal("the runtime of the glue is missing")
			}
			golden.Check(t, filepath.Join("testdata", name+".golden"), made)
			if rustc == "" || testing.Short() {
				return
			}
			file := filepath.Join(t.TempDir(), "block.rs")
			if err := os.WriteFile(file, []byte(u.text), 0o644); err != nil {
				t.Fatal(err)
			}
			command := exec.Command(rustc, "--edition=2021", "--crate-type=lib", "--emit=metadata", "-o", file+".rmeta", file)
			if out, err := command.CombinedOutput(); err != nil {
				t.Errorf("rustc: %v\n%s", err, out)
			}
		})
	}
}

func TestMistakes(t *testing.T) {
	for name, c := range map[string]struct{ sig, body, want, hint string }{
		"parameters": {"f(x: f64) -> f64", "fn f(x: f64, y: f64) -> f64 { x }", "test.org:10:4: error: f takes 2 parameters, its signature has 1", "write it as: fn f(x: f64) -> f64"},
		"result":     {"f(x: list<f64>) -> result<f64, string>", "fn f(x: &[f64]) -> f64 { x[0] }", "test.org:10:4: error: f must return a Result, as its signature returns result<f64, string>", "write it as: fn f(x: &[f64]) -> Result<f64, String>"},
		"none":       {"", "struct X;", "test.org:10:1: error: no function to call in this block", ""},
		"several":    {"", "fn a() {}\nfn b() {}", "test.org:10:1: error: the block defines several functions; wb cannot choose between a, b", ""},
		"infer":      {"", "\npub fn f(m: HashMap<String, i32>) {}", "test.org:11:8: error: cannot tell what parameter m: HashMap<String, i32> means in f", ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := (lane{}).plan(component(t, c.sig, c.body), &compile.Artifact{Meta: map[string]string{}})
			if err == nil || err.Error() != c.want {
				t.Errorf("got  %v\nwant %s", err, c.want)
			}
			if h, ok := err.(interface{ Hint() string }); c.hint != "" && (!ok || h.Hint() != c.hint) {
				t.Errorf("hint: got %v, want %s", h, c.hint)
			}
		})
	}
}

func TestPrograms(t *testing.T) {
	src := &compile.Source{Pos: diag.Position{File: "test.org", Line: 10, Col: 1}, Body: "println!(\"{}\", n);", Shape: compile.ShapeBabel,
		Vars: []compile.Var{{Name: "n", Value: value.OfInt(3)}, {Name: "rows", Value: value.OfList(value.OfList(value.OfString("a\"b"), value.OfInt(1)))}}}
	u, err := newUnit(src, true, "")
	if err != nil {
		t.Fatal(err)
	}
	want := "#![allow(dead_code, non_upper_case_globals, unused_imports)]\nconst n: i64 = 3;\nconst rows: &[&[&str]] = &[&[\"a\\\"b\", \"1\"]];\nfn main() {\nprintln!(\"{}\", n);\n}\n"
	if u.text != want {
		t.Errorf("got\n%s\nwant\n%s", u.text, want)
	}
	err = u.buildError("/w/block.rs:5-5: error:0: Cannot find variable\n/w/block.rs:1: warn:0: odd\n")
	if err == nil || err.Error() != "test.org:10:5: error: Cannot find variable" {
		t.Errorf("got %v", err)
	}
}

// newStore makes a compiler whose toolchains live in a directory of the test's.
func newStore(t *testing.T) *compile.Env {
	t.Helper()
	env, err := compile.NewEnv(context.Background(), compile.EnvConfig{Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { env.Close(context.Background()) })
	return env
}

// TestInstallationIsHonest shows what people hear without a build of mrustc, with
// half of one, and with one that does not work.
func TestInstallationIsHonest(t *testing.T) {
	env := newStore(t)
	c := newCompiler(env, clang.New(env))
	origin := c.recipe().Origin
	fetch := func(from string) error {
		return origin.Fetch(context.Background(), &toolchain.Job{Tool: toolName, Dir: t.TempDir(), From: from, Downloads: t.TempDir()})
	}
	var unavailable *toolchain.UnavailableError
	err := fetch("")
	if !errors.As(err, &unavailable) || unavailable.ExitCode() != 3 ||
		err.Error() != "toolchain rust: not fetched, because no published Rust compiler runs as wasm; give it: wb toolchain install rust --from DIR" ||
		unavailable.Hint() != "DIR is a build of mrustc: mrustc.wasm, lib/*.rlib with lib/*.rlib.c, target.toml and version" {
		t.Errorf("nothing: %v, hint %q", err, unavailable.Hint())
	}
	dir := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	write("mrustc.wasm", "\x00asm\x01\x00\x00\x00")
	write("target.toml", "")
	write("version", "1.74\n")
	if err := fetch(dir); !errors.As(err, &unavailable) || !strings.Contains(err.Error(), "has no lib/libstd.rlib") {
		t.Errorf("half: %v", err)
	}
	write("lib/libstd.rlib", "x")
	job := &toolchain.Job{Tool: toolName, Dir: t.TempDir(), From: dir, Downloads: t.TempDir()}
	if err := origin.Fetch(context.Background(), job); err != nil {
		t.Fatal(err)
	}
	tool := &tool{}
	if tool.module, err = env.Engine.Compile(context.Background(), "mrustc", []byte("\x00asm\x01\x00\x00\x00")); err != nil {
		t.Fatal(err)
	}
	if _, err := c.translate(context.Background(), tool, kindProgram, selfTestProgram); err == nil {
		t.Error("a module that is not a compiler was accepted")
	}
}
