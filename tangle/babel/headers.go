package babel

import (
	"slices"
	"strings"
)

// Acts says what reads a header argument. The zero Acts belongs to arguments
// that wb accepts for Emacs's sake and reads nowhere.
type Acts uint8

// Who reads an argument.
const (
	// Computes: the language reads it, so it is part of the program and of what
	// the program's result is kept under.
	Computes Acts = 1 << iota
	// Runs: the run reads it, ahead of the program or after it.
	Runs
	// Tangles: tangling reads it.
	Tangles
	// Exports: exporting reads it.
	Exports
)

// Argument is one header argument.
type Argument struct {
	Name      string   // without the colon
	Languages []string // those that read it; nil for any language
	Values    []string // usual values
	Doc       string   // what it does, in a sentence or two
	Acts      Acts
}

var (
	yesNo        = []string{"yes", "no"}
	cLanguages   = []string{"C", "C++", "cpp"}
	sqlLanguages = []string{"sql", "sqlite"}
)

// otherwise documents the arguments that only Emacs's own programs read.
const otherwise = "Known to Emacs; `wb` does not read it."

// ResultWords are the words of :results.
var ResultWords = []string{"value", "output", "table", "vector", "list", "scalar", "verbatim", "file", "raw", "org", "html", "latex",
	"code", "pp", "drawer", "link", "graphics", "replace", "silent", "none", "discard", "append", "prepend", "wrap"}

