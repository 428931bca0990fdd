package lsp

import (
	"strings"

	"wb/tangle/babel"
	"wb/workbook"
)

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
	{"in", argText("in")}, {"out", argText("out")}, {"deps", "Components that must come first, by id or name."},
	{"sig", argText("sig")}, {"uses", argText("uses")},
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
	arg, _ := babel.Lookup(name)
	return arg.Values
}

func argText(name string) string {
	arg, _ := babel.Lookup(name)
	return arg.Doc
}

// describeArg is the documentation of a header argument as markdown, "" for
// an unknown one.
func describeArg(name string) string {
	arg, known := babel.Lookup(name)
	if !known {
		return ""
	}
	text := "**:" + arg.Name + "** — " + arg.Doc
	if values := usualValues(arg.Name); len(values) > 0 {
		text += "\n\nValues: `" + strings.Join(values, "` `") + "`"
	}
	if arg.Languages != nil {
		text += "\n\nLanguages: `" + strings.Join(arg.Languages, "` `") + "`"
	}
	return text
}
