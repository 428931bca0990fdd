package value

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// How the three additions to JSON are written, so that nothing else can be
// mistaken for them: an object with exactly one member of this name.
const (
	blobKey  = "$blob"
	hlineKey = "$hline"
)

// maxDepth bounds nesting, so that hostile input cannot exhaust the stack.
const maxDepth = 1000

// JSONError is text that is no JSON; Offset counts bytes from the start.
type JSONError struct {
	Offset  int64
	Message string
}

func (e *JSONError) Error() string { return fmt.Sprintf("json at byte %d: %s", e.Offset, e.Message) }

// ParseJSON reads one JSON value and nothing after it. Whole numbers that fit
// 64 bits become Int, others Float; members keep their order; of duplicate
// members the last counts. Errors are *JSONError.
func ParseJSON(data []byte) (Value, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	v, err := decode(dec, 0)
	if err == nil {
		if _, extra := dec.Token(); extra != io.EOF {
			err = errors.New("text after the value")
		}
	}
	if err != nil {
		return Value{}, jsonError(dec, err)
	}
	return v, nil
}

func jsonError(dec *json.Decoder, err error) *JSONError {
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		return &JSONError{syntax.Offset, syntax.Error()}
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return &JSONError{dec.InputOffset(), "unexpected end"}
	}
	return &JSONError{dec.InputOffset(), err.Error()}
}

func decode(dec *json.Decoder, depth int) (Value, error) {
	if depth > maxDepth {
		return Value{}, fmt.Errorf("nested deeper than %d levels", maxDepth)
	}
	tok, err := dec.Token()
	if err != nil {
		return Value{}, err
	}
	switch t := tok.(type) {
	case nil:
		return Nil(), nil
	case bool:
		return OfBool(t), nil
	case string:
		return OfString(t), nil
	case json.Number:
		return parseNumber(string(t))
	case json.Delim:
		if t == '[' {
			return decodeList(dec, depth)
		}
		return decodeObject(dec, depth)
	}
	return Value{}, fmt.Errorf("unexpected token %v", tok)
}

func parseNumber(text string) (Value, error) {
	if !strings.ContainsAny(text, ".eE") {
		if i, err := strconv.ParseInt(text, 10, 64); err == nil && text != "-0" {
			return OfInt(i), nil
		}
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return Value{}, fmt.Errorf("number %s is too large", text)
	}
	return OfFloat(f), nil
}

func decodeList(dec *json.Decoder, depth int) (Value, error) {
	items := []Value{}
	for dec.More() {
		item, err := decode(dec, depth+1)
		if err != nil {
			return Value{}, err
		}
		items = append(items, item)
	}
	_, err := dec.Token()
	return OfList(items...), err
}

func decodeObject(dec *json.Decoder, depth int) (Value, error) {
	fields, at := []Field{}, map[string]int{}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return Value{}, err
		}
		member, err := decode(dec, depth+1)
		if err != nil {
			return Value{}, err
		}
		name := key.(string)
		if k, seen := at[name]; seen {
			fields[k].Value = member
			continue
		}
		at[name] = len(fields)
		fields = append(fields, Field{name, member})
	}
	if _, err := dec.Token(); err != nil {
		return Value{}, err
	}
	return special(OfObject(fields...)), nil
}

// special turns the one-member objects that stand for blobs and rules back.
func special(v Value) Value {
	if len(v.fields) == 1 && v.fields[0].Name == hlineKey && v.fields[0].Value.bits {
		return Rule()
	}
	ref, ok := v.Get(blobKey)
	if !ok || len(v.fields) != 1 || ref.kind != Object {
		return v
	}
	text := func(name string) string { f, _ := ref.Get(name); return f.text }
	size, _ := ref.Get("size")
	if len(text("sha256")) != 2*sha256.Size {
		return v
	}
	return OfBlob(Blob{SHA256: text("sha256"), Size: size.Int(), Media: text("media"), Path: text("path")})
}

// plain is the value as JSON writes it: rules and blobs as one-member objects.
func (v Value) plain() Value {
	switch v.kind {
	case HLine:
		return OfObject(Field{hlineKey, OfBool(true)})
	case BlobRef:
		b := v.blob
		return OfObject(Field{blobKey, OfObject(Field{"sha256", OfString(b.SHA256)}, Field{"size", OfInt(b.Size)},
			Field{"media", OfString(b.Media)}, Field{"path", OfString(b.Path)})})
	}
	return v
}

// AppendJSON appends compact JSON with members in their order. Floats keep a
// mark of being floats (2.0), so that reading gives the same value back; NaN
// and infinities, which JSON does not have, become null; invalid UTF-8 becomes
// the replacement character.
func (v Value) AppendJSON(dst []byte) []byte { return v.appendTo(dst, false) }

// Canonical is JSON in one spelling per value: members sorted by their UTF-16
// code units and numbers written as RFC 8785 does. It is what digests and
// signatures cover.
func (v Value) Canonical() []byte { return v.appendTo(nil, true) }

// MarshalJSON implements json.Marshaler.
func (v Value) MarshalJSON() ([]byte, error) { return v.AppendJSON(nil), nil }

