package clang

import (
	"path"
	"regexp"
	"strconv"
	"strings"

	"wb/compile"
	"wb/internal/diag"
	"wb/internal/lazyregexp"
)

// messageLine is how clang writes a diagnostic without carets and colours:
// file:line:col: severity: text [-Woption]
var messageLine = lazyregexp.New(`^(.*?):(\d+):(\d+): (fatal error|error|warning|note): (.*?)(?: \[(-W[^\]]+)\])?$`)

// diagnose reads what the compiler wrote to standard error and places each
// message in the org file.
func diagnose(src *compile.Source, stderr string) []diag.Finding {
	var found []diag.Finding
	for line := range strings.Lines(stderr) {
		line = strings.TrimRight(line, "\r\n")
		m := messageLine.FindStringSubmatch(line)
		if m == nil {
			if text, ok := strings.CutPrefix(line, "clang: error: "); ok {
				found = append(found, diag.Finding{Pos: src.At(1, 1), Severity: diag.Error, Message: text})
			}
			continue
		}
		d := diag.Finding{Severity: severityOf(m[4]), Code: codeOf(m[6]), Message: m[5]}
		d.Pos, d.Message = place(src, m[1], number(m[2]), number(m[3]), d.Message)
		d.Hint = hintFor(d.Message)
		if d.Severity == diag.Warning && undeclaredOwn.MatchString(d.Message) {
			d.Severity = diag.Error
		}
		found = append(found, d)
	}
	return found
}

func number(digits string) int {
	n, _ := strconv.Atoi(digits) // the pattern admits digits only
	return n
}

func severityOf(word string) diag.Severity {
	switch word {
	case "warning":
		return diag.Warning
	case "note":
		return diag.Note
	}
	return diag.Error
}

// codeOf keeps the warning option that names the message: "-Werror,-Wformat"
// is -Wformat.
func codeOf(options string) string {
	list := strings.Split(options, ",")
	return list[len(list)-1]
}

// place finds the org position of a place the compiler names. Only lines of
// the body have one; other parts are named in the message.
func place(src *compile.Source, file string, line, col int, text string) (diag.Position, string) {
	name := strings.TrimPrefix(file, workDir+"/")
	switch from := origin(strings.TrimSuffix(name, path.Ext(name))); {
	case src.Files[name] != nil:
		return diag.Position{File: name, Line: line, Col: col}, text
	case from == originBody:
		return src.At(line, col), text
	case from == originGlue:
		return src.At(1, 1), "calling the block: " + text
	case strings.HasPrefix(name, ":"):
		return src.At(1, 1), "in " + string(from) + ": " + text
	default: // a system header
		return src.At(1, 1), "in " + strings.TrimPrefix(file, "/usr/include/") + ":" + strconv.Itoa(line) + ": " + text
	}
}

// undeclaredOwn is the warning about a call of a function that is declared
// nowhere. gcc of old let it pass; in wasm the call would not match the
// function, so only calls of library functions stay a warning.
var undeclaredOwn = lazyregexp.New(`^call to undeclared function `)

// hints explain messages that the sandbox and header arguments cause.
var hints = []struct {
	pattern *lazyregexp.Regexp
	hint    string
}{
	{lazyregexp.New(`function definition is not allowed here`), "a function inside another one is a GNU extension; write main yourself"},
	{lazyregexp.New(`'(fork|vfork|execv[pe]*|execl[pe]*|system|popen|waitpid|pthread_create|socket|connect)'`), "there are no processes, threads or sockets in the sandbox"},
	{lazyregexp.New(`^call to undeclared function '`), "define it, or add :includes with the header that declares it"},
	{lazyregexp.New(`undeclared identifier 'std'`), "add :includes with the headers it needs, such as :includes <iostream> <vector>"},
	{lazyregexp.New(`(undeclared identifier|unknown type name) 'u?int(8|16|32|64)_t'`), "add :includes <stdint.h>"},
	{lazyregexp.New(`'[^']+\.h' file not found`), "files come from :dir; the C library is wasi-libc"},
}

func hintFor(message string) string {
	for _, h := range hints {
		if h.pattern.MatchString(message) {
			return h.hint
		}
	}
	return ""
}

var (
	undefinedSymbol = lazyregexp.New(`undefined symbol: (.+)$`)
	linkerError     = lazyregexp.New(`^(?:wasm-ld|.*?): error: (.*)$`)
)

// diagnoseLink reads the linker's messages. Objects carry no lines, so an
// undefined name is put where the body first uses it.
func diagnoseLink(src *compile.Source, stderr string) []diag.Finding {
	var found []diag.Finding
	for line := range strings.Lines(stderr) {
		m := linkerError.FindStringSubmatch(strings.TrimRight(line, "\r\n"))
		if m == nil {
			continue
		}
		d := diag.Finding{Pos: src.At(1, 1), Severity: diag.Error, Message: m[1]}
		if u := undefinedSymbol.FindStringSubmatch(m[1]); u != nil {
			name, _, _ := strings.Cut(u[1], "(")
			d.Pos = firstUse(src, name)
			d.Message = "undefined function or variable '" + name + "'"
			d.Hint = hintFor(d.Message)
		}
		found = append(found, d)
	}
	return found
}

// firstUse is the position of the first whole word name in the body.
func firstUse(src *compile.Source, name string) diag.Position {
	word := regexp.MustCompile(`\b` + regexp.QuoteMeta(name) + `\b`)
	for i, line := range strings.Split(src.Body, "\n") {
		if at := word.FindStringIndex(line); at != nil {
			return src.At(i+1, at[0]+1)
		}
	}
	return src.At(1, 1)
}

// split parts errors (with the notes that follow them) from warnings.
func split(list []diag.Finding) (errors, warnings []diag.Finding) {
	into := &warnings
	for _, d := range list {
		switch d.Severity {
		case diag.Error:
			into = &errors
		case diag.Warning:
			into = &warnings
		}
		*into = append(*into, d)
	}
	return errors, warnings
}
