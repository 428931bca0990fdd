// Package lsp is a language server for org workbooks: it shows an editor what
// lint finds, what a component gave and why it would run again, where names
// lead, and what may be written at the cursor, and it runs blocks.
//
//	server := lsp.New(lsp.Config{Languages: lanes, Run: run})
//	err := server.Serve(ctx, os.Stdin, os.Stdout)
//
// # How it is built
//
// Three layers, one file each:
//
//   - frame.go cuts the byte stream into messages and bears any garbage;
//   - conn.go is JSON-RPC 2.0: requests, notifications, cancellation, and the
//     requests the server makes itself;
//   - server.go is the table from method names to handlers, and the server's
//     life from initialize to exit.
//
// Everything a feature needs to know about a text is its analysis
// (analysis.go): the org tree, the plan, and an index of every occurrence of
// every symbol (symbols.go, occurrences_*.go). An analysis is made once for a
// version of a document and never changes, so requests read it without locks
// while the author types on. Each feature has a file of its own.
//
// # Promises
//
// The server never writes a file. What changes text goes to the editor as
// edits; edits of a run name the version they are for and are moved along when
// the author has typed meanwhile, and those that cannot be moved are dropped
// and said so, never forced.
//
// Positions are UTF-16 as the protocol has it, or UTF-8 when the client offers
// that. A position outside the text is put at its nearest place, as the
// protocol asks.
package lsp
