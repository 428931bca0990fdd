package lsp

import (
	"slices"
	"strings"

	"wb/workbook"
)

// argDoc documents a header argument for hover and completion.
type argDoc struct {
	text   string   // what it does, one or two sentences
	values []string // usual values
}

// argDocs holds what org-babel's and wb's header arguments do.
var argDocs = map[string]argDoc{
	"cache":        {"Writes a hash of the block into its `#+RESULTS[hash]:`; the block does not run again while the hash holds.", []string{"yes", "no"}},
	"cmdline":      {"Arguments for the program.", nil},
	"colnames":     {"Whether the first row of a table is its column names: kept aside, and put back above a table that results.", []string{"yes", "no", "nil"}},
	"comments":     {"Comments that tangling puts around the block, by which `wb detangle` finds the way back.", []string{"no", "link", "yes", "org", "both", "noweb"}},
	"dir":          {"The directory the block runs in, below the workbook's.", nil},
	"epilogue":     {"Code added after the body when it runs and when it is tangled.", nil},
	"eval":         {"Whether the block may run. `no` and `never` keep it from running; its value is then what stands under its results.", []string{"yes", "no", "never", "query", "never-export", "no-export", "query-export"}},
	"exports":      {"What an export shows.", []string{"code", "results", "both", "none"}},
	"file":         {"The file the result is written to; the result is a link to it.", nil},
	"file-desc":    {"The description of the link to the result's file.", nil},
	"file-ext":     {"The extension of the result's file, named after the block.", []string{"png", "svg", "pdf", "txt", "csv", "json"}},
	"file-mode":    {"Permissions of the result's file.", []string{"(identity #o644)", "(identity #o755)"}},
	"hlines":       {"Whether the rules of a table reach the code.", []string{"no", "yes"}},
	"mkdirp":       {"Whether missing directories are made, for tangling and for `:dir`.", []string{"yes", "no"}},
	"no-expand":    {"Tangle without noweb, variables, prologue and epilogue.", []string{"yes"}},
	"noweb":        {"When `<<name>>` in the body is replaced by the block of that name.", []string{"yes", "no", "tangle", "eval", "no-export", "strip-export", "strip-tangle"}},
	"noweb-prefix": {"Whether what stands before a reference is repeated on each line that replaces it.", []string{"yes", "no"}},
	"noweb-ref":    {"The name under which noweb collects this block; several blocks may share one.", nil},
	"noweb-sep":    {"What stands between blocks that share a `:noweb-ref`.", []string{`"\n"`, `""`, `"\n\n"`}},
	"output-dir":   {"The directory for `:file`.", nil},
	"padline":      {"Whether a blank line parts tangled blocks.", []string{"yes", "no"}},
	"post":         {"A block that reworks the result, which it gets as `*this*`: `:post tidy(data=*this*)`.", nil},
	"prologue":     {"Code added before the body when it runs and when it is tangled.", nil},
	"results":      {"How the result is collected, what it is, how it is written and where.", resultWords},
	"rownames":     {"Whether the first column of a table is its row names.", []string{"yes", "no"}},
	"sep":          {"What separates the columns of a table written to `:file`.", []string{`","`, `"\t"`, `";"`}},
	"session":      {"Blocks with the same session of a language share state and run in order.", []string{"none", "*default*"}},
	"shebang":      {"The first line of the tangled file, which becomes executable.", []string{`"#!/bin/sh"`, `"#!/usr/bin/env bash"`, `"#!/usr/bin/env python3"`}},
	"stdin":        {"What the program reads from standard input: the name of a block, table or list.", nil},
	"tangle":       {"The file that `wb tangle` writes the block to.", []string{"yes", "no"}},
	"tangle-mode":  {"Permissions of the tangled file.", []string{"(identity #o755)", "o755"}},
	"var":          {"Variables: `:var x=1 y=\"text\" t=table r=block(n=2)[0:3,1]`.", nil},
	"wrap":         {"The block that is put around the result.", []string{"example", "quote", "src", "export html", "drawer"}},

	"args":      {"Arguments for the program.", nil},
	"async":     {"Accepted for Emacs; `wb` runs what it can at the same time anyway.", []string{"yes", "no"}},
	"defines":   {"Macros for the C preprocessor: `:defines N 10`.", nil},
	"flags":     {"Flags for the compiler.", nil},
	"includes":  {"Headers for C and C++: `:includes <math.h>`.", nil},
	"libs":      {"Libraries to link.", nil},
	"main":      {"Whether the body is wrapped in `main` (C family).", []string{"yes", "no"}},
	"imports":   {"Modules to import.", nil},
	"database":  {"The database file.", nil},
	"header":    {"Whether the output starts with column names.", []string{"yes", "no"}},
	"python":    {"The interpreter Emacs would use; `wb` runs its own.", nil},
	"return":    {"The expression whose value is the result (Python).", nil},
	"preamble":  {"Code before everything else.", nil},
	"classname": {"The class that Java runs.", nil},

	"in":      {"Inputs of the component, by name. Each is the output of that name of some other component, or given with `--set`.", nil},
	"out":     {"Outputs of the component, by name.", nil},
	"deps":    {"Packages the block needs (`:deps lodash,d3-array`); in a drawer, components that must come first.", nil},
	"uses":    {"Capabilities the component asks for. The user grants them with `--grant`.", nil},
	"persist": {"Keeps the component's files between runs.", []string{"yes", "no"}},
	"exec":    {"How values reach the code.", nil},
	"sig":     {"The type of the component: `:sig: score(items: list<f64>, k: s32) -> f64`.", nil},
	"profile": {"The set of capabilities and limits the component runs with.", nil},
	"timeout": {"The most time the component may take, up to what `--limits` allows.", []string{"5s", "30s", "2m"}},
	"memory":  {"The most memory the component may use, up to what `--limits` allows.", []string{"64MiB", "256MiB", "1GiB"}},
	"fuel":    {"The most fuel the component may burn: a count of steps, the same on every machine.", []string{"1e9", "1e10"}},
	"func":    {"The exported function that is called.", nil},
	"expect":  {"What the result must be.", nil},
}

