package toolchain

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// writeOverlay writes, into dir, files that replace three of Go's own while
// its compiler and linker are built: they leave out every architecture but
// wasm, which halves the programs. cmd is GOROOT/src/cmd. Where a version of
// Go has a file in another form than is known here, that file stays as it is
// and the program only gets larger. It returns the path of the overlay.
func writeOverlay(cmd, dir string) (string, error) {
	replace := make(map[string]string)
	for name, trim := range map[string]func(*ast.File){
		"compile/main.go":                trimCompileMain,
		"compile/internal/ssa/config.go": trimArchCases,
		"link/main.go":                   trimLinkMain,
	} {
		path := filepath.Join(cmd, filepath.FromSlash(name))
		source, err := os.ReadFile(path)
		if err != nil {
			return "", err
		}
		trimmed, err := trimmedSource(source, trim)
		if err != nil {
			return "", fmt.Errorf("%s: %w", path, err)
		}
		copied := filepath.Join(dir, strings.ReplaceAll(name, "/", "_"))
		if err := os.WriteFile(copied, trimmed, 0o644); err != nil {
			return "", err
		}
		replace[path] = copied
	}
	text, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return "", err
	}
	overlay := filepath.Join(dir, "overlay.json")
	return overlay, os.WriteFile(overlay, text, 0o644)
}

// trimmedSource applies trim to a file's tree and drops the imports that it
// leaves unused. Comments go: the ones inside of what is removed would end up
// anywhere.
func trimmedSource(source []byte, trim func(*ast.File)) ([]byte, error) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, "", source, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	before := usedNames(file)
	trim(file)
	after := usedNames(file)
	for _, decl := range file.Decls {
		imports, ok := decl.(*ast.GenDecl)
		if !ok || imports.Tok != token.IMPORT {
			continue
		}
		imports.Specs = slices.DeleteFunc(imports.Specs, func(s ast.Spec) bool {
			name := importedName(s.(*ast.ImportSpec))
			return before[name] && !after[name]
		})
	}
	var b bytes.Buffer
	err = format.Node(&b, set, file)
	return b.Bytes(), err
}

// importedName guesses an import's name from its path, as Go's own sources
// allow.
func importedName(s *ast.ImportSpec) string {
	if s.Name != nil {
		return s.Name.Name
	}
	path, _ := strconv.Unquote(s.Path.Value) // the parser accepted it
	return path[strings.LastIndexByte(path, '/')+1:]
}

// usedNames are the x of all x.y.
func usedNames(file *ast.File) map[string]bool {
	names := make(map[string]bool)
	ast.Inspect(file, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok {
				names[x.Name] = true
			}
		}
		return true
	})
	return names
}

// wasmArch is the architecture that stays.
const wasmArch = "wasm"

// trimCompileMain keeps one entry of the table from architecture to its Init.
func trimCompileMain(file *ast.File) {
	ast.Inspect(file, func(n ast.Node) bool {
		if table, ok := n.(*ast.CompositeLit); ok {
			table.Elts = slices.DeleteFunc(table.Elts, func(e ast.Expr) bool {
				entry, ok := e.(*ast.KeyValueExpr)
				return ok && initOf(entry.Value) != "" && initOf(entry.Value) != wasmArch
			})
		}
		return true
	})
}

// trimLinkMain drops the cases that call another architecture's Init.
func trimLinkMain(file *ast.File) {
	deleteCases(file, func(c *ast.CaseClause) bool {
		arch := ""
		ast.Inspect(c, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok && initOf(call.Fun) != "" {
				arch = initOf(call.Fun)
			}
			return true
		})
		return arch != "" && arch != wasmArch
	})
}

// trimArchCases drops the cases of architectures by name, in switches that
// have one for wasm.
func trimArchCases(file *ast.File) {
	ast.Inspect(file, func(n ast.Node) bool {
		body, ok := n.(*ast.SwitchStmt)
		if !ok || !slices.ContainsFunc(body.Body.List, func(s ast.Stmt) bool { return names(s, wasmArch) }) {
			return true
		}
		body.Body.List = slices.DeleteFunc(body.Body.List, func(s ast.Stmt) bool {
			return s.(*ast.CaseClause).List != nil && !names(s, wasmArch)
		})
		return true
	})
}

// names reports whether a case has the string among its values.
func names(s ast.Stmt, value string) bool {
	c, ok := s.(*ast.CaseClause)
	return ok && slices.ContainsFunc(c.List, func(e ast.Expr) bool {
		lit, ok := e.(*ast.BasicLit)
		return ok && lit.Value == strconv.Quote(value)
	})
}

// initOf is arch in arch.Init, "" for other expressions.
func initOf(e ast.Expr) string {
	s, ok := e.(*ast.SelectorExpr)
	if !ok || s.Sel.Name != "Init" {
		return ""
	}
	if x, ok := s.X.(*ast.Ident); ok {
		return x.Name
	}
	return ""
}

func deleteCases(file *ast.File, unwanted func(*ast.CaseClause) bool) {
	ast.Inspect(file, func(n ast.Node) bool {
		if body, ok := n.(*ast.SwitchStmt); ok {
			body.Body.List = slices.DeleteFunc(body.Body.List, func(s ast.Stmt) bool { return unwanted(s.(*ast.CaseClause)) })
		}
		return true
	})
}
