package zig

import (
	"fmt"
	"slices"
	"strings"

	"wb/compile"
	"wb/compile/cbackend"
	"wb/internal/diag"
	"wb/internal/lazyregexp"
)

// part is a stretch of the file that is compiled. Zig has no line directives:
// places are found by counting.
type part struct {
	text string
	from string // ":var" and so on; "" for the body
	line int    // the first line's number in the body
}

// unit is the file that is compiled, part by part, each starting a line.
type unit struct {
	src   *compile.Source
	parts []part
	glue  string // the code that calls the block, "" for a program
}

// publish makes a function visible to the glue. The word stands on a line of
// its own, so that columns stay.
func (u *unit) publish(f function) {
	if f.Public {
		return
	}
	for i, p := range u.parts {
		if p.from != "" {
			continue
		}
		lines := strings.SplitAfter(p.text, "\n")
		before := strings.Join(lines[:f.Line-1], "")
		u.parts = slices.Replace(u.parts, i, i+1,
			part{before, "", p.line}, part{"pub\n", "glue", 0}, part{strings.Join(lines[f.Line-1:], ""), "", f.Line})
		return
	}
}

func (u *unit) add(from, text string, line int) {
	if text != "" {
		u.parts = append(u.parts, part{strings.TrimSuffix(text, "\n") + "\n", from, line})
	}
}

func (u *unit) text() string {
	var b strings.Builder
	for _, p := range u.parts {
		b.WriteString(p.text)
	}
	return b.String()
}

// at is the org position of a place in the file, and which part it is in where
// that is not the body.
func (u *unit) at(line, col int) (diag.Position, string) {
	for _, p := range u.parts {
		n := strings.Count(p.text, "\n")
		if line > n {
			line -= n
			continue
		}
		if p.from != "" {
			return u.src.At(1, 1), p.from
		}
		return u.src.At(p.line+line-1, col), ""
	}
	return u.src.At(1, 1), ""
}

var (
	mainPattern = lazyregexp.New(`(?m)^[ \t]*(pub[ \t]+|export[ \t]+)+fn[ \t]+main[ \t]*\(`)
	stdPattern  = lazyregexp.New(`(?m)^[ \t]*(pub[ \t]+)?const[ \t]+std[ \t]*=`)
	// aheadPattern begins what moves out of main: functions, and the types and
	// imports that they may need.
	aheadPattern = lazyregexp.New(`^(?:(?:pub|export|inline|noinline)\s+)*fn\s+[\w@"]+\s*\(|^(?:pub\s+)?const\s+\w+\s*=\s*(?:(?:packed|extern)\s+)?(?:struct|enum|union|error|opaque|@import)\b|^(?:pub\s+)?const\s+\w+\s*=\s*@import`)
)

// newUnit lays out a block. wrap puts statements into main.
func newUnit(src *compile.Source, wrap bool) (*unit, error) {
	u := &unit{src: src}
	body := src.Body
	if !stdPattern.MatchString(body) {
		u.add("glue", `const std = @import("std");`, 0)
	}
	for _, v := range src.Vars {
		typ, literal, err := dialect.Constant(v.Value)
		if err != nil {
			return nil, diag.Errorf(src.At(1, 1), "variable %s: %v", v.Name, err)
		}
		u.add(":var", fmt.Sprintf("const %s: %s = %s;", identifier(v.Name), typ, literal), 0)
	}
	if m, _ := src.Arg("main"); m == "no" || mainPattern.MatchString(body) {
		wrap = false
	}
	logue := func(name string) {
		if text, ok := src.Arg(name); ok {
			u.add(":"+name, compile.Unquoted(text), 0)
		}
	}
	if !wrap {
		logue("prologue")
		u.add("", body, 1)
		logue("epilogue")
		return u, nil
	}
	rest := []byte(body)
	for _, p := range ahead(body) {
		u.add("", strings.Repeat(" ", column(body, p[0]))+body[p[0]:p[1]], 1+strings.Count(body[:p[0]], "\n"))
		for i := p[0]; i < p[1]; i++ {
			if rest[i] != '\n' {
				rest[i] = ' '
			}
		}
	}
	u.add("glue", "pub fn main() !void {", 0)
	logue("prologue")
	u.add("", string(rest), 1)
	logue("epilogue")
	u.add("glue", "}", 0)
	return u, nil
}

