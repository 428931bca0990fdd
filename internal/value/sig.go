package value

import (
	"fmt"
	"slices"
	"strings"
)

// Sig is a function's signature as :sig: writes it:
//
//	score(items: list<f64>, k: s32) -> list<f64>
//	split(text: string) -> (head: string, tail: option<string>)
//
// Several named results are an object with those members.
type Sig struct {
	Name    string
	Params  []Param
	Results []Param // one unnamed, or several named; none returns null
	Text    string  // as written
}

// MarshalBinary is the signature as written.
func (s *Sig) MarshalBinary() ([]byte, error) { return []byte(s.Text), nil }

// UnmarshalBinary reads what MarshalBinary wrote.
func (s *Sig) UnmarshalBinary(data []byte) error {
	parsed, err := ParseSig(string(data))
	if err == nil {
		*s = *parsed
	}
	return err
}

// Param is a named type; Name is empty for a lone result.
type Param struct {
	Name string
	Type Type
}

// TypeKind names a type constructor as it is spelt.
type TypeKind string

// The types of a signature; the names are those of WIT.
const (
	TypeBool   TypeKind = "bool"
	TypeS32    TypeKind = "s32"
	TypeS64    TypeKind = "s64"
	TypeU32    TypeKind = "u32"
	TypeU64    TypeKind = "u64"
	TypeF32    TypeKind = "f32"
	TypeF64    TypeKind = "f64"
	TypeString TypeKind = "string"
	TypeList   TypeKind = "list"   // list<T>
	TypeOption TypeKind = "option" // option<T>: T or null
	TypeResult TypeKind = "result" // result<T,E>: {"ok": T} or {"err": E}
	TypeTuple  TypeKind = "tuple"  // tuple<A,B,…>: a list of that length
	TypeRecord TypeKind = "record" // record {a: T, …}: an object
)

var typeKinds = []TypeKind{TypeBool, TypeS32, TypeS64, TypeU32, TypeU64, TypeF32, TypeF64, TypeString,
	TypeList, TypeOption, TypeResult, TypeTuple, TypeRecord}

// Type is one type of a signature. Args are the parameters of list, option,
// result and tuple; Fields the members of a record.
type Type struct {
	Kind   TypeKind
	Args   []Type
	Fields []Param
}

// String writes the type as ParseSig reads it.
func (t Type) String() string {
	switch {
	case t.Kind == TypeRecord:
		return "record {" + joinParams(t.Fields) + "}"
	case len(t.Args) > 0:
		parts := make([]string, len(t.Args))
		for i, a := range t.Args {
			parts[i] = a.String()
		}
		return string(t.Kind) + "<" + strings.Join(parts, ", ") + ">"
	}
	return string(t.Kind)
}

func joinParams(params []Param) string {
	parts := make([]string, len(params))
	for i, p := range params {
		parts[i] = p.Name + ": " + p.Type.String()
	}
	return strings.Join(parts, ", ")
}

// String writes the signature in one canonical spelling.
func (s *Sig) String() string {
	text := s.Name + "(" + joinParams(s.Params) + ")"
	switch {
	case len(s.Results) == 1 && s.Results[0].Name == "":
		text += " -> " + s.Results[0].Type.String()
	case len(s.Results) > 0:
		text += " -> (" + joinParams(s.Results) + ")"
	}
	return text
}

// SigError is a signature that does not parse; Col counts bytes from 1.
type SigError struct {
	Col     int
	Message string
	Tip     string
}

func (e *SigError) Error() string { return fmt.Sprintf("signature:%d: %s", e.Col, e.Message) }

// Hint says what was probably meant.
func (e *SigError) Hint() string { return e.Tip }

// ParseSig reads a signature. Errors are *SigError.
func ParseSig(text string) (*Sig, error) {
	p := &sigParser{src: text}
	sig, err := p.signature()
	if err != nil {
		return nil, err
	}
	sig.Text = text
	return sig, nil
}

// ParseType reads a lone type.
func ParseType(text string) (Type, error) {
	p := &sigParser{src: text}
	t, err := p.typ(0)
	if err == nil {
		err = p.end()
	}
	return t, err
}

type sigParser struct {
	src string
	at  int
}

func (p *sigParser) fail(tip, format string, args ...any) error {
	return &SigError{Col: p.at + 1, Message: fmt.Sprintf(format, args...), Tip: tip}
}

func (p *sigParser) space() {
	for p.at < len(p.src) && strings.IndexByte(" \t\r\n", p.src[p.at]) >= 0 {
		p.at++
	}
}

// take consumes tok when it comes next.
func (p *sigParser) take(tok string) bool {
	p.space()
	if !strings.HasPrefix(p.src[p.at:], tok) {
		return false
	}
	p.at += len(tok)
	return true
}

func (p *sigParser) expect(tok string) error {
	if p.take(tok) {
		return nil
	}
	return p.fail("", "expected %q, found %s", tok, p.next())
}

// next describes what stands at the cursor.
func (p *sigParser) next() string {
	if p.at >= len(p.src) {
		return "the end"
	}
	if w := p.peekWord(); w != "" {
		return fmt.Sprintf("%q", w)
	}
	return fmt.Sprintf("%q", p.src[p.at:p.at+1])
}

func (p *sigParser) peekWord() string {
	end := p.at
	for end < len(p.src) && isWordByte(p.src[end], end > p.at) {
		end++
	}
	return p.src[p.at:end]
}

