package clang

import (
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"wb/internal/lazyregexp"
)

// The C files of a large program begin alike: with a few macros and the header that
// has everything, Python.h or lisp.h. Reading it takes clang up to half of its time for
// a small file. Files with the same opening and flags share one precompiled header,
// made by the first of them and gone with the build. Their objects are the same bytes
// as without it.

// fewest is how many files must share an opening: to precompile one takes as long as to
// read it twice.
const fewest = 4

// openings are the precompiled headers of one build, by the file that uses them.
type openings map[string]*opening

// opening is how several sources begin, and what it is precompiled with.
type opening struct {
	text  string
	flags []string

	once sync.Once
	data []byte
	err  error
}

// The files in which an opening is precompiled.
const (
	openingFile     = "wb-opening.h"
	openingCompiled = "wb-opening.pch"
)

// openingsOf finds the C sources that can share the headers of [Options.Headers].
func (o Options) openingsOf(files map[string][]byte, sources []string) openings {
	if len(o.Headers) == 0 {
		return nil
	}
	shared, users := openings{}, map[string][]string{}
	alike := map[string]*opening{}
	for _, name := range sources {
		if path.Ext(name) != langC.ext {
			continue
		}
		if macros, ok := macrosBefore(o.Headers[0], string(files[name])); ok {
			flags := slices.Concat(o.leaving(langC).compileFlags(), o.flagsOf(name))
			key := fmt.Sprintf("%s\n%q", macros, flags)
			users[key] = append(users[key], name)
			if alike[key] == nil {
				alike[key] = &opening{text: macros + includes(o.Headers), flags: flags}
			}
		}
	}
	for key, names := range users {
		if len(names) < fewest {
			continue
		}
		for _, name := range names {
			shared[name] = alike[key]
		}
	}
	return shared
}

func includes(headers []string) string {
	var b strings.Builder
	for _, h := range headers {
		fmt.Fprintf(&b, "#include %q\n", h)
	}
	return b.String()
}

var (
	commentsOfC = lazyregexp.New(`(?s)/\*.*?\*/|//[^\n]*`)
	macroOnly   = lazyregexp.New(`^#[ \t]*(define|ifndef|endif)\b[^\\]*$`)
)

// macrosBefore are the lines of a source before it includes a header, if they are
// nothing but macros that may be read twice.
func macrosBefore(header, source string) (macros string, ok bool) {
	end := strings.Index(source, fmt.Sprintf("%q", header))
	if end < 0 {
		return "", false
	}
	var b strings.Builder
	lines := strings.Split(commentsOfC.ReplaceAllString(source[:end], " "), "\n")
	for i, line := range lines {
		line = strings.TrimSpace(line)
		switch {
		case i == len(lines)-1:
			return b.String(), strings.HasPrefix(line, "#") && strings.TrimSpace(line[1:]) == "include"
		case line == "":
		case macroOnly.MatchString(line):
			b.WriteString(line + "\n")
		default:
			return "", false
		}
	}
	return "", false
}

// precompiledOpening is the opening as clang loads it, made when it is first asked for.
func (c *Compiler) precompiledOpening(ctx context.Context, t *tool, o *opening, files map[string][]byte) ([]byte, error) {
	o.once.Do(func() {
		files = with(files, openingFile, []byte(o.text))
		o.data, o.err = c.precompile(ctx, t, "c-header", slices.Concat([]string{langC.optimise}, o.flags), files, openingFile, openingCompiled)
		if o.err != nil {
			o.err = fmt.Errorf("precompiling %s: %w", strings.TrimSpace(o.text), o.err)
		}
	})
	return o.data, o.err
}

// with are the files and one more.
func with(files map[string][]byte, name string, data []byte) map[string][]byte {
	more := maps.Clone(files)
	more[name] = data
	return more
}
