// Package jcs reads JSON strictly and writes it in the one form that RFC 8785
// (JSON Canonicalization Scheme) gives every value.
//
// What is signed is bytes, what is meant is a value: where two spellings of a
// value exist, or one spelling with two readings, a signature says less than
// its reader believes. So [Parse] refuses everything that I-JSON (RFC 7493)
// leaves open: duplicate members, invalid UTF-8, lone surrogates, numbers that
// no double holds. [Check] also refuses any spelling but the canonical one.
//
// The forms are few: nil, bool, float64, string, []any and map[string]any, as
// encoding/json has them.
package jcs

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"wb/proof/fault"
)

// MaxDepth is how deeply values may nest.
const MaxDepth = 64

// Canonical gives the RFC 8785 form of a JSON text.
func Canonical(text []byte) ([]byte, error) {
	v, err := Parse(text)
	if err != nil {
		return nil, err
	}
	return Append(nil, v)
}

// Check parses a text that must be in canonical form already.
func Check(text []byte) (any, error) {
	v, err := Parse(text)
	if err != nil {
		return nil, err
	}
	want, err := Append(nil, v)
	if err != nil {
		return nil, err
	}
	if !bytes.Equal(text, want) {
		return nil, fault.New(fault.JSONNoncanonical, "byte %d differs from the canonical form", common(text, want))
	}
	return v, nil
}

// common is the length of the longest common prefix.
func common(a, b []byte) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	return min(len(a), len(b))
}

// Marshal gives the canonical form of a Go value, by way of its encoding/json
// form. Integers that readers would round are refused.
func Marshal(v any) ([]byte, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("canonical JSON: %w", err)
	}
	return Canonical(text)
}

// Append appends the canonical form of a parsed value.
func Append(out []byte, v any) ([]byte, error) {
	switch v := v.(type) {
	case nil:
		return append(out, "null"...), nil
	case bool:
		return strconv.AppendBool(out, v), nil
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, fault.New(fault.JSONNumber, "%v is not a JSON number", v)
		}
		return appendNumber(out, v), nil
	case string:
		return appendString(out, v)
	case []any:
		return appendArray(out, v)
	case map[string]any:
		return appendObject(out, v)
	}
	return nil, fmt.Errorf("canonical JSON: unexpected %T", v)
}

func appendArray(out []byte, v []any) ([]byte, error) {
	out = append(out, '[')
	for i, e := range v {
		if i > 0 {
			out = append(out, ',')
		}
		var err error
		if out, err = Append(out, e); err != nil {
			return nil, err
		}
	}
	return append(out, ']'), nil
}

// appendObject sorts members by their names as UTF-16, as JavaScript does.
func appendObject(out []byte, v map[string]any) ([]byte, error) {
	out = append(out, '{')
	for i, name := range slices.SortedFunc(maps.Keys(v), CompareUTF16) {
		if i > 0 {
			out = append(out, ',')
		}
		var err error
		if out, err = appendString(out, name); err != nil {
			return nil, err
		}
		if out, err = Append(append(out, ':'), v[name]); err != nil {
			return nil, err
		}
	}
	return append(out, '}'), nil
}

// CompareUTF16 orders strings by their UTF-16 code units. It differs from the
// order of bytes only where one string has a character beyond U+FFFF.
func CompareUTF16(a, b string) int {
	for a != "" && b != "" {
		ra, na := utf8.DecodeRuneInString(a)
		rb, nb := utf8.DecodeRuneInString(b)
		if ra != rb {
			return cmp.Compare(firstUnit(ra, rb), firstUnit(rb, ra))
		}
		a, b = a[na:], b[nb:]
	}
	return cmp.Compare(len(a), len(b))
}

// firstUnit orders r against other: it is r's first code unit, or its
// second when both start with the same.
func firstUnit(r, other rune) rune {
	if r < 0x10000 {
		return r
	}
	high, low := utf16.EncodeRune(r)
	if other >= 0x10000 {
		if h, _ := utf16.EncodeRune(other); h == high {
			return low
		}
	}
	return high
}

func appendString(out []byte, s string) ([]byte, error) {
	out, err := jsontext.AppendQuote(out, s)
	if err != nil {
		return nil, fault.New(fault.JSONEncoding, "a string is not UTF-8")
	}
	return out, nil
}

// appendNumber writes a double as ECMAScript's Number.prototype.toString does:
// the shortest digits that read back, plain between 1e-6 and 1e21.
func appendNumber(out []byte, f float64) []byte {
	if f == 0 {
		return append(out, '0') // negative zero too
	}
	return append(out, jsontext.Float(f).String()...)
}
