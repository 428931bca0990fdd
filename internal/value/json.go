package value

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"wb/internal/sha"
)

// How what JSON lacks is written: an object with exactly one member of this
// name. Everything that reads JSON here turns such objects back.
//
//	{"$hline":true}                                   a horizontal rule
//	{"$blob":{"sha256":…,"size":…,"media":…,"path":…}} a reference to a blob
//	{"$float":"NaN"}                                  NaN, Infinity or -Infinity
//	{"$bytes":"/w=="}                                 text that is not UTF-8, in base64
//
// The last only occurs in the exact form, see [Value.MarshalJSON].
const (
	blobKey  = "$blob"
	hlineKey = "$hline"
	floatKey = "$float"
	bytesKey = "$bytes"
)

// special turns the one-member objects that stand for something else back.
func special(v Value) Value {
	if len(v.Fields()) != 1 {
		return v
	}
	switch inner := v.Fields()[0].Value; v.Fields()[0].Name {
	case hlineKey:
		if inner.Bool() {
			return Rule()
		}
	case floatKey:
		if f, ok := unordinary[inner.text]; ok {
			return OfFloat(f)
		}
	case bytesKey:
		if data, err := base64.StdEncoding.DecodeString(inner.text); err == nil && !utf8.Valid(data) {
			return OfString(string(data))
		}
	case blobKey:
		if b, ok := readBlob(inner); ok {
			return OfBlob(b)
		}
	}
	return v
}

// unordinary are the floats that JSON has no number for.
var unordinary = map[string]float64{"NaN": math.NaN(), "Infinity": math.Inf(1), "-Infinity": math.Inf(-1)}

func readBlob(v Value) (b Blob, ok bool) {
	for _, f := range v.Fields() {
		switch f.Name {
		case "sha256":
			b.SHA256 = f.Value.text
		case "size":
			b.Size = f.Value.Int()
		case "media":
			b.Media = f.Value.text
		case "path":
			b.Path = f.Value.text
		default:
			return Blob{}, false
		}
	}
	digits := strings.Trim(b.SHA256, "0123456789abcdef")
	return b, len(b.SHA256) == 2*sha256.Size && digits == "" && b.Size >= 0
}

// form is a way to write a value as JSON.
type form int

const (
	plainForm     form = iota // what programs read
	canonicalForm             // one spelling per value
	exactForm                 // nothing is lost
)

// AppendJSON appends compact JSON as programs read it: members in their order;
// whole floats keep a mark of being floats (2.0); NaN and infinities, which JSON
// has no number for, are objects that name them; invalid UTF-8 becomes U+FFFD.
func (v Value) AppendJSON(dst []byte) []byte { return v.appendTo(dst, plainForm) }

// Canonical is JSON in one spelling per value, for signatures: members sorted
// by their UTF-16 code units and floats written as RFC 8785 does. Integers
// beyond 2^53 keep all their digits.
func (v Value) Canonical() []byte { return v.appendTo(nil, canonicalForm) }

// MarshalJSON implements json.Marshaler. Reading the result gives the same
// value back in every detail, which makes it the form to store values in.
func (v Value) MarshalJSON() ([]byte, error) { return v.appendTo(nil, exactForm), nil }

// UnmarshalJSON implements json.Unmarshaler.
func (v *Value) UnmarshalJSON(data []byte) error {
	parsed, err := ParseJSON(data)
	if err == nil {
		*v = parsed
	}
	return err
}

// MarshalBinary is MarshalJSON, for encodings that are not JSON.
func (v Value) MarshalBinary() ([]byte, error) { return v.MarshalJSON() }

// UnmarshalBinary reads what MarshalBinary wrote.
func (v *Value) UnmarshalBinary(data []byte) error { return v.UnmarshalJSON(data) }

// String is the value as JSON, for messages.
func (v Value) String() string { return string(v.AppendJSON(nil)) }

// CellText is the text of a value in a table cell: text as it is, nothing for null,
// and JSON for the rest.
func CellText(v Value) string {
	switch v.Kind() {
	case String:
		return v.Text()
	case Null:
		return ""
	}
	return v.String()
}

func (v Value) appendTo(dst []byte, as form) []byte {
	switch v.kind {
	case Bool:
		return strconv.AppendBool(dst, v.Bool())
	case Int:
		if v.big {
			return strconv.AppendUint(dst, v.num, 10)
		}
		return strconv.AppendInt(dst, v.Int(), 10)
	case Float:
		return appendFloat(dst, v.Float(), as)
	case String:
		if as == exactForm && !utf8.ValidString(v.text) {
			dst = append(dst, `{"`+bytesKey+`":"`...)
			return append(base64.StdEncoding.AppendEncode(dst, []byte(v.text)), `"}`...)
		}
		return AppendQuoted(dst, v.text)
	case List:
		dst = append(dst, '[')
		for i, item := range v.Items() {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = item.appendTo(dst, as)
		}
		return append(dst, ']')
	case Object:
		return v.appendObject(dst, as)
	case HLine:
		return append(dst, `{"`+hlineKey+`":true}`...)
	case BlobRef:
		b := v.Blob()
		ref := OfObject(Field{"sha256", OfString(b.SHA256)}, Field{"size", OfInt(b.Size)}, Field{"media", OfString(b.Media)}, Field{"path", OfString(b.Path)})
		return OfObject(Field{blobKey, ref}).appendTo(dst, as)
	}
	return append(dst, "null"...)
}

