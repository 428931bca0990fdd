package rust

import (
	"fmt"
	"strings"

	"wb/compile"
	"wb/compile/cbackend"
	"wb/internal/diag"
	"wb/internal/lazyregexp"
	"wb/sandbox/dock"
)

// unit is the file that is compiled: lines of ours before the body, and after.
type unit struct {
	src   *compile.Source
	text  string
	first int // line of the file at which the body starts
	last  int // line of the file at which it ends
}

var mainPattern = lazyregexp.New(`(?m)^[ \t]*(pub[ \t]+)?fn[ \t]+main[ \t]*\(`)

// A program that mentions wb:: asks the host, unless it has a module of that name.
var (
	dockPattern = lazyregexp.New(`\bwb::`)
	ownDock     = lazyregexp.New(`\b(?:mod|crate)\s+wb\b`)
)

// newUnit lays out a block. wrap puts a body without main into one: Rust lets
// functions, types and use stand inside of functions.
func newUnit(src *compile.Source, wrap bool, glue string) (*unit, error) {
	var b strings.Builder
	b.WriteString("#![allow(dead_code, non_upper_case_globals, unused_imports)]\n")
	for _, v := range src.Vars {
		typ, literal, err := dialect.Constant(v.Value)
		if err != nil {
			return nil, diag.Errorf(src.At(1, 1), "variable %s: %v", v.Name, err)
		}
		fmt.Fprintf(&b, "const %s: %s = %s;\n", identifier(v.Name), typ, strings.ToValidUTF8(literal, "\uFFFD"))
	}
	if m, _ := src.Arg("main"); m == "no" || mainPattern.MatchString(src.Body) {
		wrap = false
	}
	if wrap {
		b.WriteString("fn main() {\n")
	}
	if text, ok := src.Arg("prologue"); ok {
		b.WriteString(compile.Unquoted(text) + "\n")
	}
	u := &unit{src: src, first: 1 + strings.Count(b.String(), "\n")}
	b.WriteString(strings.TrimSuffix(src.Body, "\n") + "\n")
	u.last = strings.Count(b.String(), "\n")
	if text, ok := src.Arg("epilogue"); ok {
		b.WriteString(compile.Unquoted(text) + "\n")
	}
	if wrap {
		b.WriteString("}\n")
	}
	b.WriteString(glue)
	if dockPattern.MatchString(src.Body) && !ownDock.MatchString(src.Body) {
		b.WriteString(dock.RustModule())
	}
	u.text = b.String()
	return u, nil
}

// at is the org position of a place in the file, and whether it is the body's.
func (u *unit) at(line, col int) (diag.Position, bool) {
	if line < u.first || line > u.last {
		return u.src.At(1, 1), false
	}
	return u.src.At(line-u.first+1, col), true
}

var dialect = cbackend.Dialect{
	Language: "Rust", Text: "&str", Point: true,
	List:  func(element string) string { return "&[" + element + "]" },
	Items: func(items []string) string { return "&[" + strings.Join(items, ", ") + "]" },
}

// identifier makes a Rust name of a name in a signature or of a variable.
func identifier(name string) string {
	name = strings.ReplaceAll(name, "-", "_")
	if keywords[name] {
		return name + "_"
	}
	return name
}

var keywords = func() map[string]bool {
	set := make(map[string]bool)
	for _, w := range strings.Fields(`as async await break const continue crate dyn else enum extern false fn for if impl in let loop match mod move mut pub ref
		return self Self static struct super trait true type unsafe use where while abstract become box do final macro override priv try typeof unsized virtual yield`) {
		set[w] = true
	}
	return set
}()
