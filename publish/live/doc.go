// Package live lets the readers of a published workbook run its components in
// their own browser: the same programs, with the same fuel and the same bytes
// as the run that made the page, on the inputs of the reader's choice.
//
// What a page ships of a component is its offprint (see workbook.Offprints):
// the wasm module, metered as the sandbox meters it, and the recipe of the run
// as its lane lays it out. The runtime in js/ is plain ES modules without
// dependencies. It does for that recipe what packages sandbox and compile do
// here: the same subset of WASI with the same virtual clock and random numbers
// (wasi.mjs, attributes.mjs, random.mjs, files.mjs), the same fuel, limits and messages
// (limits.mjs, machine.mjs, crash.mjs), the same ways in and out
// (abi.mjs, output.mjs, value.mjs). Tests hold the two against each other.
//
// Languages whose programs are not modules have one each that does what their
// lane does around the machine (languages.mjs): quickjs.mjs; lua.mjs, ruby.mjs
// and python.mjs, which share reactor.mjs, as those lanes share package vm;
// sqlite.mjs; and shell.mjs with streams.mjs, which is the kernel of a script's
// processes. What they know of the block they share in block.mjs. A page has the
// modules that its components need.
//
// A component runs in a worker that is made for it and ended with it, so that
// stopping takes effect at once. The worker has no network: the policy of the
// page forbids it, and nothing in the runtime asks for one. What a program
// prints or returns is shown as text, never as markup.
//
// Components that need more than a module, such as capabilities, sessions or
// files they make, are left out; the page says so and why.
package live

import (
	"embed"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

//go:embed js/*.mjs
var modules embed.FS

// baseModules and pageModules are the runtime's two programs, each module behind
// those it imports. The first is that of the worker, which has modules for the
// machines of languages too, see [workerModules].
var (
	baseModules = []string{"random", "files", "limits", "attributes", "wasi", "value", "abi", "output", "machine", "crash", "digest", "languages", "run"}
	pageModules = []string{"digest", "value", "fields", "show", "program", "panel"}
)

// machineModules are those that the machine of a language needs.
var machineModules = map[string][]string{
	"quickjs": {"quickjs"},
	"lua":     {"block", "reactor", "lua"},
	"ruby":    {"block", "reactor", "ruby"},
	"python":  {"block", "reactor", "lisp", "python"},
	"sqlite":  {"block", "sqlite"},
	"shell":   {"block", "streams", "shell"},
}

// workerModules are the worker's when it has to know some machines.
func workerModules(machines []string) []string {
	names := slices.Clone(baseModules)
	for _, machine := range machines {
		for _, name := range machineModules[machine] {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return append(names, "worker")
}

var (
	importLine = regexp.MustCompile(`(?m)^import \{ ([^}]*) \} from "\./(\w+)\.mjs";$`)
	exportWord = regexp.MustCompile(`(?m)^export ((?:async )?(?:function|class|const) (\w+))`)
)

// program joins modules into one script. Each becomes a function of its own, so
// that names in one do not disturb another.
func program(names []string) (string, error) {
	var out strings.Builder
	for _, name := range names {
		source, err := modules.ReadFile("js/" + name + ".mjs")
		if err != nil {
			return "", fmt.Errorf("live: %w", err)
		}
		text := importLine.ReplaceAllString(string(source), "const { $1 } = ${2}_mjs;")
		var exports []string
		for _, m := range exportWord.FindAllStringSubmatch(text, -1) {
			exports = append(exports, m[2])
		}
		text = exportWord.ReplaceAllString(text, "$1")
		fmt.Fprintf(&out, "const %s_mjs = (() => {\n%sreturn { %s };\n})();\n", name, text, strings.Join(exports, ", "))
	}
	return out.String(), nil
}
