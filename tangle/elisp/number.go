package elisp

import (
	"math"
	"strconv"
	"strings"

	"wb/internal/lazyregexp"
)

var (
	integerSyntax = lazyregexp.New(`^[+-]?[0-9]+\.?$`)
	floatSyntax   = lazyregexp.New(`^[+-]?(?:[0-9]+\.[0-9]+|\.[0-9]+|[0-9]+(?:\.[0-9]*)?e[+]?[0-9]+|[0-9]+(?:\.[0-9]*)?e-[0-9]+|\.[0-9]+e[+-]?[0-9]+|[0-9]+\.[0-9]+e[+-]?[0-9]+)$`)
	specialFloat  = lazyregexp.New(`^([+-]?)[0-9]*\.?[0-9]+e\+(INF|NaN)$`)
)

// parseNumber reads an atom as the Lisp reader would: "1." is an integer, "1e3"
// and ".5" are floats, "1.5.2" and "-" are not numbers.
func parseNumber(s string) (Value, bool) {
	if s == "" || !strings.ContainsRune("+-.0123456789", rune(s[0])) {
		return nil, false
	}
	if integerSyntax.MatchString(s) {
		digits := strings.TrimSuffix(s, ".")
		if n, err := strconv.ParseInt(digits, 10, 64); err == nil {
			return Int(n), true
		}
		if n, err := strconv.ParseUint(strings.TrimPrefix(digits, "+"), 10, 64); err == nil {
			return Big(n), true
		}
		return nil, false
	}
	if floatSyntax.MatchString(s) {
		f, err := strconv.ParseFloat(s, 64)
		if err != nil && !math.IsInf(f, 0) {
			return nil, false
		}
		return Float(f), true
	}
	if m := specialFloat.FindStringSubmatch(s); m != nil {
		sign := 1.0
		if m[1] == "-" {
			sign = -1
		}
		if m[2] == "INF" {
			return Float(math.Inf(int(sign))), true
		}
		return Float(math.Copysign(math.NaN(), sign)), true
	}
	return nil, false
}

func looksLikeNumber(s string) bool {
	_, ok := parseNumber(s)
	return ok || integerSyntax.MatchString(s)
}

// numericCell matches what org-babel lets pass as a number: the characters a number
// may have, in one piece.
var numericCell = lazyregexp.New(`(?m)^[0-9e.+ -]+$`)

// ParseNumber converts the text of a table cell, a result or a header argument
// to a number when it is one and nothing else ("12", " 1.5 ", "1e3", "+2").
// Text such as "1 2", "0x10" or "1.2.3" stays text.
func ParseNumber(s string) (Value, bool) {
	trimmed := strings.TrimFunc(s, func(r rune) bool { return r == ' ' || r == '\t' || r == '\n' || r == '\r' })
	if strings.ContainsAny(trimmed, " \t\n\r\f\v") || !numericCell.MatchString(s) {
		return nil, false
	}
	return parseNumber(trimmed)
}
