package babel

import (
	"fmt"
	"strings"

	"wb/internal/lazyregexp"
	"wb/tangle/elisp"
)

// What a Java body may already contain.
var (
	javaPackage = lazyregexp.New(`(?im)^\s*package\s+([\p{L}\p{N}_.]+)\s*;$`)
	javaImport  = lazyregexp.New(`(?im)^\s*import(?:\s+static)?\s+([\p{L}\p{N}_.*]+)\s*;$`)
	javaClass   = lazyregexp.New(`(?im)^\s*(?:public\s+)?class\s+([\p{L}\p{N}_]+)\s*\{`)
	javaMain    = lazyregexp.New(`(?im)^\s*public\s+static\s+void\s+main\s*\(\s*String[\p{L}\p{N}_\[\]\s]+\)\s*(?:throws[\p{L}\p{N}_,.\s]+)?\{`)
	javaMethod  = lazyregexp.New(`(?im)^\s*(?:[\p{L}\p{N}]+\s+)?(?:static\s+)?[\p{L}\p{N}_\[\]]+\s+[\p{L}\p{N}_]+\s*\([\p{L}\p{N}_\[\],\s]*\)\s*(?:throws[\p{L}\p{N}_,.\s]+)?\{`)
)

// expandJava builds a file from the inside out: a main method around bare
// statements, a class around everything that has none, then variables as
// static fields, imports and the package line.
func expandJava(body string, p *Params) (string, error) {
	full, ok := p.text(":classname")
	if !ok {
		full = javaClassName(body)
	}
	class := full[strings.LastIndexByte(full, '.')+1:]
	pkg := ""
	if strings.Contains(full, ".") {
		pkg = elisp.SansExtension(full[strings.LastIndexByte(full, '/')+1:])
	}
	if text, ok := p.prologue(); ok {
		body = text + "\n" + body
	}
	if text, ok := p.epilogue(); ok {
		body += "\n" + text
	}
	if !javaMain.MatchString(body) && !javaMethod.MatchString(body) {
		at := pastLast(javaImport, body, pastLast(javaPackage, body, 0))
		body = body[:at] + "public static void main(String[] args) {\n" + indentCode(body[at:], 4) + "\n}"
	}
	if !javaClass.MatchString(body) {
		at := pastLast(javaImport, body, pastLast(javaPackage, body, 0))
		body = body[:at] + "\npublic class " + elisp.SansExtension(class) + " {\n" + indentCode(body[at:], 4) + "\n}"
	}
	if len(p.Vars) > 0 {
		fields := make([]string, len(p.Vars))
		for i, v := range p.Vars {
			field, err := assignJava(v)
			if err != nil {
				return "", err
			}
			fields[i] = field
		}
		at := pastLast(javaClass, body, 0)
		body = body[:at] + strings.Join(fields, "\n") + "\n" + body[at:]
	}
	if text, ok := p.text(":imports"); ok {
		names := strings.Split(text, " ")
		for i, name := range names {
			names[i] = "import " + name + ";"
		}
		at := pastLast(javaPackage, body, 0)
		body = body[:at] + strings.Join(names, "\n") + "\n" + body[at:]
	}
	if pkg != "" && !javaPackage.MatchString(body) {
		body = "package " + pkg + ";\n" + body
	}
	return body, nil
}

// javaClassName is the class a body declares, with its package; Main if none.
func javaClassName(body string) string {
	class := "Main"
	m := javaClass.FindStringSubmatch(body)
	if m != nil {
		class = m[1]
	}
	if pkg := javaPackage.FindStringSubmatch(body); pkg != nil {
		return pkg[1] + "." + class
	}
	return class
}

// pastLast is the place one character behind the last match at or after from,
// or from itself when there is none.
func pastLast(re *lazyregexp.Regexp, s string, from int) int {
	for {
		m := re.FindStringIndex(s[from:])
		if m == nil {
			return from
		}
		from = min(len(s), from+m[1]+1)
		for from < len(s) && s[from]&0xC0 == 0x80 { // stay between characters
			from++
		}
	}
}

// indentCode shifts lines to the right by n columns, with tabs of eight, but
// leaves lines alone that begin inside a string. Blank lines become empty.
func indentCode(code string, n int) string {
	var out strings.Builder
	inString := false
	for _, line := range strings.SplitAfter(code, "\n") {
		text := strings.TrimSuffix(line, "\n")
		if !inString {
			column := 0
			rest := text
			for rest != "" && (rest[0] == ' ' || rest[0] == '\t') {
				if rest[0] == '\t' {
					column += 8 - column%8
				} else {
					column++
				}
				rest = rest[1:]
			}
			if rest != "" {
				out.WriteString(strings.Repeat("\t", (column+n)/8))
				out.WriteString(strings.Repeat(" ", (column+n)%8))
			}
			out.WriteString(rest)
		} else {
			out.WriteString(text)
		}
		if strings.HasSuffix(line, "\n") {
			out.WriteByte('\n')
		}
		for i := 0; i < len(line); i++ {
			switch line[i] {
			case '\\':
				i++
			case '"':
				inString = !inString
			}
		}
	}
	return out.String()
}

func assignJava(v Var) (string, error) {
	kind := kindOf(v.Value)
	name, ok := map[scalarKind]string{intKind: "Integer", floatKind: "Double", textKind: "String"}[kind]
	if !ok {
		return "", cannot(v, "an empty list has no type in Java")
	}
	_, vector := v.Value.(elisp.Vector)
	switch {
	case isPair(v.Value) && elisp.IsList(elisp.Car(v.Value)):
		name = "List<List<" + name + ">>"
	case isPair(v.Value) || vector:
		name = "List<" + name + ">"
	}
	value, err := javaValue(v, v.Value, kind)
	return fmt.Sprintf("    static %s %s = %s;", name, v.Name, value), err
}

// innerNewline is a line break with text on both sides.
var innerNewline = lazyregexp.New(`.\n+.`)

func javaValue(v Var, x elisp.Value, kind scalarKind) (string, error) {
	_, vector := x.(elisp.Vector)
	if elisp.IsList(x) || vector {
		inner, err := joined(v, x, ", ", func(item elisp.Value) (string, error) { return javaValue(v, item, kind) })
		return "Arrays.asList(" + inner + ")", err
	}
	if x == elisp.HLine {
		return "null", nil
	}
	switch kind {
	case intKind:
		return elisp.Print(x), nil
	case floatKind:
		f, ok := x.(elisp.Float)
		if n, whole := x.(elisp.Int); whole {
			f, ok = elisp.Float(n), true
		}
		if !ok {
			return "", cannot(v, "%s is not a number", elisp.Print(x))
		}
		return fmt.Sprintf("%f", float64(f)), nil
	}
	if s, ok := x.(elisp.String); ok && innerNewline.MatchString(string(s)) {
		return "", cannot(v, "Java has no string literals of several lines")
	}
	return `"` + elisp.Princ(x) + `"`, nil
}