// UnmarshalJSON implements json.Unmarshaler.
func (v *Value) UnmarshalJSON(data []byte) error {
	parsed, err := ParseJSON(data)
	if err == nil {
		*v = parsed
	}
	return err
}

// String is the value as JSON, for messages.
func (v Value) String() string { return string(v.AppendJSON(nil)) }

func (v Value) appendTo(dst []byte, canonical bool) []byte {
	v = v.plain()
	switch v.kind {
	case Bool:
		return strconv.AppendBool(dst, v.bits)
	case Int:
		return strconv.AppendInt(dst, v.int, 10)
	case Float:
		return appendFloat(dst, v.float, canonical)
	case String:
		return AppendQuoted(dst, v.text)
	case List:
		dst = append(dst, '[')
		for i, item := range v.items {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = item.appendTo(dst, canonical)
		}
		return append(dst, ']')
	case Object:
		return v.appendObject(dst, canonical)
	}
	return append(dst, "null"...)
}

func (v Value) appendObject(dst []byte, canonical bool) []byte {
	fields := v.fields
	if canonical {
		fields = slices.Clone(fields)
		slices.SortFunc(fields, func(a, b Field) int { return compareUTF16(a.Name, b.Name) })
	}
	dst = append(dst, '{')
	for i, f := range fields {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(AppendQuoted(dst, f.Name), ':')
		dst = f.Value.appendTo(dst, canonical)
	}
	return append(dst, '}')
}

// compareUTF16 orders strings by UTF-16 code units, as RFC 8785 §3.2.3 asks:
// it differs from byte order only between surrogates and U+E000–U+FFFF.
func compareUTF16(a, b string) int {
	for a != "" && b != "" {
		x, n := utf8.DecodeRuneInString(a)
		y, m := utf8.DecodeRuneInString(b)
		if x != y {
			if (x > 0xFFFF) != (y > 0xFFFF) && max(min(x, y), 0xD7FF) >= 0xE000 {
				return int(y) - int(x)
			}
			return int(x) - int(y)
		}
		a, b = a[n:], b[m:]
	}
	return len(a) - len(b)
}

// appendFloat writes a double as ECMAScript does (RFC 8785 §3.2.2.3); outside
// canonical form a whole float keeps ".0".
func appendFloat(dst []byte, f float64, canonical bool) []byte {
	switch {
	case math.IsNaN(f) || math.IsInf(f, 0):
		return append(dst, "null"...)
	case f == 0 && canonical:
		return append(dst, '0')
	}
	abs, start := math.Abs(f), len(dst)
	if abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		dst = strconv.AppendFloat(dst, f, 'e', -1, 64)
		if i := bytes.LastIndexByte(dst, 'e'); i > 0 && dst[i+2] == '0' { // e-07 → e-7
			dst = append(dst[:i+2], dst[i+3:]...)
		}
	} else {
		dst = strconv.AppendFloat(dst, f, 'f', -1, 64)
	}
	if !canonical && bytes.IndexAny(dst[start:], ".e") < 0 {
		dst = append(dst, ".0"...)
	}
	return dst
}

const hexDigits = "0123456789abcdef"

// AppendQuoted appends s as a JSON string with the escapes of RFC 8785: only
// what must be escaped is. Invalid UTF-8 becomes U+FFFD.
func AppendQuoted(dst []byte, s string) []byte {
	dst = append(dst, '"')
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, n := utf8.DecodeRuneInString(s[i:])
			dst = utf8.AppendRune(dst, r)
			i += n
			continue
		}
		i++
		switch {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', c)
		case c == '\n':
			dst = append(dst, '\\', 'n')
		case c == '\t':
			dst = append(dst, '\\', 't')
		case c == '\r':
			dst = append(dst, '\\', 'r')
		case c == '\b':
			dst = append(dst, '\\', 'b')
		case c == '\f':
			dst = append(dst, '\\', 'f')
		case c < 0x20:
			dst = append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		default:
			dst = append(dst, c)
		}
	}
	return append(dst, '"')
}

// Digest is the SHA-256 of the canonical form, in hex.
func (v Value) Digest() string {
	sum := sha256.Sum256(v.Canonical())
	return hex.EncodeToString(sum[:])
}

// Equal reports whether two values mean the same: numbers by value, so that
// 2 equals 2.0; objects regardless of the order of their members.
func Equal(a, b Value) bool {
	if a.isNumber() && b.isNumber() {
		if a.kind == Int && b.kind == Int {
			return a.int == b.int
		}
		return a.Float() == b.Float()
	}
	if a.kind != b.kind {
		return false
	}
	switch a.kind {
	case Bool:
		return a.bits == b.bits
	case String:
		return a.text == b.text
	case List:
		return slices.EqualFunc(a.items, b.items, Equal)
	case BlobRef:
		return a.blob.SHA256 == b.blob.SHA256
	case Object:
		if len(a.fields) != len(b.fields) {
			return false
		}
		for _, f := range a.fields {
			if other, ok := b.Get(f.Name); !ok || !Equal(f.Value, other) {
				return false
			}
		}
	}
	return true
}

func (v Value) isNumber() bool { return v.kind == Int || v.kind == Float }
