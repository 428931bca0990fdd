package wat

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"wb/internal/lazyregexp"
)

// Assembled is a body made into a module.
type Assembled struct {
	Text string // the module
	// Line is where the body's first line stands in Text, from 1.
	Line int
}

// dataStart is where string literals begin in memory; below it nothing is, so
// that 0 is not a value.
const dataStart = 1024

// Assemble makes a module of a function body: macros are expanded, string
// literals placed in memory, (local …) forms moved to the front.
//
//	(argv N $x)   the N-th argument into the local $x, or return its error
//	(resv $p)     give the value at $p as a result, also (resv "…") and (resv (…))
//	(check $e)    return $e unless it is 0
//	"…" """…"""   the address of the text
//
// Lines stay lines, so that the assembler's messages can be placed.
func Assemble(body string) (Assembled, error) {
	x := &expander{text: body, literals: map[string]int{}, top: dataStart}
	code, err := x.expand()
	if err != nil {
		return Assembled{}, err
	}
	var b strings.Builder
	b.WriteString("(module\n")
	for _, f := range Functions {
		fmt.Fprintf(&b, "  (import %q %q (func $%s%s))\n", f.Namespace(), f.short(), f.Name, f.signature())
	}
	pages := x.top/65536 + 2
	fmt.Fprintf(&b, "  (memory (export \"memory\") %d)\n  (global $top (mut i32) (i32.const %d))\n", pages, (x.top+7)&^7)
	b.WriteString(allocator)
	for _, d := range x.data {
		fmt.Fprintf(&b, "  (data (i32.const %d) \"%s\")\n", d.at, escapeBytes(d.bytes))
	}
	b.WriteString("  (func $run (export \"run\") (result i32)\n    (local $__err i32)")
	for _, l := range x.locals {
		fmt.Fprintf(&b, " (local %s %s)", l.name, l.kind)
	}
	b.WriteByte('\n')
	line := 1 + strings.Count(b.String(), "\n")
	b.WriteString(code)
	b.WriteString("))\n")
	return Assembled{b.String(), line}, nil
}

// allocator gives memory from the end, and more pages when there are too few. The
// host places what its functions return by it.
const allocator = `  (func $alloc (export "alloc") (param $n i32) (result i32)
    (local $at i32) (local $need i32)
    (local.set $at (global.get $top))
    (local.set $need (i32.and (i32.add (i32.add (local.get $at) (local.get $n)) (i32.const 7)) (i32.const -8)))
    (if (i32.lt_u (local.get $need) (local.get $at)) (then (return (i32.const 0))))
    (if (i32.gt_u (local.get $need) (i32.mul (memory.size) (i32.const 65536)))
      (then (if (i32.eq (i32.const -1) (memory.grow (i32.add (i32.const 1) (i32.div_u (i32.sub (local.get $need) (i32.mul (memory.size) (i32.const 65536))) (i32.const 65536)))))
        (then (return (i32.const 0))))))
    (global.set $top (local.get $need))
    (local.get $at))
`

// SyntaxError is a body that cannot be expanded; Line counts from 1.
type SyntaxError struct {
	Line    int
	Message string
}

func (e *SyntaxError) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Message) }

type local struct{ name, kind string }

type datum struct {
	at    int
	bytes []byte
}

// expander rewrites a body token by token.
type expander struct {
	text     string
	pos      int
	locals   []local
	literals map[string]int
	data     []datum
	top      int
}

func (x *expander) fail(format string, args ...any) error {
	return &SyntaxError{1 + strings.Count(x.text[:min(x.pos, len(x.text))], "\n"), fmt.Sprintf(format, args...)}
}

// resvOf matches the macro resv where more than a local follows.
var resvOf = lazyregexp.New(`^resv\s*("|$)`)

// expand is the whole body.
func (x *expander) expand() (string, error) {
	var b strings.Builder
	depth := 0
	for x.pos < len(x.text) {
		start := x.pos
		switch {
		case x.skipComment():
			b.WriteString(strings.Repeat("\n", strings.Count(x.text[start:x.pos], "\n")))
			if x.pos >= len(x.text) && strings.HasPrefix(x.text[start:], "(;") && !strings.HasSuffix(x.text, ";)") {
				return "", x.fail("a comment (; is never closed")
			}
		case x.text[x.pos] == '"':
			literal, err := x.literal()
			if err != nil {
				return "", err
			}
			fmt.Fprintf(&b, "(i32.const %d)%s", x.place(literal), strings.Repeat("\n", strings.Count(x.text[start:x.pos], "\n")))
		case x.text[x.pos] == '(':
			form, ok, err := x.macro()
			if err != nil {
				return "", err
			}
			if ok {
				b.WriteString(form + strings.Repeat("\n", strings.Count(x.text[start:x.pos], "\n")))
				continue
			}
			depth++
			b.WriteByte('(')
			x.pos++
			if word, _, _ := strings.Cut(strings.TrimLeft(x.text[x.pos:], " \t\n"), "("); resvOf.MatchString(word) {
				b.WriteString("call $sys.") // resv of a text or an expression
			}
		case x.text[x.pos] == ')':
			if depth--; depth < 0 {
				return "", x.fail("a parenthesis closes that was not opened")
			}
			b.WriteByte(')')
			x.pos++
		default:
			b.WriteByte(x.text[x.pos])
			x.pos++
		}
	}
	if depth > 0 {
		return "", x.fail("%d parentheses are not closed", depth)
	}
	return b.String() + "\n", nil
}

