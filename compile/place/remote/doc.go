// Package remote builds and runs programs somewhere else than in the process
// that wants their outcome: in a child process, a container, or another machine.
// It is the seam between them and no way to get there: a [Transport] carries
// bytes, whatever it is made of.
//
//	caller                                   peer
//	runner := remote.NewRunner(t, …)         reply := remote.Execute(ctx, lanes, request, ask)
//	runner.Execute(ctx, program)
//	  → request ────────────────────────────→
//	  ←─────────── questions: files, the dock
//	  → answers ────────────────────────────→
//	  ←──────────────────────────────── reply
//
// A [Request] is a program as data: its source, its inputs, its limits, what it
// was granted. Its encoding is deterministic, so [Request.Key] names the work:
// two requests with one key are the same program on the same inputs.
//
// What belongs to the caller stays with the caller. While a program runs, its
// peer asks back: for the files it reads, so that only those travel and the
// caller knows which they were, and for what it asks of the dock, so that the
// principal, the rates, the revocations and the records are the caller's. The
// answers are made by [Answer].
//
// A [Reply] is the outcome, what the program wrote, what it read, and the
// warnings of its build; or a [Failure], which comes out as the same typed error
// that running in place would have given.
//
// Neither side trusts the other's bytes: decoding refuses what is malformed, of
// another version or too large, and names of files are checked before they are
// used.
//
// A live session cannot travel unless the transport promises that all requests
// of a session reach the same peer (see [Config.Sessions]).
package remote
