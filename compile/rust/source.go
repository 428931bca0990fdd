package rust

import (
	"fmt"
	"strconv"
	"strings"

	"wb/compile"
	"wb/internal/lazyregexp"
	"wb/sandbox/dock"
	"wb/value"
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
		text, err := declare(v)
		if err != nil {
			return nil, compile.Errorf(src.At(1, 1), "variable %s: %v", v.Name, err)
		}
		b.WriteString(text + "\n")
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
func (u *unit) at(line, col int) (compile.Position, bool) {
	if line < u.first || line > u.last {
		return u.src.At(1, 1), false
	}
	return u.src.At(line-u.first+1, col), true
}

// declare writes a variable as a constant.
func declare(v compile.Var) (string, error) {
	given := v.Value
	if given.Kind() == value.List {
		var kept []value.Value
		for _, row := range given.Items() {
			if row.Kind() != value.HLine {
				kept = append(kept, row)
			}
		}
		given = value.OfList(kept...)
	}
	t := typeOf(given)
	if t == "" {
		t = "&[&str]"
	}
	text, err := literal(given, t)
	return fmt.Sprintf("const %s: %s = %s;", identifier(v.Name), t, text), err
}

// typeOf is the Rust type of a value; "" for what is empty. Different things in
// one list are texts.
func typeOf(v value.Value) string {
	switch v.Kind() {
	case value.Null:
		return ""
	case value.Bool:
		return "bool"
	case value.Int:
		return "i64"
	case value.Float:
		return "f64"
	case value.List:
		common := ""
		for _, item := range v.Items() {
			switch t := typeOf(item); {
			case common == "" || common == t:
				common = t
			case common == "i64" && t == "f64" || common == "f64" && t == "i64":
				common = "f64"
			case t == "":
			case strings.HasPrefix(common, "&[") && strings.HasPrefix(t, "&["):
				common = "&[&str]"
			default:
				common = "&str"
			}
		}
		if common == "" {
			return ""
		}
		return "&[" + common + "]"
	}
	return "&str"
}

func literal(v value.Value, t string) (string, error) {
	switch v.Kind() {
	case value.Object, value.BlobRef:
		return "", fmt.Errorf("this value cannot become a Rust constant; give the block a :sig: to pass structured data")
	case value.Null:
		if strings.HasPrefix(t, "&[") {
			return "&[]", nil
		}
		return "", fmt.Errorf("an empty cell among values of type %s", t)
	case value.List:
		items := make([]string, len(v.Items()))
		for i, item := range v.Items() {
			text, err := literal(item, strings.TrimSuffix(strings.TrimPrefix(t, "&["), "]"))
			if err != nil {
				return "", err
			}
			items[i] = text
		}
		return "&[" + strings.Join(items, ", ") + "]", nil
	}
	switch {
	case t == "&str":
		return quote(scalarText(v)), nil
	case t == "f64" && v.Kind() == value.Int:
		return scalarText(v) + ".0", nil
	}
	return scalarText(v), nil
}

func scalarText(v value.Value) string {
	switch v.Kind() {
	case value.Bool:
		return strconv.FormatBool(v.Bool())
	case value.String:
		return v.Text()
	}
	return v.String()
}

// quote writes a text as a Rust string.
func quote(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < ' ' || r == 0x7f:
			fmt.Fprintf(&b, `\x%02x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
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