// skipComment passes a comment to the end of the line, or (; one that ends ;).
func (x *expander) skipComment() bool {
	rest := x.text[x.pos:]
	switch {
	case strings.HasPrefix(rest, ";;"):
		if end := strings.IndexByte(rest, '\n'); end >= 0 {
			x.pos += end
		} else {
			x.pos = len(x.text)
		}
		return true
	case strings.HasPrefix(rest, "(;"):
		depth := 0
		for ; x.pos < len(x.text); x.pos++ {
			if strings.HasPrefix(x.text[x.pos:], "(;") {
				depth++
				x.pos++
			} else if strings.HasPrefix(x.text[x.pos:], ";)") {
				x.pos++
				if depth--; depth == 0 {
					x.pos++
					return true
				}
			}
		}
		x.pos = min(x.pos, len(x.text))
		return true
	}
	return false
}

// literal reads a string.
func (x *expander) literal() ([]byte, error) {
	if strings.HasPrefix(x.text[x.pos:], `"""`) {
		inside, _, ok := strings.Cut(x.text[x.pos+3:], `"""`)
		if !ok {
			return nil, x.fail(`a """ text does not end`)
		}
		x.pos += 6 + len(inside)
		return []byte(inside), nil
	}
	var b []byte
	for i := x.pos + 1; i < len(x.text); i++ {
		switch c := x.text[i]; {
		case c == '"':
			x.pos = i + 1
			return b, nil
		case c == '\\' && i+1 < len(x.text):
			i++
			if i+1 < len(x.text) && isHex(x.text[i]) && isHex(x.text[i+1]) {
				var v byte
				fmt.Sscanf(x.text[i:i+2], "%02x", &v)
				b = append(b, v)
				i++
				continue
			}
			b = append(b, unescaped(x.text[i])...)
		default:
			b = append(b, c)
		}
	}
	return nil, x.fail("a text does not end")
}

func isHex(c byte) bool {
	return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
}

// place puts a literal into memory, once.
func (x *expander) place(text []byte) int {
	if at, ok := x.literals[string(text)]; ok {
		return at
	}
	at := x.top
	x.literals[string(text)] = at
	value := binary.LittleEndian.AppendUint32(nil, uint32(len(text)))
	x.data = append(x.data, datum{at, append(value, text...)})
	x.top = (at + 4 + len(text) + 7) &^ 7
	return at
}

// macro reads a macro or a (local …) form; ok is false when none begins here.
func (x *expander) macro() (form string, ok bool, err error) {
	end := strings.IndexAny(x.text[x.pos+1:], "()\";")
	if end < 0 || x.text[x.pos+1+end] != ')' {
		return "", false, nil
	}
	words := strings.Fields(x.text[x.pos+1 : x.pos+1+end])
	if len(words) == 0 {
		return "", false, nil
	}
	switch words[0] {
	case "argv", "resv", "check", "local":
	default:
		return "", false, nil
	}
	switch {
	case words[0] == "local" && len(words) == 3 && strings.HasPrefix(words[1], "$"):
		err = x.declare(words[1], words[2])
	case words[0] == "argv" && len(words) == 3 && strings.HasPrefix(words[2], "$"):
		err = x.declare(words[2], "i32")
		form = fmt.Sprintf("(call $sys.argv (i32.const %s)) (local.set $__err) (local.set %s) (if (local.get $__err) (then (return (local.get $__err))))", words[1], words[2])
	case words[0] == "resv" && len(words) == 2:
		form = fmt.Sprintf("(call $sys.resv (local.get %s))", words[1])
	case words[0] == "check" && len(words) == 2:
		form = fmt.Sprintf("(if (local.get %s) (then (return (local.get %s))))", words[1], words[1])
	case words[0] == "local":
		err = x.fail("write locals as (local $name i32)")
	default:
		err = x.fail("write (argv 0 $name), (resv $name) or (check $name)")
	}
	x.pos += end + 2
	return form, true, err
}

// declare notes a local; twice the same is once.
func (x *expander) declare(name, kind string) error {
	if !slices.Contains([]string{"i32", "i64", "f32", "f64"}, kind) {
		return x.fail("%s is not a type of a local", kind)
	}
	for _, l := range x.locals {
		if l.name == name {
			if l.kind != kind {
				return x.fail("%s is declared as %s and as %s", name, l.kind, kind)
			}
			return nil
		}
	}
	x.locals = append(x.locals, local{name, kind})
	return nil
}

// escapeBytes is data as a string of the text format.
func escapeBytes(data []byte) string {
	var b strings.Builder
	for _, c := range data {
		if c >= 0x20 && c < utf8.RuneSelf-1 && c != '"' && c != '\\' {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "\\%02x", c)
		}
	}
	return b.String()
}
