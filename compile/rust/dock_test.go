package rust

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"wb/compile"
	"wb/internal/diag"
)

// TestDockModule puts the module wb beside a program that mentions it and has a
// Rust compiler check it where there is one.
func TestDockModule(t *testing.T) {
	const body = `fn report() -> Result<(), wb::Error> {
    wb::kv::put("a", b"1")?;
    let value: Option<Vec<u8>> = wb::kv::get("a")?;
    let keys: Option<String> = wb::kv::list("")?;
    println!("{:?} {:?}", value, keys);
    wb::serve::close()
}
match report() {
    Ok(()) => println!("done"),
    Err(e) => println!("{}: {}", e.code, e),
}`
	plan := func(body string) string {
		src := &compile.Source{Pos: diag.Position{File: "test.org", Line: 10, Col: 1}, Lang: "rust", Body: body, Shape: compile.ShapeBabel}
		u, err := (lane{}).plan(src, &compile.Artifact{Meta: map[string]string{}})
		if err != nil {
			t.Fatal(err)
		}
		return u.text
	}
	text := plan(body)
	if !strings.Contains(text, "pub mod wb {") || !strings.Contains(text, "fn wb_dock_tcp_serve(") {
		t.Errorf("no module in\n%.2000s", text)
	}
	for _, without := range []string{`println!("web::page");`, "mod wb { pub fn f() {} }\nfn main() { wb::f() }"} {
		if strings.Contains(plan(without), "wb_dock_") {
			t.Errorf("the module stands beside %s", without)
		}
	}
	if err := exec.Command("rustc", "--version").Run(); err != nil {
		t.Skipf("no working rustc on PATH: %v", err)
	}
	file := filepath.Join(t.TempDir(), "block.rs")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, edition := range []string{"2018", "2021"} {
		check := exec.Command("rustc", "--edition", edition, "--emit=metadata", "-o", file+".rmeta", "-D", "warnings", file)
		if out, err := check.CombinedOutput(); err != nil {
			t.Errorf("edition %s: %v\n%s", edition, err, out)
		}
	}
}
