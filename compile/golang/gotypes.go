package golang

import (
	"bytes"
	"go/ast"
	"go/printer"
	"go/token"
	"reflect"
	"strconv"
	"strings"

	"wb/compile"
	"wb/internal/value"
)

// goType is a type in the author's source, as far as glue needs to know it.
type goType struct {
	text   string // as it may be written in the same package
	kind   string // the basic type's name, or slice, array, pointer, struct, other
	elem   *goType
	fields []goField
}

// goField is one field of a struct.
type goField struct {
	name string
	tag  string // of its json tag, "" without one
	typ  goType
}

// goTypes resolves type expressions among the declarations of a package.
type goTypes struct {
	decls map[string]ast.Expr
	busy  map[string]bool // declarations being resolved: recursive types end here
}

func newGoTypes(files []*ast.File) *goTypes {
	t := &goTypes{decls: make(map[string]ast.Expr), busy: make(map[string]bool)}
	for _, f := range files {
		for _, d := range f.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.TYPE {
				continue
			}
			for _, s := range g.Specs {
				if spec := s.(*ast.TypeSpec); spec.TypeParams == nil {
					t.decls[spec.Name.Name] = spec.Type
				}
			}
		}
	}
	return t
}

// basicTypes are the names of types that every program has.
var basicTypes = map[string]bool{
	"bool": true, "string": true, "int": true, "int8": true, "int16": true, "int32": true, "int64": true, "rune": true, "byte": true,
	"uint": true, "uint8": true, "uint16": true, "uint32": true, "uint64": true, "float32": true, "float64": true, "error": true,
}

func (t *goTypes) resolve(e ast.Expr) goType {
	named := goType{text: exprText(e), kind: "other"}
	switch e := e.(type) {
	case *ast.ParenExpr:
		return t.resolve(e.X)
	case *ast.Ident:
		if decl, ok := t.decls[e.Name]; ok && !t.busy[e.Name] {
			t.busy[e.Name] = true
			under := t.resolve(decl)
			delete(t.busy, e.Name)
			under.text = e.Name
			return under
		}
		if basicTypes[e.Name] && t.decls[e.Name] == nil {
			named.kind = e.Name
			switch e.Name {
			case "rune":
				named.kind = "int32"
			case "byte":
				named.kind = "uint8"
			}
		}
	case *ast.StarExpr:
		elem := t.resolve(e.X)
		named.kind, named.elem = "pointer", &elem
	case *ast.ArrayType:
		elem := t.resolve(e.Elt)
		named.kind, named.elem = "slice", &elem
		if e.Len != nil {
			named.kind = "array"
		}
	case *ast.Ellipsis:
		elem := t.resolve(e.Elt)
		return goType{text: "[]" + elem.text, kind: "slice", elem: &elem}
	case *ast.StructType:
		named.kind = "struct"
		for _, f := range e.Fields.List {
			tag := ""
			if f.Tag != nil {
				text, _ := strconv.Unquote(f.Tag.Value) // the parser accepted it
				tag, _, _ = strings.Cut(reflect.StructTag(text).Get("json"), ",")
			}
			typ := t.resolve(f.Type)
			if len(f.Names) == 0 { // embedded
				return goType{text: named.text, kind: "other"}
			}
			for _, n := range f.Names {
				named.fields = append(named.fields, goField{n.Name, tag, typ})
			}
		}
	}
	return named
}

func exprText(e ast.Expr) string {
	var b bytes.Buffer
	_ = printer.Fprint(&b, token.NewFileSet(), e) // a buffer does not fail
	return b.String()
}

// field finds the field that holds a record's member: by json tag, by name, or
// by a name that differs in case and underscores only.
func (g goType) field(member string) (goField, bool) {
	for _, same := range []func(goField) bool{
		func(f goField) bool { return f.tag == member },
		func(f goField) bool { return f.name == member },
		func(f goField) bool { return compile.LooseName(f.name) == compile.LooseName(member) },
	} {
		for _, f := range g.fields {
			if same(f) {
				return f, true
			}
		}
	}
	return goField{}, false
}

// infer is the signature type that a Go type stands for.
func (g goType) infer() (value.Type, bool) {
	scalar := map[string]value.TypeKind{
		"bool": value.TypeBool, "string": value.TypeString, "float32": value.TypeF32, "float64": value.TypeF64,
		"int": value.TypeS64, "int64": value.TypeS64, "int32": value.TypeS32, "int16": value.TypeS32, "int8": value.TypeS32,
		"uint": value.TypeU64, "uint64": value.TypeU64, "uint32": value.TypeU32, "uint16": value.TypeU32, "uint8": value.TypeU32,
	}
	if kind, ok := scalar[g.kind]; ok {
		return value.Type{Kind: kind}, true
	}
	switch g.kind {
	case "slice", "pointer":
		if g.elem.kind == "uint8" { // encoding/json writes bytes as base64: leave that to it
			return value.Type{}, false
		}
		inner, ok := g.elem.infer()
		kind := value.TypeList
		if g.kind == "pointer" {
			kind = value.TypeOption
			ok = ok && inner.Kind != value.TypeOption && inner.Kind != value.TypeList
		}
		return value.Type{Kind: kind, Args: []value.Type{inner}}, ok
	case "struct":
		t := value.Type{Kind: value.TypeRecord}
		for _, f := range g.fields {
			inner, ok := f.typ.infer()
			if !ok || f.tag == "-" {
				return value.Type{}, false
			}
			name := f.tag
			if name == "" {
				name = f.name
			}
			t.Fields = append(t.Fields, value.Param{Name: name, Type: inner})
		}
		return t, len(t.Fields) > 0
	}
	return value.Type{}, false
}
