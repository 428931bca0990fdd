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
		row(run).on("sandbox.org::*Tiers"),
		row(sessionInfo),
		row(plan),
		row(tangleFiles),
		row(detangle),
		row(tidy),
		row(importFiles),
		row(export).on("pages.org"),
		row(lint),
		row(why),
		row(query).on("oql.org"),
		row(set),
		row(agendaOf),
		row(searchFor).on("search.org"),
		terminal("agent run", "Give an agent of a document a task."),
		terminal("agent repl", "Talk with an agent, line by line, in one session."),
		row(agentList), row(agentShow),
		terminal("agent resume", "Continue a run that was killed, repeating nothing."),
		terminal("agent fork", "Run again from a step of another run."),
		terminal("agent replay", "Repeat a run offline from its journal and compare."),
		terminal("agent keep", "Keep an agent: wake it on its schedule, with its memory."),
		terminal("agent dream", "Have an agent condense its past into its memory."),
		row(agentApprove),
		row(toolkitList), row(toolkitShow), row(toolkitSearch), row(toolkitRun), row(toolkitEval), row(toolkitVerify), row(toolkitSign), row(toolkitNew), row(toolkitCommands),
		row(issuesList), row(issuesShow),
		terminal("issues work", "Have an agent work on tickets, and note the outcome."),
		terminal("todo", "Carry out the TODO headings of a file with agents.").on("agents.org::*Plans and evals"),
		terminal("eval", "Test agents on the cases of a file.").on("agents.org::*Plans and evals"),
		row(libraryList), row(libraryQuery), row(libraryCheckout), row(libraryCheckin),
		row(federateList), row(federateSync),
		row(traceExport), row(traceDiff),
		row(telemetryOf),
		row(ledgerVerify),
		row(keyShow), row(keyNew), row(keyRotate), row(keyRevoke), row(keyDID), row(keyRevoked),
		row(signPath).on("publishing.org"),
		row(publishInit), row(publishValidate), row(publishSite), row(publishApply),
		terminal("publish serve", "Preview a site in the browser, and update it with every change."),
		row(publishStatus), row(publishRollback), row(publishEject),
		row(verifyPath).on("publishing.org"),
		row(bundle),
		row(unbundle),
		row(toolchainList), row(toolchainInstall), row(toolchainVerify), row(toolchainPack), row(toolchainUnpack), row(toolchainGC),
		row(selfVerify),
		row(variableSet), row(variableGet), row(variableList), row(variableRef), row(variableUnset),
		row(trustWhat),
		row(grantsList), row(grantsRevoke), row(grantsStats),
		row(volumeList), row(volumeGet), row(volumePut), row(volumeQuery),
		row(copiesList), row(copiesMake), row(copiesRestore),
		terminal("serve", "Serve agents and workbooks over HTTP, with a page to follow runs.").on("serve.org"),
		terminal("worker", "Run programs for other machines, or host the server that connects them.").on("fabric.org"),
		terminal("mcp", "Serve programs that speak the Model Context Protocol."),
		terminal("lsp", "Serve an editor: diagnostics, completion, running blocks.").on("editors.org"),
		row(doctor),
		terminal("completion", "Print a completion script for bash, zsh or fish."),
		terminal("help", "Show help; with --json the tree of verbs."),
	}
}

const aboutLibrary = `Examples:
  wb library list --library ~/books
  wb library query --library ~/books 'todo:NEXT deadline:to=7'
  wb library query --library ~/books "SELECT path FROM vfs WHERE volume = 'memory'"
  wb library checkout reports/sales-analysis work/
  wb library checkin work/
  wb query 'from:library status:changed | select id, signer'

A workspace is a directory with a workspace.org, in which each heading tagged
:member: names a workbook or a directory with :PATH:, and with :SCOPE: write allows
checking in.`

// Group is a verb that has verbs of its own.
type Group struct{ Help, About, Page string }

// Groups are those verbs by their names.
var Groups = map[string]Group{
	"agent":     {Help: "Run the agents that documents define, and resume their runs.", Page: "agents.org"},
	"self":      {Help: "Check this wb itself."},
	"publish":   {Help: "Make signed sites of workbooks, preview, deploy and roll them back.", Page: "sites.org"},
	"issues":    {Help: "List the tickets that agents filed, and have agents work on them.", Page: "agents.org::*Agents that stay"},
	"federate":  {Help: "List tables that are not org files, and mirror their rows as headlines.", Page: "federation.org"},
	"library":   {Help: "Keep workbooks in workspaces: list, query, check out and in.", About: aboutLibrary, Page: "workbook.org"},
	"toolkit":   {Help: "Toolkits, commands and skills written in documents: find, read, run, check and sign them.", Page: "agents.org::*Toolkits"},
	"toolchain": {Help: "Manage the compilers that run in the sandbox."},
	"trace":     {Help: "Export the records of runs, and compare two of them."},
	"session":   {Help: "Inspect frozen sessions, written by wb run --freeze.", Page: "workbook.org::*Sessions that travel"},
	"key":       {Help: "Show, replace or revoke the key that signs.", Page: "publishing.org"},
	"var":       {Help: "Set variables and secrets that documents may be granted.", Page: "sandbox.org"},
	"grants":    {Help: "List grants, revoke them, and show what was used."},
	"vfs":       {Help: "Show and change the files that components keep in volumes."},
	"volume":    {Help: "Copy what components keep off this machine, and restore it.", Page: "sandbox.org::*Copies elsewhere"},
	"ledger":    {Help: "Check the signed record of what runs did."},
}

// terminal is a verb that only a terminal has, and does.
func terminal(name, help string) Row { return Row{Name: name, Help: help} }

// on is a row with the page that says more.
func (r Row) on(page string) Row { r.Page = page; return r }

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
