package python

import (
	"regexp"
	"strings"

	"wb/internal/lazyregexp"
)

// In WebAssembly a function is called with the arguments it takes, no more. Modules
// written for other machines have functions that leave out an argument which Python
// gives, or have one that it does not give.

// Entries of the tables that say how Python calls a function, and what they say.
var (
	methodEntry = lazyregexp.New(`\{\s*"\w+"\s*,\s*(?:\(PyCFunction\)\s*)?(\w+)\s*,\s*(METH_[\w |]+)`)
	getterEntry = lazyregexp.New(`\(getter\)\s*(\w+)`)
)

// adaptMethods gives the functions that a C or C++ file has in its tables as many
// parameters as Python gives arguments.
func adaptMethods(text []byte) []byte {
	takes := map[string]int{}
	for _, m := range methodEntry.FindAllSubmatch(text, -1) {
		takes[string(m[1])] = 2
		if strings.Contains(string(m[2]), "METH_KEYWORDS") {
			takes[string(m[1])] = 3
		}
	}
	for _, m := range getterEntry.FindAllSubmatch(text, -1) {
		takes[string(m[1])] = 2
	}
	for name, n := range takes {
		head := regexp.MustCompile(`\b` + name + `\s*\(([\w\s,*]*)\)\s*[{;]`)
		text = head.ReplaceAllFunc(text, func(found []byte) []byte { return adaptHead(found, n) })
	}
	return text
}

// adaptHead is the head of a function or its declaration with n parameters.
func adaptHead(head []byte, n int) []byte {
	before, rest, _ := strings.Cut(string(head), "(")
	inside, after, _ := strings.Cut(rest, ")")
	params := strings.Split(inside, ",")
	if !strings.Contains(inside, "*") || strings.Contains(after, ";") && !strings.Contains(inside, "PyObject") { // a call
		return head
	}
	for len(params) < n {
		params = append(params, " void *wb_unused")
	}
	return []byte(before + "(" + strings.Join(params[:n], ",") + ")" + after)
}
