package workbook

import (
	"slices"
	"strings"

	"wb/compile"
	"wb/internal/lazyregexp"
	"wb/org"
	"wb/value"
)

// textLangs are languages of blocks that are shown, tangled or included but
// never run.
var textLangs = []string{
	"", "text", "txt", "org", "conf", "conf-unix", "conf-toml", "ini", "toml", "xml", "nxml", "html", "mhtml", "css", "scss", "less",
	"markdown", "md", "rst", "diff", "patch", "gitignore", "gitconfig", "dockerfile", "nginx", "log", "console", "bibtex",
	"http", "url", "ditaa", "fundamental", "outline", "example", "wit", "ebnf", "proto", "graphql",
}

// isText reports whether blocks of a language are mere text.
func isText(lang string) bool { return slices.Contains(textLangs, strings.ToLower(lang)) }

// isData reports whether blocks of a language are values (json, csv, yaml).
func isData(lang string) bool { return dataParser(lang) != nil }

// dataParser reads blocks of a data language, nil for other languages.
func dataParser(lang string) func(body string, args org.Args) (value.Value, error) {
	return dataLangs[strings.ToLower(lang)]
}

var (
	jsExport    = lazyregexp.New(`(?m)^[ \t]*export\b|\bfunction\s+run\s*\(`)
	moduleLangs = []string{"js", "javascript", "node", "mjs", "ts", "typescript", "tsx", "jsx"}
)

// exportsFunction reports whether a block of the workflow dialect offers a
// function to call; otherwise it is a program.
func exportsFunction(lang, body string) bool {
	return slices.Contains(moduleLangs, strings.ToLower(lang)) && jsExport.MatchString(body)
}

// execShapes are the words :exec and #+EXEC know, with the shape each means.
// Those with none are named so that they can be refused by name.
var execShapes = map[string]compile.Shape{
	"babel": compile.ShapeBabel, "component": compile.ShapeComponent, "command": compile.ShapeCommand, "kernel": compile.ShapeKernel,
	"task": "task", "federation": "federation", "agent": "agent", "posix": "posix",
}

// defaultShape is how values reach a component's code: what :exec says, else
// what its dialect means by a block like this.
func (c *Component) defaultShape() compile.Shape {
	if word, ok := argText(c.Args, ":exec"); ok {
		return compile.Shape(word)
	}
	switch {
	case c.Kind == KindData:
		return ""
	case c.Lang == LangAgent:
		return shapeAgent
	case c.Dialect == DialectBabel:
		return compile.ShapeBabel
	case c.Dialect == DialectHeading, c.Sig != nil, exportsFunction(c.Lang, c.Body):
		return compile.ShapeComponent
	}
	return compile.ShapeCommand
}
