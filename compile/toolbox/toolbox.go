// Package toolbox is the set of small programs that shell scripts are made of:
// cat, sort, cut, date and their kin, as one program in C that does what the first
// word of its command line says.
//
// The sources below src are wb's own; [Sources] gives them to the C lane, which
// compiles them inside the sandbox once per machine. They behave like the GNU
// tools in the C locale and in UTC, with two kinds of difference: what could
// make a run depend on more than its input is fixed (shuf has a
// constant seed, mktemp counts, ls -l shows one owner), and what does not exist
// in the sandbox is refused by name (tail -f, setting the clock).
package toolbox

import (
	"embed"
	"slices"

	"wb/internal/lazyregexp"
)

//go:embed src/*.c src/*.h
var sources embed.FS

// Sources are the C files and headers by name.
func Sources() map[string][]byte {
	files := make(map[string][]byte)
	entries, err := sources.ReadDir("src")
	if err != nil {
		return files // cannot happen: src is embedded
	}
	for _, e := range entries {
		if text, err := sources.ReadFile("src/" + e.Name()); err == nil {
			files[e.Name()] = text
		}
	}
	return files
}

var row = lazyregexp.New(`(?m)^\tX\("([^"]+)", (\w+),`)

// Names lists the tools, sorted. They are read from the table in main.c, so the
// list cannot differ from what the program does.
func Names() []string {
	var names []string
	for _, m := range row.FindAllSubmatch(Sources()["main.c"], -1) {
		names = append(names, string(m[1]))
	}
	slices.Sort(names)
	return names
}
