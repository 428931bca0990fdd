package result

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"wb/internal/lazyregexp"
	"wb/internal/value"
	"wb/tangle/elisp"
	"wb/workbook/format"
)

// exampleLines is how many lines of text get an example block instead of
// colons (org-babel-min-lines-for-block-output).
const exampleLines = 10

// Result is a value to be written into the document, with everything its
// author said about how.
type Result struct {
	Value value.Value
	Words Words  // the merged :results words
	Lang  string // the block's language, for :results code
	// Wrap is the value of :wrap; Wrapped tells an empty one from none.
	Wrap    string
	Wrapped bool
	// FileDesc is the value of :file-desc; Described tells an empty one
	// (describe the file by its name) from none.
	FileDesc  string
	Described bool
	// Switches is the value of :results_switches, written on the first line of
	// example and source blocks.
	Switches string
	// Hash is shown in #+RESULTS[hash]: for :cache yes.
	Hash string
	// Before is the text a previous run wrote for this block, without
	// indentation. Text that cannot be told from prose (:results raw) is
	// replaced only when it is still that; Emacs lets it pile up.
	Before string
}

// insertsNothing reports whether the document stays as it is.
func (r *Result) insertsNothing() bool { return r.Words.Has("silent") || r.Words.Has("none") }

// empty reports whether the value prints as nothing at all: null or the empty
// list, which are one in Lisp.
func (r *Result) empty() bool {
	return r.Value.IsNull() || r.Value.Kind() == value.List && len(r.Value.Items()) == 0
}

// asList is the value as a list, where a list of objects with the same fields
// is a table with a header.
func (r *Result) asList() ([]value.Value, bool) {
	if r.Value.Kind() != value.List {
		return nil, false
	}
	if rows, ok := recordTable(r.Value.Items()); ok {
		return rows, true
	}
	return r.Value.Items(), true
}

// Text renders the result without indentation, every line ended by \n. It
// follows org-babel-insert-result: first the value becomes text by its type,
// then the text is wrapped by its format.
func (r *Result) Text() string {
	body, verbatim := r.body()
	below := ""
	if r.emptyTable(body) { // Emacs wraps what stands before its line end
		body, below = "", body
	}
	if wrapped, ok := r.wrapped(body); ok {
		return wrapped + below
	}
	body += below
	if !verbatim {
		return body
	}
	return exemplify(body, r.Switches)
}

// emptyTable reports whether the body is a table without a cell.
func (r *Result) emptyTable(body string) bool {
	return body == "\n" && r.Value.Kind() == value.List && !r.Words.Has("list")
}

// body is the unwrapped text; verbatim says that it is not org and must be
// quoted unless a format says otherwise.
func (r *Result) body() (text string, verbatim bool) {
	if r.empty() {
		return "", false
	}
	items, isList := r.asList()
	switch {
	case r.Words.Has("list"):
		return r.listText(items, isList), !isList && !r.Words.Has("file")
	case isList:
		return listAsTable(items), false
	case r.Words.Has("file") && r.namesFile():
		return EndLine(r.Link()), false
	}
	return EndLine(Display(r.Value)), !r.Words.Has("file")
}

// namesFile reports whether the value can be the name of a file; what :post makes of
// one need not be.
func (r *Result) namesFile() bool {
	return r.Value.Kind() == value.String || r.Value.Kind() == value.BlobRef
}

// listAsTable prints rows as a table, a flat list as its only row.
func listAsTable(items []value.Value) string {
	for _, item := range items {
		if item.Kind() != value.List && item.Kind() != value.HLine && !item.IsNull() {
			return tableText([]value.Value{value.OfList(items...)})
		}
	}
	return tableText(items)
}

// recordTable turns objects that all have the same fields into a header, a
// rule and rows.
func recordTable(items []value.Value) ([]value.Value, bool) {
	if len(items) == 0 || items[0].Kind() != value.Object || len(items[0].Fields()) == 0 {
		return nil, false
	}
	var header []value.Value
	for _, f := range items[0].Fields() {
		header = append(header, value.OfString(f.Name))
	}
	rows := []value.Value{value.OfList(header...), value.Rule()}
	for _, item := range items {
		if len(item.Fields()) != len(header) {
			return nil, false
		}
		var row []value.Value
		for _, name := range header {
			v, ok := item.Get(name.Text())
			if !ok {
				return nil, false
			}
			row = append(row, v)
		}
		rows = append(rows, value.OfList(row...))
	}
	return rows, true
}

// listText prints a plain list, an item per element, or per line of text.
func (r *Result) listText(items []value.Value, isList bool) string {
	if !isList {
		text := Display(r.Value)
		if r.Words.Has("file") && r.namesFile() {
			text = r.Link()
		}
		for _, l := range strings.Split(text, "\n") {
			if l != "" {
				items = append(items, value.OfString(l))
			}
		}
	}
	var out strings.Builder
	for _, item := range items {
		out.WriteString("- ")
		out.WriteString(strings.ReplaceAll(itemText(item), "\n", "\n  "))
		out.WriteByte('\n')
	}
	return strings.TrimSpace(out.String()) + "\n"
}

