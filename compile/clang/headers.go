package clang

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"wb/internal/lazyregexp"
	"wb/internal/sha"
)

// The standard headers of C++ are a hundred thousand lines; reading them takes
// four seconds, loading them precompiled a fraction of one. A block that
// includes any of these gets all of them from one precompiled file, made when
// it is first needed and kept in the artifact cache. Flags that change what
// headers mean (definitions, include paths) do without.

// precompiledHeaders are those people use in notebooks.
var precompiledHeaders = strings.Fields(`algorithm array bitset cassert cctype chrono climits cmath complex cstddef cstdint cstdio cstdlib cstring ctime
	deque fstream functional iomanip iostream iterator limits list map memory numeric optional queue random set sstream stack stdexcept string
	string_view tuple type_traits unordered_map unordered_set utility variant vector`)

// The files in which they are built and used.
const (
	headersFile     = "wb-headers.h"
	precompiledFile = "wb-headers.pch"
)

var (
	includeLine = lazyregexp.New(`(?m)^[ \t]*#[ \t]*include[ \t]*<([^>]+)>`)
	macroLine   = lazyregexp.New(`(?m)^[ \t]*#[ \t]*(define|undef|pragma)\b`)
)

// usesPrecompiled reports whether a C++ text with the given flags may use the
// precompiled headers, and the flags that they must be built with.
func usesPrecompiled(text string, flags []string) (needed []string, ok bool) {
	for _, flag := range flags {
		switch {
		case strings.HasPrefix(flag, "-std="), strings.HasPrefix(flag, "-O"):
			needed = append(needed, flag)
		case strings.HasPrefix(flag, "-W") || flag == "-w" || strings.HasPrefix(flag, "-pedantic") || flag == "-gline-tables-only":
		default:
			return nil, false
		}
	}
	includes := includeLine.FindAllStringSubmatchIndex(text, -1)
	for _, m := range includes {
		if slices.Contains(precompiledHeaders, text[m[2]:m[3]]) {
			// A macro before the first header may be meant for it.
			macro := macroLine.FindStringIndex(text)
			return needed, macro == nil || macro[0] > includes[0][0]
		}
	}
	return nil, false
}

// precompiled is the precompiled headers for flags, built when they are not in
// the cache.
func (c *Compiler) precompiled(ctx context.Context, t *tool, flags []string) ([]byte, error) {
	text := headersText()
	key := sha.Hex(fmt.Sprintf("%s\n%s\n%q\n%q\n%s", version, t.digest, compileFlags, flags, text))
	return c.kept(key, "cpp-headers", func() ([]byte, error) {
		own := slices.Concat([]string{"-fno-exceptions", langCPP.optimise}, flags, []string{"-fpch-instantiate-templates"})
		data, err := c.precompile(ctx, t.within(toolLimits), "c++-header", own, map[string][]byte{headersFile: []byte(text)}, headersFile, precompiledFile)
		if err != nil {
			return nil, fmt.Errorf("precompiling the standard headers: %w", err)
		}
		return data, nil
	})
}

// precompile makes the precompiled form of a header among files, whose language is
// "c-header" or "c++-header".
func (c *Compiler) precompile(ctx context.Context, t *tool, language string, flags []string, files map[string][]byte, header, output string) ([]byte, error) {
	args := slices.Concat(compileFlags, []string{"-x", language}, flags, []string{"-o", workDir + "/" + output, workDir + "/" + header})
	o, err := c.run(ctx, t, files, output, args...)
	if err == nil && o.exit != 0 {
		err = toolError(o.stderr)
	}
	return o.output, err
}

func headersText() string {
	var b strings.Builder
	for _, name := range precompiledHeaders {
		fmt.Fprintf(&b, "#include <%s>\n", name)
	}
	return b.String()
}
