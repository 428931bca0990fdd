package main

import (
	"runtime/debug"
	"strings"

	"github.com/alecthomas/kong"
)

const description = `Run org-mode workbooks: safe, fast to re-run, and with proof of where results came from.

  wb run FILE.org      compile and run what changed, write the results back
  wb plan FILE.org     show the components and how data flows between them
  wb help VERB         one page about a verb, with an example`

// grammar is the command line, one field per verb in the order help shows them.
type grammar struct {
	JSON    bool             `help:"Answer with one JSON envelope." env:"WB_JSON"`
	Quiet   bool             `short:"q" help:"Say nothing on stderr but errors."`
	Verbose bool             `short:"v" help:"Say more on stderr."`
	Version kong.VersionFlag `help:"Print the version and exit."`

	Run        runCmd        `cmd:"" help:"Compile and run what changed, write results, record events."`
	Plan       planCmd       `cmd:"" help:"Show the components of a workbook and how values flow."`
	Tangle     tangleCmd     `cmd:"" help:"Write the source files that documents describe, as Emacs does."`
	Detangle   detangleCmd   `cmd:"" help:"Bring edits of tangled files back into their documents."`
	Fmt        fmtCmd        `cmd:"" help:"Tidy tables, tags and properties as Emacs does."`
	Import     importCmd     `cmd:"" help:"Turn notebooks and Markdown into org documents."`
	Export     exportCmd     `cmd:"" help:"Turn an org document into Markdown, a notebook or a page."`
	Lint       lintCmd       `cmd:"" help:"Report mistakes, with places and hints."`
	Why        whyCmd        `cmd:"" help:"Say why a component would, or would not, run again."`
	Query      queryCmd      `cmd:"" help:"Ask questions over notes, blocks, tables and runs in OQL."`
	Set        setCmd        `cmd:"" help:"Change the headlines a query finds, in all files or none."`
	Search     searchCmd     `cmd:"" help:"Find headings by what stands under them, best first."`
	Agent      agentCmd      `cmd:"" help:"Run agents that documents define, and go on with their runs."`
	Toolkit    toolkitCmd    `cmd:"" help:"Capabilities written down in documents: find, read, run, check and sign them."`
	Todo       todoCmd       `cmd:"" help:"Carry out the TODO headings of a file with agents."`
	Eval       evalCmd       `cmd:"" help:"Try agents out on the cases of a file."`
	Federate   federateCmd   `cmd:"" help:"List tables that are no org files, and mirror their rows as headlines."`
	Trace      traceCmd      `cmd:"" help:"Export the records of runs, and compare two of them."`
	Telemetry  telemetryCmd  `cmd:"" help:"Say what runs amounted to: calls, errors, time, tokens, cost."`
	Ledger     ledgerCmd     `cmd:"" help:"Check the signed record of what runs did."`
	Key        keyCmd        `cmd:"" help:"Show, replace or revoke the key that signs."`
	Sign       signCmd       `cmd:"" help:"Sign an HTML page, or all files of a site."`
	Verify     verifyCmd     `cmd:"" help:"Check that a page, site or bundle is what was signed."`
	Bundle     bundleCmd     `cmd:"" help:"Make one signed file of a workbook and what belongs to it."`
	Unbundle   unbundleCmd   `cmd:"" help:"Take a bundle apart, after verifying it."`
	Toolchain  toolchainCmd  `cmd:"" help:"Manage the compilers that run in the sandbox."`
	Var        varCmd        `cmd:"" help:"Set variables and secrets that documents may be granted."`
	Trust      trustCmd      `cmd:"" help:"Grant a document what it asks for, until its code changes."`
	Grants     grantsCmd     `cmd:"" help:"List what was granted, take it back, and show what was used."`
	VFS        vfsCmd        `cmd:"" name:"vfs" help:"Show and change the files that components keep in volumes."`
	Serve      serveCmd      `cmd:"" help:"Serve agents and workbooks over HTTP, with a page to follow runs."`
	MCP        mcpCmd        `cmd:"" name:"mcp" help:"Serve programs that speak the Model Context Protocol."`
	LSP        lspCmd        `cmd:"" name:"lsp" help:"Serve an editor: diagnostics, completion, running blocks."`
	Doctor     doctorCmd     `cmd:"" help:"Show what works here, what is missing and how to get it."`
	Completion completionCmd `cmd:"" help:"Print a completion script for bash, zsh or fish."`
	Help       helpCmd       `cmd:"" help:"Show help; with --json the tree of verbs."`
}

// version is the module version or commit that built this binary.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "wb (unknown build)"
	}
	v := info.Main.Version
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			v += " " + s.Value[:12]
		}
	}
	return strings.TrimSpace("wb " + v + " " + info.GoVersion)
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
