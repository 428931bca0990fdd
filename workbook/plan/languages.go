package plan

import (
	"slices"
	"strings"

	"wb/compile"
	"wb/internal/lazyregexp"
	"wb/internal/value"
	"wb/org"
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

// wantsResult reports whether a block of Org is executed: Org's own default
// silences it, so its author has to ask for a result.
func wantsResult(lang string, args org.Args) bool {
	return strings.EqualFold(lang, "org") && !slices.Contains(args.Words(":results"), "silent")
}

// isData reports whether blocks of a language are values (json, csv, yaml).
func isData(lang string) bool { return DataParser(lang) != nil }

// DataParser reads blocks of a data language, nil for other languages.
func DataParser(lang string) func(body string, args org.Args) (value.Value, error) {
	return dataLangs[strings.ToLower(lang)]
}

var (
	jsExport    = lazyregexp.New(`(?m)^[ \t]*export\b|\bfunction\s+run\s*\(`)
	pyFunction  = lazyregexp.New(`^(async +)?def +[a-zA-Z]`)
	pyDefines   = lazyregexp.New(`^((async +)?def|class|import|from)\b|^[@)\]}#]|^[a-zA-Z_]\w* *(:[^=]*)?=[^=]`)
	moduleLangs = []string{"js", "javascript", "node", "mjs", "ts", "typescript", "tsx", "jsx"}
)

// exportsFunction reports whether a block of the workflow dialect offers a
// function to call; otherwise it is a program.
func exportsFunction(lang, body string) bool {
	if strings.EqualFold(lang, "python") {
		return onlyDefines(body)
	}
	return slices.Contains(moduleLangs, strings.ToLower(lang)) && jsExport.MatchString(body)
}

// onlyDefines reports whether Python code defines functions and does nothing
// besides that a program would be run for. Python has no word for what a module
// offers, and a program that calls nothing prints nothing.
func onlyDefines(body string) bool {
	offers, quoted := false, ""
	for line := range strings.SplitSeq(body, "\n") {
		begins := quoted == "" && line != "" && !strings.ContainsAny(line[:1], " \t\r")
		opened := quoted
		for _, quotes := range []string{`"""`, "'''"} {
			if (quoted == "" || quoted == quotes) && strings.Count(line, quotes)%2 == 1 {
				if quoted == "" {
					quoted = quotes
				} else {
					quoted = ""
				}
			}
		}
		switch {
		case !begins, opened == "" && (strings.HasPrefix(line, `"""`) || strings.HasPrefix(line, "'''")):
		case !pyDefines.MatchString(line):
			return false
		default:
			offers = offers || pyFunction.MatchString(line)
		}
	}
	return offers
}

// ShapeOf are the words :exec knows, with the shape each means.
// Those with none are named so that they can be refused by name.
var ShapeOf = map[string]compile.Shape{
	"babel": compile.ShapeBabel, "component": compile.ShapeComponent, "command": compile.ShapeCommand, "kernel": compile.ShapeKernel,
	"task": ShapeTask, "federation": "federation", "agent": "agent", "posix": "posix",
}

// ShapeTask is a recipe for the shell: a command whose inputs are also $1, $2 and
// so on.
const ShapeTask compile.Shape = "task"

// defaultShape is how values reach a component's code: what :exec says, on the block or in the drawer, else
// what its dialect means by a block like this.
func (c *Component) defaultShape() compile.Shape {
	if word, ok := ArgText(c.Args, ":exec"); ok {
		return compile.Shape(word)
	}
	if c.exec != "" && c.Kind != KindData {
		return compile.Shape(c.exec)
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
