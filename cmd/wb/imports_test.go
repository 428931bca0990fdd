package main

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// execPackages are the only packages of wb that may start processes of the
// operating system: they fetch toolchains, start MCP servers by command lines of
// the user's configuration, deploy with the user's own wrangler and git login,
// start this executable as workers and as the resident, and start it again as the
// children of tiers.
// No component, shell stage or tool reaches them with anything of its own.
var execPackages = []string{"wb/compile/toolchain", "wb/agent/mcptools/stdio", "wb/publish/target/client", "wb/publish/site/worker", "wb/compile/place/fabric/spawn", "wb/compile/place/resident", "wb/compile/place/tier", "wb/compile/place/walls"}

// TestNoProcesses walks the import graph of everything wb is built from.
func TestNoProcesses(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "-f", `{{.ImportPath}}: {{join .Imports " "}}`, "wb/cmd/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(out)) {
		pkg, imports, _ := strings.Cut(strings.TrimSpace(line), ": ")
		if !strings.HasPrefix(pkg, "wb/") {
			continue
		}
		words := strings.Fields(imports)
		if !slices.Contains(execPackages, pkg) && (slices.Contains(words, "os/exec") || slices.Contains(words, "syscall") && usesFork(t, pkg)) {
			t.Errorf("%s imports os/exec", pkg)
		}
	}
}

// usesFork reports whether a package that imports syscall starts processes
// with it.
func usesFork(t *testing.T, pkg string) bool {
	t.Helper()
	out, err := exec.Command("go", "list", "-f", `{{.Dir}}/{{join .GoFiles (printf " %s/" .Dir)}}`, pkg).Output()
	if err != nil {
		t.Fatal(err)
	}
	grep := exec.Command("grep", append([]string{"-lE", `syscall\.(ForkExec|StartProcess|Exec)\b`}, strings.Fields(string(out))...)...)
	found, _ := grep.Output() // grep exits with 1 when there is nothing to find
	return len(found) > 0
}

// direction is who may import whom: each package only those further right.
var direction = []string{"cmd", "serve", "app", "agent", "publish", "workbook", "compile", "tangle", "proof", "search", "sandbox", "org", "internal"}

// testSupport is where packages lie that only tests import; they stand above what
// they make test data for.
const testSupport = "wb/internal/test/"

// TestImportDirection holds the layers apart.
func TestImportDirection(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}}: {{join .Imports " "}}`, "wb/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	layer := func(pkg string) int {
		rest, ok := strings.CutPrefix(pkg, "wb/")
		if !ok {
			return -1
		}
		return slices.Index(direction, strings.Split(rest, "/")[0])
	}
	for line := range strings.Lines(string(out)) {
		pkg, imports, _ := strings.Cut(strings.TrimSpace(line), ": ")
		from := layer(pkg)
		if strings.HasPrefix(pkg, testSupport) {
			from = 0
		}
		for _, imp := range strings.Fields(imports) {
			if to := layer(imp); to >= 0 && from >= 0 && to < from {
				t.Errorf("%s imports %s, which stands above it", pkg, imp)
			}
			if strings.HasPrefix(imp, testSupport) && !strings.HasPrefix(pkg, testSupport) {
				t.Errorf("%s imports %s, which is for tests", pkg, imp)
			}
		}
	}
}

// TestNoHugo: initialising hugo and chroma takes longer than most verbs, so only
// wb-publish has them; org that other people's code turns into HTML is in
// neither's pages.
func TestNoHugo(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", "wb/cmd/wb").Output()
	if err != nil {
		t.Fatal(err)
	}
	for pkg := range strings.FieldsSeq(string(out)) {
		for _, heavy := range []string{"github.com/gohugoio/", "github.com/alecthomas/chroma", "wb/publish/site/hugo", "wb/publish/site/highlight"} {
			if strings.HasPrefix(pkg, heavy) {
				t.Errorf("wb links %s", pkg)
			}
		}
	}
}