func (v Value) appendObject(dst []byte, as form) []byte {
	fields := v.Fields()
	if as == canonicalForm {
		fields = slices.Clone(fields)
		slices.SortFunc(fields, func(a, b Field) int { return compareUTF16(a.Name, b.Name) })
	}
	dst = append(dst, '{')
	for i, f := range fields {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(AppendQuoted(dst, f.Name), ':')
		dst = f.Value.appendTo(dst, as)
	}
	return append(dst, '}')
}

// compareUTF16 orders strings by UTF-16 code units, as RFC 8785 §3.2.3 asks.
// That differs from the order of characters where one is beyond U+FFFF, a pair
// of surrogates, and the other above the surrogates.
func compareUTF16(a, b string) int {
	for a != "" && b != "" {
		x, n := utf8.DecodeRuneInString(a)
		y, m := utf8.DecodeRuneInString(b)
		switch {
		case x == y:
			a, b = a[n:], b[m:]
		case (x > 0xFFFF) != (y > 0xFFFF) && min(x, y) >= 0xE000:
			return int(y) - int(x)
		default:
			return int(x) - int(y)
		}
	}
	return len(a) - len(b)
}

// appendFloat writes a double as ECMAScript does (RFC 8785 §3.2.2.3); outside
// canonical form a whole float keeps ".0".
func appendFloat(dst []byte, f float64, as form) []byte {
	switch {
	case math.IsNaN(f) || math.IsInf(f, 0):
		for name, g := range unordinary {
			if f == g || math.IsNaN(f) && math.IsNaN(g) {
				dst = append(dst, `{"`+floatKey+`":"`+name+`"}`...)
			}
		}
		return dst
	case f == 0 && as == canonicalForm:
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
	if as != canonicalForm && !bytes.ContainsAny(dst[start:], ".e") {
		dst = append(dst, ".0"...)
	}
	return dst
}

// AppendQuoted appends s as a JSON string with the escapes of RFC 8785: only
// what must be escaped is. Each byte that is not UTF-8 becomes U+FFFD.
func AppendQuoted(dst []byte, s string) []byte {
	dst = append(dst, '"')
	done := 0 // s[:done] is written
	for i := 0; i < len(s); {
		c := s[i]
		if c >= 0x20 && c != '"' && c != '\\' && c < utf8.RuneSelf {
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if c >= utf8.RuneSelf && (r != utf8.RuneError || n > 1) {
			i += n
			continue
		}
		dst = append(dst, s[done:i]...)
		dst = appendEscape(dst, c)
		i++
		done = i
	}
	dst = append(dst, s[done:]...)
	return append(dst, '"')
}

// appendEscape appends the escape for a byte that cannot stand for itself.
func appendEscape(dst []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(dst, '\\', c)
	case '\n':
		return append(dst, '\\', 'n')
	case '\t':
		return append(dst, '\\', 't')
	case '\r':
		return append(dst, '\\', 'r')
	case '\b':
		return append(dst, '\\', 'b')
	case '\f':
		return append(dst, '\\', 'f')
	}
	if c >= utf8.RuneSelf {
		return utf8.AppendRune(dst, utf8.RuneError)
	}
	return append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
}

const hexDigits = "0123456789abcdef"

// Digest is the SHA-256 of the exact form, in hex: what caches key on. It
// tells apart whatever a program could tell apart, such as 2 and 2.0 or two
// orders of members, which Equal does not.
func (v Value) Digest() string {
	return sha.Hex(v.appendTo(nil, exactForm))
}

// Equal reports whether two values mean the same: numbers by value, so that
// 2 equals 2.0; objects regardless of the order of their members.
func Equal(a, b Value) bool {
	if a.isNumber() && b.isNumber() {
		return equalNumbers(a, b)
	}
	if a.kind != b.kind {
		return false
	}
	switch a.kind {
	case Bool:
		return a.Bool() == b.Bool()
	case String:
		return a.text == b.text
	case List:
		return slices.EqualFunc(a.Items(), b.Items(), Equal)
	case BlobRef:
		return a.Blob().SHA256 == b.Blob().SHA256
	case Object:
		if len(a.Fields()) != len(b.Fields()) {
			return false
		}
		for _, f := range a.Fields() {
			if other, ok := b.Get(f.Name); !ok || !Equal(f.Value, other) {
				return false
			}
		}
	}
	return true
}

// equalNumbers compares without rounding: an integer beyond 2^53 equals a float
// only if the float is that integer.
func equalNumbers(a, b Value) bool {
	if a.kind == Float {
		a, b = b, a
	}
	switch f := b.Float(); {
	case b.kind == Int:
		return a.num == b.num && a.big == b.big
	case a.kind == Float:
		return a.Float() == f || math.IsNaN(a.Float()) && math.IsNaN(f)
	case a.big:
		return f >= 1<<63 && f < 1<<64 && uint64(f) == a.num
	default:
		return f == math.Trunc(f) && f >= -1<<63 && f < 1<<63 && int64(f) == a.Int()
	}
}

func (v Value) isNumber() bool { return v.kind == Int || v.kind == Float }