// itemText prints a list item without blanks before it or line ends after it;
// the elements of a nested list stand below one another.
func itemText(v value.Value) string {
	text := Display(v)
	if v.Kind() == value.List {
		parts := make([]string, len(v.Items()))
		for i, item := range v.Items() {
			parts[i] = strings.TrimLeft(Display(item), " \t")
			if item.Kind() == value.List {
				parts[i] = elisp.Print(elisp.FromValue(item))
			}
		}
		text = strings.Join(parts, "\n")
	}
	return strings.TrimRight(strings.TrimLeft(text, " \t\r\n"), "\r\n")
}

// Link is the org link to the file the value names.
func (r *Result) Link() string {
	path := strings.TrimSpace(Display(r.Value))
	if !r.Described {
		return "[[file:" + path + "]]"
	}
	desc := r.FileDesc
	if desc == "" {
		desc = path
	}
	return "[[file:" + path + "][" + desc + "]]"
}

// wrapped puts the body between the lines its format asks for. Without a
// format that wraps, ok is false.
func (r *Result) wrapped(body string) (text string, ok bool) {
	if r.Wrapped {
		return r.wrapIn(body)
	}
	switch {
	case r.Words.Has("html"):
		return between("#+begin_export html", escapeCode(body), "#+end_export"), true
	case r.Words.Has("latex"):
		return between("#+begin_export latex", escapeCode(body), "#+end_export"), true
	case r.Words.Has("org"):
		return between("#+begin_src org", escapeCode(alignLeading(body)), "#+end_src"), true
	case r.Words.Has("code"):
		lang := r.Lang
		if lang == "" {
			lang = "none"
		}
		return between("#+begin_src "+lang+r.switches(), escapeCode(body), "#+end_src"), true
	case r.Words.Has("raw"):
		return alignLeading(body), true
	case r.Words.Has("drawer"), r.Words.Has("wrap"):
		return between(":results:", alignLeading(body), ":end:"), true
	}
	return "", false
}

// wrapIn obeys :wrap NAME ARGS…; "no" and "nil" leave the text bare.
func (r *Result) wrapIn(body string) (string, bool) {
	full := r.Wrap
	if full == "" {
		full = "results"
	}
	kind, _, _ := strings.Cut(strings.TrimSpace(full), " ")
	switch strings.ToLower(kind) {
	case "no", "nil":
		return body, true
	case "export", "example", "src":
		body = escapeCode(body)
	}
	return between("#+begin_"+full, body, "#+end_"+kind), true
}

func (r *Result) switches() string {
	if r.Switches == "" {
		return ""
	}
	return " " + r.Switches
}

func between(open, body, end string) string { return open + "\n" + body + end + "\n" }

// exemplify marks text as literal: ": " before few lines, an example block
// around many.
func exemplify(body, switches string) string {
	if body == "" {
		return ""
	}
	count := strings.Count(EndLine(body), "\n")
	if count < exampleLines {
		var out strings.Builder
		for l := range strings.Lines(body) {
			out.WriteString(": ")
			out.WriteString(l)
		}
		return EndLine(out.String())
	}
	open := "#+begin_example"
	if switches != "" {
		open += " " + switches
	}
	return between(open, escapeCode(EndLine(body)), "#+end_example")
}

// alignLeading aligns the table that text begins with, if it does.
func alignLeading(text string) string {
	end := 0
	for l := range strings.Lines(text) {
		if !strings.HasPrefix(strings.TrimLeft(l, " \t"), "|") {
			break
		}
		end += len(l)
	}
	if end == 0 {
		return text
	}
	return format.AlignText(text[:end]) + text[end:]
}

var escapedLine = lazyregexp.New(`(?m)^([ \t]*)(,*(?:\*|#\+))`)

// escapeCode puts a comma before what org would read as a headline or keyword.
func escapeCode(s string) string { return escapedLine.ReplaceAllString(s, "${1},${2}") }

// EndLine ends non-blank text in a newline.
func EndLine(s string) string {
	if strings.TrimSpace(s) == "" || strings.HasSuffix(s, "\n") {
		return s
	}
	return s + "\n"
}

// Display prints a value for people: text bare, lists as Lisp, objects as
// JSON.
func Display(v value.Value) string {
	switch v.Kind() {
	case value.Null:
		return "null"
	case value.Bool:
		return fmt.Sprint(v.Bool())
	case value.String:
		return v.Text()
	case value.Object:
		return objectText(v)
	case value.BlobRef:
		return v.Blob().Path
	}
	return elisp.Princ(elisp.FromValue(v))
}

// objectText prints an object as JSON: on one line when it is short, indented
// otherwise.
func objectText(v value.Value) string {
	compact := v.AppendJSON(nil)
	if len(compact) <= objectWidth {
		return string(compact)
	}
	var out bytes.Buffer
	if json.Indent(&out, compact, "", "  ") != nil {
		return string(compact)
	}
	return out.String()
}

// objectWidth is the longest object that is printed on one line.
const objectWidth = 72
