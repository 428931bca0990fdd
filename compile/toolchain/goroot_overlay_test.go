package toolchain

import (
	"go/build"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestOverlay trims the sources of the local Go: architectures are gone, wasm
// stays, and all of it parses.
func TestOverlay(t *testing.T) {
	cmd := filepath.Join(build.Default.GOROOT, "src", "cmd")
	if _, err := os.Stat(cmd); err != nil {
		t.Skip("no sources of the Go compiler: install Go from its distribution")
	}
	dir := t.TempDir()
	if _, err := writeOverlay(cmd, dir); err != nil {
		t.Fatal(err)
	}
	for name, gone := range map[string]string{
		"compile_main.go":                "amd64",
		"compile_internal_ssa_config.go": "rewriteValueARM64",
		"link_main.go":                   "internal/ppc64",
	} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(text), gone) {
			t.Errorf("%s still has %s", name, gone)
		}
		if !strings.Contains(string(text), "wasm") {
			t.Errorf("%s has lost wasm", name)
		}
	}
}

func TestTrimmedSourceDropsImports(t *testing.T) {
	const source = `package main
import (
	"cmd/compile/internal/amd64"
	"cmd/compile/internal/wasm"
	"fmt"
	_ "embed"
)
var inits = map[string]func(){"amd64": amd64.Init, "wasm": wasm.Init}
func main() { fmt.Println(inits) }
`
	got, err := trimmedSource([]byte(source), trimCompileMain)
	if err != nil {
		t.Fatal(err)
	}
	if text := string(got); strings.Contains(text, "amd64") || !strings.Contains(text, `"fmt"`) || !strings.Contains(text, `_ "embed"`) || !strings.Contains(text, "wasm.Init") {
		t.Errorf("got\n%s", text)
	}
}
