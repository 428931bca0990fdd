// Package resident keeps the user's compilers loaded between commands. Most of the
// time from an edit to its result goes into making a compiler ready in a process
// that ends a moment later; so whoever needs one starts a process that stays, and
// everybody after that (the terminal, the editor, the server) asks it.
//
//	client := resident.NewClient(resident.Config{Cache: cache})
//	env.Builder = client
//
// What is asked is a pure function: a source and the lane's fingerprint in, an
// artifact or the compiler's messages out, as a request of package remote in a
// frame on a socket. Programs of documents never run there, and nothing of a
// document goes there but what is compiled. The artifact is the one that the
// caller would have made, byte by byte.
//
// A resident is never needed. Where there is none, where it refuses, is killed or
// speaks nonsense, the caller does the work itself and nobody notices.
//
// There is one for each user, cache and build of wb: the socket's name has both,
// it lies in a directory that only the user may enter, and each side looks at the
// other's user. Whoever starts one makes the socket first, so that its first caller
// need not wait for it, and gives it that, a lock, and nothing else that is open.
// It confines itself as children of tiers do (package walls): it reads and writes
// the caches, and can neither start programs nor connect to anything.
//
// It ends when nobody has asked for some minutes, when its executable, its socket
// or the caches are replaced or gone, when it is told to, and when it needs more
// memory than it may, after it has dropped the compilers that were used least
// lately.
//
// There are residents on Linux. Elsewhere [Supported] says why not.
package resident