// column is how many bytes stand before an offset in its line.
func column(text string, offset int) int {
	return offset - (strings.LastIndexByte(text[:offset], '\n') + 1)
}

// ahead finds the declarations that move out of main, as ranges of bytes.
func ahead(body string) [][2]int {
	var found [][2]int
	depth, fresh := 0, true // fresh: at the start of a statement
	for i := 0; i < len(body); {
		if n := skip(body[i:]); n > 0 {
			if body[i] == '"' || body[i] == '\'' || body[i] == '\\' {
				fresh = false
			}
			i += n
			continue
		}
		c := body[i]
		if depth == 0 && fresh && c > ' ' {
			if aheadPattern.MatchString(body[i:]) {
				end := declarationEnd(body, i)
				found = append(found, [2]int{i, end})
				i = end
				continue
			}
			fresh = false
		}
		switch c {
		case '{', '(', '[':
			depth++
		case '}', ')', ']':
			depth--
			fresh = depth == 0 && c == '}'
		case ';':
			fresh = depth == 0
		}
		i++
	}
	return found
}

// typeBefore ends what stands before the braces of a type, such as a function's
// result.
var typeBefore = lazyregexp.New(`\b(error|struct|union|enum|union\s*\([^)]*\)|enum\s*\([^)]*\))\s*$`)

// declarationEnd is where a declaration that starts at i ends: behind the
// closing brace of a function, else behind the semicolon.
func declarationEnd(body string, i int) int {
	depth := 0
	isFunction := strings.Contains(aheadPattern.FindString(body[i:]), "fn")
	ofType := false // the brace last opened outside of others belongs to a type
	for i < len(body) {
		if n := skip(body[i:]); n > 0 {
			i += n
			continue
		}
		switch body[i] {
		case '{', '(', '[':
			if depth == 0 {
				ofType = typeBefore.MatchString(body[:i])
			}
			depth++
		case '}', ')', ']':
			depth--
			if depth == 0 && body[i] == '}' && isFunction && !ofType {
				return i + 1
			}
		case ';':
			if depth == 0 {
				return i + 1
			}
		}
		i++
	}
	return len(body)
}

// skip is the length of a comment or literal that text starts with, 0 for
// anything else.
func skip(text string) int {
	switch {
	case strings.HasPrefix(text, "//"), strings.HasPrefix(text, `\\`):
		if end := strings.IndexByte(text, '\n'); end >= 0 {
			return end
		}
		return len(text)
	case text[0] == '"' || text[0] == '\'':
		for i := 1; i < len(text); i++ {
			switch text[i] {
			case '\\':
				i++
			case text[0], '\n':
				return i + 1
			}
		}
		return len(text)
	}
	return 0
}

const textType = "[]const u8"

var dialect = cbackend.Dialect{
	Language: "Zig", Text: textType,
	List:  func(element string) string { return "[]const " + element },
	Items: func(items []string) string { return "&.{ " + strings.Join(items, ", ") + " }" },
}

// identifier makes a Zig name of a name in a signature or of a variable.
func identifier(name string) string {
	name = strings.ReplaceAll(name, "-", "_")
	if keywords[name] {
		return `@"` + name + `"`
	}
	return name
}

var keywords = func() map[string]bool {
	set := make(map[string]bool)
	for _, w := range strings.Fields(`addrspace align allowzero and anyframe anytype asm async await break callconv catch comptime const continue defer else enum
		errdefer error export extern fn for if inline noalias noinline nosuspend opaque or orelse packed pub resume return linksection struct suspend
		switch test threadlocal try union unreachable usingnamespace var volatile while bool void type u8 i8 u16 i16 u32 i32 u64 i64 f32 f64`) {
		set[w] = true
	}
	return set
}()