// resultWords are the words of :results with what they mean beside them.
var resultWords = []string{"value", "output", "table", "vector", "list", "scalar", "verbatim", "file", "raw", "org", "html", "latex",
	"code", "pp", "drawer", "link", "graphics", "replace", "silent", "none", "discard", "append", "prepend"}

// capabilityDocs say what each capability allows.
var capabilityDocs = map[string]string{
	"vfs": "keep files in volumes of the host", "commands": "run registered commands of the sandbox",
	"exec": "start programs of the sandbox", "process": "run in a process of its own", "parallel": "run copies of itself at once",
	"kv": "keep small values between runs", "queue": "send and take messages", "secrets": "sign with secrets it cannot read", "vars": "read variables of the user's",
	"net": "open connections to granted hosts", "browse": "fetch public pages", "tcp": "TCP connections", "udp": "UDP datagrams",
	"tls": "TLS connections", "serve": "answer HTTP requests", "tcp-serve": "listen on a TCP port", "build": "compile code",
	"llm": "ask a language model", "clock": "read the real time", "random": "real randomness", "posix": "a fuller POSIX environment",
}

// drawerKey documents a key of a property drawer.
type drawerKey struct{ name, text string }

// drawerKeys are the keys that mean something to wb or to Org.
var drawerKeys = []drawerKey{
	{"in", argDocs["in"].text}, {"out", argDocs["out"].text}, {"deps", "Components that must come first, by id or name."},
	{"sig", argDocs["sig"].text}, {"uses", argDocs["uses"].text},
	{"ID", "An identifier that links from any file can lead to."}, {"CUSTOM_ID", "An identifier for links in this file: `[[#id]]`."},
	{"header-args", "Header arguments for all blocks below."}, {"header-args+", "Header arguments added to those inherited."},
	{"CATEGORY", "The category of the entries below."}, {"EFFORT", "How long it should take: `1:30`."},
	{"BLOCKER", "What must be done before: `ids(a b)`."}, {"CRON", "When a workflow runs, as a cron expression."},
	{"ARCHIVE", "Where archived entries go."}, {"COLUMNS", "The columns of column view."}, {"ORDERED", "Whether children are done in order."},
	{"VISIBILITY", "How the entry is folded when the file is opened."}, {"UNNUMBERED", "Keeps the heading from being numbered."},
	{"EXPORT_FILE_NAME", "The file an export of this subtree writes."},
	{"TOOLS", "Tools of an agent."}, {"MODEL", "The model of an agent."}, {"BOUNDS", "Whether steps or time end an agent."},
	{"MAX_STEPS", "The most steps an agent takes."}, {"TIMEOUT_MS", "The most time an agent takes."}, {"OUTPUT", "The type of an agent's answer."},
	{"EXEC", "Whether an agent asks to write the working directory."}, {"PROFILE", "The profile an agent runs with."},
	{"TEMPERATURE", "The temperature of an agent's model."}, {"ALLOW_HOSTS", "The hosts an agent may fetch from."}, {"WRAP_UP", "What an agent does when it runs out of steps."},
}

// fileKeyword documents a #+KEYWORD: line.
type fileKeyword struct{ name, text string }

var fileKeywords = []fileKeyword{
	{"TITLE", "The title; half of the ids of heading components."}, {"AUTHOR", "Who wrote it."}, {"DATE", "When."},
	{"NAME", "The name of the element below, by which others refer to it."}, {"CALL", "Run a named block: `#+CALL: total(x=3)`."},
	{"RESULTS", "What the block above gave."}, {"HEADER", "Header arguments of the block below."}, {"CAPTION", "A caption for the element below."},
	{"PROPERTY", "A property of the file: `#+PROPERTY: header-args :results output`."}, {"TODO", "TODO keywords: `#+TODO: TODO NEXT | DONE`."},
	{"FILETAGS", "Tags of the whole file."}, {"STARTUP", "How Emacs shows the file."}, {"OPTIONS", "Export options."},
	{"INCLUDE", "The text of another file."}, {"MACRO", "A macro: `#+MACRO: name text $1`."}, {"LINK", "A link abbreviation."},
	{"EXPECT", "What a result must be: `#+EXPECT: total = 42`."}, {"CAPS", "Capabilities the file asks for."}, {"TRUST", "How far the file is trusted."},
	{"TBLFM", "Formulas of the table above."}, {"SETUPFILE", "A file with more settings."}, {"LANGUAGE", "The language of the text."},
	{"BIBLIOGRAPHY", "Where citations are looked up."}, {"ATTR_HTML", "Attributes of the element below, for HTML."},
}

// usualValues are the values a header argument usually has.
func usualValues(name string) []string {
	switch name {
	case "uses":
		return workbook.Capabilities()
	case "profile":
		return workbook.Profiles()
	case "exec":
		return workbook.ExecShapes()
	}
	return argDocs[name].values
}

// describeArg is the documentation of a header argument as markdown, "" for
// one nobody knows.
func describeArg(name string) string {
	name = strings.ToLower(strings.Trim(name, ":+"))
	doc, documented := argDocs[name]
	if !documented && !slices.Contains(workbook.HeaderArguments(), name) {
		return ""
	}
	text := "**:" + name + "**"
	if documented {
		text += " — " + doc.text
	}
	if values := usualValues(name); len(values) > 0 {
		text += "\n\nValues: `" + strings.Join(values, "` `") + "`"
	}
	return text
}