// Arguments are the header arguments that mean something to org-babel, to one
// of its languages or to wb. Lint, runs, the language server and the
// documentation all read this table; a new argument is one line here.
var Arguments = []Argument{
	// org-babel's own
	{"cache", nil, yesNo, "Writes a hash of the block into its `#+RESULTS[hash]:`; the block does not run again while the hash holds.", Runs},
	{"cmdline", nil, nil, "Arguments for the program.", Computes},
	{"colnames", nil, []string{"yes", "no", "nil"}, "Whether the first row of a table is its column names: kept aside, and put back above a table that results.", Runs},
	{"comments", nil, []string{"no", "link", "yes", "org", "both", "noweb"}, "Comments that tangling puts around the block, by which `wb detangle` finds the way back.", Tangles},
	{"dir", nil, nil, "The directory the block runs in, below the workbook's.", Runs},
	{"epilogue", nil, nil, "Code added after the body when it runs and when it is tangled.", Computes | Tangles},
	{"eval", nil, []string{"yes", "no", "never", "query", "never-export", "no-export", "query-export"}, "Whether the block may run. `no` and `never` keep it from running; its value is then what stands under its results.", Runs},
	{"exports", nil, []string{"code", "results", "both", "none"}, "What an export shows.", Exports},
	{"file", nil, nil, "The file the result is written to; the result is a link to it.", Computes | Runs | Tangles},
	{"file-desc", nil, nil, "The description of the link to the result's file.", Runs},
	{"file-ext", nil, []string{"png", "svg", "pdf", "txt", "csv", "json"}, "The extension of the result's file, named after the block.", Computes | Runs},
	{"file-mode", nil, []string{"(identity #o644)", "(identity #o755)"}, "Permissions of the result's file.", Runs},
	{"hlines", nil, []string{"no", "yes"}, "Whether the rules of a table reach the code.", Runs},
	{"mkdirp", nil, yesNo, "Whether missing directories are made, for tangling and for `:dir`.", Runs | Tangles},
	{"no-expand", nil, []string{"yes"}, "Tangles without noweb, variables, prologue and epilogue.", Tangles},
	{"noeval", nil, nil, "Keeps the block from running, as `:eval no`.", Runs},
	{"noweb", nil, []string{"yes", "no", "tangle", "eval", "no-export", "strip-export", "strip-tangle"}, "When `<<name>>` in the body is replaced by the block of that name.", Runs | Tangles | Exports},
	{"noweb-prefix", nil, yesNo, "Whether what stands before a reference is repeated on each line that replaces it.", Runs | Tangles},
	{"noweb-ref", nil, nil, "The name under which noweb collects this block; several blocks may share one.", Runs | Tangles},
	{"noweb-sep", nil, []string{`"\n"`, `""`, `"\n\n"`}, "What stands between blocks that share a `:noweb-ref`.", Runs | Tangles},
	{"output-dir", nil, nil, "The directory for `:file`.", Runs},
	{"padline", nil, yesNo, "Whether a blank line parts tangled blocks.", Tangles},
	{"post", nil, nil, "A block that reworks the result, which it gets as `*this*`: `:post tidy(data=*this*)`.", Runs},
	{"prologue", nil, nil, "Code added before the body when it runs and when it is tangled.", Computes | Tangles},
	{"results", nil, ResultWords, "How the result is collected, what it is, how it is written and where.", Runs},
	{"rownames", nil, yesNo, "Whether the first column of a table is its row names.", Runs},
	{"sep", nil, []string{`","`, `"\t"`, `";"`}, "What separates the columns of a table written to `:file`.", Runs},
	{"session", nil, []string{"none", "*default*"}, "Blocks with the same session of a language share state and run in order.", Computes},
	{"shebang", nil, []string{`"#!/bin/sh"`, `"#!/usr/bin/env bash"`, `"#!/usr/bin/env python3"`}, "The first line of the tangled file, which becomes executable.", Tangles},
	{"stdin", nil, nil, "What the program reads from standard input: the name of a block, table or list.", Runs},
	{"tangle", nil, yesNo, "The file that `wb tangle` writes the block to.", Tangles},
	{"tangle-mode", nil, []string{"(identity #o755)", "o755"}, "Permissions of the tangled file.", Tangles},
	{"var", nil, nil, "Variables: `:var x=1 y=\"text\" t=table r=block(n=2)[0:3,1]`.", Runs | Tangles},
	{"wrap", nil, []string{"example", "quote", "src", "export html", "drawer"}, "The block that is put around the result.", Runs},

	// its languages'
	{"args", nil, nil, "Arguments for the program.", Computes},
	{"async", nil, yesNo, "Accepted for Emacs; `wb` runs what it can at the same time anyway.", Computes},
	{"bail", sqlLanguages, nil, "Stops at the first error.", Computes},
	{"body", nil, nil, otherwise, Computes},
	{"classname", []string{"java"}, nil, "The class that Java runs.", Computes | Tangles},
	{"classpath", []string{"java"}, nil, otherwise, Computes},
	{"cmd", []string{"dot"}, []string{"dot", "neato", "fdp", "circo", "twopi"}, "The layout that draws the graph.", Computes},
	{"cmd-line", nil, nil, otherwise, Computes},
	{"column", sqlLanguages, nil, "Prints columns below each other.", Computes},
	{"compiler", nil, nil, otherwise, Computes},
	{"csv", sqlLanguages, nil, "Prints rows as CSV.", Computes},
	{"database", sqlLanguages, nil, otherwise, Computes},
	{"db", sqlLanguages, nil, "The database file.", Computes},
	{"dbhost", sqlLanguages, nil, otherwise, Computes},
	{"dbinstance", sqlLanguages, nil, otherwise, Computes},
	{"dbpassword", sqlLanguages, nil, otherwise, Computes},
	{"dbport", sqlLanguages, nil, otherwise, Computes},
	{"dbuser", sqlLanguages, nil, otherwise, Computes},
	{"defines", cLanguages, nil, "Macros for the C preprocessor: `:defines N 10`.", Computes | Tangles},
	{"echo", sqlLanguages, nil, "Prints statements before their results.", Computes},
	{"engine", []string{"sql"}, []string{"sqlite"}, "The database; `wb` runs SQLite.", Computes},
	{"flags", cLanguages, nil, "Flags for the compiler.", Computes},
	{"header", sqlLanguages, yesNo, "Whether the output starts with column names.", Computes},
	{"height", nil, nil, otherwise, Computes},
	{"hline-string", shells, nil, "What a rule of a table becomes where `:hlines yes` keeps rules.", Computes | Tangles},
	{"html", sqlLanguages, nil, "Prints rows as HTML.", Computes},
	{"imports", []string{"go", "java", "D"}, nil, "Modules to import.", Computes | Tangles},
	{"in-file", []string{"awk", "sed"}, nil, otherwise, Computes},
	{"include", nil, nil, otherwise, Computes},
	{"includes", cLanguages, []string{"<stdio.h>", "<math.h>"}, "Headers for C and C++: `:includes <math.h>`.", Computes | Tangles},
	{"init", sqlLanguages, nil, otherwise, Computes},
	{"java", nil, nil, otherwise, Computes},
	{"lexical", []string{"emacs-lisp"}, yesNo, "Whether variables are bound lexically.", Computes},
	{"libs", cLanguages, nil, "Libraries to link.", Computes},
	{"line", sqlLanguages, nil, "Prints each value on a line of its own.", Computes | Tangles},
	{"list", sqlLanguages, nil, "Prints values between separators.", Computes},
	{"lua", []string{"lua"}, nil, "The interpreter Emacs would use; `wb` runs its own.", Computes},
	{"main", nil, yesNo, "Whether the body is wrapped in `main` (C family, Go, Rust, Zig).", Computes | Tangles},
	{"namespaces", []string{"C++", "cpp"}, []string{"std"}, "Namespaces that C++ code uses.", Computes | Tangles},
	{"nullvalue", sqlLanguages, nil, "What stands for NULL.", Computes},
	{"out-file", nil, nil, otherwise, Computes},
	{"package", nil, nil, otherwise, Computes},
	{"preamble", []string{"python", "lua"}, nil, "Code before everything else.", Computes},
	{"python", []string{"python"}, nil, "The interpreter Emacs would use; `wb` runs its own.", Computes},
	{"readonly", sqlLanguages, yesNo, "Whether the database is only read.", Computes},
	{"return", []string{"python", "lua"}, nil, "The expression whose value is the result.", Computes},
	{"ruby", []string{"ruby"}, nil, "The interpreter Emacs would use; `wb` runs its own.", Computes},
	{"separator", slices.Concat(shells, sqlLanguages), nil, "What separates the cells of a row, in a variable or on output.", Computes | Tangles},
	{"term", []string{"gnuplot"}, nil, "The kind of picture gnuplot draws.", Computes | Tangles},
	{"title", []string{"gnuplot"}, nil, "The title of a picture.", Computes | Tangles},
	{"type", nil, nil, otherwise, Computes},
	{"units", nil, nil, otherwise, Computes},
	{"width", nil, nil, otherwise, Computes},
	{"xlabel", nil, nil, otherwise, Computes},
	{"ylabel", nil, nil, otherwise, Computes},

	// wb's
	{"deps", nil, nil, "Packages the block needs (`:deps lodash,d3-array`); in a drawer, components that must come first.", Runs},
	{"exec", nil, nil, "How values reach the code.", Runs},
	{"expect", nil, nil, "What the result must be.", Computes},
	{"fuel", nil, []string{"1e9", "1e10"}, "The most fuel the component may burn: a count of steps, the same on every machine.", Runs},
	{"func", nil, nil, "The exported function that is called.", Computes},
	{"in", nil, nil, "Inputs of the component, by name. Each is the output of that name of some other component, or given with `--set`.", Runs},
	{"memory", nil, []string{"64MiB", "256MiB", "1GiB"}, "The most memory the component may use, up to what `--limits` allows.", Runs},
	{"out", nil, nil, "Outputs of the component, by name.", Runs},
	{"output", nil, []string{"16MiB", "64MiB"}, "The most the component may print, up to what `--limits` allows.", Runs},
	{"persist", nil, yesNo, "Keeps the component's files between runs.", Runs},
	{"profile", nil, nil, "The set of capabilities and limits the component runs with.", Runs},
	{"sig", nil, nil, "The type of the component: `:sig: score(items: list<f64>, k: s32) -> f64`.", Computes},
	{"timeout", nil, []string{"5s", "30s", "2m"}, "The most time the component may take, up to what `--limits` allows.", Runs},
	{"uses", nil, nil, "Capabilities the component asks for. The user grants them with `--grant`.", Runs},
}

// Lookup finds a header argument by its name, with or without the colon and the
// + of an argument that adds to another.
func Lookup(name string) (Argument, bool) {
	name = strings.ToLower(strings.Trim(name, ":+"))
	i := slices.IndexFunc(Arguments, func(a Argument) bool { return a.Name == name })
	if i < 0 {
		return Argument{}, false
	}
	return Arguments[i], true
}

// Names lists the header arguments without their colons, sorted.
func Names() []string {
	names := make([]string, len(Arguments))
	for i, a := range Arguments {
		names[i] = a.Name
	}
	slices.Sort(names)
	return names
}

// Computes reports whether the argument is part of what a block computes. One
// that is unknown is: a lane may read it.
func (a Argument) Computes() bool { return a.Name == "" || a.Acts&Computes != 0 }
