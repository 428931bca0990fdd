package wat

import (
	"fmt"
	"strings"
)

// Function is one host function. Its signature is written as
// "(url str, n i32) -> (str, err)": str and list are pointers to values, err is
// an error code; what stands behind -> is left on the stack in that order.
type Function struct {
	Name      string // namespace.name
	Signature string
	About     string

	call func(c *call, args []arg) (results []any, err error)
}

// Namespace is the module that a program imports the function from.
func (f *Function) Namespace() string { ns, _, _ := strings.Cut(f.Name, "."); return ns }

func (f *Function) short() string { _, name, _ := strings.Cut(f.Name, "."); return name }

// types are the words of a signature: parameters, then results.
func (f *Function) types() (params, results []string) {
	in, out, _ := strings.Cut(f.Signature, "->")
	for _, p := range listed(in) {
		params = append(params, p[strings.LastIndexByte(p, ' ')+1:])
	}
	return params, listed(out)
}

func listed(text string) []string {
	text = strings.Trim(strings.TrimSpace(text), "()")
	if text == "" {
		return nil
	}
	words := strings.Split(text, ",")
	for i := range words {
		words[i] = strings.TrimSpace(words[i])
	}
	return words
}

// wasmType is a word of a signature as a type of the text format.
func wasmType(word string) string {
	switch word {
	case "i64", "f64":
		return word
	}
	return "i32"
}

// signature is the function's type in the text format.
func (f *Function) signature() string {
	var b strings.Builder
	params, results := f.types()
	for _, p := range params {
		b.WriteString(" (param " + wasmType(p) + ")")
	}
	for _, r := range results {
		b.WriteString(" (result " + wasmType(r) + ")")
	}
	return b.String()
}

// Describe lists the functions for a prompt or a page.
func Describe() string {
	var b strings.Builder
	last := ""
	for _, f := range Functions {
		if ns := f.Namespace(); ns != last {
			fmt.Fprintf(&b, "### %s\n", ns)
			last = ns
		}
		fmt.Fprintf(&b, "- `$%s%s`: %s\n", f.Name, f.Signature, f.About)
	}
	return b.String()
}

// Code is the status that a function or a program returns besides its results.
type Code int32

// The error codes.
const (
	Success Code = iota
	ETRFM        // a value is not a value
	ENOMEM       // no memory left
	EACCESS      // not allowed
	ENOENT       // not there
	EBOUND       // outside of what there is
	EREMOTE      // the other side failed
	EPARSE       // not what it should be
)

var codeNames = []string{"SUCCESS", "ETRFM", "ENOMEM", "EACCESS", "ENOENT", "EBOUND", "EREMOTE", "EPARSE"}

func (c Code) String() string {
	if c >= 0 && int(c) < len(codeNames) {
		return codeNames[c]
	}
	return "UNKNOWN"
}

// codeError is an error that a program is told as a code; why is for the
// observation.
type codeError struct {
	code Code
	why  string
}

func (e *codeError) Error() string { return e.code.String() + ": " + e.why }

func failed(code Code, format string, args ...any) error {
	return &codeError{code, fmt.Sprintf(format, args...)}
}
