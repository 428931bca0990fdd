package golang

import (
	"go/ast"
	"go/parser"
	"go/token"

	"wb/compile"
	"wb/internal/value"
)

// function is the author's function that a component calls.
type function struct {
	name     string
	line     int // in the block's file, from 1
	col      int
	params   []param
	variadic bool
	results  []goType // without a last error
	fails    bool     // its last result is an error
}

type param struct {
	name string // "" or "_" without one
	typ  goType
}

// chooseFunction finds the function to call, however the words of its name are
// joined.
func chooseFunction(b *block) (function, error) {
	if b.file == nil {
		return function{}, errUnparsed
	}
	var candidates []*ast.FuncDecl
	var list []compile.Callable
	for _, f := range b.functions() {
		if f.Recv == nil && f.Type.TypeParams == nil && f.Name.Name != "main" && f.Name.Name != "init" {
			candidates = append(candidates, f)
			list = append(list, compile.Callable{Name: f.Name.Name, Public: f.Name.IsExported()})
		}
	}
	i, err := b.src.Choose(list, compile.LooseName, "func half(x float64) float64 { return x / 2 }", "name the component after one, or export only one")
	if err != nil {
		return function{}, err
	}
	return b.function(candidates[i]), nil
}

// function reads a declaration.
func (b *block) function(f *ast.FuncDecl) function {
	types := newGoTypes(b.packageFiles())
	found := function{name: f.Name.Name}
	found.line, found.col = b.placeOf(f.Name.Pos())
	for _, p := range f.Type.Params.List {
		_, found.variadic = p.Type.(*ast.Ellipsis)
		typ := types.resolve(p.Type)
		if len(p.Names) == 0 {
			found.params = append(found.params, param{"", typ})
		}
		for _, n := range p.Names {
			found.params = append(found.params, param{n.Name, typ})
		}
	}
	if f.Type.Results != nil {
		for _, r := range f.Type.Results.List {
			for range max(1, len(r.Names)) {
				found.results = append(found.results, types.resolve(r.Type))
			}
		}
	}
	if n := len(found.results); n > 0 && found.results[n-1].kind == "error" {
		found.results, found.fails = found.results[:n-1], true
	}
	return found
}

// packageFiles are the block and the files of :dir in its package, parsed.
func (b *block) packageFiles() []*ast.File {
	files := []*ast.File{b.file}
	for _, f := range goFiles(b.src.Files, ".") {
		if tree, err := parser.ParseFile(token.NewFileSet(), f.name, f.text, 0); err == nil && tree.Name.Name == b.pkg {
			files = append(files, tree)
		}
	}
	return files
}

// signature reads a signature off a declaration, for components without :sig:.
// It reports false for types that signatures have no word for; those go as
// JSON.
func (f function) signature(src *compile.Source) (*value.Sig, bool) {
	sig := &value.Sig{Name: f.name}
	for i, p := range f.params {
		t, ok := p.typ.infer()
		if !ok {
			return nil, false
		}
		sig.Params = append(sig.Params, value.Param{Name: f.inputName(src, i), Type: t})
	}
	for i, r := range f.results {
		t, ok := r.infer()
		if !ok {
			return nil, false
		}
		name := ""
		if len(f.results) > 1 {
			if len(src.Outs) != len(f.results) {
				return nil, false
			}
			name = src.Outs[i]
		}
		sig.Results = append(sig.Results, value.Param{Name: name, Type: t})
	}
	return sig, true
}

// inputName is an input's name outside the program.
func (f function) inputName(src *compile.Source, i int) string {
	if i < len(src.Params) {
		return src.Params[i]
	}
	return f.params[i].name
}
