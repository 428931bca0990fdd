package golang

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"strconv"
	"strings"

	"wb/compile"
	"wb/internal/diag"
)

// block is a source block laid out as Go.
type block struct {
	src   *compile.Source
	std   *stdFS
	pkg   string // its package clause, "main" without one
	text  string // body between :prologue and :epilogue
	shift int    // lines of text before the body
	wrap  bool   // statements go into main

	set  *token.FileSet
	file *ast.File // the block as a file, nil when it does not parse
	vars string    // the file of :var, "" for none
}

// newBlock reads a block. wrap is false where functions are called by us and
// main is ours.
func newBlock(src *compile.Source, std *stdFS, wrap bool) (*block, error) {
	b := &block{src: src, std: std, pkg: "main", text: src.Body, wrap: wrap}
	if text, ok := src.Arg("prologue"); ok {
		before := compile.Unquoted(text) + "\n"
		b.text, b.shift = before+b.text, strings.Count(before, "\n")
	}
	if text, ok := src.Arg("epilogue"); ok {
		b.text += "\n" + compile.Unquoted(text)
	}
	if m, _ := src.Arg("main"); m == "no" {
		b.wrap = false
	}
	if f, err := parser.ParseFile(token.NewFileSet(), "", b.text, parser.PackageClauseOnly); err == nil && packagePattern.MatchString(b.text) {
		b.pkg = f.Name.Name
	}
	var err error
	if b.vars, err = declarations(b.pkg, src.Vars); err != nil {
		return nil, diag.Errorf(src.At(1, 1), "%v", err)
	}
	b.set = token.NewFileSet()
	b.file, _ = parser.ParseFile(b.set, bodyFile, program(b.text, "", b.wrap), parser.ParseComments)
	return b, nil
}

// files are the Go files of the block.
func (b *block) files() []file {
	text := program(b.text, b.imports(), b.wrap)
	if b.file != nil && b.pkg == "main" && b.wrap && !b.declares("main") {
		text += "\n//line " + glueFile + ":1\nfunc main() {}\n"
	}
	files := []file{{bodyFile, []byte(text)}}
	if b.vars != "" {
		files = append(files, file{varsFile, []byte(b.vars)})
	}
	return files
}

// declares reports whether the block has a function of that name.
func (b *block) declares(name string) bool {
	return slices.ContainsFunc(b.functions(), func(f *ast.FuncDecl) bool { return f.Recv == nil && f.Name.Name == name })
}

// functions are the block's functions and methods, in order.
func (b *block) functions() []*ast.FuncDecl {
	if b.file == nil {
		return nil
	}
	var list []*ast.FuncDecl
	for _, d := range b.file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok {
			list = append(list, f)
		}
	}
	return list
}

// imports are the declarations that wb adds: what :imports names and what a
// block uses without importing it, where the standard library has a package of
// that name. Nothing is added that is not used, since Go would refuse it.
func (b *block) imports() string {
	if b.file == nil {
		return ""
	}
	var added strings.Builder
	free := freeNames(b.file)
	for _, given := range listArg(b.src, "imports") {
		alias, path := "", strings.Trim(given, `"`)
		if name, rest, ok := strings.Cut(given, " "); ok {
			alias, path = name+" ", strings.Trim(strings.TrimSpace(rest), `"`)
		}
		name := lastElement(path)
		if p := b.std.packages[path]; p != nil {
			name = p.Name
		}
		if alias != "" {
			name = strings.TrimSpace(alias)
		}
		i := slices.Index(free, name)
		if i < 0 && name != "_" && name != "." {
			continue
		}
		if i >= 0 {
			free = slices.Delete(free, i, i+1)
		}
		fmt.Fprintf(&added, "import %s%s; ", alias, strconv.Quote(path))
	}
	for _, name := range free {
		found := b.std.named(name)
		if name == dockPackage {
			found = []string{dockPackage}
		}
		if len(found) > 0 && !b.isVariable(name) && !b.besideDeclares(name) {
			fmt.Fprintf(&added, "import %s; ", strconv.Quote(found[0]))
		}
	}
	return added.String()
}

func (b *block) isVariable(name string) bool {
	return slices.ContainsFunc(b.src.Vars, func(v compile.Var) bool {
		return identifier(v.Name) == name || identifier(v.Name)+"_header" == name
	})
}

// besideDeclares reports whether a file of :dir declares a package-level name.
func (b *block) besideDeclares(name string) bool {
	for _, f := range goFiles(b.src.Files, ".") {
		tree, err := parser.ParseFile(token.NewFileSet(), "", f.text, 0)
		if err == nil && tree.Scope.Lookup(name) != nil {
			return true
		}
	}
	return false
}

// at is the org position of a place in the block's file.
func (b *block) at(line, col int) diag.Position { return b.src.At(line-b.shift, col) }

// placeOf is where a node of b.file stands in the block's file, as its line
// directives have it.
func (b *block) placeOf(pos token.Pos) (line, col int) {
	p := b.set.Position(pos)
	return p.Line, p.Column
}

// listArg reads a header argument that is a list or words.
func listArg(src *compile.Source, name string) []string {
	arg, ok := src.Arg(name)
	if !ok || strings.TrimSpace(arg) == "" {
		return nil
	}
	items, isList := compile.List(arg)
	if isList {
		return items
	}
	if text := strings.TrimSpace(arg); strings.HasPrefix(text, `"`) {
		return items
	}
	return strings.Fields(items[0])
}
