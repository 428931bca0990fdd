package tangle

import (
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"wb/internal/lazyregexp"
	"wb/tangle/elisp"
)

var (
	octalMode    = lazyregexp.New(`(?i)^o0?([0-7][0-7][0-7])$`)
	listedMode   = lazyregexp.New(`(?i)^[r-][w-][xs-][r-][w-][xs-][r-][w-][x-]$`)
	symbolicMode = lazyregexp.New(`^[ugoa]*(?:[+=-][rwxXstugo]*)+(?:,[ugoa]*(?:[+=-][rwxXstugo]*)+)*$`)
	symbolicPart = lazyregexp.New(`([+=-])([rwxXstugo]*)`)
)

// defaultMode is the mode that symbolic modes such as u+x change.
const defaultMode = 0o644

// unnamedWho are the users that a clause such as +x concerns when it names none: all
// that a umask of 022 leaves.
const unnamedWho = 0o7000 | 0o755

// ParseMode reads the value of :tangle-mode: `o755`, `rwxr-xr-x`, `u+x,go=`, or
// an integer such as (identity #o755) gives. The result is in Unix bits.
func ParseMode(v elisp.Value) (uint32, error) {
	if n, ok := v.(elisp.Int); ok {
		if n >= 0o100 && n <= 0o777 {
			return uint32(n), nil
		}
		return 0, fmt.Errorf("%d is not a file mode; octal modes are written o%d", int64(n), int64(n))
	}
	s, ok := v.(elisp.String)
	if !ok {
		return 0, fmt.Errorf("%s is not a file mode", elisp.Print(v))
	}
	text := string(s)
	switch {
	case octalMode.MatchString(text):
		n, err := strconv.ParseUint(octalMode.FindStringSubmatch(text)[1], 8, 32)
		return uint32(n), err
	case symbolicMode.MatchString(text):
		return symbolic(text, defaultMode), nil
	case listedMode.MatchString(text):
		bare := strings.ReplaceAll(text, "-", " ")
		clauses := []string{"u=" + bare[:3], "g=" + bare[3:6], "o=" + bare[6:]}
		return symbolic(strings.ReplaceAll(strings.Join(clauses, ","), " ", ""), 0), nil
	}
	return 0, fmt.Errorf("%q is not a file mode; use o755, rwxr-xr-x or u+x", text)
}

// symbolic applies clauses such as u+x,go=r to a mode, as chmod does.
func symbolic(clauses string, mode uint32) uint32 {
	for _, clause := range strings.Split(clauses, ",") {
		op := strings.IndexAny(clause, "+=-")
		who := uint32(0)
		for _, c := range clause[:op] {
			who |= map[rune]uint32{'u': 0o4700, 'g': 0o2070, 'o': 0o1007, 'a': 0o7777}[c]
		}
		if who == 0 {
			who = unnamedWho
		}
		for _, part := range symbolicPart.FindAllStringSubmatch(clause[op:], -1) {
			rights := who & rightsOf(part[2], mode)
			switch part[1] {
			case "+":
				mode |= rights
			case "-":
				mode &^= rights
			case "=":
				mode = mode&^who | rights
			}
		}
	}
	return mode
}

// rightsOf are the rights that the letters of a clause stand for; u, g and o copy the
// rights that mode has.
func rightsOf(letters string, mode uint32) uint32 {
	rights := uint32(0)
	for _, c := range letters {
		switch c {
		case 'r':
			rights |= 0o444
		case 'w':
			rights |= 0o222
		case 'x':
			rights |= 0o111
		case 'X':
			if mode&0o111 != 0 {
				rights |= 0o111
			}
		case 's':
			rights |= 0o6000
		case 't':
			rights |= 0o1000
		case 'u':
			u := mode & 0o700
			rights |= u | u>>3 | u>>6
		case 'g':
			g := mode & 0o070
			rights |= g<<3 | g | g>>3
		case 'o':
			o := mode & 0o007
			rights |= o<<6 | o<<3 | o
		}
	}
	return rights
}

// fileMode converts Unix bits to Go's, which keep set-user-ID, set-group-ID
// and the sticky bit elsewhere.
func fileMode(unix uint32) fs.FileMode {
	mode := fs.FileMode(unix & 0o777)
	if unix&0o4000 != 0 {
		mode |= fs.ModeSetuid
	}
	if unix&0o2000 != 0 {
		mode |= fs.ModeSetgid
	}
	if unix&0o1000 != 0 {
		mode |= fs.ModeSticky
	}
	return mode
}
