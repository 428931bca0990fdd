// Package app says what wb does, once. Each verb is a row of a table: its name,
// its help with an example, its input, its output, what it does, how a person
// reads the answer, and which doors show it.
//
//	var lint = Verb[LintIn, LintOut]{
//		Name: "lint", Help: "Report mistakes, with places and hints.",
//		Do:   func(ctx context.Context, h *Home, in *LintIn) (*LintOut, error) { … },
//		Text: func(p *Page, out *LintOut) error { … },
//	}
//
// A door is a way to reach wb: the terminal (cmd/wb), the Model Context Protocol
// and HTTP and editors (serve), and the tool `wb` of agents. Doors own nothing but
// their protocol. Each fills a [Home], which says what may be seen and run there,
// and gets the rest from the table:
//
//   - the command line and its completion from the kong tags of the input,
//   - the schema of a tool from the same fields ([Row.Schema]),
//   - the words of an agent parsed as the command line is ([Row.Words]).
//
// A field tagged on:"terminal" exists only at the terminal: no other caller may
// grant a capability, say.
//
// [Home.Run] is the one way to run a workbook: it lints, grants, chooses where
// programs run, opens the record, runs, and ends the record with the exit code,
// the fuel and the exports. Whoever adds a verb adds a file here and a line to
// [Rows]; whoever adds a door reads rows and calls [Row.Do].
package app
