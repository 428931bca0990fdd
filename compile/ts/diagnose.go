package ts

import (
	"fmt"
	"strings"

	"wb/compile"
	"wb/compile/js"
	"wb/internal/diag"
	"wb/internal/lazyregexp"
)

// diagnose turns the compiler's messages into diagnostics at their places in
// the org file, or in files of :dir.
func diagnose(src *compile.Source, u *js.Unit, list []told, refused map[string]string) *diag.FindingsError {
	e := &diag.FindingsError{}
	at := placer{src: src, unit: u, lines: make(map[string][]string)}
	for _, t := range list {
		e.Findings = append(e.Findings, diag.Finding{
			Pos: at.position(t), Severity: diag.Error, Code: fmt.Sprintf("TS%d", t.Code), Message: tidy(t.Message), Hint: hint(t, refused),
		})
		for _, note := range t.Notes {
			e.Findings = append(e.Findings, diag.Finding{Pos: at.position(note), Severity: diag.Note, Message: tidy(note.Message)})
		}
	}
	return e
}

func tidy(message string) string { return strings.TrimSuffix(message, ".") }

// placer finds what the compiler's positions mean. It keeps the lines of files,
// in which columns are counted.
type placer struct {
	src   *compile.Source
	unit  *js.Unit
	lines map[string][]string
}

func (p *placer) position(t told) diag.Position {
	file := strings.TrimPrefix(t.File, "/")
	if file == "" || file == varsFile {
		return p.src.At(1, 1)
	}
	if p.lines[file] == nil {
		text := string(p.src.Files[file])
		if file == blockFile {
			text = p.unit.Script
		}
		p.lines[file] = strings.Split(text, "\n")
	}
	line := ""
	if lines := p.lines[file]; t.Line >= 1 && t.Line <= len(lines) {
		line = lines[t.Line-1]
	}
	if file == blockFile {
		file = js.BlockFile
	}
	return p.unit.Position(p.src, file, t.Line, js.ByteColumn(line, t.Character)+1)
}

var quoted = lazyregexp.New(`'([^']*)'`)

// domNames are globals of browsers that people try.
var domNames = map[string]bool{"document": true, "window": true, "localStorage": true, "fetch": true, "alert": true, "navigator": true}

// hint says what to do about the mistakes that have to do with where the block
// runs. refused are the modules of node that are not there, with the reasons.
func hint(t told, refused map[string]string) string {
	name := ""
	if m := quoted.FindStringSubmatch(t.Message); m != nil {
		name = m[1]
	}
	switch reason := refused[strings.TrimPrefix(name, "node:")]; {
	case t.Code == 1232 || t.Code == 1233: // import or export inside a function
		return js.HintModule
	case t.Code == 1108: // return outside of functions
		return js.HintComponent
	case t.Code == 2307 && reason != "":
		return reason
	case t.Code == 2307 && name != "" && !strings.HasPrefix(name, "."):
		return fmt.Sprintf("a package is fetched with :deps %s on the block", name)
	case t.Code == 7016 && name != "":
		return fmt.Sprintf("if there are types, :deps %s fetches them", typesPackage(name))
	case domNames[name] && (t.Code == 2304 || t.Code == 2584 || t.Code == 2552):
		return "blocks run in a sandbox, not in a browser"
	}
	return ""
}

// typesPackage is where the types of a package without its own are kept.
func typesPackage(name string) string {
	if scoped, ok := strings.CutPrefix(name, "@"); ok {
		parts := strings.SplitN(scoped, "/", 3)
		return "@types/" + strings.Join(parts[:min(2, len(parts))], "__")
	}
	name, _, _ = strings.Cut(name, "/")
	return "@types/" + name
}
