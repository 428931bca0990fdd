package clang

import (
	"fmt"
	"strings"
)

// origin says which part of a block a stretch of generated source comes from.
// It is the file name the compiler sees, so that its messages and __FILE__ name
// it; only originBody has lines that stand in the org file one by one.
type origin string

const (
	originBody       origin = "block"
	originIncludes   origin = ":includes"
	originDefines    origin = ":defines"
	originNamespaces origin = ":namespaces"
	originVars       origin = ":var"
	originPrologue   origin = ":prologue"
	originEpilogue   origin = ":epilogue"
	originGlue       origin = "glue"
)

// unit is one translation unit, put together from parts.
type unit struct {
	parts []part
}

type part struct {
	from origin
	text string
	line int // the first line's number in its origin, 0 for 1
}

func (u *unit) add(from origin, text string) {
	if text != "" {
		u.parts = append(u.parts, part{from: from, text: text})
	}
}

func (u *unit) append(other *unit) { u.parts = append(u.parts, other.parts...) }

// plain is the text as a person would write it.
func (u *unit) plain() string {
	var b strings.Builder
	for _, p := range u.parts {
		b.WriteString(p.text)
	}
	return b.String()
}

// marked is the text with #line directives, so that places in it are places in
// its origins; ext makes those look like files. A directive needs a line of its own: parts that follow text
// without a line end get one.
func (u *unit) marked(ext string) string {
	var b strings.Builder
	fresh := true // at the start of a line
	for _, p := range u.parts {
		if strings.TrimSpace(p.text) == "" {
			continue
		}
		if !fresh {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "#line %d %q\n%s", max(1, p.line), string(p.from)+ext, p.text)
		fresh = strings.HasSuffix(p.text, "\n")
	}
	if !fresh {
		b.WriteByte('\n')
	}
	return b.String()
}
