package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// phases are the packages of the workbook in the order in which they use each other:
// each imports only those further right.
var phases = []string{"instance", "capability", "", "lint", "run", "plan", "result", "format", "frozen"}

// TestPhases holds the phases of the workbook apart.
func TestPhases(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, "wb/workbook/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	phase := func(pkg string) int {
		rest, inside := strings.CutPrefix(pkg, "wb/workbook")
		if !inside {
			return -1
		}
		return slices.Index(phases, strings.TrimPrefix(rest, "/"))
	}
	seen := 0
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		from := phase(words[0])
		for _, imp := range words[1:] {
			if to := phase(imp); from >= 0 && to >= 0 {
				seen++
				if to < from {
					t.Errorf("%s imports %s, which stands above it", words[0], imp)
				}
			}
		}
	}
	if seen == 0 {
		t.Error("the phases do not use each other")
	}
}

// namesakes are the packages that may be called like one of the standard library: they
// are called what users type or read, and no file needs both.
var namesakes = []string{"wb/compile/sql", "wb/internal/trace", "wb/workbook/format"}

// TestNames keeps packages from being called like one of the standard library: a file
// that imports both has to rename one.
func TestNames(t *testing.T) {
	std, err := exec.Command("go", "list", "std").Output()
	if err != nil {
		t.Fatal(err)
	}
	taken := map[string]string{}
	for pkg := range strings.FieldsSeq(string(std)) {
		if !strings.Contains(pkg, "internal") && !strings.Contains(pkg, "vendor") {
			taken[path.Base(pkg)] = pkg
		}
	}
	own, err := exec.Command("go", "list", "-f", "{{.Name}} {{.ImportPath}}", "wb/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(own)) {
		if name, pkg, _ := strings.Cut(strings.TrimSpace(line), " "); name != "main" && !slices.Contains(namesakes, pkg) && taken[name] != "" {
			t.Errorf("%s is called like %s", pkg, taken[name])
		}
	}
}

// TestShape bounds how long a file is, how many methods a type of the workbook has, and
// lets exit codes have names alone.
func TestShape(t *testing.T) {
	const lines, methods = 600, 30
	count := map[string]int{}
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && file != root && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".")) {
			return fs.SkipDir
		}
		if filepath.Ext(file) != ".go" {
			return nil
		}
		set := token.NewFileSet()
		tree, err := parser.ParseFile(set, file, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		if n := set.File(tree.FileStart).LineCount(); n > lines+1 {
			t.Errorf("%s has %d lines, more than %d", file, n, lines)
		}
		for _, d := range tree.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || strings.HasSuffix(file, "_test.go") {
				continue
			}
			if f.Name.Name == "ExitCode" && returnsNumber(f) {
				t.Errorf("%s: an exit code is a bare number", set.Position(f.Pos()))
			}
			if f.Recv == nil {
				continue
			}
			if dir := filepath.ToSlash(filepath.Dir(file)); strings.HasPrefix(dir, "../../workbook") {
				receiver := receiver(f)
				if count[dir+" "+receiver]++; count[dir+" "+receiver] == methods+1 {
					t.Errorf("%s: %s has more than %d methods", dir, receiver, methods)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(count) == 0 {
		t.Error("the workbook has no methods")
	}
}

// receiver is the name of the type that a method belongs to.
func receiver(f *ast.FuncDecl) string {
	of := f.Recv.List[0].Type
	for {
		switch t := of.(type) {
		case *ast.StarExpr:
			of = t.X
		case *ast.IndexExpr:
			of = t.X
		case *ast.Ident:
			return t.Name
		default:
			return ""
		}
	}
}

// returnsNumber reports whether a function returns a number other than 0 that has no name.
func returnsNumber(f *ast.FuncDecl) bool {
	found := false
	ast.Inspect(f, func(n ast.Node) bool {
		if r, ok := n.(*ast.ReturnStmt); ok && len(r.Results) == 1 {
			number, literal := r.Results[0].(*ast.BasicLit)
			found = found || literal && number.Value != "0"
		}
		return true
	})
	return found
}