func isWordByte(c byte, inside bool) bool {
	letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c >= 0x80
	return letter || inside && (c >= '0' && c <= '9' || c == '-')
}

func (p *sigParser) word(what string) (string, error) {
	p.space()
	w := p.peekWord()
	w = strings.TrimSuffix(w, "-") // the arrow may touch the name
	if w == "" {
		return "", p.fail("write name(a: f64, b: string) -> f64", "expected %s, found %s", what, p.next())
	}
	p.at += len(w)
	return w, nil
}

func (p *sigParser) end() error {
	p.space()
	if p.at < len(p.src) {
		return p.fail("", "unexpected %s after the type", p.next())
	}
	return nil
}

func (p *sigParser) signature() (*Sig, error) {
	name, err := p.word("a function name")
	if err != nil {
		return nil, err
	}
	sig := &Sig{Name: name}
	if err := p.expect("("); err != nil {
		return nil, err
	}
	if sig.Params, err = p.params(")", 0); err != nil {
		return nil, err
	}
	if p.take("->") {
		if sig.Results, err = p.results(); err != nil {
			return nil, err
		}
	}
	return sig, p.end()
}

func (p *sigParser) results() ([]Param, error) {
	if p.take("(") {
		return p.params(")", 0)
	}
	t, err := p.typ(0)
	return []Param{{Type: t}}, err
}

// params reads name: type pairs up to the closing token.
func (p *sigParser) params(closing string, depth int) ([]Param, error) {
	var params []Param
	seen := map[string]bool{}
	for !p.take(closing) {
		if len(params) > 0 {
			if err := p.expect(","); err != nil {
				return nil, err
			}
			if p.take(closing) {
				break
			}
		}
		name, err := p.word("a name")
		if err != nil {
			return nil, err
		}
		if seen[name] {
			p.at -= len(name)
			return nil, p.fail("", "%s appears twice", name)
		}
		seen[name] = true
		if err := p.expect(":"); err != nil {
			return nil, err
		}
		t, err := p.typ(depth)
		if err != nil {
			return nil, err
		}
		params = append(params, Param{name, t})
	}
	return params, nil
}

// arity is how many types a constructor takes; -1 is one or more.
var arity = map[TypeKind]int{TypeList: 1, TypeOption: 1, TypeResult: 2, TypeTuple: -1}

func (p *sigParser) typ(depth int) (Type, error) {
	p.space()
	start := p.at
	if depth > 32 {
		return Type{}, p.fail("", "type nested too deeply")
	}
	word, err := p.word("a type")
	if err != nil {
		return Type{}, err
	}
	t := Type{Kind: TypeKind(word)}
	if !slices.Contains(typeKinds, t.Kind) {
		p.at = start
		return t, p.fail(nearestType(word), "unknown type %s", word)
	}
	if t.Kind == TypeRecord {
		if err := p.expect("{"); err != nil {
			return t, err
		}
		t.Fields, err = p.params("}", depth+1)
		return t, err
	}
	want, generic := arity[t.Kind]
	if !generic {
		return t, nil
	}
	if err := p.expect("<"); err != nil {
		return t, err
	}
	for {
		arg, err := p.typ(depth + 1)
		if err != nil {
			return t, err
		}
		t.Args = append(t.Args, arg)
		if p.take(">") {
			break
		}
		if err := p.expect(","); err != nil {
			return t, err
		}
	}
	if want > 0 && len(t.Args) != want {
		p.at = start
		types := "type"
		if want > 1 {
			types = "types"
		}
		return t, p.fail("", "%s takes %d %s, got %d", t.Kind, want, types, len(t.Args))
	}
	return t, nil
}

// otherNames are the types' names in other languages.
var otherNames = map[string]TypeKind{
	"int": TypeS32, "i32": TypeS32, "integer": TypeS64, "long": TypeS64, "i64": TypeS64, "uint": TypeU32, "usize": TypeU32,
	"float": TypeF32, "double": TypeF64, "number": TypeF64, "str": TypeString, "text": TypeString, "boolean": TypeBool,
	"array": TypeList, "vec": TypeList, "slice": TypeList, "optional": TypeOption, "struct": TypeRecord, "object": TypeRecord,
}

func nearestType(word string) string {
	lower := strings.ToLower(word)
	if k, ok := otherNames[lower]; ok {
		return "did you mean " + string(k) + "?"
	}
	for _, k := range typeKinds {
		if lower == string(k) || oneSlip(lower, string(k)) || len(lower) > 2 && strings.HasPrefix(string(k), lower[:3]) {
			return "did you mean " + string(k) + "?"
		}
	}
	return "types are bool s32 s64 u32 u64 f32 f64 string list<T> option<T> result<T,E> tuple<…> record {a: T}"
}

// oneSlip reports whether a is b with one letter added, missing, wrong or
// swapped with its neighbour.
func oneSlip(a, b string) bool {
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	x, y := a[i:], b[i:]
	switch len(x) - len(y) {
	case 1:
		return x[1:] == y
	case -1:
		return x == y[1:]
	case 0:
		swapped := len(x) > 1 && x[0] == y[1] && x[1] == y[0] && x[2:] == y[2:]
		return len(x) > 0 && x[1:] == y[1:] || swapped
	}
	return false
}
