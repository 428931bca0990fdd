package app

import (
	"slices"
	"strings"
)

// Rows are the verbs of wb, in the order that help shows them. Those that serve,
// or speak with a person, are rows without a function: what they do is at their
// door.
func Rows() []Row {
	return []Row{
		row(run),
		terminal("session", "Look at what wb run --freeze has written."),
		row(plan),
		row(tangleFiles),
		terminal("detangle", "Bring edits of tangled files back into their documents."),
		row(tidy),
		terminal("import", "Turn notebooks and Markdown into org documents."),
		terminal("export", "Turn an org document into Markdown, a notebook or a page."),
		row(lint),
		row(why),
		row(query),
		row(set),
		row(agendaOf),
		row(searchFor),
		terminal("agent", "Run agents that documents define, and go on with their runs."),
		terminal("toolkit", "Capabilities written down in documents: find, read, run, check and sign them."),
		terminal("issues", "List the tickets that agents filed, and have agents work on them."),
		terminal("todo", "Carry out the TODO headings of a file with agents."),
		terminal("eval", "Try agents out on the cases of a file."),
		terminal("library", "Keep workbooks in workspaces: list, query, check out and in."),
		terminal("federate", "List tables that are no org files, and mirror their rows as headlines."),
		row(traceExport), row(traceDiff),
		row(telemetryOf),
		terminal("ledger", "Check the signed record of what runs did."),
		terminal("key", "Show, replace or revoke the key that signs."),
		terminal("sign", "Sign a page, a workbook or any other file, or all files of a site."),
		terminal("publish", "Make signed sites of workbooks, preview, deploy and roll them back."),
		terminal("verify", "Check that a page, site, bundle or file is what was signed."),
		terminal("bundle", "Make one signed file of a workbook and what belongs to it."),
		terminal("unbundle", "Take a bundle apart, after verifying it."),
		terminal("toolchain", "Manage the compilers that run in the sandbox."),
		terminal("var", "Set variables and secrets that documents may be granted."),
		terminal("trust", "Grant a document, or what somebody signs, what it asks for."),
		terminal("grants", "List what was granted, take it back, and show what was used."),
		terminal("vfs", "Show and change the files that components keep in volumes."),
		terminal("serve", "Serve agents and workbooks over HTTP, with a page to follow runs."),
		terminal("worker", "Work for runs elsewhere, or host the fabric they meet on."),
		terminal("mcp", "Serve programs that speak the Model Context Protocol."),
		terminal("lsp", "Serve an editor: diagnostics, completion, running blocks."),
		terminal("doctor", "Show what works here, what is missing and how to get it."),
		terminal("completion", "Print a completion script for bash, zsh or fish."),
		terminal("help", "Show help; with --json the tree of verbs."),
	}
}

// Groups are the sentences of verbs that have verbs of their own.
var Groups = map[string]string{
	"trace": "Export the records of runs, and compare two of them.",
}

// terminal is a verb that only a terminal has, and does.
func terminal(name, help string) Row { return Row{Name: name, Help: help} }

// Does reports whether the table does the verb, and not its door.
func (r Row) Does() bool { return r.do != nil }

// Find is the row of a name.
func Find(name string) (Row, bool) {
	rows := Rows()
	i := slices.IndexFunc(rows, func(r Row) bool { return r.Name == name })
	if i < 0 {
		return Row{}, false
	}
	return rows[i], true
}

// At are the rows that a door shows, by their names.
func At(door Doors) []Row {
	rows := slices.DeleteFunc(Rows(), func(r Row) bool { return r.Doors&door == 0 })
	slices.SortStableFunc(rows, func(a, b Row) int { return strings.Compare(a.Name, b.Name) })
	return rows
}
