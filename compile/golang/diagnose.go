package golang

import (
	"strconv"
	"strings"

	"wb/compile"
	"wb/internal/diag"
	"wb/internal/lazyregexp"
)

// messageLine is how the compiler writes an error: file:line:col: text, or
// without col.
var messageLine = lazyregexp.New(`^([^\s:]+\.go):(\d+)(?::(\d+))?: (.*)$`)

// buildError places the compiler's messages in the org file. It never loses
// what the compiler said: when no message can be read, all of it is one.
func (b *block) buildError(messages string) error {
	var found []diag.Finding
	for line := range strings.Lines(messages) {
		line = strings.TrimRight(line, "\r\n")
		if m := messageLine.FindStringSubmatch(line); m != nil {
			d := diag.Finding{Severity: diag.Error, Message: m[4]}
			d.Pos, d.Message = b.place(m[1], number(m[2]), number(m[3]), d.Message)
			d.Hint = hintFor(d.Message)
			found = append(found, d)
			continue
		}
		if more := strings.TrimSpace(line); len(found) > 0 && strings.HasPrefix(line, "\t") {
			last := &found[len(found)-1]
			last.Message += "; " + b.placesIn(more)
		}
	}
	if len(found) == 0 {
		return diag.Errorf(b.src.At(1, 1), "compiler failed: %s", strings.TrimSpace(messages))
	}
	return &diag.FindingsError{Findings: found}
}

func number(digits string) int {
	n, _ := strconv.Atoi(digits) // the pattern admits digits only
	return n
}

// place finds the org position of a place the compiler names. Only the body
// has one; other parts are named in the message.
func (b *block) place(path string, line, col int, text string) (diag.Position, string) {
	name := strings.TrimPrefix(path, workDir+"/")
	switch name {
	case bodyFile:
		text = b.placesIn(text)
		switch last := strings.Count(b.src.Body, "\n") + 1; {
		case line <= b.shift:
			return b.src.At(1, 1), "in :prologue: " + text
		case line-b.shift > last && hasArg(b.src, "epilogue"):
			return b.src.At(last, 1), "in :epilogue: " + text
		case line-b.shift > last: // the brace that wb wrote after the body
			return b.src.At(last, 1+len(lastLine(b.src.Body))), text
		}
		return b.at(line, max(1, col)), text
	case varsFile:
		return b.src.At(1, 1), "in :var: " + text
	case glueFile:
		return b.src.At(1, 1), "calling the block: " + text
	}
	return diag.Position{File: strings.TrimPrefix(name, sourceDir), Line: line, Col: col}, text
}

func hasArg(src *compile.Source, name string) bool {
	_, ok := src.Arg(name)
	return ok
}

func lastLine(text string) string {
	text = strings.TrimSuffix(text, "\n")
	return text[strings.LastIndexByte(text, '\n')+1:]
}

// placePattern finds places inside of messages: "/w/block.go:3:6: other
// declaration of x".
var placePattern = lazyregexp.New(`(?:/w/)?([\w/.-]+\.go):(\d+)(?::(\d+))?(?:\[[^\]]*\])?`)

// placesIn replaces the places that a message mentions.
func (b *block) placesIn(text string) string {
	return placePattern.ReplaceAllStringFunc(text, func(found string) string {
		m := placePattern.FindStringSubmatch(found)
		if m[1] != bodyFile {
			return strings.TrimPrefix(found, workDir+"/")
		}
		return b.at(number(m[2]), max(1, number(m[3]))).String()
	})
}

// hints explain messages that come of blocks being blocks.
var hints = []struct {
	pattern *lazyregexp.Regexp
	hint    string
}{
	{lazyregexp.New(`imported and not used`), "remove the import; wb adds those of the standard library by itself"},
	{lazyregexp.New(`unexpected keyword func|nested func not allowed`), "write a function inside a function as name := func() { … }"},
	{lazyregexp.New(`function main is undeclared`), "without :main no, wb writes main around the statements"},
	{lazyregexp.New(`missing function body|go:wasmimport`), "the sandbox supports neither assembly nor cgo"},
	{lazyregexp.New(`go:embed`), "go:embed is not supported; read the file when the block runs"},
}

func hintFor(message string) string {
	for _, h := range hints {
		if h.pattern.MatchString(message) {
			return h.hint
		}
	}
	return ""
}

// linkError places the linker's messages, which name no lines.
func (b *block) linkError(messages string) error {
	var found []diag.Finding
	for line := range strings.Lines(messages) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		text := strings.TrimPrefix(line, "link: ")
		found = append(found, diag.Finding{Pos: b.src.At(1, 1), Severity: diag.Error, Message: text, Hint: hintFor(text)})
	}
	if len(found) == 0 {
		return diag.Errorf(b.src.At(1, 1), "linker failed")
	}
	return &diag.FindingsError{Findings: found}
}
