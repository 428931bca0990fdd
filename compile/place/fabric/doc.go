// Package fabric spreads work over machines. Work is a key, which names it by
// its content, and a body; what comes of it is a reply. Work with one key is one
// piece of work, whoever asks for it and however often, and its reply is kept.
//
//	caller                      NATS JetStream                      workers
//	Queue.Do(key, body) ──────→ work queue, one message a key ────→ Worker.Run
//	   ↑                        objects: large bodies, toolchains    │ execute
//	   │                                                             │
//	   └──────────────────────── results, first writer wins ←────────┘
//	   ←──────────── questions: files, the dock ─────────────────────┘
//
// What holds, and by what:
//
//   - Nothing is lost. A message leaves the queue when its result is stored and
//     not before. A worker that falls silent for [Config.AckWait] gives its work
//     back to the others; one that is merely slow says so while it works.
//   - Nothing is done twice that was done. A worker looks for the result before
//     it begins. Where two work at once all the same, since one was thought
//     dead, the first result stands and the second must be the same bytes. If
//     it is not, callers hear of a [Conflict] that names both workers.
//   - Nothing goes round for ever. Work that fails [Config.MaxTries] times, or
//     takes its worker with it [Config.MaxSilent] times, ends with a [PoisonError]
//     that says what happened each time.
//   - No side is flooded. A caller has at most [Config.Window] pieces of work
//     under way, the queue takes at most what the tenant's [Quota] says, and a
//     worker fetches a message only when it has a free slot for it.
//   - Tenants do not meet. Each has streams, subjects and objects of its own,
//     and on a server of package fabric/embed an account of its own too: what is
//     in one cannot be named in another, and its size is bounded there.
//
// This package does not know what the work is. Package fabric/programs
// makes it programs.
package fabric
