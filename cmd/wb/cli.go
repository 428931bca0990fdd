package main

import (
	"runtime/debug"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

const description = `Run org-mode workbooks: safe, fast to re-run, and with proof of where results came from.

  wb run FILE.org      compile and run what changed, write the results back
  wb plan FILE.org     show the components and how data flows between them
  wb help VERB         one page about a verb, with an example`

// globals are the flags that all verbs share.
type globals struct {
	JSON    bool             `help:"Answer with one JSON envelope." env:"WB_JSON"`
	Quiet   bool             `short:"q" help:"Say nothing on stderr but errors."`
	Verbose bool             `short:"v" help:"Say more on stderr."`
	Version kong.VersionFlag `help:"Print the version and exit."`
}

// verb is a word that wb may be followed by, and the flags it takes.
type verb struct {
	name, help string
	flags      any // a pointer to a struct with a Run method
}

// verbs are all of them, in the order help shows them.
func verbs() []verb {
	return []verb{
		{"run", "Compile and run what changed, write results, record events.", &runCmd{}},
		{"session", "Look at what wb run --freeze has written.", &sessionCmd{}},
		{"plan", "Show the components of a workbook and how values flow.", &planCmd{}},
		{"tangle", "Write the source files that documents describe, as Emacs does.", &tangleCmd{}},
		{"detangle", "Bring edits of tangled files back into their documents.", &detangleCmd{}},
		{"fmt", "Tidy tables, tags and properties as Emacs does.", &fmtCmd{}},
		{"import", "Turn notebooks and Markdown into org documents.", &importCmd{}},
		{"export", "Turn an org document into Markdown, a notebook or a page.", &exportCmd{}},
		{"lint", "Report mistakes, with places and hints.", &lintCmd{}},
		{"why", "Say why a component would, or would not, run again.", &whyCmd{}},
		{"query", "Ask questions over notes, blocks, tables and runs in OQL.", &queryCmd{}},
		{"set", "Change the headlines a query finds, in all files or none.", &setCmd{}},
		{"search", "Find headings by what stands under them, best first.", &searchCmd{}},
		{"agent", "Run agents that documents define, and go on with their runs.", &agentCmd{}},
		{"toolkit", "Capabilities written down in documents: find, read, run, check and sign them.", &toolkitCmd{}},
		{"issues", "List the tickets that agents filed, and have agents work on them.", &issuesCmd{}},
		{"todo", "Carry out the TODO headings of a file with agents.", &todoCmd{}},
		{"eval", "Try agents out on the cases of a file.", &evalCmd{}},
		{"library", "Keep workbooks in workspaces: list, query, check out and in.", &libraryCmd{}},
		{"federate", "List tables that are no org files, and mirror their rows as headlines.", &federateCmd{}},
		{"trace", "Export the records of runs, and compare two of them.", &traceCmd{}},
		{"telemetry", "Say what runs amounted to: calls, errors, time, tokens, cost.", &telemetryCmd{}},
		{"ledger", "Check the signed record of what runs did.", &ledgerCmd{}},
		{"key", "Show, replace or revoke the key that signs.", &keyCmd{}},
		{"sign", "Sign a page, a workbook or any other file, or all files of a site.", &signCmd{}},
		{"publish", "Make signed sites of workbooks, preview, deploy and roll them back.", &publishCmd{}},
		{"verify", "Check that a page, site, bundle or file is what was signed.", &verifyCmd{}},
		{"bundle", "Make one signed file of a workbook and what belongs to it.", &bundleCmd{}},
		{"unbundle", "Take a bundle apart, after verifying it.", &unbundleCmd{}},
		{"toolchain", "Manage the compilers that run in the sandbox.", &toolchainCmd{}},
		{"var", "Set variables and secrets that documents may be granted.", &varCmd{}},
		{"trust", "Grant a document, or what somebody signs, what it asks for.", &trustCmd{}},
		{"grants", "List what was granted, take it back, and show what was used.", &grantsCmd{}},
		{"vfs", "Show and change the files that components keep in volumes.", &vfsCmd{}},
		{"serve", "Serve agents and workbooks over HTTP, with a page to follow runs.", &serveCmd{}},
		{"worker", "Work for runs elsewhere, or host the fabric they meet on.", &workerCmd{}},
		{"mcp", "Serve programs that speak the Model Context Protocol.", &mcpCmd{}},
		{"lsp", "Serve an editor: diagnostics, completion, running blocks.", &lspCmd{}},
		{"doctor", "Show what works here, what is missing and how to get it.", &doctorCmd{}},
		{"completion", "Print a completion script for bash, zsh or fish.", &completionCmd{}},
		{"help", "Show help; with --json the tree of verbs.", &helpCmd{}},
	}
}

// verbsFor are the verbs that a command line is parsed with: the one that it
// starts with, since reading the flags of all takes longer than many verbs do;
// all of them if it starts with something else or the verb shows the others.
func verbsFor(args []string) []verb {
	all := verbs()
	switch args[0] {
	case "--version":
		return nil
	case "help", "completion":
		return all
	}
	if i := slices.IndexFunc(all, func(v verb) bool { return v.name == args[0] }); i >= 0 {
		return all[i : i+1]
	}
	return all
}

// newParser returns the parser of a command line with these verbs, which puts
// the flags that all of them share into shared.
func newParser(shared *globals, verbs []verb, options ...kong.Option) (*kong.Kong, error) {
	options = append(options, kong.Name("wb"), kong.Description(description), kong.Vars{"version": version()})
	for _, v := range verbs {
		options = append(options, kong.DynamicCommand(v.name, v.help, "", v.flags))
	}
	return kong.New(shared, options...)
}

// version is the release, the commit and its date, and the Go that built this binary.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "wb (unknown build)"
	}
	set := map[string]string{}
	for _, s := range info.Settings {
		set[s.Key] = s.Value
	}
	words := []string{"wb", info.Main.Version}
	if commit := set["vcs.revision"]; commit != "" {
		words = append(words, "commit "+commit[:min(len(commit), 12)])
	}
	if date, _, _ := strings.Cut(set["vcs.time"], "T"); date != "" {
		words = append(words, "of "+date)
	}
	if set["vcs.modified"] == "true" {
		words = append(words, "with changes")
	}
	return strings.Join(append(words, info.GoVersion, set["GOOS"]+"/"+set["GOARCH"]), " ")
}

// usageHint points at the help page that answers a wrong command line.
func usageHint(parser *kong.Kong, args []string) string {
	word := firstWord(args)
	for _, child := range parser.Model.Children {
		if child.Name == word {
			return "wb help " + word
		}
	}
	if near := nearestVerb(parser, word); near != "" {
		return "did you mean `wb " + near + "`?"
	}
	return "wb help lists the verbs"
}
